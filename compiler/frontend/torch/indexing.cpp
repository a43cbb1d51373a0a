#include "compiler/frontend/torch/indexing.h"

#include <algorithm>
#include <optional>

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

/// One index expression, taken apart: first views (ints, slices, None), then index tensors on what the views left.
struct Indexed {
    PyValue view;
    /// Per axis of `view`: an index tensor or mask, or unbound. Empty when there is none.
    Values tensors;
};

bool is_index_list(PyValue v) { return v.is(Kind::List); }

/// Axes that one item of an index takes from the tensor.
int64_t axes_taken(Interpreter& in, PyValue item) {
    if (item.is_none() || item.is(Kind::Ellipsis) || item.is(Kind::Bool)) return 0;
    if (item.is(Kind::Tensor) && (type_of(in, item).dtype == DType::Bool || type_of(in, item).dtype == DType::U8)) return type_of(in, item).rank();
    return 1;
}

Attrs at_dim(int64_t dim) { return attrs({{"dim", dim}}); }

/// The range of a run-time int that a loop's index decides.
std::optional<Interpreter::IndexRange> range_of(Interpreter& in, PyValue v) {
    if (!v.is_dynamic(Type::Kind::I64)) return std::nullopt;
    return in.index_range(v.as_value());
}

bool lies_in(const Interpreter::IndexRange& r, int64_t low, int64_t high) { return std::min(r.first, r.last) >= low && std::max(r.first, r.last) <= high; }

/// A run-time index in -size … size-1, made non-negative; raises PyTorch's IndexError when the program runs.
PyValue run_time_index(Interpreter& in, PyValue index, int64_t size, int64_t dim) {
    PyValue zero = PyValue::integer(0), n = PyValue::integer(size);
    // A loop's index is known well enough: no check, or a certain error in some iteration.
    if (auto r = range_of(in, index)) {
        if (lies_in(*r, 0, size - 1)) return index;
        if (lies_in(*r, -size, -1)) return in.binary(syntax::BinaryOp::Add, index, n);
    }
    PyValue low = in.compare(syntax::CompareOp::GtE, index, PyValue::integer(-size));
    PyValue high = in.compare(syntax::CompareOp::Lt, index, n);
    std::string text = fmt::format("index {{}} is out of bounds for dimension {} with size {}", dim, size);
    in.check(low, "IndexError", text, {index});
    in.check(high, "IndexError", text, {index});
    PyValue negative = in.compare(syntax::CompareOp::Lt, index, zero);
    PyValue shifted = in.binary(syntax::BinaryOp::Add, index, n);
    if (negative.is(Kind::Bool)) return negative.as_bool() ? shifted : index;
    return in.emit_scalar("sel"_op, {in.to_ir(negative), in.to_ir(shifted), in.to_ir(index)});
}

/// `place`: of the item in the index, which PyTorch's message calls the dimension.
PyValue select(Interpreter& in, PyValue tensor, int64_t dim, PyValue index, int64_t place) {
    int64_t size = type_of(in, tensor).sizes[static_cast<size_t>(dim)];
    if (index.is(Kind::Tensor)) index = item_of(in, index);
    if (has_run_time_size(in, tensor)) {
        if (!index.is_dynamic(Type::Kind::I64)) index = PyValue::integer(in.need_int(index, "an index"));
        if (shape_of(in, tensor)[static_cast<size_t>(dim)].is_dynamic()) return select_run_time(in, tensor, dim, index);
    }
    if (index.is_dynamic(Type::Kind::I64)) {
        PyValue at = run_time_index(in, index, size, place);
        return emit_one(in, "select.at"_op, {tensor, at}, at_dim(dim));
    }
    int64_t i = in.need_int(index, "an index");
    if (i < -size || i >= size) raise("IndexError", "index {} is out of bounds for dimension {} with size {}", i, place, size);
    Attrs a = at_dim(dim);
    a.set("index", i);
    return emit_one(in, "select"_op, {tensor}, a);
}

PyValue slice_bound(Interpreter& in, PyValue v) {
    if (v.is(Kind::Tensor)) return item_of(in, v);
    return v;
}

