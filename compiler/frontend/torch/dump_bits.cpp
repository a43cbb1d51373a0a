#include "compiler/frontend/torch/dump_bits.h"

#include <set>

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {
namespace {

void emit_dump(Interpreter& in, const std::string& label, ValueId value) {
    Type type = in.function().type(value);
    Builder& b = in.builder();
    Op op = "dump_bits"_op;
    if (type.kind == Type::Kind::F64) op = "dump_f64"_op;
    else if (type.kind == Type::Kind::I64) op = "dump_i64"_op;
    else if (type.kind == Type::Kind::Bool) {
        op = "dump_i64"_op;
        value = b.emit("btoi"_op, {value});
    }
    b.emit_typed(op, {in.function().add_constant(label), value}, {}, {});
}

class Parameters {
public:
    explicit Parameters(Interpreter& in) : in_(in) {}

    void visit(const std::string& path, PyValue v) {
        switch (v.kind()) {
            case Kind::Tensor: return tensor(path, v);
            case Kind::Tuple: case Kind::List: case Kind::Dict: case Kind::Instance: break;
            default: return;
        }
        if (!seen_.insert(v.object()).second) return;
        // The visitor may change slots; this one does not.
        const_cast<Object*>(v.object())->visit_slots([&](const std::string& place, PyValue& slot) { visit(path + "." + place, slot); });
    }

private:
    void tensor(const std::string& path, PyValue v) {
        const TensorObject* t = tensor_of(v);
        if (!seen_.insert(t).second || !in_.autograd().requires_grad(t->variable) || !in_.autograd().is_leaf(t->variable)) return;
        emit_dump(in_, "parameter " + path, t->value);
    }

    Interpreter& in_;
    std::set<const Object*> seen_;
};

}  // namespace

void dump_bits(Interpreter& in, const char* what, ValueId value) {
    if (in.options().dump_bits) emit_dump(in, what, value);
}

void dump_final_parameters(Interpreter& in, const NamespaceObject* main) {
    if (!in.options().dump_bits) return;
    Parameters parameters(in);
    for (const auto& [name, value] : main->variables.entries) parameters.visit(*name, value);
}

}  // namespace sifr::capture
