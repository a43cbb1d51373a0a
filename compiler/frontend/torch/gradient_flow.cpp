#include "compiler/frontend/torch/gradient_flow.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/frontend/torch/custom_function.h"
#include "compiler/frontend/torch/hooks.h"
#include "compiler/frontend/torch/state.h"

namespace sifr::capture {
namespace {

using Edge = AutogradState::Edge;

Edge edge_of(Interpreter& in, const TensorObject* t) {
    AutogradState& autograd = in.autograd();
    if (!autograd.requires_grad(t->variable)) return {};
    NodeId n = autograd.grad_fn(t->variable);
    if (n.valid()) return Edge{n, autograd.variable(t->variable).output, {}};
    return Edge{{}, 0, t->variable};
}

/// Where a gradient has to stop: one output of a node.
struct Stop {
    PyValue tensor;
    NodeId node;
    uint32_t output = 0;
    PyValue gradient;  ///< the sum so far; unbound: nothing
    [[nodiscard]] bool is(const Edge& e) const { return e.node == node && e.output == output; }
};

/// A node at which the script takes over: hooked tensors of it, or a custom Function with all of its outputs.
struct Place {
    NodeId node;
    std::vector<Stop> stops;
    const CustomNode* custom = nullptr;
};

class Flow {
public:
    Flow(Interpreter& in, const BackwardCall& call, const Values& targets, const std::vector<NodeId>& ran)
        : in_(in), call_(call), targets_(targets), ran_(ran.begin(), ran.end()), results_(targets.size()) {
        for (PyValue t : targets) target_edges_.push_back(edge_of(in, tensor_of(t)));
        for (NodeId n : ran) {
            const AutogradState::Node node = in.autograd().node(n);
            for (const AutogradState::Saved& s : node.saved)
                if (in.autograd().requires_grad(s.variable)) through_.push_back(s.variable);
            for (VariableId v : node.through)
                if (in.autograd().requires_grad(v)) through_.push_back(v);
        }
        for (PyValue g : call.gradients)
            if (g.is(Kind::Tensor) && requires_grad(in, g)) through_.push_back(tensor_of(g)->variable);
        find_places();
    }

    Values run() {
        next_ = 0;
        std::vector<Edge> sources;
        for (PyValue l : call_.losses) sources.push_back(edge_of(in_, tensor_of(l)));
        piece(call_.losses, call_.gradients, sources);
        while (next_ < places_.size()) {
            Place place = places_[next_++];
            if (std::any_of(place.stops.begin(), place.stops.end(), [](const Stop& s) { return !s.gradient.is_unbound(); })) hand_over(place);
        }
        return results_;
    }

private:
    void find_places() {
        std::map<NodeId, Place> found;
        const VariableOwners& owners = variable_owners(in_);
        for (size_t i = 0; i < owners.size() && i < in_.autograd().variable_count(); ++i) {
            const TensorObject* t = owners[i];
            if (!t || t->variable.index != i || t->hooks.is_unbound()) continue;
            for (PyValue h : t->hooks.as<ListObject>()->items) {
                const auto* hook = static_cast<const HookHandle*>(h.object());
                if (hook->removed || hook->what != HookKind::Gradient || !hook->node.valid() || !arrives_at(*t, hook->node)) continue;
                if (in_.autograd().grad_fn(t->variable) != hook->node) throw NotSupported("a hook on a tensor that is written in place afterwards", "register the hook behind the write");
                if (in_.autograd().is_view(t->variable)) throw NotSupported("a hook on a view", "register it on the tensor that it is a view of, or on a clone");
                Place& place = found[hook->node];
                place.node = hook->node;
                uint32_t output = in_.autograd().variable(t->variable).output;
                if (std::none_of(place.stops.begin(), place.stops.end(), [&](const Stop& s) { return s.output == output; })) place.stops.push_back({PyValue(t), hook->node, output, {}});
            }
        }
        for (NodeId n : ran_) {
            const CustomNode* custom = custom_node(in_, n);
            if (!custom) continue;
            Place& place = found[n];
            place.node = n;
            place.custom = custom;
            place.stops.clear();
            for (size_t k = 0; k < custom->outputs.size(); ++k)
                if (custom->outputs[k].is(Kind::Tensor) && !custom->constant[k]) {
                    if (in_.autograd().grad_fn(tensor_of(custom->outputs[k])->variable) != n)
                        throw NotSupported("writing the output of a custom Function in place", "clone it first");
                    place.stops.push_back({custom->outputs[k], n, static_cast<uint32_t>(k), {}});
                }
        }
        for (auto at = found.rbegin(); at != found.rend(); ++at) places_.push_back(at->second);
    }

    /// A gradient comes to the tensor, also where its node does not run because nothing behind it was asked for.
    bool arrives_at(const TensorObject& t, NodeId node) const {
        const uint32_t output = in_.autograd().variable(t.variable).output;
        return ran_.count(node) || std::ranges::any_of(target_edges_, [&](const Edge& e) { return e.node == node && e.output == output; });
    }