/// An item of an integer tensor, plus a known number.
std::optional<std::pair<ValueId, int64_t>> shifted_item(Interpreter& in, PyValue v) {
    const Function& f = in.function();
    if (!v.is_dynamic(Type::Kind::I64)) return std::nullopt;
    const Inst* item = f.producer(v.as_value());
    if (!item || item->op != "item"_op) return std::nullopt;
    ValueId t = item->operands[0];
    int64_t offset = 0;
    for (const Inst* p = f.producer(t); p && (p->op == "add"_op || p->op == "sub"_op) && p->operands.size() == 2; p = f.producer(t)) {
        auto k = f.constant_int(p->operands[1]);
        if (!k || !f.type(p->operands[0]).is_tensor() || !is_integral(f.type(p->operands[0]).dtype)) break;
        offset += p->op == "add"_op ? *k : -*k;
        t = p->operands[0];
    }
    // Nothing may have been written in between.
    for (const Inst& i : f.insts)
        if (!i.erased && i.dest.valid() && f[i.dest].view.storage == f[t].view.storage) return std::nullopt;
    return std::pair{t, offset};
}

/// A slice with run-time bounds whose length is known: `x[i:i + 8]`. The start is a value, the length an attribute.
std::optional<int64_t> known_length(Interpreter& in, PyValue start, PyValue stop) {
    // `x[t:t + 8]` of a tensor t.
    if (auto a = shifted_item(in, start), b = shifted_item(in, stop); a && b && a->first == b->first) return b->second - a->second;
    PyValue length = in.binary(syntax::BinaryOp::Sub, stop, start);
    if (length.is(Kind::Int)) return length.as_int();
    return std::nullopt;
}

/// A number that a loop carries or counts takes part in it: the loop's unrolling may make it known.
bool follows_from_loop(Interpreter& in, ValueId v) {
    const Function& f = in.function();
    if (f.is_constant(v)) return false;
    if (f[v].def == Value::Def::Parameter) return true;
    const Inst* p = f.producer(v);
    if (!p || def(p->op).lower != Lower::Scalar) return p && !p->regions.empty();
    return std::any_of(p->operands.begin(), p->operands.end(), [&](ValueId o) { return follows_from_loop(in, o); });
}

PyValue slice(Interpreter& in, PyValue tensor, int64_t dim, const SliceObject* s) {
    PyValue start = slice_bound(in, s->start), stop = slice_bound(in, s->stop), step = slice_bound(in, s->step);
    if (start.is_none() && stop.is_none() && step.is_none()) {
        // `x[:]` is a view as any other, with its own node.
        Attrs whole = at_dim(dim);
        return emit_one(in, "slice"_op, {tensor}, whole);
    }
    if (shape_of(in, tensor)[static_cast<size_t>(dim)].is_dynamic()) {
        int64_t by = step.is_none() ? 1 : in.need_int(step, "a slice's step");
        if (by <= 0) raise("ValueError", "{}", by == 0 ? "slice step cannot be zero" : "step must be greater than zero");
        return slice_run_time(in, tensor, dim, start, stop, by);
    }
    if (start.is_dynamic() || stop.is_dynamic()) {
        std::optional<int64_t> length = start.is_none() || stop.is_none() ? std::nullopt : known_length(in, start, stop);
        if (!length) {
            for (PyValue bound : {start, stop})
                if (bound.is_dynamic() && in.in_unrollable_loop() && follows_from_loop(in, bound.as_value())) in.need_static(bound, "the bound of a slice whose size it decides");
            int64_t by = step.is_none() ? 1 : in.need_int(step, "a slice's step");
            if (by <= 0) raise("ValueError", "{}", by == 0 ? "slice step cannot be zero" : "step must be greater than zero");
            return slice_run_time(in, tensor, dim, start, stop, by);
        }
        int64_t size = type_of(in, tensor).sizes[static_cast<size_t>(dim)];
        if (*length > size) in.need_static(start, "the bound of a slice that is longer than the axis");
        Attrs a = at_dim(dim);
        a.set("length", *length);
        if (!step.is_none()) a.set("step", in.need_int(step, "a slice's step"));
        // In a loop over known numbers every slice is whole, or the loop is unrolled for the one that is shortened.
        if (auto r = range_of(in, start)) {
            if (lies_in(*r, 0, size - *length)) return emit_one(in, "slice.at"_op, {tensor, start}, a);
            in.need_static(start, "the bound of a slice that is shorter in some iteration");
        }
        // Python would shorten a slice that leaves the axis; the size is part of the type here, so that is refused when it happens.
        in.check(in.compare(syntax::CompareOp::GtE, start, PyValue::integer(0)), "NotImplementedError", "not supported: a slice that starts at {} and is shortened", {start});
        in.check(in.compare(syntax::CompareOp::LtE, start, PyValue::integer(size - *length)), "NotImplementedError", "not supported: a slice that starts at {} and is shortened", {start});
        return emit_one(in, "slice.at"_op, {tensor, start}, a);
    }
    Attrs a = at_dim(dim);
    if (!start.is_none()) a.set("start", in.need_int(start, "a slice's bound"));
    if (!stop.is_none()) a.set("end", in.need_int(stop, "a slice's bound"));
    if (!step.is_none()) {
        int64_t by = in.need_int(step, "a slice's step");
        if (by == 0) raise("ValueError", "slice step cannot be zero");
        if (by < 0) raise("ValueError", "step must be greater than zero");
        a.set("step", by);
    }
    return emit_one(in, "slice"_op, {tensor}, a);
}

