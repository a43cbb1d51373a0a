// What a function of a host gets and gives, in the captured form.

#include "compiler/host/arguments.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/frontend/torch/emit.h"
#include "compiler/frontend/torch/tensor_likes.h"

namespace sifr::host {

using namespace capture;

namespace {

/// What holds one part of a complex number.
DType part_of(DType t) { return t == DType::C64 ? DType::F32 : t == DType::C128 ? DType::F64 : t; }

/// Memory of complex numbers is memory of their parts, and a complex tensor is a view of those with one axis more.
ArgumentShape in_parts(ArgumentShape shape) {
    for (ArgumentShape::Place& p : shape.tensors) {
        if (!is_complex(shape.memories[p.memory].dtype)) continue;
        p.layout.offset *= 2;
        for (int64_t& s : p.layout.strides) s *= 2;
        p.layout.sizes.push_back(2);
        p.layout.strides.push_back(1);
    }
    for (ArgumentShape::Memory& m : shape.memories) {
        if (is_complex(m.dtype)) m.elements *= 2;
        m.dtype = part_of(m.dtype);
    }
    return shape;
}

/// The parts of a complex tensor, conjugated where that was put off; unbound for anything else.
PyValue parts_of_complex(Interpreter& in, PyValue v) {
    static const Symbol parts = symbol("_resolved");
    if (!passes_for_tensor(in, v) || in.class_of(v)->lookup(parts).is_unbound()) return {};
    return in.call(in.get_attr(v, parts), Values{});
}

}  // namespace

std::optional<Layout> complex_layout(const Layout& parts) {
    Layout l = parts;
    const auto odd = [](int64_t n) { return n % 2 != 0; };
    if (l.sizes.back() != 2 || l.strides.back() != 1 || odd(l.offset)) return {};
    l.sizes.pop_back();
    l.strides.pop_back();
    if (std::any_of(l.strides.begin(), l.strides.end(), odd)) return {};
    l.offset /= 2;
    for (int64_t& s : l.strides) s /= 2;
    return l;
}

DType complex_of(DType part) { return part == DType::F64 ? DType::C128 : DType::C64; }

Values argument_tensors(Interpreter& in, const ArgumentShape& given, std::vector<StorageId>& storages) {
    const ArgumentShape shape = in_parts(given);
    Function& f = in.function();
    // A memory that one argument fills has that argument's sizes; another one is a row of elements.
    std::vector<const ArgumentShape::Place*> only(shape.memories.size(), nullptr);
    std::vector<int> users(shape.memories.size(), 0);
    std::vector<std::string> names(shape.memories.size());
    for (size_t k = 0; k < shape.tensors.size(); ++k) {
        const ArgumentShape::Place& p = shape.tensors[k];
        only[p.memory] = ++users[p.memory] == 1 ? &p : nullptr;
        std::string name = k < shape.names.size() ? shape.names[k] : fmt::format("arg{}", k + 1);
        names[p.memory] += (names[p.memory].empty() ? "" : "_") + name;
    }
    Values whole;
    for (size_t m = 0; m < shape.memories.size(); ++m) {
        const ArgumentShape::Memory& memory = shape.memories[m];
        const Sizes frame =
            only[m] && only[m]->layout.offset == 0 && only[m]->layout.is_contiguous() ? only[m]->layout.sizes : Sizes{memory.elements};
        const Type type = Type::tensor(memory.dtype, frame);
        ValueId v = f.add_parameter(f.body, type, names[m]);
        storages.push_back(f.add_storage({names[m], memory.dtype, frame, false}));
        f[v].view = {storages.back(), Layout::contiguous(frame), {}};
        whole.push_back(make_tensor_object(in, v, in.autograd().fresh(type, false, in.span())));
    }
    Values out;
    for (const ArgumentShape::Place& p : shape.tensors) {
        const Layout& is = layout_of(in, whole[p.memory]);
        if (is.sizes == p.layout.sizes && is.strides == p.layout.strides && is.offset == p.layout.offset)
            out.push_back(whole[p.memory]);
        else
            out.push_back(emit_one(in, "as_strided"_op, {whole[p.memory]},
                                   attrs({{"size", p.layout.sizes}, {"stride", p.layout.strides}, {"storage_offset", p.layout.offset}})));
        if (is_complex(given.memories[p.memory].dtype))
            out.back() = in.call(in.get_attr(PyValue(in.import("torch._complex")), "Tensor"), Values{out.back()});
    }
    return out;
}

ResultShape add_result(Interpreter& in, PyValue v, const std::vector<StorageId>& storages) {
    Function& f = in.function();
    ResultShape r;
    if (v.is_number()) {
        r.kind = ResultShape::Kind::Number;
        const ValueId number = in.to_ir(v);
        r.number = f.type(number).kind;
        f[f.body].results.push_back(number);
        return r;
    }
    const PyValue parts = parts_of_complex(in, v);
    const bool complex = !parts.is_unbound();
    if (complex) v = parts;
    if (!v.is(Kind::Tensor))
        throw ScriptError("TypeError", fmt::format("a compiled function gives tensors and numbers, not {}", in.type_name(v)));
    const ValueId value = tensor_of(v)->value;
    const Type type = f.type(value);
    if (!type.run_time_sizes.empty())
        throw NotSupported("a result whose size depends on data",
                           "give it out in a tensor of its largest size, and the number of elements beside it");
    const View view = f[value].view;
    r.dtype = complex ? complex_of(type.dtype) : type.dtype;
    for (size_t m = 0; m < storages.size(); ++m) {
        if (view.storage != storages[m] || !view.layout.is_static()) continue;
        const std::optional<Layout> layout = complex ? complex_layout(view.layout) : view.layout;
        if (!layout) break;
        r.kind = ResultShape::Kind::Argument;
        r.memory = static_cast<uint32_t>(m);
        r.layout = *layout;
        return r;
    }
    r.layout = Layout::contiguous(complex ? Sizes(type.sizes.begin(), type.sizes.end() - 1) : type.sizes);
    f[f.body].results.push_back(value);
    return r;
}

void add_results(Interpreter& in, PyValue v, const std::vector<StorageId>& memories, std::vector<ResultShape>& results,
                 const std::string& name) {
    if (v.is(Kind::Tuple) || v.is(Kind::List)) {
        size_t k = 0;
        for (PyValue i : in.iterate(v)) {
            add_results(in, i, memories, results, name.empty() ? name : fmt::format("{}[{}]", name, k));
            ++k;
        }
    } else if (const auto* d = v.get_if<DictObject>()) {
        for (const auto& e : d->entries) {
            const std::string key = e.key.is(Kind::Str) ? e.key.as<StrObject>()->text : in.static_repr(e.key);
            add_results(in, e.value, memories, results, name.empty() ? key : name + "." + key);
        }
    } else if (!v.is_none() && !v.is_unbound()) {  // unbound: the function never comes back, it raises or exits
        results.push_back(add_result(in, v, memories));
        results.back().name = name;
    }
}

std::vector<bool> written_memories(const Function& f, size_t memories) {
    std::vector<bool> written(memories, false);
    std::map<StorageId, size_t> memory_of;
    for (ValueId p : f[f.body].params)
        if (f.type(p).is_tensor()) memory_of.emplace(f[p].view.storage, memory_of.size());
    walk(f, f.body, [&](InstId id) {
        if (!f[id].dest.valid()) return;
        auto m = memory_of.find(f[f[id].dest].view.storage);
        if (m != memory_of.end() && m->second < memories) written[m->second] = true;
    });
    return written;
}

}  // namespace sifr::host
