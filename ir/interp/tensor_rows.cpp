// Tensors by the class of their row: elements by rule, pointwise bodies, reductions.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ir/base/diagnostic.h"
#include "ir/interp/machine.h"
#include "ir/loop/reduce_value.h"
#include "ir/op/rules/reduction_rules.h"

namespace sifr {
namespace {

/// One evaluation of a scalar body; `inputs` are the operands' elements, in their own dtypes.
class BodyEvaluator {
public:
    explicit BodyEvaluator(const ScalarBody& body) : body_(body), values_(body.arena.nodes.size()) {}

    ScalarValue operator()(std::span<const ScalarValue> inputs) {
        const auto& nodes = body_.arena.nodes;
        for (size_t k = 0; k <= body_.root.index; ++k) {
            const Expr& e = nodes[k];
            auto arg = [&](size_t a) { return e.args[a].valid() ? values_[e.args[a].index] : ScalarValue{}; };
            auto arg_type = [&](size_t a) { return nodes[e.args[a].index].type; };
            switch (e.op) {
                case ScalarOp::Input: values_[k] = inputs[e.payload]; break;
                case ScalarOp::Const: values_[k] = constant_value(e.type, e.payload); break;
                case ScalarOp::Cast: values_[k] = cast_value(arg(0), arg_type(0), e.type); break;
                case ScalarOp::Bitcast: values_[k] = bitcast_value(arg(0), arg_type(0), e.type); break;
                case ScalarOp::Var:
                case ScalarOp::Load: SIFR_UNREACHABLE("a scalar body reads its inputs only");
                // Of a Select, the type is that of the values; else of the first operand.
                case ScalarOp::Select: values_[k] = apply(e.op, e.type, arg(0), arg(1), arg(2)); break;
                default: values_[k] = apply(e.op, arg_type(0), arg(0), arg(1), arg(2));
            }
        }
        return values_[body_.root.index];
    }

private:
    const ScalarBody& body_;
    std::vector<ScalarValue> values_;
};

ScalarValue integer(int64_t v) {
    ScalarValue s;
    s.i64 = v;
    return s;
}
/// Elements by a function of their row-major number.
template <class F>
Results by_rule(const Execution& x, const F& element) {
    RunTensor out = RunTensor::make(x.target.dtype, x.target.sizes);
    for (int64_t i = 0, n = out.numel(); i < n; ++i) out.store(i, element(i));
    return {std::move(out)};
}

Results full(const Execution& x) {
    DType to = x.target.dtype;
    ScalarValue v = x.is_tensor(0) ? cast_value(x.tensor(0).load(x.tensor(0).layout.offset), x.tensor(0).dtype, to) : element_of(x.in[0], to);
    return by_rule(x, [&](int64_t) { return v; });
}

/// Unwritten memory is made visible: a pattern that no program writes by accident.
Results empty(const Execution& x) {
    RunTensor out = RunTensor::make(x.target.dtype, x.target.sizes);
    std::fill(out.memory->begin(), out.memory->end(), static_cast<std::byte>(x.target.dtype == DType::Bool ? 1 : 0xCD));
    return {std::move(out)};
}

Results literal(const Execution& x) {
    const auto& data = x.attr<std::shared_ptr<const TensorData>>("data");
    RunTensor out = RunTensor::make(x.target.dtype, x.target.sizes);
    SIFR_CHECK(data->bytes.size() == out.memory->size(), "a literal with {} bytes of data for {}", data->bytes.size(), x.target.text());
    std::copy(data->bytes.begin(), data->bytes.end(), out.memory->begin());
    return {std::move(out)};
}

/// start + i · step: in 64-bit integers where the result is integral, else in F64 as PyTorch, then rounded.
Results arange(const Execution& x) {
    DType to = x.target.dtype, wide = is_integral(to) ? DType::I64 : DType::F64;
    ScalarValue start = element_of(x.in[0], wide), step = element_of(x.in[2], wide);
    return by_rule(x, [&](int64_t i) {
        ScalarValue product = apply(ScalarOp::Mul, wide, cast_value(integer(i), DType::I64, wide), step, {});
        return cast_value(apply(ScalarOp::Add, wide, start, product, {}), wide, to);
    });
}

/// The first half from the start, the second from the end, in the result's own dtype, as PyTorch.
Results linspace(const Execution& x) {
    DType to = x.target.dtype, wide = to == DType::F16 || to == DType::BF16 ? DType::F32 : is_float(to) ? to : DType::F64;
    int64_t steps = x.attr<int64_t>("steps");
    ScalarValue start = element_of(x.in[0], wide), end = element_of(x.in[1], wide);
    ScalarValue count = cast_value(integer(steps - 1), DType::I64, wide);
    ScalarValue step = apply(ScalarOp::Div, wide, apply(ScalarOp::Sub, wide, end, start, {}), count, {});
    return by_rule(x, [&](int64_t i) {
        if (steps == 1) return cast_value(start, wide, to);
        bool front = i < steps / 2;
        ScalarValue distance = apply(ScalarOp::Mul, wide, step, cast_value(integer(front ? i : steps - 1 - i), DType::I64, wide), {});
        return cast_value(apply(front ? ScalarOp::Add : ScalarOp::Sub, wide, front ? start : end, distance, {}), wide, to);
    });
}

Results eye(const Execution& x) {
    int64_t columns = x.target.sizes[1];
    return by_rule(x, [&](int64_t i) { return cast_value(integer(i / columns == i % columns), DType::Bool, x.target.dtype); });
}

template <bool upper>
Results triangle_indices(const Execution& x) {
    int64_t rows = x.attr<int64_t>("row"), columns = x.attr<int64_t>("col"), offset = x.inst.attrs.get_or<int64_t>("offset", 0);
    std::vector<int64_t> row_of, column_of;
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c)
            if (upper ? c - r >= offset : c - r <= offset) {
                row_of.push_back(r);
                column_of.push_back(c);
            }
    int64_t n = static_cast<int64_t>(row_of.size());
    return by_rule(x, [&](int64_t i) {
        return cast_value(integer(i < n ? row_of[static_cast<size_t>(i)] : column_of[static_cast<size_t>(i - n)]), DType::I64, x.target.dtype);
    });
}

Results from_scalars(const Execution& x) {
    return by_rule(x, [&](int64_t i) { return element_of(x.in.at(static_cast<size_t>(i)), x.target.dtype); });
}

/// A tensor of one element as a Python number.
Results item(const Execution& x) {
    const RunTensor& t = x.tensor(0);
    ScalarValue v = t.load(t.layout.offset);
    switch (x.f.type(x.inst.results[0]).kind) {
        case Type::Kind::I64: return {cast_value(v, t.dtype, DType::I64).i64};
        case Type::Kind::Bool: return {cast_value(v, t.dtype, DType::Bool).i64 != 0};
        default: return {cast_value(v, t.dtype, DType::F64).f64};
    }
}

const NamedEvaluator evaluators[] = {
    {"full", full},
    {"empty", empty},
    {"literal", literal},
    {"arange", arange},
    {"linspace", linspace},
    {"eye", eye},
    {"triu_indices", triangle_indices<true>},
    {"tril_indices", triangle_indices<false>},
    {"scalar_tensor", full},
    {"from_scalars", from_scalars},
    {"item", item},
};

Combine combine_named(std::string_view name) {
    for (auto [text, combine] : {std::pair{"sum", Combine::Sum}, {"prod", Combine::Prod}, {"max", Combine::Max}, {"min", Combine::Min},
                                 {"any", Combine::Any}, {"all", Combine::All}, {"argmax", Combine::ArgMax}, {"argmin", Combine::ArgMin}})
        if (name == text) return combine;
    throw NotSupported(fmt::format("reductions by '{}' in the interpreter", name));
}

/// One axis of `t` reduced; the axis stays with size 1. `t` holds values in the accumulator's dtype.
RunTensor reduce_axis(const RunTensor& t, size_t axis, Combine combine) {
    bool lanes = std::all_of(t.sizes().begin() + static_cast<std::ptrdiff_t>(axis) + 1, t.sizes().end(), [](int64_t n) { return n == 1; });
    Sizes sizes = t.sizes();
    int64_t length = sizes[axis];
    sizes[axis] = 1;
    RunTensor out = RunTensor::make(t.dtype, sizes);
    Layout rows = t.layout;
    rows.sizes[axis] = 1;
    for (Walk w({&rows, &out.layout}); !w.done(); w.next()) {
        OrderedReduction reduction(combine, t.dtype, lanes);
        for (int64_t k = 0; k < length; ++k) reduction.add(t.load(w.offset(0) + k * t.layout.strides[axis]));
        out.store(w.offset(1), reduction.finish());
    }
    return out;
}

/// Whether `a` is in front of `b` for argmax (argmin): a NaN counts as extremal, and the first of equals stays.
bool beats(ScalarValue a, ScalarValue b, DType dtype, bool max) {
    auto is_nan = [&](ScalarValue v) { return is_float(dtype) && apply(ScalarOp::Ne, dtype == DType::F64 ? DType::F64 : DType::F32, v, v, {}).i64 != 0; };
    if (is_nan(b)) return false;
    if (is_nan(a)) return true;
    DType wide = dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : dtype;
    return apply(max ? ScalarOp::Gt : ScalarOp::Lt, wide, a, b, {}).i64 != 0;
}

struct Extremes {
    RunTensor values, indices;  ///< the axis has size 1
};

Extremes extremes(const Execution& x, const RunTensor& t, size_t axis, bool max) {
    Sizes sizes = t.sizes();
    int64_t length = sizes[axis];
    sizes[axis] = 1;
    Extremes out{RunTensor::make(t.dtype, sizes), RunTensor::make(DType::I64, sizes)};
    Layout rows = t.layout;
    rows.sizes[axis] = 1;
    for (Walk w({&rows, &out.values.layout}); !w.done(); w.next()) {
        SIFR_CHECK(length > 0, "'{}' over no element", name_of(x.inst.op));
        ScalarValue best = t.load(w.offset(0));
        int64_t at = 0;
        for (int64_t k = 1; k < length; ++k) {
            ScalarValue v = t.load(w.offset(0) + k * t.layout.strides[axis]);
            if (!beats(v, best, t.dtype, max)) continue;
            best = v;
            at = k;
        }
        out.values.store(w.offset(1), best);
        out.indices.store(w.offset(1), integer(at));
    }
    return out;
}

RunTensor reshaped(const RunTensor& t, const Sizes& sizes) { return t.packed().with(Layout::contiguous(sizes)); }

/// The sizes of a result with the reduced axes gone, or as 1.
Sizes kept_sizes(const Execution& x, const RunTensor& t, const std::vector<int64_t>& dims) {
    bool keep = x.inst.attrs.get_or("keepdim", false);
    Sizes out;
    for (int64_t d = 0; d < static_cast<int64_t>(t.sizes().size()); ++d) {
        bool reduced = std::find(dims.begin(), dims.end(), d) != dims.end();
        if (!reduced) out.push_back(t.sizes()[static_cast<size_t>(d)]);
        else if (keep) out.push_back(1);
    }
    return out;
}

}  // namespace

