// Functions of torch that move elements about, composed of rows: stacks of tensors, grids, broadcasts. A row of the same name wins.

#include <algorithm>
#include <optional>

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/factory.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

Sizes sizes_of(Interpreter& in, PyValue t) { return static_sizes(in, t, "this function"); }
int rank_of(Interpreter& in, PyValue t) { return type_of(in, t).rank(); }

/// Tensors given one by one or as one sequence.
Values tensors_from(Interpreter& in, const Args& args, const char* name) {
    Values out = args.positional;
    if (out.size() == 1 && !out[0].is(Kind::Tensor)) out = in.iterate(out[0]);
    for (PyValue v : out)
        if (!v.is(Kind::Tensor)) raise("TypeError", "{}(): argument 'tensors' must be tuple of Tensors, not {}", name, in.type_name(v));
    return out;
}

PyValue cat(Interpreter& in, Values tensors, int64_t dim) { return call_rows(in, "cat", {in.list(std::move(tensors)), PyValue::integer(dim)}); }

PyValue at_least(Interpreter& in, PyValue t, int rank) {
    int have = rank_of(in, t);
    if (have >= rank) return t;
    if (rank == 1) return reshape(in, t, {1});
    if (rank == 2) return have == 0 ? reshape(in, t, {1, 1}) : emit_one(in, "unsqueeze"_op, {t}, attrs({{"dim", int64_t{0}}}));
    if (have == 0) return reshape(in, t, {1, 1, 1});
    if (have == 1) return emit_one(in, "unsqueeze"_op, {emit_one(in, "unsqueeze"_op, {t}, attrs({{"dim", int64_t{0}}}))}, attrs({{"dim", int64_t{-1}}}));
    return emit_one(in, "unsqueeze"_op, {t}, attrs({{"dim", int64_t{-1}}}));
}

NativeCode stacked(const char* name, int rank, int64_t dim) {
    return [name, rank, dim](Interpreter& in, Args& args) {
        Values tensors = tensors_from(in, args, name);
        if (tensors.empty()) raise("RuntimeError", "{} expects a non-empty TensorList", name);
        for (PyValue& t : tensors) t = at_least(in, t, rank);
        int64_t at = dim == 1 && rank_of(in, tensors[0]) == 1 ? 0 : dim;
        return cat(in, tensors, at);
    };
}

PyValue have_axis(Interpreter& in, PyValue t) { return at_least(in, t, 1); }

PyValue column_stack(Interpreter& in, Args& args) {
    Values tensors = tensors_from(in, args, "column_stack");
    for (PyValue& t : tensors)
        if (rank_of(in, t) <= 1) t = emit_one(in, "unsqueeze"_op, {have_axis(in, t)}, attrs({{"dim", int64_t{1}}}));
    return cat(in, tensors, 1);
}

NativeCode at_least_all(int rank, const char* name) {
    return [rank, name](Interpreter& in, Args& args) {
        if (args.size() == 1 && args[0].is(Kind::Tensor)) return at_least(in, args[0], rank);
        Values tensors = tensors_from(in, args, name);
        for (PyValue& t : tensors) t = at_least(in, t, rank);
        return in.tuple(std::move(tensors));
    };
}

PyValue expand_to(Interpreter& in, PyValue t, const Sizes& sizes) { return emit_one(in, "expand"_op, {t}, attrs({{"size", sizes}})); }

PyValue broadcast_tensors(Interpreter& in, Args& args) {
    Values tensors = tensors_from(in, args, "broadcast_tensors");
    Sizes all;
    for (PyValue t : tensors) all = broadcast(all, sizes_of(in, t));
    for (PyValue& t : tensors)
        if (sizes_of(in, t) != all) t = expand_to(in, t, all);
    return in.tuple(std::move(tensors));
}

PyValue broadcast_to(Interpreter& in, Args& args) {
    ArgReader a(in, args, "broadcast_to(input, size)");
    return expand_to(in, a["input"], to_sizes(in, a["size"], "a size"));
}

PyValue broadcast_shapes(Interpreter& in, Args& args) {
    Sizes all;
    for (PyValue v : args.positional) all = broadcast(all, to_sizes(in, v, "a size"));
    Values out;
    for (int64_t s : all) out.push_back(PyValue::integer(s));
    return in.call(in.get_attr(PyValue(in.import("torch")), "Size"), Values{in.tuple(std::move(out))});
}

