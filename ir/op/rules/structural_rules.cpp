#include "ir/op/rules/structural_rules.h"

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/op/rules/rules.h"

namespace sifr::rules {

std::vector<Type> same_as_first(const OpCall& call) { return {call.types[0]}; }

std::vector<Type> same_as_all(const OpCall& call) { return {call.types.begin(), call.types.end()}; }

std::vector<Type> for_results(const OpCall& call) { return {call.types.begin() + 3, call.types.end()}; }

std::vector<Type> extract_result(const OpCall& call) {
    return {Type::tensor(call.types[0].dtype, call.attrs.get<Layout>("layout").sizes)};
}

std::vector<Type> bounded_result(const OpCall& call) { return {Type::tensor(call.types[0].dtype, call.types[0].sizes)}; }

std::vector<Type> backward_results(const OpCall& call) {
    auto losses = static_cast<size_t>(call.attrs.get_or<int64_t>("losses", 1));
    size_t first = call.attrs.get_or<bool>("from", false) ? 2 * losses : losses;
    SIFR_CHECK(first <= call.types.size(), "backward with {} operands and {} losses", call.types.size(), losses);
    return {call.types.begin() + static_cast<ptrdiff_t>(first), call.types.end()};
}

std::vector<Type> item_result(const OpCall& call) {
    const Type& t = call.types[0];
    if (t.numel() != 1 || !t.run_time_sizes.empty())
        raise("RuntimeError", "a Tensor with {} elements cannot be converted to Scalar", t.numel());
    switch (category_of(t.dtype)) {
        case Category::Bool: return {Type::boolean()};
        case Category::Integer: return {Type::i64()};
        case Category::Float: return {Type::f64()};
        case Category::Complex: break;
    }
    throw NotSupported("a run-time complex number");
}

std::vector<Type> some_result(const OpCall& call) { return {Type::optional({call.types.begin(), call.types.end()})}; }

std::vector<Type> unwrap_results(const OpCall& call) { return call.types[0].members; }

std::vector<Type> list_element(const OpCall& call) { return {call.types[0].members.at(0)}; }

std::vector<Type> list_sum_result(const OpCall& call) {
    const Type& element = call.types[0].members.at(0);
    return {element.kind == Type::Kind::Bool ? Type::i64() : element};
}

std::vector<Type> select_result(const OpCall& call) { return {call.types[1]}; }

std::vector<Type> typed_only(const OpCall& call) {
    SIFR_UNREACHABLE("'{}' is made with its result types given", name_of(call.op));
}

std::vector<ViewLayout> same_layout(const OpCall& call) { return {{layout_of(call, 0), {}}}; }

namespace {

/// The run-time indices of a layout: the last operands.
std::vector<ValueId> indices_of(const Inst& inst, const Layout& layout) {
    return {inst.operands.end() - static_cast<ptrdiff_t>(layout.index_scales.size()), inst.operands.end()};
}

ValueId zeros_like(Vjp& v, ValueId like) {
    const Type t = v.type(like);
    return v.b.full(t.dtype, t.sizes, 0.0);
}

}  // namespace

std::vector<ValueId> first_grad_as_is(Vjp& v) {
    std::vector<ValueId> grads(v.inst.operands.size());
    if (v.needs(0)) grads[0] = v.grad();
    return grads;
}

std::vector<ValueId> extract_vjp(Vjp& v) {
    std::vector<ValueId> grads(v.inst.operands.size());
    if (!v.needs(0)) return grads;
    const auto& layout = v.inst.attrs.get<Layout>("layout");
    std::vector<ValueId> indices = indices_of(v.inst, layout);
    ValueId zeros = zeros_like(v, v.in(0));
    if (layout.is_injective()) {
        grads[0] = v.b.insert(zeros, layout, v.grad(), indices);
    } else {
        std::vector<ValueId> operands{zeros, v.grad()};
        operands.insert(operands.end(), indices.begin(), indices.end());
        grads[0] = v.b.emit("insert_add"_op, std::move(operands), attrs({{"layout", layout}}));
    }
    return grads;
}

std::vector<ValueId> insert_vjp(Vjp& v) {
    std::vector<ValueId> grads(v.inst.operands.size());
    const auto& layout = v.inst.attrs.get<Layout>("layout");
    std::vector<ValueId> indices = indices_of(v.inst, layout);
    if (v.needs(0)) grads[0] = v.b.insert(v.grad(), layout, zeros_like(v, v.in(1)), indices);
    if (v.needs(1)) grads[1] = v.b.extract(v.grad(), layout, indices);
    return grads;
}

std::vector<ValueId> insert_add_vjp(Vjp& v) {
    std::vector<ValueId> grads(v.inst.operands.size());
    const auto& layout = v.inst.attrs.get<Layout>("layout");
    if (v.needs(0)) grads[0] = v.grad();
    if (v.needs(1)) grads[1] = v.b.extract(v.grad(), layout, indices_of(v.inst, layout));
    return grads;
}

}  // namespace sifr::rules