std::span<const NamedEvaluator> fill_evaluators() { return evaluators; }

Results evaluate_pointwise(const Execution& x) {
    ScalarBody body = scalar_body(x.f, x.inst);
    Sizes sizes;
    for (size_t k = 0; k < x.in.size(); ++k)
        if (x.is_tensor(k)) sizes = broadcast(sizes, x.tensor(k).sizes());
    RunTensor out = RunTensor::make(x.target.dtype, sizes);
    std::vector<RunTensor> operands;
    std::vector<const Layout*> layouts{&out.layout};
    std::vector<size_t> tensor_of(x.in.size(), 0);
    std::vector<ScalarValue> inputs(x.in.size());
    operands.reserve(x.in.size());
    for (size_t k = 0; k < x.in.size(); ++k) {
        if (x.is_tensor(k)) {
            operands.push_back(x.tensor(k).expanded(sizes));
            layouts.push_back(&operands.back().layout);
            tensor_of[k] = layouts.size() - 1;
        } else if (!x.is_none(k)) {
            inputs[k] = element_of(x.in[k], dtype_of_number(x.f.type(x.inst.operands[k]).kind));
        }
    }
    BodyEvaluator element(body);
    SIFR_CHECK(body.arena.type(body.root) == x.target.dtype, "'{}' computes {} for {}", name_of(x.inst.op), name_of(body.arena.type(body.root)), name_of(x.target.dtype));
    for (Walk w(layouts); !w.done(); w.next()) {
        for (size_t k = 0; k < x.in.size(); ++k)
            if (tensor_of[k] != 0) inputs[k] = operands[tensor_of[k] - 1].load(w.offset(tensor_of[k]));
        out.store(w.offset(0), element(inputs));
    }
    return {std::move(out)};
}

