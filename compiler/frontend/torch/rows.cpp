#include "compiler/frontend/torch/rows.h"

#include <algorithm>

#include "compiler/frontend/torch/conversions.h"
#include "compiler/frontend/torch/modes.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

/// PyTorch's second names of rows.
struct Alias {
    std::string_view name, row;
};
constexpr Alias aliases[] = {
    {"absolute", "abs"},       {"arccos", "acos"},       {"arccosh", "acosh"},     {"arcsin", "asin"},       {"arcsinh", "asinh"},          {"arctan", "atan"},
    {"arctan2", "atan2"},      {"arctanh", "atanh"},     {"clip", "clamp"},        {"concat", "cat"},        {"concatenate", "cat"},        {"divide", "div"},
    {"fix", "trunc"},          {"greater", "gt"},        {"greater_equal", "ge"},  {"less", "lt"},           {"less_equal", "le"},          {"moveaxis", "movedim"},
    {"multiply", "mul"},       {"negative", "neg"},      {"not_equal", "ne"},      {"subtract", "sub"},      {"swapdims", "swapaxes"},      {"true_divide", "div"},
    {"special_expit", "sigmoid"}, {"ger", "outer"},      {"inverse", "linalg_inv"}, {"det", "linalg_det"},   {"slogdet", "linalg_slogdet"},
};

std::string_view row_name(std::string_view name) {
    for (const Alias& a : aliases)
        if (a.name == name) return a.row;
    return name;
}

std::vector<Op> usable(std::string_view name, bool OpDef::*use) {
    std::vector<Op> out;
    for (Op op : overloads(row_name(name)))
        if (def(op).*use) out.push_back(op);
    return out;
}

PyValue take_out(Args& args) {
    auto at = std::find_if(args.keywords.begin(), args.keywords.end(), [](const auto& k) { return *k.first == "out"; });
    if (at == args.keywords.end()) return {};
    PyValue out = at->second;
    args.keywords.erase(at);
    return out.is_none() ? PyValue() : out;
}

void warn_of(Interpreter& in, Op op) {
    if (def(op).warning) in.script_warning("UserWarning", def(op).warning);
}

/// PyTorch's warning where a variance divides by nothing.
void warn_of_freedom(Interpreter& in, const BoundCall& call, std::string_view name, PyValue result) {
    if (name != "std" && name != "var" && name != "std_mean" && name != "var_mean") return;
    const AttrValue* given = call.attributes.find("correction");
    double correction = call.attributes.get_or("unbiased", true) ? 1 : 0;
    if (const double* c = given ? std::get_if<double>(given) : nullptr) correction = *c;
    int64_t count = type_of(in, result).numel();
    if (count != 0) count = type_of(in, call.operands.at(0)).numel() / count;
    if (static_cast<double>(count) - correction > 0) return;
    in.script_warning("UserWarning", fmt::format("{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by output numel).", name));
}

PyValue call_bound(Interpreter& in, std::string_view name, const std::vector<Op>& rows, PyValue self, Args args) {
    PyValue out = take_out(args);
    // `rounding_mode=None` is the plain division, which has no such parameter.
    std::erase_if(args.keywords, [](const auto& k) { return *k.first == "rounding_mode" && k.second.is_none(); });
    for (auto& [keyword, value] : args.keywords) {
        if (*keyword == "generator") value = PyValue::integer(generator_number(in, value));
        else if (*keyword == "dtype" && value.is(Kind::Class)) value = PyValue::dtype(to_dtype(in, value, "function"));
    }
    BoundCall call = bind_call(in, name, rows, self, args);
    warn_of(in, call.op);
    if (!out.is_unbound()) return write_out(in, out, call, name);
    Values results = emit_row(in, call.op, call.operands, call.attributes);
    if (!results.empty()) warn_of_freedom(in, call, name, results[0]);
    return pack_results(in, call.op, name, std::move(results));
}

}  // namespace

PyValue write_out(Interpreter& in, PyValue out, const BoundCall& call, std::string_view name) {
    if (!out.is(Kind::Tensor)) raise("TypeError", "{}(): argument 'out' must be Tensor, not {}", name, in.type_name(out));
    std::vector<Type> types;
    {
        // The result's sizes decide whether `out` keeps its memory.
        Values results;
        std::vector<Type> operand_types;
        std::vector<ScalarConstant> constants;
        std::vector<const Layout*> layouts;
        for (PyValue v : call.operands) {
            bool tensor = v.is(Kind::Tensor);
            ValueId value = tensor ? tensor_of(v)->value : v.is_none() ? in.function().add_constant(std::monostate{}) : in.to_ir(v);
            operand_types.push_back(in.function().type(value));
            constants.push_back(in.function().is_constant(value) ? in.function()[value].constant : ScalarConstant());
            layouts.push_back(tensor ? &layout_of(in, v) : nullptr);
        }
        types = infer_types(OpCall{call.op, operand_types, constants, layouts, call.attributes, default_dtype(in)});
    }
    if (in.autograd().grad_enabled()) {
        bool tracked = requires_grad(in, out);
        for (PyValue v : call.operands) tracked |= v.is(Kind::Tensor) && requires_grad(in, v);
        if (tracked && node_name(OpCall{call.op, {}, {}, {}, call.attributes, default_dtype(in)}))
            raise("RuntimeError", "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.", name);
    }
    static constexpr std::string_view exact[] = {"mm", "bmm", "addmm", "baddbmm", "gather", "softmax", "log_softmax", "tril", "triu"};
    const DType made = types.at(0).dtype, given = type_of(in, out).dtype;
    if (made != given && std::find(std::begin(exact), std::end(exact), name) != std::end(exact))
        raise("RuntimeError", "Expected out tensor to have dtype {}, but got {} instead", c_name(made), c_name(given));
    resize_for_out(in, out, types.at(0).sizes);
    WriteOptions options;
    options.check_shape = false;
    return emit_write(in, out, call.op, call.operands, call.attributes, options);
}

