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

}  // namespace sifr::rules