/// Inner axes first, each a reduction of its own over the result of the one before, in the order that reduce_order.h defines:
/// Lanes along an axis with none but axes of size 1 behind it, Rows along any other. Half precision is accumulated in F32 and rounded after each axis.
Results evaluate_reduction(const Execution& x) {
    Combine combine = combine_named(def(x.inst.op).reduction);
    RunTensor t = x.tensor(0);
    InstCall call(x.f, x.inst);
    std::vector<int64_t> dims = rules::reduced_dims(call);
    Sizes kept = kept_sizes(x, t, dims);
    if (t.sizes().empty()) {
        t = reshaped(t, {1});
        dims = {0};
    }
    bool positions = combine == Combine::ArgMax || combine == Combine::ArgMin;
    if (positions || x.inst.results.size() == 2) {
        bool max = combine == Combine::ArgMax || combine == Combine::Max;
        if (dims.size() != 1) {  // the index counts all elements
            t = reshaped(t, {t.numel()});
            dims = {0};
        }
        Extremes e = extremes(x, t, static_cast<size_t>(dims[0]), max);
        if (positions) return {reshaped(e.indices, kept)};
        return {reshaped(e.values, kept), reshaped(e.indices, kept)};
    }
    DType result = x.target.dtype;
    bool logical = combine == Combine::Any || combine == Combine::All;
    DType values = logical ? DType::Bool : result;
    bool half = values == DType::F16 || values == DType::BF16;
    for (size_t k = dims.size(); k-- > 0;) {
        t = t.cast(values);
        if (half) t = t.cast(DType::F32);
        t = reduce_axis(t, static_cast<size_t>(dims[k]), combine);
    }
    return {reshaped(t.cast(result), kept)};
}

}  // namespace sifr