/// A slice that begins at a run-time number, as the index of its places; unbound for one that is a view.
PyValue places_of_slice(Interpreter& in, PyValue tensor, int64_t dim, const SliceObject* s) {
    PyValue start = slice_bound(in, s->start), stop = slice_bound(in, s->stop);
    bool run_axis = shape_of(in, tensor)[static_cast<size_t>(dim)].is_dynamic();
    if (!start.is_dynamic() && !(run_axis && start.is(Kind::Int) && start.as_int() < 0)) return {};
    if (!run_axis && start.is_dynamic() && !stop.is_none() && known_length(in, start, stop)) return {};
    PyValue step = slice_bound(in, s->step);
    for (PyValue bound : {start, stop})
        if (bound.is_dynamic() && in.in_unrollable_loop() && follows_from_loop(in, bound.as_value())) in.need_static(bound, "the bound of a slice whose size it decides");
    return slice_places(in, tensor, dim, start, stop, step.is_none() ? 1 : in.need_int(step, "a slice's step"));
}

Values index_items(PyValue index) {
    if (index.is(Kind::Tuple)) return index.as<TupleObject>()->items;
    return {index};
}

/// An index tensor where the indexed one is: PyTorch takes those on the CPU along by itself.
PyValue index_beside(Interpreter& in, PyValue tensor, PyValue index) {
    const TensorObject *t = tensor_of(tensor), *i = tensor_of(index);
    if (t->cuda == i->cuda) return index;
    if (i->cuda) raise("RuntimeError", "indices should be either on cpu or on the same device as the indexed tensor ({})", device_text(device_of(t)));
    return to_device(in, index, device_of(t));
}