    /// What a gradient at `sources` reaches without passing a stop that is still to come. Sources that are `settled` gave their own
    /// gradient to the targets already.
    struct Reach {
        std::vector<Stop*> stops;
        std::vector<size_t> targets;
    };
    Reach reach(const std::vector<Edge>& sources, bool settled) {
        Reach out;
        std::set<std::pair<NodeId, uint32_t>> seen_edges;
        std::set<VariableId> seen_leaves;
        std::set<NodeId> seen;
        std::vector<NodeId> stack;
        auto visit = [&](const Edge& e, bool counts) {
            if (e.node.valid() ? !seen_edges.insert({e.node, e.output}).second : !e.leaf.valid() || !seen_leaves.insert(e.leaf).second) return;
            if (Stop* stop = open_stop(e)) {
                out.stops.push_back(stop);
                return;
            }
            for (size_t k = 0; counts && k < target_edges_.size(); ++k) {
                const Edge& t = target_edges_[k];
                if (e.node.valid() ? t.node == e.node && t.output == e.output : t.leaf == e.leaf) out.targets.push_back(k);
            }
            if (e.node.valid() && ran_.count(e.node) && seen.insert(e.node).second) stack.push_back(e.node);
        };
        for (const Edge& e : sources) visit(e, !settled);
        while (!stack.empty()) {
            NodeId n = stack.back();
            stack.pop_back();
            for (const Edge& e : in_.autograd().node(n).edges) visit(e, true);
        }
        return out;
    }

    Stop* open_stop(const Edge& e) {
        for (size_t p = next_; p < places_.size(); ++p)
            for (Stop& s : places_[p].stops)
                if (s.is(e)) return &s;
        return nullptr;
    }

    void add_to(PyValue& sum, PyValue g) { sum = sum.is_unbound() ? g : emit_one(in_, "add"_op, {sum, g}); }

    /// One `backward` instruction from `losses`.
    void piece(const Values& losses, const Values& gradients, const std::vector<Edge>& sources, bool settled = false) {
        Reach reached = reach(sources, settled);
        if (reached.stops.empty() && reached.targets.empty()) return;
        Values wrt;
        for (Stop* s : reached.stops) wrt.push_back(s->tensor);
        for (size_t k : reached.targets) wrt.push_back(targets_[k]);
        Values grads = emit(losses, gradients, wrt, reached.stops.size());
        for (size_t i = 0; i < reached.stops.size(); ++i) add_to(reached.stops[i]->gradient, grads[i]);
        for (size_t i = 0; i < reached.targets.size(); ++i) add_to(results_[reached.targets[i]], grads[reached.stops.size() + i]);
    }

    /// The node that PyTorch's own gradient of `target` would show: that of the last operation on the way, or of a sum.
    std::string history_name(PyValue target) {
        const Edge to = edge_of(in_, tensor_of(target));
        std::string last;
        int ways = 0;
        for (NodeId n : ran_)
            for (const Edge& e : in_.autograd().node(n).edges) {
                if (!(e.node.valid() ? e.node == to.node && e.output == to.output : e.leaf.valid() && e.leaf == to.leaf)) continue;
                ++ways;
                last = without_backward(in_.autograd().node(n).name);
            }
        if (ways > 1) return "AddBackward0";
        struct Name {
            std::string_view forward, backward;
        };
        static constexpr Name names[] = {{"Tanh", "TanhBackwardBackward0"},
                                         {"Sigmoid", "SigmoidBackwardBackward0"},
                                         {"Log", "DivBackward0"},
                                         {"Log2", "DivBackward0"},
                                         {"Log10", "DivBackward0"},
                                         {"Log1P", "DivBackward0"},
                                         {"Sqrt", "DivBackward0"},
                                         {"Div", "DivBackward0"},
                                         {"Neg", "NegBackward0"},
                                         {"Mm", "MmBackward0"},
                                         {"Softmax", "SoftmaxBackwardDataBackward0"},
                                         {"LogSoftmax", "LogSoftmaxBackwardDataBackward0"}};
        for (const Name& n : names)
            if (n.forward == last) return std::string(n.backward);
        return "MulBackward0";
    }

