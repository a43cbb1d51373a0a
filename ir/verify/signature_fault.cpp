#include <algorithm>

#include "ir/op/op_def.h"
#include "ir/verify/verify.h"

namespace sifr {
namespace {

bool fits(const Param& p, const Type& t) {
    if (p.optional && is_none(t)) return true;
    switch (p.kind) {
        case Param::Kind::Tensor:
        case Param::Kind::TensorList: return t.is_tensor();
        case Param::Kind::TensorOrNumber: return t.is_tensor() || t.is_number();
        case Param::Kind::Scalar: return t.is_number();
        case Param::Kind::RunI64: return t.kind == Type::Kind::I64;
        case Param::Kind::RunF64: return t.kind == Type::Kind::F64;
        case Param::Kind::RunBool: return t.kind == Type::Kind::Bool;
        case Param::Kind::RunStr: return t.kind == Type::Kind::Str;
        default: return true;
    }
}

bool fits(const Param& p, const AttrValue& v) {
    if (std::holds_alternative<std::monostate>(v)) return p.optional || p.kind == Param::Kind::Any;
    switch (p.kind) {
        case Param::Kind::Int: return std::holds_alternative<int64_t>(v);
        case Param::Kind::Float: return std::holds_alternative<double>(v);
        case Param::Kind::Bool: return std::holds_alternative<bool>(v);
        case Param::Kind::String: return std::holds_alternative<std::string>(v);
        case Param::Kind::DTypeName: return std::holds_alternative<DType>(v);
        case Param::Kind::Ints: return std::holds_alternative<std::vector<int64_t>>(v);
        case Param::Kind::Layout: return std::holds_alternative<Layout>(v);
        case Param::Kind::Data: return std::holds_alternative<std::shared_ptr<const TensorData>>(v);
        default: return true;
    }
}

std::string kind_name(Param::Kind k) {
    switch (k) {
        case Param::Kind::Tensor:
        case Param::Kind::TensorList: return "a tensor";
        case Param::Kind::TensorOrNumber: return "a tensor or a number";
        case Param::Kind::Scalar: return "a number";
        case Param::Kind::RunI64: return "an i64";
        case Param::Kind::RunF64: return "an f64";
        case Param::Kind::RunBool: return "a bool";
        case Param::Kind::RunStr: return "a str";
        case Param::Kind::Int: return "an integer";
        case Param::Kind::Float: return "a number with a point";
        case Param::Kind::Bool: return "true or false";
        case Param::Kind::String: return "a string";
        case Param::Kind::DTypeName: return "an element type";
        case Param::Kind::Ints: return "a list of integers";
        case Param::Kind::Layout: return "a layout";
        case Param::Kind::Data: return "tensor data";
        default: return "a value";
    }
}

}  // namespace

std::optional<std::string> signature_fault(const Function& f, const Inst& inst) {
    const Signature& sig = signature(inst.op);
    std::string_view op = name_of(inst.op);
    size_t count = 0, fixed = 0;
    bool has_list = false;
    for (const Param& p : sig.params) {
        if (!p.is_operand()) continue;
        ++count;
        if (p.list) has_list = true;
        else ++fixed;
    }
    size_t given = inst.operands.size();
    if (has_list ? given < fixed : given != count)
        return fmt::format("'{}' takes {}{} operands, here are {}", op, has_list ? "at least " : "", fixed, given);
    // One list stands for however many operands the others leave.
    size_t k = 0;
    for (const Param& p : sig.params) {
        if (!p.is_operand()) continue;
        for (size_t n = p.list ? given - fixed : 1; n > 0; --n, ++k) {
            const Type& t = f.type(inst.operands[k]);
            if (!fits(p, t)) return fmt::format("operand {} of '{}' ('{}') must be {}, not {}", k, op, p.name, kind_name(p.kind), t.text());
        }
    }
    for (const Attrs::Entry& e : inst.attrs.entries()) {
        auto p = std::find_if(sig.params.begin(), sig.params.end(), [&](const Param& x) { return !x.is_operand() && x.name == e.name; });
        if (p == sig.params.end()) return fmt::format("'{}' has no attribute '{}'", op, e.name);
        if (!fits(*p, e.value)) return fmt::format("attribute '{}' of '{}' must be {}", e.name, op, kind_name(p->kind));
        if (p->list_size > 0 && std::holds_alternative<std::vector<int64_t>>(e.value)) {
            size_t n = std::get<std::vector<int64_t>>(e.value).size();
            if (n != static_cast<size_t>(p->list_size) && n != 1 && p->list_size > 1)
                return fmt::format("attribute '{}' of '{}' must be a list of {} integers", e.name, op, p->list_size);
        }
        const Layout* l = std::get_if<Layout>(&e.value);
        if (l && l->strides.size() != l->sizes.size())
            return fmt::format("attribute '{}' of '{}' has {} strides for {} axes", e.name, op, l->strides.size(), l->sizes.size());
    }
    for (const Param& p : sig.params)
        if (!p.is_operand() && !p.has_default && !p.optional && !inst.attrs.has(p.name))
            return fmt::format("'{}' needs the attribute '{}'", op, p.name);
    return std::nullopt;
}

}  // namespace sifr