/// Applies the views of an index and collects its index tensors.
Indexed take_apart(Interpreter& in, PyValue tensor, PyValue index, bool written) {
    Values items = index_items(index);
    int64_t rank = type_of(in, tensor).rank();
    int64_t taken = 0;
    size_t ellipses = 0;
    for (PyValue& item : items) {
        if (is_index_list(item) || (item.is(Kind::Tuple))) item = tensor_from(in, item);
        if (item.is(Kind::Tensor) && type_of(in, item).dtype == DType::U8) {
            in.script_warning("UserWarning", "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead. (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/IndexingUtils.h:30.)");
            item = emit_one(in, "cast"_op, {item}, attrs({{"dtype", DType::Bool}}));
        }
        taken += axes_taken(in, item);
        ellipses += item.is(Kind::Ellipsis);
    }
    if (ellipses > 1) raise("IndexError", "an index can only have a single ellipsis ('...')");
    if (taken > rank) raise("IndexError", "too many indices for tensor of dimension {}", rank);
    Indexed out{tensor, {}};
    int64_t dim = 0, place = -1;
    auto note = [&](PyValue index_tensor) {
        out.tensors.resize(static_cast<size_t>(type_of(in, out.view).rank()));
        out.tensors[static_cast<size_t>(dim)] = index_tensor;
        dim += std::max<int64_t>(axes_taken(in, index_tensor), 1);
    };
    for (PyValue item : items) {
        ++place;
        if (item.is_none()) {
            out.view = emit_one(in, "unsqueeze"_op, {out.view}, at_dim(dim));
            if (!out.tensors.empty()) out.tensors.insert(out.tensors.begin() + dim, PyValue());
            ++dim;
        } else if (item.is(Kind::Ellipsis)) {
            dim += rank - taken;
        } else if (item.is(Kind::Bool)) {
            // A bool is a mask of no axes: one new axis of size 1 or 0.
            out.view = emit_one(in, "unsqueeze"_op, {out.view}, at_dim(dim));
            if (!item.as_bool()) {
                Attrs none = at_dim(dim);
                none.set("end", int64_t{0});
                out.view = emit_one(in, "slice"_op, {out.view}, none);
            }
            if (!out.tensors.empty()) out.tensors.insert(out.tensors.begin() + dim, PyValue());
            ++dim;
        } else if (const SliceObject* s = item.get_if<SliceObject>()) {
            bool whole = s->start.is_none() && s->stop.is_none() && s->step.is_none();
            if (PyValue places = written ? places_of_slice(in, out.view, dim, s) : PyValue(); !places.is_unbound()) {
                note(places);
                continue;
            }
            if (!whole || items.size() == 1) out.view = slice(in, out.view, dim, s);
            ++dim;
        } else if (item.is(Kind::Tensor)) {
            const Type& t = type_of(in, item);
            if (!is_integral(t.dtype, true)) raise("IndexError", "tensors used as indices must be long, int, byte or bool tensors");
            if (t.rank() == 0 && t.dtype == DType::Bool) {
                // A mask of no axes: one new axis, taken or not.
                out.view = emit_one(in, "unsqueeze"_op, {out.view}, at_dim(dim));
                if (!out.tensors.empty()) out.tensors.insert(out.tensors.begin() + dim, PyValue());
                note(emit_one(in, "unsqueeze"_op, {item}, at_dim(0)));
                continue;
            }
            if (t.rank() == 0 && t.dtype != DType::Bool && t.dtype != DType::U8) {
                out.view = select(in, out.view, dim, item, place);
                if (!out.tensors.empty()) out.tensors.erase(out.tensors.begin() + dim);
                continue;
            }
            note(index_beside(in, out.view, item));
        } else if (item.is(Kind::Int) || item.is_dynamic(Type::Kind::I64)) {
            out.view = select(in, out.view, dim, item, place);
            if (!out.tensors.empty()) out.tensors.erase(out.tensors.begin() + dim);
        } else if (item.is(Kind::Float) || item.is_dynamic(Type::Kind::F64) || item.is_str()) {
            raise("IndexError", "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})", in.type_name(item));
        } else {
            PyValue as_index = in.protocol_of(item) ? in.protocol_of(item)->index(in, item) : PyValue();
            if (as_index.is_unbound()) raise("IndexError", "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})", in.type_name(item));
            out.view = select(in, out.view, dim, as_index, place);
        }
    }
    if (!out.tensors.empty()) out.tensors.resize(static_cast<size_t>(type_of(in, out.view).rank()));
    return out;
}

Operands index_operands(const Indexed& indexed) {
    Operands operands;
    size_t last = 0;
    for (size_t k = 0; k < indexed.tensors.size(); ++k)
        if (!indexed.tensors[k].is_unbound()) last = k + 1;
    for (size_t k = 0; k < last; ++k) operands.push_back(indexed.tensors[k].is_unbound() ? PyValue::none() : indexed.tensors[k]);
    return operands;
}

