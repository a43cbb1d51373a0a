#include "compiler/frontend/torch/emit.h"

#include <algorithm>
#include <numeric>

#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/dump_bits.h"
#include "compiler/frontend/torch/messages.h"
#include "compiler/frontend/torch/modes.h"
#include "compiler/frontend/torch/overlapping_writes.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/state.h"

namespace sifr::capture {
namespace {

/// Operands as IR values, with what rules look at beside them. Keeps what the OpCall's spans point at.
class Call {
public:
    Call(Interpreter& in, Op op, const Operands& operands, const Attrs& attributes)
        : call_{op, {}, {}, {}, attributes, capture::default_dtype(in)} {
        Function& f = in.function();
        for (PyValue v : operands) {
            bool tensor = v.is(Kind::Tensor);
            values_.push_back(tensor ? tensor_of(v)->value : v.is_none() || v.is_unbound() ? f.add_constant(std::monostate{}) : in.to_ir(v));
            variables_.push_back(tensor ? tensor_of(v)->variable : VariableId());
        }
        for (ValueId v : values_) {
            types_.push_back(f.type(v));
            constants_.push_back(f.is_constant(v) ? f[v].constant : ScalarConstant());
            owned_.push_back(f.type(v).is_tensor() ? f[v].view.layout : Layout());
        }
        for (size_t k = 0; k < types_.size(); ++k) layouts_.push_back(types_[k].is_tensor() ? &owned_[k] : nullptr);
        call_.types = types_;
        call_.constants = constants_;
        call_.layouts = layouts_;
    }
    operator const OpCall&() const { return call_; }
    [[nodiscard]] const std::vector<ValueId>& values() const { return values_; }
    [[nodiscard]] const std::vector<VariableId>& variables() const { return variables_; }
    [[nodiscard]] const std::vector<Type>& types() const { return types_; }

private:
    std::vector<ValueId> values_;
    std::vector<VariableId> variables_;
    std::vector<Type> types_;
    std::vector<ScalarConstant> constants_;
    std::vector<Layout> owned_;
    std::vector<const Layout*> layouts_;
    OpCall call_;
};

const TensorObject* device_source(const Operands& operands) {
    for (PyValue v : operands)
        if (v.is(Kind::Tensor) && tensor_of(v)->cuda) return tensor_of(v);
    for (PyValue v : operands)
        if (v.is(Kind::Tensor)) return tensor_of(v);
    return nullptr;
}

}  // namespace

void warn_of_cuda_draw(Interpreter& in, PyValue v) {
    if (v.is(Kind::Tensor) && tensor_of(v)->cuda) in.warn(diagnose(torch_messages::cuda_random, in.span()));
}

namespace {

/// The defaults of the signature's attributes that the caller left out: rules and text see every attribute.
Attrs with_defaults(Op op, Attrs attributes) {
    Attrs out;
    for (const Param& p : signature(op).params) {
        if (p.is_operand()) continue;
        const AttrValue* given = attributes.find(p.name);
        if (given) out.set(p.name, *given);
        else if (p.has_default) out.set(p.name, p.default_value);
    }
    for (const Attrs::Entry& e : attributes.entries())
        if (!out.has(e.name)) out.set(e.name, e.value);
    return out;
}

/// Into a vector, PyTorch's index_add checks its index with another text.
void set_index_error(Interpreter& in, Op op, const Operands& operands, Attrs& attributes) {
    if (op == "index_add"_op && operands.at(0).is(Kind::Tensor) && type_of(in, operands[0]).rank() <= 1)
        attributes.set("error", std::string("IndexError: index out of range in self"));
}

bool same_storage(const View& a, const View& b) { return a.storage == b.storage; }

/// PyTorch's get_overlap_status: certain for dense tensors, "too hard" (and let through) for others.
bool certainly_overlaps_partly(const View& a, const View& b) {
    if (!same_storage(a, b) || a.layout.numel() == 0 || b.layout.numel() == 0) return false;
    if (!a.layout.is_dense() || !b.layout.is_dense() || a.indices != b.indices || a.layout.index_scales != b.layout.index_scales) return false;
    int64_t a0 = a.layout.offset, a1 = a0 + a.layout.numel(), b0 = b.layout.offset, b1 = b0 + b.layout.numel();
    if (a0 == b0 && a1 == b1) return a.layout.strides != b.layout.strides;
    return a0 < b1 && b0 < a1;
}

/// For dense tensors: whether an element is in both.
bool certainly_overlaps(const View& a, const View& b) {
    if (certainly_overlaps_partly(a, b)) return true;
    return same_storage(a, b) && a.layout.numel() > 0 && a.layout.offset == b.layout.offset && a.layout.sizes == b.layout.sizes && a.layout.strides == b.layout.strides &&
           a.indices == b.indices;
}

/// Rows that may write into an expanded tensor, and how PyTorch's warning of it ends.
struct IntoExpanded {
    std::string_view row;
    const char* example;
};
constexpr IntoExpanded into_expanded[] = {
    {"index_fill", "tensor[mask] = scalar"}, {"index_put", "tensor[indices] = tensor"}, {"masked_fill", "tensor[mask] = scalar"}};

/// Rows that read or write at indices refuse any shared element; TensorIterator's refuse a part of the elements only.
bool has_indices(Op op) {
    const std::vector<Param>& params = signature(op).params;
    return std::any_of(params.begin(), params.end(), [](const Param& p) { return p.name == "index" || p.name == "indices"; });
}

/// PyTorch's refusals of a write whose destination shares memory with itself or with what is read.
void check_overlap(Interpreter& in, Op op, PyValue dest, const Operands& operands) {
    const OpDef& row = def(op);
    const View& to = view_of(in, dest);
    if (to.layout.has_zero_stride()) {
        auto allowed = std::find_if(std::begin(into_expanded), std::end(into_expanded), [&](const IntoExpanded& e) { return e.row == row.name; });
        if (allowed == std::end(into_expanded))
            raise("RuntimeError", "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing "
                  "the operation.");
        in.script_warning("UserWarning", fmt::format("Use of {}_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also applies to "
                                                     "advanced indexing e.g. {}", row.name, allowed->example));
    }
    // Its source is read as it is written, and may lie in the same memory.
    if (op == "masked_scatter"_op) return;
    for (size_t k = 0; k < operands.size(); ++k) {
        PyValue v = operands[k];
        if (!v.is(Kind::Tensor)) continue;
        if (k == 0 && tensor_of(v) == tensor_of(dest) && row.inplace) continue;
        if (has_indices(op) ? certainly_overlaps(to, view_of(in, v)) : certainly_overlaps_partly(to, view_of(in, v)))
            raise("RuntimeError", "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before "
                  "performing the operation.");
    }
}

std::string sizes_text(const Sizes& sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

}  // namespace

Sizes frame_of(const Layout& layout) {
    std::vector<size_t> order(layout.sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return layout.strides[a] > layout.strides[b]; });
    Sizes frame;
    for (size_t a : order) frame.push_back(layout.sizes[a]);
    return frame;
}

const Type& type_of(Interpreter& in, PyValue tensor) { return in.function().type(tensor_of(tensor)->value); }
const View& view_of(Interpreter& in, PyValue tensor) { return in.function()[tensor_of(tensor)->value].view; }
const Layout& layout_of(Interpreter& in, PyValue tensor) { return view_of(in, tensor).layout; }
bool requires_grad(Interpreter& in, PyValue tensor) { return in.autograd().requires_grad(tensor_of(tensor)->variable); }
DType default_dtype(Interpreter& in) { return torch_state(in).default_dtype; }

Op row_named(std::string_view name) {
    std::optional<Op> op = op_named(name);
    if (!op) throw NotSupported(fmt::format("'{}'", name));
    return *op;
}

Values shape_of(Interpreter& in, PyValue tensor) {
    const Type& t = type_of(in, tensor);
    Values out;
    for (int64_t s : t.sizes) out.push_back(PyValue::integer(s));
    for (const RunTimeSize& r : t.run_time_sizes) out.at(static_cast<size_t>(r.axis)) = PyValue::dynamic(r.size, Type::Kind::I64);
    return out;
}

void own_variable(Interpreter& in, VariableId variable, const TensorObject* owner) {
    if (!variable.valid()) return;
    VariableOwners& owners = variable_owners(in);
    if (owners.size() <= variable.index) owners.resize(variable.index + 1);
    owners[variable.index] = owner;
}

PyValue make_tensor_object(Interpreter& in, ValueId value, VariableId variable, const TensorObject* like) {
    TensorObject* t = in.heap().make<TensorObject>();
    t->value = value;
    t->variable = variable;
    own_variable(in, variable, t);
    if (like) {
        t->cuda = like->cuda;
        t->device_index = like->device_index;
    }
    return t;
}

namespace {

/// Only `as_strided` names places by itself; every other view stays inside of what it is a view of.
void check_inside_storage(const Layout& layout, const Storage& storage) {
    if (!layout.is_static() || layout.numel() == 0) return;
    int64_t last = layout.offset;
    for (size_t d = 0; d < layout.sizes.size(); ++d) last += (layout.sizes[d] - 1) * layout.strides[d];
    const int64_t width = size_of(storage.dtype), count = element_count(storage.frame);
    if (last < count) return;
    raise("RuntimeError", "setStorage: sizes [{}], strides [{}], storage offset {}, and itemsize {} requiring a storage size of {} are out of bounds for storage of size {}",
          fmt::join(layout.sizes, ", "), fmt::join(layout.strides, ", "), layout.offset, width, (last + 1) * width, count * width);
}

/// A known number that a row writes into elements of its first operand must fit there.
void check_written_number(Interpreter& in, Op op, const Operands& operands) {
    if (op != "masked_fill"_op && op != "index_fill"_op && op != "scatter.value"_op) return;
    if (operands.at(0).is(Kind::Tensor)) check_number_fits(type_of(in, operands[0]).dtype, operands.at(2));
}

/// Whole numbers are not divided by zero, wherever the divisor is known.
void check_divisor(Interpreter& in, const OpCall& call, const Operands& operands) {
    if (!def(call.op).whole_division || !is_integral(compute_dtype(call), false)) return;
    const PyValue by = operands.at(1);
    if (operands[0].is(Kind::Tensor) && type_of(in, operands[0]).numel() == 0) return;
    constexpr const char* text = "ZeroDivisionError";
    if (by.is(Kind::Tensor)) {
        if (type_of(in, by).numel() == 0) return;
        in.check(item_of(in, call_rows(in, "all", {call_rows(in, "ne", {by, PyValue::integer(0)})})), "RuntimeError", text);
    } else if (by.is_dynamic()) {
        in.check(in.compare(syntax::CompareOp::NotEq, by, PyValue::integer(0)), "RuntimeError", text);
    } else if (by.is(Kind::Bool) ? !by.as_bool() : by.is(Kind::Int) && by.as_int() == 0) {
        raise("RuntimeError", text);
    }
}

/// `typed`: the results' types, of a row that has no rule for them.
Values emit_call(Interpreter& in, Op op, const Operands& operands, Attrs given, const std::vector<Type>* typed) {
    const OpDef& row = def(op);
    check_devices(in, op, operands);
    check_run_time_sizes(in, op, operands, given);
    check_written_number(in, op, operands);
    if (row.effect == Effect::Random) {
        const TensorObject* on = device_source(operands);
        if (on && on->cuda && given.get_or<int64_t>("generator", 0) == 0) {
            const int64_t generator = generator_for(in, PyValue(), op, true);
            if (generator != 0) given.set("generator", generator);
            else
                for (PyValue v : operands) warn_of_cuda_draw(in, v);
        }
    }
    Attrs attributes = with_defaults(op, std::move(given));
    set_index_error(in, op, operands, attributes);
    Call call(in, op, operands, attributes);
    Function& f = in.function();
    AutogradState& autograd = in.autograd();
    AutogradState::Event event{call, call.variables(), in.span()};

    std::vector<ViewLayout> views;
    if (row.lower == Lower::View) {
        views = row.view(call);
        for (const ViewLayout& view : views) check_inside_storage(view.layout, f[f[call.values()[0]].view.storage]);
    }
    std::vector<Type> types = typed ? *typed : infer_types(call);
    check_divisor(in, call, operands);
    // The state may refuse; it must do so before the instruction stands there.
    std::vector<VariableId> variables = views.empty() ? autograd.record(event, types) : autograd.record_view(event, types, row.multi_view);

    InstId made = in.builder().emit_typed(op, call.values(), attributes, types);
    f[made].untracked = !autograd.grad_enabled() && std::any_of(call.variables().begin(), call.variables().end(), [&](VariableId v) { return v.valid() && autograd.requires_grad(v); });
    const TensorObject* like = device_source(operands);
    if (views.empty() && !types.empty() && types[0].is_tensor() && autograd.variable(variables[0]).node.valid())
        torch_classes(in).made_by[autograd.variable(variables[0]).node.index] = f[made].results[0];
    Values out;
    for (size_t k = 0; k < types.size(); ++k) {
        ValueId value = f[made].results[k];
        if (!types[k].is_tensor()) {
            out.push_back(in.from_ir(value));
            continue;
        }
        View view;
        if (!views.empty()) {
            const View& of = f[call.values()[0]].view;
            view.storage = of.storage;
            view.layout = views[k].layout;
            view.indices = of.indices;
            for (uint32_t operand : views[k].index_operands) view.indices.push_back(call.values()[operand]);
        } else {
            view.layout = fresh_layout(call, types[k]);
            Storage storage;
            storage.dtype = types[k].dtype;
            storage.frame = frame_of(view.layout);
            view.storage = f.add_storage(std::move(storage));
        }
        f[value].view = std::move(view);
        out.push_back(make_tensor_object(in, value, variables[k], like));
    }
    return out;
}

}  // namespace

Values emit_row(Interpreter& in, Op op, const Operands& operands, Attrs attributes) {
    if (op == "cat"_op && !operands.empty()) {
        if (PyValue joined = cat_run_time(in, operands, attributes.get_or<int64_t>("dim", 0)); !joined.is_unbound()) return {joined};
    }
    if (op == "flip"_op && has_run_time_size(in, operands[0])) return {flip_run_time(in, operands[0], attributes)};
    return emit_call(in, op, operands, std::move(attributes), nullptr);
}

Values emit_of_types(Interpreter& in, Op op, const Operands& operands, Attrs attributes, const std::vector<Type>& types) {
    return emit_call(in, op, operands, std::move(attributes), &types);
}

PyValue emit_one(Interpreter& in, Op op, const Operands& operands, Attrs attributes) { return emit_row(in, op, operands, std::move(attributes)).at(0); }

PyValue emit_write(Interpreter& in, PyValue dest, Op op, const Operands& operands, Attrs given, const WriteOptions& options) {
    const OpDef& row = def(op);
    Function& f = in.function();
    const Type type = type_of(in, dest);
    check_devices(in, op, operands, dest);
    if (row.effect == Effect::Random && given.get_or<int64_t>("generator", 0) >= 0) warn_of_cuda_draw(in, dest);
    Attrs attributes = with_defaults(op, std::move(given));
    set_index_error(in, op, operands, attributes);
    for (const Param& p : signature(op).params) {
        if (p.is_operand()) continue;
        // Where the row asks what the destination tells.
        if (p.name == "sizes") attributes.set("sizes", type.sizes);
        if (p.name == "dtype" && (row.lower == Lower::Fill || row.lower == Lower::Random)) attributes.set("dtype", type.dtype);
    }
    Call call(in, op, operands, attributes);
    std::vector<Type> results = infer_types(call);
    check_written_number(in, op, operands);
    check_divisor(in, call, operands);
    if (results.size() != 1) throw NotSupported(fmt::format("writing the results of '{}' in place", row.name));
    check_run_time_sizes(in, op, operands, attributes);
    const bool run_time = !type.run_time_sizes.empty() || !results[0].run_time_sizes.empty();
    if (run_time) {
        for (PyValue v : operands)
            if (v.is(Kind::Tensor) && row.lower == Lower::Pointwise) check_written_sizes(in, v, dest);
        if (row.lower != Lower::Pointwise && row.lower != Lower::Fill && results[0].run_time_sizes != type.run_time_sizes)
            throw NotSupported(fmt::format("writing '{}' in place where a size is known only at run time", row.name));
    }
    if (options.check_cast && !can_cast(results[0].dtype, type.dtype))
        raise("RuntimeError", "result type {} can't be cast to the desired output type {}", scalar_name(results[0].dtype),
              name_of(op).starts_with("clamp") ? c_name(type.dtype) : scalar_name(type.dtype));
    if (options.check_shape && !run_time && results[0].sizes != type.sizes) {
        Sizes both = broadcast(results[0].sizes, type.sizes);
        if (both != type.sizes) raise("RuntimeError", "output with shape {} doesn't match the broadcast shape {}", sizes_text(type.sizes), sizes_text(both));
    }
    // Autograd's refusals come before those about memory.
    in.autograd().check_write(tensor_of(dest)->variable, std::any_of(call.variables().begin(), call.variables().end(), [&](VariableId v) { return v.valid() && in.autograd().requires_grad(v); }));
    if (options.check_overlap) check_overlap(in, op, dest, operands);
    if (PyValue written = write_at_places(in, dest, op, operands, attributes); !written.is_unbound()) return written;
    in.check_writable(view_of(in, dest).storage);
    AutogradState& autograd = in.autograd();
    VariableId variable = tensor_of(dest)->variable;
    bool tracked_values = autograd.requires_grad(variable) ||
                          std::any_of(call.variables().begin(), call.variables().end(), [&](VariableId v) { return v.valid() && autograd.requires_grad(v); });
    autograd.record_write(variable, AutogradState::Event{call, call.variables(), in.span()});
    InstId made = in.builder().emit_typed(op, call.values(), attributes, {});
    Inst& inst = f[made];
    inst.dest = tensor_of(dest)->value;
    inst.untracked = !autograd.grad_enabled() && tracked_values;
    inst.uncounted = torch_state(in).is_data_alias(variable);
    if (inst.uncounted) inst.untracked = true;
    return dest;
}

PyValue full_tensor(Interpreter& in, DType dtype, const Sizes& sizes, PyValue value) {
    return emit_one(in, "full"_op, {value}, attrs({{"sizes", sizes}, {"dtype", dtype}}));
}

PyValue literal_tensor(Interpreter& in, DType dtype, const Sizes& sizes, std::vector<std::byte> bytes) {
    auto data = std::make_shared<TensorData>(TensorData{dtype, std::move(bytes)});
    return emit_one(in, "literal"_op, {}, attrs({{"data", std::shared_ptr<const TensorData>(std::move(data))}, {"sizes", sizes}, {"dtype", dtype}}));
}

PyValue item_of(Interpreter& in, PyValue tensor) {
    tensor = only_element(in, tensor, "RuntimeError", "a Tensor with {} elements cannot be converted to Scalar");
    const Type& type = type_of(in, tensor);
    if (type.numel() != 1) raise("RuntimeError", "a Tensor with {} elements cannot be converted to Scalar", type.numel());
    ValueId value = tensor_of(tensor)->value;
    Type::Kind kind = is_float(type.dtype) ? Type::Kind::F64 : type.dtype == DType::Bool ? Type::Kind::Bool : Type::Kind::I64;
    Type result;
    result.kind = kind;
    InstId made = in.builder().emit_typed("item"_op, {value}, {}, {result});
    dump_bits(in, "item", in.function()[made].results[0]);
    return in.from_ir(in.function()[made].results[0]);
}

}  // namespace sifr::capture