PyValue row_method(Interpreter& in, std::string_view name, PyValue self) {
    std::vector<Op> rows = usable(name, &OpDef::method);
    if (!rows.empty()) {
        std::string own(name);
        return in.overridable(own, [own, rows, self](Interpreter& i, Args& args) { return call_bound(i, own, rows, self, args); }, self);
    }
    if (name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_') {
        std::string own(name.substr(0, name.size() - 1));
        rows = usable(own, &OpDef::inplace);
        std::erase_if(rows, [](Op op) { return !def(op).method || def(op).lower == Lower::View; });
        if (!rows.empty()) 
            return in.overridable(std::string(name), [own, self](Interpreter& i, Args& args) {
                if (!self.is_unbound()) return call_rows_in_place(i, own, self, args);
                if (args.size() == 0 || !args[0].is(Kind::Tensor)) raise("TypeError", "unbound method {}_() needs an argument", own);
                return call_rows_in_place(i, own, args[0], Args{Values(args.positional.begin() + 1, args.positional.end()), args.keywords});
            }, self);
    }
    return {};
}

PyValue row_function(Interpreter& in, std::string_view name) {
    std::vector<Op> rows = usable(name, &OpDef::function);
    std::string own(name);
    if (!rows.empty()) return in.overridable(own, [own, rows](Interpreter& i, Args& args) { return call_bound(i, own, rows, {}, args); });
    if (own.size() > 1 && own.back() == '_') {
        std::string base = own.substr(0, own.size() - 1);
        std::vector<Op> written = usable(base, &OpDef::inplace);
        std::erase_if(written, [](Op op) { return !def(op).function || def(op).lower == Lower::View; });
        if (!written.empty())
            return in.overridable(own, [base, own](Interpreter& i, Args& args) {
                if (args.positional.empty() || !args[0].is(Kind::Tensor)) raise("TypeError", "{}(): argument 'input' (position 1) must be Tensor", own);
                PyValue self = args[0];
                Args rest = args;
                rest.positional.erase(rest.positional.begin());
                return call_rows_in_place(i, base, self, rest);
            });
    }
    return {};
}

PyValue row_primitive(Interpreter& in, std::string_view name) {
    auto rows_of = [](std::string_view base) {
        std::vector<Op> rows;
        for (Op op : all_ops()) {
            std::string_view row = name_of(op);
            if (row.substr(0, row.find('.')) == base && def(op).lower != Lower::Structural && def(op).lower != Lower::Host) rows.push_back(op);
        }
        return rows;
    };
    std::string own(name);
    if (std::vector<Op> rows = rows_of(name); !rows.empty()) return in.native(own, [own, rows](Interpreter& i, Args& args) { return call_bound(i, own, rows, {}, args); });
    if (name.size() < 2 || name.back() != '_') return {};
    std::vector<Op> rows = rows_of(name.substr(0, name.size() - 1));
    if (rows.empty()) return {};
    return in.native(own, [own, rows](Interpreter& i, Args& args) {
        BoundCall call = bind_call(i, own, rows, {}, args);
        return emit_write(i, call.operands.at(0), call.op, call.operands, call.attributes);
    });
}

PyValue call_rows(Interpreter& in, std::string_view name, Values positional, std::vector<std::pair<Symbol, PyValue>> keywords) {
    std::span<const Op> rows = overloads(name);
    if (rows.empty()) throw NotSupported(fmt::format("'{}'", name));
    return call_bound(in, name, {rows.begin(), rows.end()}, {}, Args{std::move(positional), std::move(keywords)});
}

PyValue call_rows_in_place(Interpreter& in, std::string_view name, PyValue self, const Args& args) {
    std::vector<Op> rows = usable(name, &OpDef::inplace);
    BoundCall call = bind_call(in, std::string(name) + "_", rows, self, args);
    warn_of(in, call.op);
    return emit_write(in, self, call.op, call.operands, call.attributes);
}

}  // namespace sifr::capture