/// Only one mask and no other index tensor: the mask and its first axis.
bool is_mask_alone(Interpreter& in, const Indexed& indexed) {
    size_t masks = 0, others = 0;
    for (PyValue t : indexed.tensors)
        if (!t.is_unbound()) ++(type_of(in, t).dtype == DType::Bool ? masks : others);
    return masks == 1 && others == 0;
}

/// The mask of `is_mask_alone`, with axes of size 1 in front and behind, so that it broadcasts over the view.
PyValue aligned_mask(Interpreter& in, const Indexed& indexed) {
    size_t at = 0;
    while (indexed.tensors[at].is_unbound()) ++at;
    PyValue mask = indexed.tensors[at];
    const Sizes sizes = type_of(in, mask).sizes;
    const Sizes over = type_of(in, indexed.view).sizes;
    for (size_t k = 0; k < sizes.size(); ++k)
        if (sizes[k] != over[at + k])
            raise("IndexError", "The shape of the mask [{}] at index {} does not match the shape of the indexed tensor [{}] at index {}", fmt::join(sizes, ", "), k, fmt::join(over, ", "), at + k);
    for (size_t behind = at + sizes.size(); behind < over.size(); ++behind) mask = emit_one(in, "unsqueeze"_op, {mask}, at_dim(-1));
    return mask;
}

/// Each mask becomes the places that it chooses: one index tensor for each of its axes, as PyTorch does it.
void expand_masks(Interpreter& in, Indexed& indexed) {
    for (size_t k = 0; k < indexed.tensors.size(); ++k) {
        PyValue mask = indexed.tensors[k];
        if (mask.is_unbound() || type_of(in, mask).dtype != DType::Bool) continue;
        Values shape = shape_of(in, mask), over = shape_of(in, indexed.view);
        for (size_t d = 0; d < shape.size(); ++d) {
            if (shape[d].is(Kind::Int) && over[k + d].is(Kind::Int) ? shape[d].as_int() == over[k + d].as_int() : shape[d].is_dynamic() && over[k + d].is_dynamic() && shape[d].as_value() == over[k + d].as_value()) continue;
            Values args;
            auto text_of = [&](const Values& sizes) {
                std::string text;
                for (PyValue s : sizes) {
                    text += (text.empty() ? "" : ", ") + (s.is(Kind::Int) ? std::to_string(s.as_int()) : std::string("{}"));
                    if (!s.is(Kind::Int)) args.push_back(s);
                }
                return text;
            };
            std::string text = fmt::format("The shape of the mask [{}] at index {} does not match", text_of(shape), d);
            text += fmt::format(" the shape of the indexed tensor [{}] at index {}", text_of(over), k + d);
            in.check(in.compare(syntax::CompareOp::Eq, shape[d], over[k + d]), "IndexError", text, args);
        }
        PyValue places = emit_row(in, row_named("nonzero"), {mask}).back();
        for (size_t d = 0; d < shape.size(); ++d)
            indexed.tensors[k + d] = emit_one(in, "select"_op, {places}, attrs({{"dim", int64_t{1}}, {"index", static_cast<int64_t>(d)}}));
    }
}

/// A value on its way into `view`: leading axes of size 1 may be dropped, the rest must broadcast.
PyValue fitted(Interpreter& in, PyValue value, const Sizes& target) {
    Sizes sizes = type_of(in, value).sizes;
    PyValue v = value;
    while (sizes.size() > target.size() && sizes.front() == 1) {
        Attrs first = at_dim(0);
        first.set("index", int64_t{0});
        v = emit_one(in, "select"_op, {v}, first);
        sizes.erase(sizes.begin());
    }
    if (sizes.size() > target.size())
        raise("RuntimeError", "expand(torch.FloatTensor{{[{}]}}, size=[{}]): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor ({})", fmt::join(sizes, ", "),
              fmt::join(target, ", "), target.size(), sizes.size());
    for (size_t k = 0; k < sizes.size(); ++k) {
        size_t d = target.size() - sizes.size() + k;
        if (sizes[k] != target[d] && sizes[k] != 1)
            raise("RuntimeError", "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target sizes: [{}].  Tensor sizes: [{}]", target[d], sizes[k], d,
                  fmt::join(target, ", "), fmt::join(type_of(in, value).sizes, ", "));
    }
    return v;
}

}  // namespace

