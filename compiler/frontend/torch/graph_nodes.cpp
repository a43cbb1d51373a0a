// grad_fn as an object of the script.

#include "compiler/frontend/torch/autograd.h"
#include "compiler/frontend/torch/state.h"

namespace sifr::capture {
namespace {

struct GraphNode : NativeObjectOf<GraphNode> {
    using NativeObjectOf::NativeObjectOf;
    AutogradState::Edge edge;
};

const GraphNode* node_of(PyValue v) { return static_cast<const GraphNode*>(v.object()); }

std::string name_of_edge(Interpreter& in, const AutogradState::Edge& e) {
    std::string name = e.node.valid() ? in.autograd().node(e.node).name : "torch::autograd::AccumulateGrad";
    return name == "CopySlices" ? "torch::autograd::CopySlices" : name;
}

/// The class's name has no namespace: `<AccumulateGrad object at 0x…>`.
std::string class_name(const std::string& name) {
    size_t colons = name.rfind("::");
    return colons == std::string::npos ? name : name.substr(colons + 2);
}

class NodeProtocol : public Protocol {
public:
    PyValue repr(Interpreter& in, PyValue self) override {
        // Addresses differ from run to run; this one only differs from node to node.
        return in.str(fmt::format("<{} object at 0x{:012x}>", class_name(name_of_edge(in, node_of(self)->edge)), 0x7f0000000000 + int64_t{node_of(self)->number} * 64));
    }
    PyValue compare(Interpreter&, syntax::CompareOp op, PyValue left, PyValue right) override {
        if (op != syntax::CompareOp::Eq && op != syntax::CompareOp::NotEq) return PyValue::not_implemented();
        bool same = left.is(Kind::Native) && right.is(Kind::Native) && left.object() == right.object();
        return PyValue::boolean(same == (op == syntax::CompareOp::Eq));
    }
};

NodeProtocol protocol;

}  // namespace

PyValue node_object(Interpreter& in, AutogradState::Edge edge) {
    if (!edge.valid()) return PyValue::none();
    TorchClasses& classes = torch_classes(in);
    if (!classes.grad_node) {
        ClassObject* base = in.add_class("Node", "torch.autograd.graph", nullptr, &protocol);
        classes.grad_node = base;
        in.add_method(base, "name", [](Interpreter& i, Args& a) { return i.str(name_of_edge(i, node_of(a[0])->edge)); });
        in.add_property(base, "next_functions", [](Interpreter& i, Args& a) {
            Values out;
            AutogradState::Edge e = node_of(a[0])->edge;
            if (e.node.valid()) {
                std::vector<AutogradState::Edge> edges = i.autograd().node(e.node).edges;
                for (const auto& next : edges) out.push_back(i.tuple({node_object(i, next), PyValue::integer(next.output)}));
            }
            return i.tuple(std::move(out));
        });
        in.add_property(base, "variable", [](Interpreter& i, Args& a) {
            AutogradState::Edge e = node_of(a[0])->edge;
            if (!e.leaf.valid()) raise("AttributeError", "'{}' object has no attribute 'variable'", class_name(name_of_edge(i, e)));
            return PyValue(variable_owners(i).at(e.leaf.index));
        });
    }
    std::string name = class_name(name_of_edge(in, edge));
    const ClassObject*& cls = classes.node_classes[name];
    if (!cls) cls = in.add_class(name, "", classes.grad_node, nullptr);
    // One object per node, as long as nobody asks for another output of it.
    const NativeObject*& known = edge.node.valid() ? classes.nodes[edge.node.index] : classes.leaves[edge.leaf.index];
    if (known && known->cls == cls) return PyValue(known);
    auto* made = in.heap().make<GraphNode>(cls);
    made->edge = edge;
    known = made;
    return PyValue(made);
}

PyValue grad_fn_object(Interpreter& in, PyValue tensor) {
    AutogradState& autograd = in.autograd();
    VariableId v = tensor_of(tensor)->variable;
    NodeId n = autograd.grad_fn(v);
    if (!n.valid()) return PyValue::none();
    return node_object(in, {n, autograd.variable(v).output, {}});
}

}  // namespace sifr::capture