PyValue meshgrid(Interpreter& in, Args& args) {
    PyValue indexing = args.keyword("indexing");
    std::erase_if(args.keywords, [](const auto& k) { return *k.first == "indexing"; });
    Values tensors = tensors_from(in, args, "meshgrid");
    if (indexing.is_unbound() || indexing.is_none())
        in.script_warning("UserWarning", "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument. (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:4524.)");
    std::string order = indexing.is_str() ? in.need_str(indexing, "indexing") : "ij";
    if (order != "ij" && order != "xy") raise("RuntimeError", "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}", order);
    bool swap = order == "xy" && tensors.size() >= 2;
    if (swap) std::swap(tensors[0], tensors[1]);
    Sizes all;
    for (PyValue t : tensors) {
        if (rank_of(in, t) > 1) raise("RuntimeError", "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}", in.static_repr(t));
        all.push_back(element_count(sizes_of(in, t)));
    }
    Values out;
    for (size_t k = 0; k < tensors.size(); ++k) {
        Sizes one(all.size(), 1);
        one[k] = all[k];
        PyValue grid = expand_to(in, emit_one(in, "view"_op, {tensors[k]}, attrs({{"size", one}})), all);
        out.push_back(grid);
    }
    if (swap) std::swap(out[0], out[1]);
    return in.tuple(std::move(out));
}

PyValue outer(Interpreter& in, Args& args) {
    ArgReader a(in, args, "outer(input, vec2)");
    for (const char* name : {"input", "vec2"})
        if (rank_of(in, a[name]) != 1) raise("RuntimeError", "outer: Expected 1-D argument {}, but got {}-D", *name == 'i' ? "self" : "vec2", rank_of(in, a[name]));
    return call_rows(in, "mul", {emit_one(in, "unsqueeze"_op, {a["input"]}, attrs({{"dim", int64_t{1}}})), a["vec2"]});
}

PyValue block_diag(Interpreter& in, Args& args) {
    Values tensors = tensors_from(in, args, "block_diag");
    int64_t rows = 0, columns = 0;
    DType dtype = DType::Bool;
    for (PyValue& t : tensors) {
        if (rank_of(in, t) > 2) raise("RuntimeError", "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {} has {} dimensions", &t - tensors.data(), rank_of(in, t));
        t = at_least(in, t, 2);
        rows += sizes_of(in, t)[0], columns += sizes_of(in, t)[1];
        dtype = &t == tensors.data() ? type_of(in, t).dtype : promote(dtype, type_of(in, t).dtype);
    }
    PyValue out = full_tensor(in, tensors.empty() ? default_dtype(in) : dtype, tensors.empty() ? Sizes{1, 0} : Sizes{rows, columns}, PyValue::integer(0));
    int64_t r = 0, c = 0;
    for (PyValue t : tensors) {
        const Sizes s = sizes_of(in, t);
        PyValue band = emit_one(in, "slice"_op, {out}, attrs({{"dim", int64_t{0}}, {"start", r}, {"end", r + s[0]}}));
        PyValue place = emit_one(in, "slice"_op, {band}, attrs({{"dim", int64_t{1}}, {"start", c}, {"end", c + s[1]}}));
        emit_write(in, place, "copy"_op, {t});
        r += s[0], c += s[1];
    }
    return emit_one(in, "renamed"_op, {out}, attrs({{"node", std::string("BlockDiagBackward0")}}));
}

PyValue cartesian_prod(Interpreter& in, Args& args) {
    Values tensors = tensors_from(in, args, "cartesian_prod");
    if (tensors.size() == 1) return tensors[0];
    Args grid{tensors, {{symbol("indexing"), in.str("ij")}}};
    Values grids = in.iterate(meshgrid(in, grid));
    for (PyValue& g : grids) g = reshape(in, g, {-1});
    return call_rows(in, "stack", {in.list(std::move(grids)), PyValue::integer(1)});
}

/// `nonzero(x)`, or one index tensor per axis.
PyValue nonzero(Interpreter& in, PyValue self, bool as_tuple) {
    PyValue found = emit_row(in, row_named("nonzero"), {self}).back();
    if (!as_tuple) return found;
    if (rank_of(in, self) == 0) found = call_rows(in, "nonzero", {at_least(in, self, 1)});
    return in.tuple(emit_row(in, "unbind"_op, {found}, attrs({{"dim", int64_t{1}}})));
}

/// `unique` and `unique_consecutive` of all elements, with what else is asked for.
NativeCode unique(const char* name, const char* form) {
    return [name, form](Interpreter& in, Args& args) -> PyValue {
        ArgReader a(in, args, form);
        auto wants = [&](const char* what) { return a.has(what) && in.need_bool(a[what], what); };
        PyValue self = a["input"];
        std::optional<int64_t> dim;
        if (a.has("dim") && !a["dim"].is_none()) dim = normalize_dim(in.need_int(a["dim"], "dim"), rank_of(in, self));
        Values found, out;
        if (dim && rank_of(in, self) > 1) {
            found = emit_row(in, "unique_dim"_op, {self}, attrs({{"dim", *dim}, {"consecutive", std::string_view(name) == "unique_consecutive"}}));
            out.push_back(emit_one(in, "index_select"_op, {detach(in, self), found[1]}, attrs({{"dim", *dim}})));
        } else {
            found = emit_row(in, row_named(name), {self});
            out.push_back(found[1]);
        }
        if (wants("return_inverse")) out.push_back(found[2]);
        if (wants("return_counts")) out.push_back(found[3]);
        return out.size() == 1 ? out[0] : in.tuple(std::move(out));
    };
}