PyValue index_get(Interpreter& in, PyValue tensor, PyValue index) {
    if (type_of(in, tensor).rank() == 0 && !index.is_none() && !index.is(Kind::Ellipsis) && !index.is(Kind::Tuple) && !index.is(Kind::Bool) && !index.is(Kind::Tensor))
        raise("IndexError", "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
    Indexed indexed = take_apart(in, tensor, index, std::exchange(in.item_is_written_back, false));
    if (indexed.tensors.empty()) {
        // `x[...]` and `x[()]` are views too, with a value of their own.
        if (indexed.view.object() == tensor.object()) return emit_one(in, "alias"_op, {tensor});
        return indexed.view;
    }
    expand_masks(in, indexed);
    Operands operands{indexed.view};
    for (PyValue v : index_operands(indexed)) operands.push_back(v);
    return emit_one(in, row_named("index"), operands);
}

namespace {

/// The axis of the only index, if it is a tensor of positions.
std::optional<size_t> only_index(Interpreter& in, const Operands& indices) {
    std::optional<size_t> at;
    for (size_t k = 0; k < indices.size(); ++k) {
        if (indices[k].is_none()) continue;
        const Type& type = type_of(in, indices[k]);
        if (at || type.dtype == DType::Bool || type.dtype == DType::U8 || !type.run_time_sizes.empty()) return std::nullopt;
        at = k;
    }
    return at;
}

}  // namespace

void index_set(Interpreter& in, PyValue tensor, PyValue index, PyValue value) {
    Indexed indexed = take_apart(in, tensor, index, true);
    if (indexed.tensors.empty()) {
        if (value.is(Kind::Tensor)) {
            bool run_time = has_run_time_size(in, indexed.view) || has_run_time_size(in, value);
            copy_into(in, indexed.view, run_time ? value : fitted(in, value, type_of(in, indexed.view).sizes));
        } else if (value.is_number()) {
            fill_with(in, indexed.view, value);
        } else if (value.is(Kind::List) || value.is(Kind::Tuple)) {
            raise("TypeError", "can't assign a {} to a {}", in.type_name(value), tensor_type_name(type_of(in, tensor).dtype));
        } else {
            raise("TypeError", "can't assign a {} to a {}", in.type_name(value), tensor_type_name(type_of(in, tensor).dtype));
        }
        return;
    }
    if (is_mask_alone(in, indexed) && !has_run_time_size(in, indexed.view) && (value.is_number() || (value.is(Kind::Tensor) && type_of(in, value).numel() == 1 && type_of(in, value).rank() <= 1))) {
        if (value.is(Kind::Tensor) && type_of(in, value).rank() == 1) value = emit_one(in, "view"_op, {value}, attrs({{"size", Sizes{}}}));
        PyValue mask = aligned_mask(in, indexed);
        emit_write(in, indexed.view, row_named("masked_fill"), {indexed.view, mask, value});
        return;
    }
    if (value.is_number()) {
        const Operands indices = index_operands(indexed);
        if (std::optional<size_t> at = only_index(in, indices)) {
            PyValue flat = reshape(in, indices[*at], {type_of(in, indices[*at]).numel()});
            emit_write(in, indexed.view, "index_fill"_op, {indexed.view, flat, value}, attrs({{"dim", static_cast<int64_t>(*at)}}));
            return;
        }
        check_number_fits(type_of(in, tensor).dtype, value);
        value = full_tensor(in, type_of(in, tensor).dtype, {}, value);
    }
    expand_masks(in, indexed);
    Operands operands{indexed.view};
    for (PyValue v : index_operands(indexed)) operands.push_back(v);
    operands.push_back(value);
    emit_write(in, indexed.view, row_named("index_put"), operands, attrs({{"accumulate", false}}));
}

}  // namespace sifr::capture
