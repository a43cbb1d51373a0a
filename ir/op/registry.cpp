#include <algorithm>
#include <map>
#include <string>

#include "ir/base/check.h"
#include "ir/op/op_def.h"
#include "ir/op/rows/rows.h"

namespace sifr {
namespace {

struct Registry {
    std::vector<OpDef> by_op;
    std::map<std::string, std::vector<Op>, std::less<>> by_python_name;
};

/// Other names that PyTorch has for a function.
struct Alias {
    std::string_view name, row;
};
constexpr Alias aliases[] = {
    {"absolute", "abs"},     {"arccos", "acos"},       {"arccosh", "acosh"},     {"arcsin", "asin"},         {"arcsinh", "asinh"},
    {"arctan", "atan"},      {"arctanh", "atanh"},     {"arctan2", "atan2"},     {"clip", "clamp"},          {"concat", "cat"},
    {"concatenate", "cat"},  {"divide", "div"},        {"expit", "sigmoid"},       {"fix", "trunc"},
    {"greater", "gt"},       {"greater_equal", "ge"},  {"less", "lt"},           {"less_equal", "le"},       {"moveaxis", "movedim"},
    {"multiply", "mul"},     {"negative", "neg"},      {"not_equal", "ne"},      {"subtract", "sub"},        {"swapdims", "swapaxes"},
    {"true_divide", "div"},  {"ger", "outer"},         {"inverse", "linalg_inv"}, {"det", "linalg_det"},
    {"slogdet", "linalg_slogdet"}, {"cholesky", "linalg_cholesky"}, {"log_sigmoid", "logsigmoid"},
};

/// Rows that no script calls by name: control flow, scalar code, strings, lists.
bool is_internal(Lower lower) { return lower == Lower::Structural || lower == Lower::Scalar || lower == Lower::Host; }

Registry make_registry() {
    Registry r;
    r.by_op.resize(op_count());
    std::vector<bool> seen(op_count());
    for (auto make : {rows::structural, rows::scalar, rows::host, rows::random, rows::creation, rows::views, rows::pointwise_arithmetic,
                      rows::pointwise_math, rows::pointwise_choice, rows::pointwise_compare, rows::activations, rows::reductions, rows::statistics, rows::linalg, rows::shape,
                      rows::indexing, rows::losses, rows::normalization, rows::windows, rows::factorisations, rows::convolutions, rows::pools}) {
        for (OpDef& row : make()) {
            auto op = op_named(row.name);
            SIFR_CHECK(op, "row '{}' is missing from the generated names", row.name);
            SIFR_CHECK(!seen[op->index()], "two rows '{}'", row.name);
            seen[op->index()] = true;
            if (is_internal(row.lower)) row.method = row.function = row.inplace = false;
            if (row.lower == Lower::View) row.inplace = false;
            std::string_view name = row.name;
            if (row.method || row.function) r.by_python_name[std::string(name.substr(0, name.find('.')))].push_back(*op);
            r.by_op[op->index()] = std::move(row);
        }
    }
    for (Op op : all_ops()) SIFR_CHECK(seen[op.index()], "the file of row '{}' is not in the registry", name_of(op));
    return r;
}

const Registry& registry() {
    static const Registry r = make_registry();
    return r;
}

}  // namespace

const OpDef& def(Op op) { return registry().by_op.at(op.index()); }

std::span<const Op> overloads(std::string_view python_name) {
    auto& names = registry().by_python_name;
    for (const Alias& a : aliases)
        if (a.name == python_name) python_name = a.row;
    auto it = names.find(python_name);
    if (it == names.end()) return {};
    return it->second;
}

}  // namespace sifr
