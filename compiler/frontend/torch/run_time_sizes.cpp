#include "compiler/frontend/torch/run_time_sizes.h"

#include <algorithm>
#include <cmath>

#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "ir/loop/scalar_value.h"
#include "ir/op/rules/shape_rules.h"

namespace sifr::capture {

using syntax::BinaryOp;
using syntax::CompareOp;

namespace {

/// Elements of a tensor whose size has no bound of its own.
constexpr int64_t unbounded_elements = int64_t{1} << 14;

bool same_number(PyValue a, PyValue b) {
    if (a.is(Kind::Int) && b.is(Kind::Int)) return a.as_int() == b.as_int();
    return a.is_dynamic() && b.is_dynamic() && a.as_value() == b.as_value();
}

PyValue product(Interpreter& in, const Values& factors) {
    PyValue n = PyValue::integer(1);
    for (PyValue f : factors) {
        if (n.is(Kind::Int) && n.as_int() == 1) n = f;
        else if (!f.is(Kind::Int) || f.as_int() != 1) n = in.binary(BinaryOp::Mult, n, f);
    }
    return n;
}

PyValue either(Interpreter& in, PyValue a, PyValue b) {
    if (a.is(Kind::Bool)) return a.as_bool() ? a : b;
    if (b.is(Kind::Bool)) return b.as_bool() ? b : a;
    return in.emit_scalar("bor"_op, {in.to_ir(a), in.to_ir(b)});
}

std::string text_of(Interpreter& in, const Values& sizes, Values& args) {
    std::string out;
    for (PyValue s : sizes) {
        if (!out.empty()) out += ", ";
        if (s.is(Kind::Int)) out += std::to_string(s.as_int());
        else {
            out += "{}";
            args.push_back(s);
        }
    }
    (void)in;
    return "[" + out + "]";
}

/// Two sizes of one axis. A size that happens to be 1 would be repeated: that is refused.
void check_equal(Interpreter& in, PyValue a, PyValue b, const char* error, const std::string& text, const Values& args, bool broadcasts) {
    if (same_number(a, b)) return;
    PyValue equal = in.compare(CompareOp::Eq, a, b);
    if (broadcasts) {
        PyValue one = either(in, in.compare(CompareOp::Eq, a, PyValue::integer(1)), in.compare(CompareOp::Eq, b, PyValue::integer(1)));
        in.check(either(in, equal, one), error, text, args);
        in.check(equal, "NotImplementedError", "not supported: a broadcast along a size that is 1 only at run time");
    } else {
        in.check(equal, error, text, args);
    }
}

bool is_run(PyValue size) { return !size.is(Kind::Int); }

/// The bound of the integers in a tensor that nothing has written since it was made.
std::optional<int64_t> largest_element(Interpreter& in, ValueId v, int depth);

std::optional<int64_t> bound_of(Interpreter& in, ValueId v, int depth = 0) {
    Function& f = in.function();
    if (auto k = f.constant_int(v)) return *k;
    if (auto r = in.index_range(v)) return std::max(r->first, r->last);
    const Inst* p = f.producer(v);
    if (!p || depth > 32) return std::nullopt;
    auto of = [&](size_t k) { return bound_of(in, p->operands.at(k), depth + 1); };
    auto constant = [&](size_t k) { return f.constant_int(p->operands.at(k)); };
    std::string_view name = name_of(p->op);
    if (name == "imin") {
        auto a = of(0), b = of(1);
        return a && b ? std::min(*a, *b) : a ? a : b;
    }
    if (name == "imax" || name == "sel") {
        auto a = of(p->operands.size() - 2), b = of(p->operands.size() - 1);
        if (a && b) return std::max(*a, *b);
        return std::nullopt;
    }
    if (name == "iadd") {
        auto a = of(0), b = of(1);
        if (a && b) return *a + *b;
    }
    if (name == "isub") {
        auto a = of(0);
        if (auto b = constant(1); a && b) return *a - *b;
    }
    if (name == "imul") {
        auto a = of(0), b = of(1);
        auto small = [](int64_t x) { return x >= 0 && x < (int64_t{1} << 31); };
        if (a && b && (constant(0) || constant(1)) && small(*a) && small(*b)) return *a * *b;
    }
    if (name == "ifloordiv") {
        auto a = of(0);
        if (auto b = constant(1); a && b && *b > 0) return *a / *b;
    }
    if (name == "imod") {
        if (auto b = constant(1); b && *b > 0) return *b - 1;
    }
    // A size beside the tensor that has it.
    for (ValueId r : p->results)
        for (const RunTimeSize& s : f.type(r).run_time_sizes)
            if (s.size == v) return f.type(r).sizes[static_cast<size_t>(s.axis)];
    if (name == "item") return largest_element(in, p->operands[0], depth + 1);
    return std::nullopt;
}

std::optional<int64_t> largest_element(Interpreter& in, ValueId v, int depth) {
    Function& f = in.function();
    const Inst* p = f.producer(v);
    if (!p || depth > 32 || !is_integral(f.type(v).dtype, true)) return std::nullopt;
    if (f.type(v).dtype == DType::Bool) return 1;
    for (const Inst& i : f.insts)
        if (!i.erased && i.dest.valid() && f[i.dest].view.storage == f[v].view.storage) return std::nullopt;
    std::string_view name = name_of(p->op);
    const OpDef& row = def(p->op);
    auto of = [&](size_t k) -> std::optional<int64_t> {
        ValueId o = p->operands.at(k);
        return f.type(o).is_tensor() ? largest_element(in, o, depth + 1) : bound_of(in, o, depth + 1);
    };
    if (row.lower == Lower::View || name == "clone" || name == "cast" || name == "gather" || name == "index_select" || name == "index" || name == "sort" || name == "amax" ||
        name == "amin" || name == "max" || name == "min" || name == "max.dim" || name == "min.dim") {
        if (f.type(p->operands[0]).is_tensor() && is_integral(f.type(p->operands[0]).dtype, true) && f.type(v).dtype == f.type(p->results[0]).dtype && v == p->results[0]) return of(0);
        if (v != p->results[0]) return f.type(p->operands[0]).numel();  // positions
        return std::nullopt;
    }
    if (name == "argmax" || name == "argmin" || name == "argsort" || name == "count_nonzero") return f.type(p->operands[0]).numel();
    if (name == "sum" || name == "sum.dim") {
        auto most = largest_element(in, p->operands[0], depth + 1);
        if (most && *most < (int64_t{1} << 20)) return std::max<int64_t>(*most, 0) * f.type(p->operands[0]).numel();
        return std::nullopt;
    }
    if (name == "literal") {
        // What the script has written down.
        const auto& data = p->attrs.get<std::shared_ptr<const TensorData>>("data");
        int64_t most = 0;
        for (size_t at = 0; at < data->bytes.size(); at += static_cast<size_t>(size_of(data->dtype)))
            most = std::max(most, cast_value(load_value(data->dtype, data->bytes.data() + at), data->dtype, DType::I64).i64);
        return most;
    }
    if (name == "randint") {
        if (auto high = f.constant_int(p->operands.at(1))) return *high - 1;
    }
    if (name == "randperm") return f.type(v).numel() - 1;
    if (name == "add") {
        auto a = of(0), b = of(1);
        if (a && b) return *a + *b;
    }
    if (name == "clamp" || name == "clamp_max") {
        if (auto high = f.constant_int(p->operands.back())) return *high;
    }
    if (name == "full") return of(0);
    if (name == "arange") {
        auto start = f.constant_int(p->operands[0]), end = f.constant_int(p->operands[1]);
        if (start && end) return std::max(*start, *end);
    }
    return std::nullopt;
}

}  // namespace

bool has_run_time_size(Interpreter& in, PyValue tensor) { return !type_of(in, tensor).run_time_sizes.empty(); }

Sizes static_sizes(Interpreter& in, PyValue tensor, std::string_view what) {
    if (has_run_time_size(in, tensor)) throw NotSupported(fmt::format("{} of a tensor whose size is known only at run time", what));
    return type_of(in, tensor).sizes;
}

PyValue element_count_of(Interpreter& in, PyValue tensor) { return product(in, shape_of(in, tensor)); }

PyValue whole_bound(Interpreter& in, PyValue tensor) { return has_run_time_size(in, tensor) ? emit_one(in, "whole_bound"_op, {tensor}) : tensor; }

PyValue with_sizes(Interpreter& in, PyValue at_bounds, const Values& sizes, const char* node) {
    Operands operands{at_bounds};
    std::vector<int64_t> axes;
    Type type = type_of(in, at_bounds);
    for (size_t d = 0; d < sizes.size(); ++d) {
        if (!is_run(sizes[d])) continue;
        ValueId size = in.to_ir(sizes[d], Type::Kind::I64);
        if (in.function().constant_int(size) == type.sizes[d]) continue;
        operands.push_back(PyValue::dynamic(size, Type::Kind::I64));
        axes.push_back(static_cast<int64_t>(d));
        type.run_time_sizes.push_back({static_cast<int>(d), size});
    }
    if (axes.empty()) return at_bounds;
    return emit_of_types(in, *op_named("narrow.run"), operands, attrs({{"axes", axes}, {"node", std::string(node)}}), {type}).at(0);
}

bool RunSizes::is_static() const { return std::none_of(values.begin(), values.end(), is_run); }

std::optional<int64_t> upper_bound(Interpreter& in, PyValue n) {
    if (n.is(Kind::Int)) return n.as_int();
    return n.is_dynamic(Type::Kind::I64) ? bound_of(in, n.as_value()) : std::nullopt;
}

RunSizes run_sizes_from(Interpreter& in, const Values& given, std::string_view what) {
    Values values = given;
    if (values.size() == 1 && (values[0].is(Kind::Tuple) || values[0].is(Kind::List))) values = in.iterate(values[0]);
    RunSizes out;
    int64_t known = 1, unknown = 0;
    for (PyValue& v : values) {
        if (v.is(Kind::Tensor)) v = in.protocol_of(v)->index(in, v);
        if (!v.is_dynamic(Type::Kind::I64)) v = PyValue::integer(in.need_int(v, what));
        else if (in.in_unrollable_loop() && (in.index_range(v.as_value()) || !in.function().producer(v.as_value()))) in.need_static(v, what);
        std::optional<int64_t> bound = upper_bound(in, v);
        if (bound) known *= std::max<int64_t>(*bound, 1);
        else ++unknown;
        out.bounds.push_back(bound ? std::max<int64_t>(*bound, is_run(v) ? 0 : *bound) : -1);
    }
    auto share = unknown == 0 ? 0 : std::max<int64_t>(1, static_cast<int64_t>(std::pow(static_cast<double>(std::max<int64_t>(unbounded_elements / known, 1)), 1.0 / static_cast<double>(unknown))));
    for (size_t d = 0; d < values.size(); ++d) {
        if (!is_run(values[d])) continue;
        Values args;
        std::string all = text_of(in, values, args);
        in.check(in.compare(CompareOp::GtE, values[d], PyValue::integer(0)), "RuntimeError", "Trying to create tensor with negative dimension {}: " + all, [&] {
            Values a{values[d]};
            a.insert(a.end(), args.begin(), args.end());
            return a;
        }());
        if (upper_bound(in, values[d])) continue;
        out.bounds[d] = share;
        in.check(in.compare(CompareOp::LtE, values[d], PyValue::integer(share)), "NotImplementedError", fmt::format("not supported: a size of {{}}, of which nothing says that it is at most {}", share), {values[d]});
    }
    out.values = std::move(values);
    return out;
}

// ---------------------------------------------------------------------------------------------- the same memory under other sizes

PyValue reshape_run_time(Interpreter& in, PyValue tensor, const Values& given, bool may_copy) {
    Values entries = given;
    if (entries.size() == 1 && (entries[0].is(Kind::Tuple) || entries[0].is(Kind::List))) entries = in.iterate(entries[0]);
    if (!layout_of(in, tensor).is_contiguous()) {
        if (!may_copy) throw NotSupported("view() of a tensor that is not contiguous and whose size is known only at run time", "use reshape");
        tensor = clone(in, tensor);
    }
    const Type type = type_of(in, tensor);
    if (type.run_time_sizes.size() != 1) {
        for (PyValue e : entries)
            if (is_run(e)) in.need_static(e, "a size");
        throw NotSupported("other sizes for a tensor of which several sizes are known only at run time");
    }
    const RunTimeSize run = type.run_time_sizes[0];
    auto axis = static_cast<size_t>(run.axis);
    PyValue n = PyValue::dynamic(run.size, Type::Kind::I64);
    int64_t before = 1, behind = 1;
    for (size_t d = 0; d < type.sizes.size(); ++d) {
        if (d < axis) before *= type.sizes[d];
        if (d > axis) behind *= type.sizes[d];
    }
    // The axis that gets the run-time size: the run-time int, else -1.
    size_t target = entries.size(), inferred = entries.size();
    for (size_t d = 0; d < entries.size(); ++d) {
        if (entries[d].is(Kind::Tensor)) entries[d] = item_of(in, entries[d]);
        if (is_run(entries[d])) {
            if (target < entries.size()) throw NotSupported("two sizes that are known only at run time");
            target = d;
        } else if (entries[d].as_int() == -1) inferred = d;
    }
    std::string shape;
    for (PyValue e : entries) shape += (shape.empty() ? "" : ", ") + (is_run(e) ? std::string("{}") : std::to_string(e.as_int()));
    PyValue count = element_count_of(in, tensor);
    Values args;
    if (target < entries.size()) args.push_back(entries[target]);
    args.push_back(count);
    const std::string text = "shape '[" + shape + "]' is invalid for input of size {}";
    if (target == entries.size()) target = inferred;
    else if (inferred < entries.size()) {
        // `x.view(n, -1)` of n rows: the rest is what a row has.
        if (!same_number(entries[target], n)) throw NotSupported("a size that follows from another run-time size");
        int64_t rest = before * behind;
        for (size_t d = 0; d < entries.size(); ++d)
            if (d != target && d != inferred) rest /= std::max<int64_t>(entries[d].as_int(), 1);
        entries[inferred] = PyValue::integer(rest);
    }
    if (target == entries.size()) throw NotSupported("known sizes for a tensor whose size is known only at run time");
    int64_t front = 1, back = 1;
    for (size_t d = 0; d < entries.size(); ++d) {
        if (d < target) front *= entries[d].as_int();
        if (d > target) back *= entries[d].as_int();
    }
    if (front != before || back == 0) throw NotSupported("joining an axis with one behind it whose size is known only at run time");
    PyValue size = n;
    if (back != behind) {
        size = behind == 1 ? n : in.binary(BinaryOp::Mult, n, PyValue::integer(behind));
        if (behind % back == 0) size = in.binary(BinaryOp::Mult, n, PyValue::integer(behind / back));
        else {
            in.check(in.compare(CompareOp::Eq, in.binary(BinaryOp::Mod, size, PyValue::integer(back)), PyValue::integer(0)), "RuntimeError", text, args);
            size = in.binary(BinaryOp::FloorDiv, size, PyValue::integer(back));
        }
    }
    if (is_run(entries[target])) check_equal(in, entries[target], size, "RuntimeError", text, args, false);
    int64_t bound = type.sizes[axis] * behind / back;
    Sizes bounds;
    for (size_t d = 0; d < entries.size(); ++d) bounds.push_back(d == target ? bound : entries[d].as_int());
    PyValue whole = whole_bound(in, tensor);
    if (bound * back != type.sizes[axis] * behind) {
        if (front != 1) throw NotSupported("other sizes behind an axis in front");
        whole = emit_one(in, "view"_op, {whole}, attrs({{"size", Sizes{type.numel()}}}));
        whole = emit_one(in, "slice"_op, {whole}, attrs({{"dim", int64_t{0}}, {"end", bound * back}}));
    }
    whole = emit_one(in, "view"_op, {whole}, attrs({{"size", bounds}}));
    Values sizes;
    for (size_t d = 0; d < entries.size(); ++d) sizes.push_back(d == target ? size : entries[d]);
    return with_sizes(in, whole, sizes, "ViewBackward0");
}

PyValue expand_run_time(Interpreter& in, PyValue tensor, const Values& given) {
    Values own = shape_of(in, tensor);
    Values entries = given;
    if (entries.size() == 1 && (entries[0].is(Kind::Tuple) || entries[0].is(Kind::List))) entries = in.iterate(entries[0]);
    RunSizes sizes = run_sizes_from(in, entries, "a size");
    size_t added = entries.size() - std::min(entries.size(), own.size());
    for (size_t d = added; d < entries.size(); ++d) {
        PyValue mine = own[d - added];
        bool same = same_number(mine, sizes.values[d]) || (!is_run(sizes.values[d]) && sizes.values[d].as_int() == -1);
        if (!is_run(mine) && !same) continue;
        if (!same) check_equal(in, sizes.values[d], mine, "RuntimeError", "The expanded size of the tensor ({}) must match the existing size ({})", {sizes.values[d], mine}, true);
        sizes.values[d] = mine;
        sizes.bounds[d] = type_of(in, tensor).sizes[d - added];
    }
    return with_sizes(in, emit_one(in, "expand"_op, {whole_bound(in, tensor)}, attrs({{"size", sizes.bounds}})), sizes.values, "ExpandBackward0");
}

PyValue only_element(Interpreter& in, PyValue tensor, const char* error, const std::string& text) {
    if (!has_run_time_size(in, tensor)) return tensor;
    PyValue n = element_count_of(in, tensor);
    in.check(in.compare(CompareOp::Eq, n, PyValue::integer(1)), error, text, text.find("{}") == std::string::npos ? Values() : Values{n});
    PyValue one = whole_bound(in, tensor);
    if (type_of(in, one).numel() == 0) return full_tensor(in, type_of(in, one).dtype, {}, PyValue::integer(0));
    while (type_of(in, one).rank() > 0) one = emit_one(in, "select"_op, {one}, attrs({{"dim", int64_t{0}}, {"index", int64_t{0}}}));
    return one;
}

// ---------------------------------------------------------------------------------------------- checks

namespace {

void check_broadcast(Interpreter& in, const Operands& operands) {
    std::vector<Values> shapes;
    size_t rank = 0;
    for (PyValue v : operands) {
        if (!v.is(Kind::Tensor)) continue;
        shapes.push_back(shape_of(in, v));
        rank = std::max(rank, shapes.back().size());
    }
    for (size_t d = 0; d < rank; ++d) {  // from the innermost axis
        PyValue first;
        for (const Values& s : shapes) {
            if (d >= s.size()) continue;
            PyValue size = s[s.size() - 1 - d];
            if (size.is(Kind::Int) && size.as_int() == 1) continue;
            if (first.is_unbound()) first = size;
            else if (is_run(first) || is_run(size)) {
                check_equal(in, first, size, "RuntimeError", fmt::format("The size of tensor a ({{}}) must match the size of tensor b ({{}}) at non-singleton dimension {}", rank - 1 - d),
                            {first, size}, true);
            }
        }
    }
}

void check_not_empty(Interpreter& in, std::string_view name, PyValue self, const Attrs& attributes) {
    std::string shown(name.substr(0, name.find('.')));
    Values shape = shape_of(in, self);
    const AttrValue* dim = attributes.find("dim");
    const int64_t* one = dim ? std::get_if<int64_t>(dim) : nullptr;
    if (one) {
        auto d = static_cast<size_t>(normalize_dim(*one, static_cast<int64_t>(shape.size())));
        if (is_run(shape.at(d))) in.check(in.compare(CompareOp::Gt, shape[d], PyValue::integer(0)), "IndexError", fmt::format("{}(): Expected reduction dim {} to have non-zero size.", shown, d));
        return;
    }
    std::string text = shown + "(): Expected reduction dim to be specified for input.numel() == 0.";
    bool arg = shown.starts_with("arg");
    if (!arg) text += " Specify the reduction dim with the 'dim' argument.";
    in.check(in.compare(CompareOp::Gt, product(in, shape), PyValue::integer(0)), arg ? "IndexError" : "RuntimeError", text);
}

void check_product(Interpreter& in, PyValue a, PyValue b) {
    Values x = shape_of(in, a), y = shape_of(in, b);
    size_t left = x.size() - 1, right = y.size() > 1 ? y.size() - 2 : 0;
    if (!is_run(x[left]) && !is_run(y[right])) return;
    if (type_of(in, a).sizes[left] != type_of(in, b).sizes[right]) throw NotSupported("a product along a run-time size of two bounds");
    Values args;
    std::string shapes;
    for (const Values* s : {&x, &y}) {
        shapes += shapes.empty() ? "" : " and ";
        for (size_t d = 0; d < s->size(); ++d) {
            shapes += d ? "x{}" : "{}";
            args.push_back((*s)[d]);
        }
    }
    check_equal(in, x[left], y[right], "RuntimeError", "mat1 and mat2 shapes cannot be multiplied (" + shapes + ")", args, false);
}

}  // namespace

void check_run_time_sizes(Interpreter& in, Op op, const Operands& operands, const Attrs& attributes) {
    if (std::none_of(operands.begin(), operands.end(), [&](PyValue v) { return v.is(Kind::Tensor) && has_run_time_size(in, v); })) return;
    const OpDef& row = def(op);
    std::string_view name = row.name;
    if (row.lower == Lower::Pointwise || name == "masked_select") return check_broadcast(in, operands);
    if (name.ends_with("_loss") || name.starts_with("binary_cross_entropy")) {
        if (name != "nll_loss") return check_broadcast(in, operands);
        PyValue batch = shape_of(in, operands[0]).at(0), targets = shape_of(in, operands[1]).at(0);
        return check_equal(in, batch, targets, "ValueError", "Expected input batch_size ({}) to match target batch_size ({}).", {batch, targets}, false);
    }
    if (name == "index_add" || name == "scatter_add") {
        Values index = shape_of(in, operands[1]), source = shape_of(in, operands[2]);
        auto d = static_cast<size_t>(normalize_dim(attributes.get<int64_t>("dim"), static_cast<int64_t>(source.size())));
        if (index.size() == 1) check_equal(in, index[0], source[d], "RuntimeError", "Number of indices ({}) should be equal to source.size(dim): ({})", {index[0], source[d]}, false);
    }
    for (const char* e : {"max", "max.dim", "min", "min.dim", "amax", "amin", "argmax", "argmin"})
        if (name == e) return check_not_empty(in, name, operands[0], attributes);
    if (name == "mm" || name == "mv" || name == "dot") return check_product(in, operands[0], operands[1]);
    if (name == "addmm") return check_product(in, operands[1], operands[2]);
    if (name == "topk") {
        Values shape = shape_of(in, operands[0]);
        auto d = static_cast<size_t>(normalize_dim(attributes.get_or<int64_t>("dim", -1), static_cast<int64_t>(shape.size())));
        if (is_run(shape.at(d)))
            in.check(in.compare(CompareOp::GtE, shape[d], PyValue::integer(attributes.get<int64_t>("k"))), "RuntimeError", "selected index k out of range");
    }
    if (name == "index_put") {
        std::vector<Type> types;
        std::vector<ScalarConstant> constants(operands.size());
        for (PyValue v : operands) types.push_back(v.is(Kind::Tensor) ? type_of(in, v) : Type::optional({}));
        rules::IndexPlan plan = rules::plan_index(OpCall{op, types, constants, {}, attributes, default_dtype(in)}, 1, operands.size() - 2);
        Values target, own = shape_of(in, operands.back());
        for (int64_t s : plan.result) target.push_back(PyValue::integer(s));
        for (const RunTimeSize& r : plan.run_time_sizes) target[static_cast<size_t>(r.axis)] = PyValue::dynamic(r.size, Type::Kind::I64);
        Values args;
        std::string text = "shape mismatch: value tensor of shape " + text_of(in, own, args);
        text += " cannot be broadcast to indexing result of shape " + text_of(in, target, args);
        for (size_t k = 0; k < own.size() && own.size() <= target.size(); ++k) {
            PyValue to = target[target.size() - own.size() + k];
            if (own[k].is(Kind::Int) && own[k].as_int() == 1) continue;
            if (is_run(own[k]) || is_run(to)) check_equal(in, own[k], to, "RuntimeError", text, args, is_run(own[k]));
        }
    }
    if (name == "stack") {
        Values first = shape_of(in, operands[0]);
        for (size_t k = 1; k < operands.size(); ++k) {
            Values own = shape_of(in, operands[k]);
            if (own.size() != first.size()) return;
            Values args;
            std::string text = "stack expects each tensor to be equal size, but got " + text_of(in, first, args);
            text += fmt::format(" at entry 0 and {} at entry {}", text_of(in, own, args), k);
            for (size_t d = 0; d < own.size(); ++d) check_equal(in, first[d], own[d], "RuntimeError", text, args, false);
        }
    }
}

void check_written_sizes(Interpreter& in, PyValue from, PyValue to) {
    Values source = shape_of(in, from), target = shape_of(in, to);
    if (source.size() > target.size()) throw NotSupported("writing a tensor of more axes whose sizes are known only at run time");
    Values args;
    std::string text = "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension ";
    for (size_t k = 0; k < source.size(); ++k) {
        size_t d = target.size() - source.size() + k;
        if (!is_run(source[k]) && !is_run(target[d])) continue;
        if (!is_run(source[k]) && source[k].as_int() == 1) continue;
        Values own{target[d], source[k]};
        std::string shapes = fmt::format("{}{}.  Target sizes: {}", text, d, text_of(in, target, own));
        shapes += ".  Tensor sizes: " + text_of(in, source, own);
        check_equal(in, source[k], target[d], "RuntimeError", shapes, own, true);
    }
}

PyValue cat_run_time(Interpreter& in, const Operands& parts, int64_t given) {
    int64_t rank = type_of(in, parts.at(0)).rank();
    if (rank == 0) return {};
    int64_t dim = normalize_dim(given, rank);
    auto axis = static_cast<size_t>(dim);
    Operands whole;
    Values total_shape;
    bool runs = false;
    for (PyValue p : parts) {
        Values shape = shape_of(in, p);
        if (shape.size() != static_cast<size_t>(rank)) return {};
        runs |= is_run(shape[axis]);
    }
    if (!runs) return {};
    // One after the other by their bounds, then read at the places that count.
    DType i64 = DType::I64;
    int64_t bound = 0;
    for (PyValue p : parts) bound += type_of(in, p).sizes[axis];
    PyValue at = emit_one(in, "arange"_op, {PyValue::integer(0), PyValue::integer(bound), PyValue::integer(1)}, attrs({{"dtype", i64}}));
    PyValue from = at, begin = PyValue::integer(0);
    int64_t begin_bound = 0;
    Values first = shape_of(in, parts[0]);
    for (PyValue p : parts) {
        Values shape = shape_of(in, p);
        for (size_t d = 0; d < shape.size(); ++d)
            if (d != axis && (is_run(shape[d]) || is_run(first[d]))) throw NotSupported("joining tensors of which several sizes are known only at run time");
        if (begin_bound > 0 && !same_number(begin, PyValue::integer(begin_bound))) {
            PyValue moved = call_rows(in, "add", {call_rows(in, "sub", {at, begin}), PyValue::integer(begin_bound)});
            from = call_rows(in, "where", {call_rows(in, "ge", {at, begin}), moved, from});
        }
        whole.push_back(whole_bound(in, p));
        begin = in.binary(BinaryOp::Add, begin, shape[axis]);
        begin_bound += type_of(in, p).sizes[axis];
    }
    PyValue joined = emit_one(in, "cat"_op, whole, attrs({{"dim", dim}}));
    if (from.object() != at.object()) {
        from = call_rows(in, "clamp", {from, PyValue::integer(0), PyValue::integer(std::max<int64_t>(bound - 1, 0))});
        joined = emit_one(in, "index_select"_op, {joined, from}, attrs({{"dim", dim}}));
    }
    Values sizes = first;
    sizes[axis] = begin;
    return with_sizes(in, joined, sizes, "CatBackward0");
}

PyValue flip_run_time(Interpreter& in, PyValue tensor, const Attrs& attributes) {
    Values sizes = shape_of(in, tensor);
    PyValue out = whole_bound(in, tensor);
    std::vector<int64_t> known;
    for (int64_t d : rules::ints(attributes, "dims")) {
        d = normalize_dim(d, static_cast<int64_t>(sizes.size()));
        auto axis = static_cast<size_t>(d);
        if (!is_run(sizes[axis])) {
            known.push_back(d);
            continue;
        }
        int64_t bound = type_of(in, out).sizes[axis];
        PyValue at = emit_one(in, "arange"_op, {PyValue::integer(0), PyValue::integer(bound), PyValue::integer(1)}, attrs({{"dtype", DType::I64}}));
        at = call_rows(in, "rsub", {at, in.binary(BinaryOp::Sub, sizes[axis], PyValue::integer(1))});
        at = call_rows(in, "clamp", {at, PyValue::integer(0), PyValue::integer(std::max<int64_t>(bound - 1, 0))});
        out = emit_one(in, "index_select"_op, {out, at}, attrs({{"dim", d}}));
    }
    if (!known.empty()) out = emit_one(in, "flip"_op, {out}, attrs({{"dims", known}}));
    return with_sizes(in, out, sizes, "FlipBackward0");
}

PyValue zero_behind(Interpreter& in, PyValue tensor) {
    Values sizes = shape_of(in, tensor);
    PyValue out = whole_bound(in, tensor);
    for (size_t d = 0; d < sizes.size(); ++d) {
        if (!is_run(sizes[d])) continue;
        Sizes shape(sizes.size(), 1);
        shape[d] = type_of(in, out).sizes[d];
        PyValue at = emit_one(in, "arange"_op, {PyValue::integer(0), PyValue::integer(shape[d]), PyValue::integer(1)}, attrs({{"dtype", DType::I64}}));
        PyValue counts = emit_one(in, "view"_op, {call_rows(in, "lt", {at, sizes[d]})}, attrs({{"size", shape}}));
        out = call_rows(in, "where", {counts, out, full_tensor(in, type_of(in, out).dtype, {}, PyValue::integer(0))});
    }
    return out;
}

}  // namespace sifr::capture
