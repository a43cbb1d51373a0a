#include "compiler/frontend/torch/storage_ops.h"

#include <algorithm>

#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/run_time_sizes.h"

namespace sifr::capture {
namespace {

/// `%y = leaf %x` or `%y = detach %x`: another name of the same place, with a history of its own.
ValueId alias(Interpreter& in, Op op, ValueId value, bool uncounted = false) {
    Function& f = in.function();
    const Type type = f.type(value);
    View view = f[value].view;
    InstId made = in.builder().emit_typed(op, {value}, {}, {type});
    f[made].uncounted = uncounted;
    ValueId result = f[made].results[0];
    f[result].view = std::move(view);
    return result;
}

Sizes resolved(const Sizes& sizes, int64_t numel) {
    Sizes out = sizes;
    int64_t known = 1;
    int open = -1;
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] >= 0) {
            known *= sizes[i];
        } else if (sizes[i] == -1) {
            if (open >= 0) raise("RuntimeError", "only one dimension can be inferred");
            open = static_cast<int>(i);
        } else {
            raise("RuntimeError", "invalid shape dimension {} at index {} of shape [{}]", sizes[i], i, fmt::join(sizes, ", "));
        }
    }
    auto invalid = [&]() { raise("RuntimeError", "shape '[{}]' is invalid for input of size {}", fmt::join(sizes, ", "), numel); };
    if (open >= 0) {
        if (known == 0) raise("RuntimeError", "cannot reshape tensor of 0 elements into shape [{}] because the unspecified dimension size -1 can be any value and is ambiguous", fmt::join(sizes, ", "));
        if (numel % known != 0) invalid();
        out[static_cast<size_t>(open)] = numel / known;
    } else if (known != numel) {
        invalid();
    }
    return out;
}

}  // namespace

PyValue rebind_to_view(Interpreter& in, PyValue tensor, Op op, const Operands& operands, Attrs attributes, const char* node) {
    const TensorObject* t = tensor_of(tensor);
    in.autograd().check_write(t->variable, false);
    // The view's own variable is dropped: the object keeps the one that it has, which moves on by `node`.
    ValueId value = tensor_of(emit_one(in, op, operands, std::move(attributes)))->value;
    in.heap().change(t).value = value;
    in.autograd().reshape_in_place(t->variable, in.function().type(value), node, in.span());
    return tensor;
}

PyValue resize(Interpreter& in, PyValue tensor, const Sizes& sizes) {
    for (int64_t s : sizes)
        if (s < 0) raise("RuntimeError", "Trying to create tensor with negative dimension {}: [{}]", s, fmt::join(sizes, ", "));
    const TensorObject* t = tensor_of(tensor);
    if (requires_grad(in, tensor)) raise("RuntimeError", "cannot resize variables that require grad");
    static_sizes(in, tensor, "resize_()");
    const Type type = type_of(in, tensor);
    if (type.sizes == sizes) return tensor;
    const View view = view_of(in, tensor);
    int64_t have = element_count(in.function()[view.storage].frame);
    int64_t want = element_count(sizes);
    PyValue made;
    if (view.layout.is_static() && view.layout.offset + want <= have) {
        made = emit_one(in, "as_strided"_op, {tensor}, attrs({{"size", sizes}, {"stride", contiguous_strides(sizes)}, {"storage_offset", view.layout.offset}}));
    } else {
        // New memory, with the old elements in front; the elements behind them are undefined, as PyTorch leaves them.
        made = emit_one(in, "empty"_op, {}, attrs({{"sizes", sizes}, {"dtype", type.dtype}}));
        int64_t keep = std::min(have - view.layout.offset, want);
        if (keep > 0 && view.layout.is_static()) {
            auto flat = [&](PyValue of, int64_t offset) {
                return emit_one(in, "as_strided"_op, {of}, attrs({{"size", Sizes{keep}}, {"stride", Strides{1}}, {"storage_offset", offset}}));
            };
            emit_write(in, flat(made, 0), "clone"_op, {flat(tensor, view.layout.offset)});
        }
    }
    TensorObject& changed = in.heap().change(t);
    changed.value = tensor_of(made)->value;
    in.autograd().set_type(changed.variable, type_of(in, tensor));
    in.autograd().bump(changed.variable, in.span());
    return tensor;
}