PyValue where(Interpreter& in, Args& args) {
    if (args.size() == 1 && args.keywords.empty()) return nonzero(in, args[0], true);
    return call_rows(in, "where", args.positional, args.keywords);
}

PyValue empty_strided(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    ArgReader a(in, args, "empty_strided(size, stride)");
    Sizes sizes = to_sizes(in, a["size"], "a size"), strides = to_sizes(in, a["stride"], "a stride");
    if (sizes.size() != strides.size()) raise("RuntimeError", "mismatch in length of strides and shape");
    int64_t span = element_count(sizes) == 0 ? 0 : 1;
    for (size_t d = 0; span > 0 && d < sizes.size(); ++d) span += (sizes[d] - 1) * strides[d];
    PyValue memory = emit_one(in, "empty"_op, {}, attrs({{"sizes", Sizes{span}}, {"dtype", dtype_or(in, o.dtype, default_dtype(in), "empty_strided")}}));
    return finish(in, emit_one(in, "as_strided"_op, {memory}, attrs({{"size", sizes}, {"stride", strides}, {"storage_offset", int64_t{0}}})), o);
}

/// Functions of torch that are methods of Tensor: `torch.reshape(x, …)`.
constexpr const char* functions_of_methods[] = {
    "reshape", "flatten", "ravel", "numel", "is_floating_point", "is_complex", "is_signed", "detach", "detach_", "is_same_size", "resize_as_", "view_as",
};

}  // namespace

void bind_shapes(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor) {
    auto compose = [&](const char* name, NativeCode code, bool method = false) {
        if (!overloads(name).empty()) return;
        if (method) in.add_method(tensor, name, code);
        in.add_function(torch, name, std::move(code));
    };
    compose("hstack", stacked("hstack", 1, 1));
    compose("vstack", stacked("vstack", 2, 0));
    compose("row_stack", stacked("row_stack", 2, 0));
    compose("dstack", stacked("dstack", 3, 2));
    compose("column_stack", column_stack);
    compose("atleast_1d", at_least_all(1, "atleast_1d"));
    compose("atleast_2d", at_least_all(2, "atleast_2d"));
    compose("atleast_3d", at_least_all(3, "atleast_3d"));
    compose("broadcast_tensors", broadcast_tensors);
    compose("broadcast_to", broadcast_to, true);
    compose("broadcast_shapes", broadcast_shapes);
    compose("meshgrid", meshgrid);
    compose("outer", outer, true);
    compose("block_diag", block_diag);
    compose("cartesian_prod", cartesian_prod);
    compose("argwhere", [](Interpreter& i, Args& a) { return nonzero(i, a[0], false); }, true);
    compose("empty_strided", empty_strided);
    in.add_function(torch, "where", where);
    in.add_method(tensor, "where", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "where(self, condition, other)");
        return emit_one(i, row_named("where"), {a["condition"], a["self"], a["other"]});
    });
    NativeCode masked_select = [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "masked_select(input, mask)");
        return emit_row(i, row_named("masked_select"), {a["input"], a["mask"]}).at(1);
    };
    in.add_function(torch, "masked_select", masked_select);
    in.add_method(tensor, "masked_select", masked_select);
    for (auto [name, form] : {std::pair{"unique", "unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None)"},
                              std::pair{"unique_consecutive", "unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)"}}) {
        in.add_function(torch, name, unique(name, form));
        in.add_method(tensor, name, unique(name, form));
    }
    for (bool method : {false, true}) {
        NativeCode code = [](Interpreter& i, Args& args) {
            ArgReader a(i, args, "nonzero(input, *, as_tuple=False)");
            return nonzero(i, a["input"], a.has("as_tuple") && i.need_bool(a["as_tuple"], "as_tuple"));
        };
        if (method) in.add_method(tensor, "nonzero", code);
        else in.add_function(torch, "nonzero", code);
    }
    for (const char* name : functions_of_methods) {
        // Looked up at the call: the methods may be added by a part that comes later.
        in.add_function(torch, name, [name, tensor](Interpreter& i, Args& args) {
            // The first argument may be given by name.
            if (args.positional.empty()) {
                args.positional.push_back(args.keyword("input"));
                std::erase_if(args.keywords, [](const auto& k) { return *k.first == "input"; });
            }
            PyValue method = tensor->lookup(symbol(name));
            SIFR_CHECK(!method.is_unbound(), "Tensor has no method '{}'", name);
            return i.call(method, args);
        });
    }
}

}  // namespace sifr::capture