    Values emit(const Values& losses, const Values& gradients, const Values& wrt, size_t stops) {
        Function& f = in_.function();
        std::vector<ValueId> operands;
        for (PyValue l : losses) operands.push_back(tensor_of(l)->value);
        bool from = std::any_of(gradients.begin(), gradients.end(), [](PyValue g) { return g.is(Kind::Tensor); });
        if (from)
            for (size_t k = 0; k < losses.size(); ++k) {
                const Type t = type_of(in_, losses[k]);
                bool own = k < gradients.size() && gradients[k].is(Kind::Tensor);
                operands.push_back(tensor_of(own ? gradients[k] : full_tensor(in_, t.dtype, t.sizes, PyValue::integer(1)))->value);
            }
        std::vector<Type> types;
        for (PyValue t : wrt) {
            operands.push_back(tensor_of(t)->value);
            types.push_back(type_of(in_, t));
        }
        Attrs attributes = attrs({{"losses", static_cast<int64_t>(losses.size())}, {"from", from}, {"retain", call_.retain_graph || !places_.empty()}, {"create", call_.create_graph}});
        attributes.set("stop", static_cast<int64_t>(stops));
        InstId made = in_.builder().emit_typed("backward"_op, operands, attributes, types);
        std::vector<VariableId> variables;
        if (call_.create_graph && !through_.empty()) {
            // One degree less than the losses have; what comes in has its own.
            double degree = 0;
            for (PyValue l : losses) degree = std::max(degree, in_.autograd().degree(tensor_of(l)->variable) - 1);
            for (PyValue g : gradients)
                if (g.is(Kind::Tensor)) degree = std::max(degree, in_.autograd().degree(tensor_of(g)->variable));
            for (size_t k = 0; k < wrt.size(); ++k)
                variables.push_back(in_.autograd().gradient_result(through_, history_name(wrt[k]), types[k], degree, in_.span()));
        } else {
            for (const Type& t : types) variables.push_back(in_.autograd().fresh(t, false, in_.span()));
        }
        Values out;
        for (size_t k = 0; k < wrt.size(); ++k) {
            const Layout& like = layout_of(in_, wrt[k]);
            View view;
            view.layout = like.is_dense() ? Layout{0, like.sizes, like.strides, {}, {}} : Layout::contiguous(like.sizes);
            view.storage = f.add_storage(Storage{"", types[k].dtype, frame_of(view.layout), false});
            ValueId value = f[made].results[k];
            f[value].view = std::move(view);
            out.push_back(make_tensor_object(in_, value, variables[k], tensor_of(wrt[k])));
        }
        return out;
    }

    /// The script's own part of the gradient at one node, and the flow from what it gives.
    void hand_over(Place& place) {
        Values losses, gradients;
        std::vector<Edge> sources;
        if (place.custom) {
            Values grads;
            for (size_t k = 0; k < place.custom->outputs.size(); ++k) {
                PyValue g;
                for (Stop& s : place.stops)
                    if (s.output == k && !s.gradient.is_unbound()) g = settle(s);
                grads.push_back(g);
            }
            Values input_grads = call_custom_backward(in_, place.node, *place.custom, grads, call_.retain_graph);
            // The node has an edge for each tensor among the inputs.
            size_t next = 0;
            for (size_t k = 0; k < place.custom->inputs.size(); ++k) {
                if (!place.custom->inputs[k].is(Kind::Tensor)) continue;
                Edge e = in_.autograd().node(place.node).edges[next++];
                if (e.valid() && input_grads[k].is(Kind::Tensor)) route(place.custom->entered[k], e, input_grads[k], losses, gradients, sources);
            }
        } else {
            for (Stop& s : place.stops) {
                if (s.gradient.is_unbound()) continue;
                losses.push_back(s.tensor);
                gradients.push_back(settle(s));
                sources.push_back(edge_of(in_, tensor_of(s.tensor)));
            }
        }
        if (!losses.empty()) piece(losses, gradients, sources, !place.custom);
    }

    /// The finished gradient of a stop: through the tensor's hooks, and into `targets` if it is one. `autograd.grad` of this tensor and of
    /// one behind it gives for this one what the hooks got.
    PyValue settle(Stop& s) {
        PyValue g = apply_hooks(in_, s.tensor, s.gradient);
        const bool before = !call_.inputs.empty() && ran_.count(s.node);
        for (size_t k = 0; k < targets_.size(); ++k)
            if (s.is(target_edges_[k])) add_to(results_[k], before ? s.gradient : g);
        return g;
    }

    /// A gradient of a custom Function's input: to a leaf or a later stop at once, else as a source of the next piece.
    void route(PyValue input, const Edge& e, PyValue g, Values& losses, Values& gradients, std::vector<Edge>& sources) {
        if (Stop* stop = open_stop(e)) return add_to(stop->gradient, g);
        if (e.leaf.valid()) {
            for (size_t k = 0; k < targets_.size(); ++k)
                if (target_edges_[k].leaf == e.leaf) add_to(results_[k], g);
            return;
        }
        losses.push_back(input);
        gradients.push_back(g);
        sources.push_back(e);
    }

    Interpreter& in_;
    const BackwardCall& call_;
    const Values& targets_;
    std::set<NodeId> ran_;
    std::vector<Edge> target_edges_;
    std::vector<VariableId> through_;
    std::vector<Place> places_;
    size_t next_ = 0;
    Values results_;
};

}  // namespace

Values flow(Interpreter& in, const BackwardCall& call, const Values& targets, const std::vector<NodeId>& ran) { return Flow(in, call, targets, ran).run(); }

}  // namespace sifr::capture