void resize_for_out(Interpreter& in, PyValue out, const Sizes& sizes) {
    const Type& type = type_of(in, out);
    if (type.sizes == sizes) return;
    if (type.numel() != 0)
        in.script_warning("UserWarning", fmt::format("An output with one or more elements was resized since it had shape [{}], which does not match the required output shape [{}]. This behavior is "
                                                     "deprecated, and in a future PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
                                                     "tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                                                     fmt::join(type.sizes, ", "), fmt::join(sizes, ", ")));
    resize(in, out, sizes);
}

void take_place_of(Interpreter& in, PyValue tensor, PyValue source) {
    const TensorObject* t = tensor_of(tensor);
    bool leaf = in.autograd().is_leaf(t->variable) && requires_grad(in, tensor);
    ValueId value = alias(in, leaf ? "leaf"_op : "detach"_op, tensor_of(source)->value);
    TensorObject& changed = in.heap().change(t);
    changed.value = value;
    changed.cuda = tensor_of(source)->cuda;
    in.autograd().rebind(changed.variable, type_of(in, source));
}

PyValue detach(Interpreter& in, PyValue tensor) {
    const TensorObject* t = tensor_of(tensor);
    ValueId value = alias(in, "detach"_op, t->value);
    return make_tensor_object(in, value, in.autograd().detach(t->variable, in.span()), t);
}

PyValue data_of(Interpreter& in, PyValue tensor) {
    const TensorObject* t = tensor_of(tensor);
    ValueId value = alias(in, "detach"_op, t->value, true);
    VariableId variable = in.autograd().data(t->variable, in.span());
    change_torch_state(in).data_aliases.insert(variable);
    return make_tensor_object(in, value, variable, t);
}

PyValue set_requires_grad(Interpreter& in, PyValue tensor, bool on) {
    const TensorObject* t = tensor_of(tensor);
    bool before = requires_grad(in, tensor);
    in.autograd().set_requires_grad(t->variable, on);
    if (before == on) return tensor;
    ValueId value = alias(in, on ? "leaf"_op : "detach"_op, t->value);
    in.heap().change(t).value = value;
    return tensor;
}

PyValue clone(Interpreter& in, PyValue tensor) { return emit_one(in, "clone"_op, {tensor}); }

PyValue contiguous(Interpreter& in, PyValue tensor) {
    if (layout_of(in, tensor).is_contiguous()) return tensor;
    return emit_one(in, "clone"_op, {tensor}, attrs({{"memory_format", std::string("contiguous")}}));
}

PyValue reshape(Interpreter& in, PyValue tensor, Sizes sizes) {
    if (has_run_time_size(in, tensor)) {
        Values entries;
        for (int64_t s : sizes) entries.push_back(PyValue::integer(s));
        return reshape_run_time(in, tensor, entries, true);
    }
    sizes = resolved(sizes, type_of(in, tensor).numel());
    const Layout layout = layout_of(in, tensor);
    if (view_strides(layout, sizes)) return emit_one(in, "view"_op, {tensor}, attrs({{"size", sizes}}));
    return unsafe_view(in, contiguous(in, tensor), sizes);
}

PyValue unsafe_view(Interpreter& in, PyValue tensor, const Sizes& sizes) {
    const TensorObject* t = tensor_of(tensor);
    const Type type = Type::tensor(type_of(in, tensor).dtype, sizes);
    View view = view_of(in, tensor);
    std::optional<Strides> strides = view_strides(view.layout, sizes);
    SIFR_CHECK(strides, "a copy that cannot be viewed as [{}]", fmt::join(sizes, ", "));
    view.layout.sizes = sizes;
    view.layout.strides = *strides;
    VariableId variable = in.autograd().record_node("UnsafeViewBackward0", {t->variable}, {}, {type}, in.span()).at(0);
    InstId made = in.builder().emit_typed("unsafe_view"_op, {t->value}, attrs({{"size", sizes}}), {type});
    ValueId value = in.function()[made].results[0];
    in.function()[value].view = std::move(view);
    return make_tensor_object(in, value, variable, t);
}

}  // namespace sifr::capture
