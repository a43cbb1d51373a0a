// What is carried round a loop, by kind: the shape that a value has at the loop's head and at its back edge, the values of the IR that make
// it up, and how an object is made of them again.

#include <algorithm>

#include "compiler/frontend/capture/loop_values.h"

namespace sifr::capture {

using namespace syntax;

bool Shape::agrees(const Shape& o) const {
    if (part != o.part || absent != o.absent || members.size() != o.members.size()) return false;
    if (part == Part::Static && !same_value(model, o.model)) return false;
    if ((part == Part::Scalar || part == Part::Tensor || part == Part::List) && !(type == o.type)) return false;
    for (size_t i = 0; i < members.size(); ++i)
        if (!members[i].agrees(o.members[i])) return false;
    return true;
}

Shape LoopCapture::shape_of(PyValue entry, PyValue back, const std::string& what, bool entry_counts, bool optional, bool same_object) {
    Shape s;
    if (entry_counts && same_value(entry, back)) {
        s.model = back;
        return s;
    }
    auto peel = [&]() -> Stop {
        const auto said = [&](PyValue v) -> std::string {
            if (v.is_unbound()) return "nothing";
            if (const auto* t = v.get_if<TensorObject>(); t && entry.is(Kind::Tensor) && back.is(Kind::Tensor)) return "a tensor of type " + in_.function().type(t->value).text();
            return in_.type_name(v);
        };
        const std::string first = said(entry), then = said(back);
        return Stop{Outcome::Peel, fmt::format("{} is {} before the first iteration and {} after it", what, first, then)};
    };
    if (back.is(Kind::Unusable)) {
        s.model = back;
        return s;
    }
    bool optional_back = absent(back) || back.is(Kind::Optional), optional_entry = entry_counts && (absent(entry) || entry.is(Kind::Optional));
    if (optional_back || optional_entry) {
        if (absent(back) && !entry_counts) {
            s.model = back;
            return s;
        }
        if (optional_entry && absent(entry) && !optional_back && !optional) throw peel();
        s.part = Shape::Part::Optional;
        PyValue optional_side = optional_back ? back : entry;
        s.absent = optional_side.is(Kind::Optional) ? optional_side.as<OptionalObject>()->absent : optional_side.kind();
        auto inside = [](PyValue v) -> PyValue { return absent(v) ? PyValue() : v.is(Kind::Optional) ? v.as<OptionalObject>()->value : v; };
        PyValue e = entry_counts ? inside(entry) : PyValue(), b = inside(back);
        if (b.is_unbound()) std::swap(e, b);
        s.members.push_back(shape_of(e, b, what, !e.is_unbound() && entry_counts, false));
        return s;
    }
    bool scalar_back = back.is_number() || back.is_str();
    if (scalar_back) {
        Type::Kind kind = Interpreter::scalar_kind(back);
        if (entry_counts && (!(entry.is_number() || entry.is_str()) || Interpreter::scalar_kind(entry) != kind)) throw peel();
        s.part = Shape::Part::Scalar;
        s.type = Type{kind};
        return s;
    }
    if (const auto* t = back.get_if<TensorObject>()) {
        s.part = Shape::Part::Tensor;
        s.model = back;
        s.type = in_.function_.type(t->value);
        if (!s.type.run_time_sizes.empty()) throw Stop{Outcome::Unroll, what + " is a tensor whose size is known only at run time"};
        if (!entry_counts) return s;
        const auto* e = entry.get_if<TensorObject>();
        if (!e) throw peel();
        if (!(in_.function_.type(e->value) == s.type) || e->cls != t->cls || e->cuda != t->cuda) throw peel();
        if (same_object) return s;
        AutogradState& autograd = in_.autograd_;
        if (autograd.requires_grad(t->variable) || autograd.requires_grad(e->variable)) throw Stop{Outcome::Unroll, what + " carries autograd history from one iteration to the next"};
        if (!t->grad.is_none() || !e->grad.is_none()) throw Stop{Outcome::Unroll, what + " is another tensor with a '.grad' in each iteration"};
        return s;
    }
    if (const auto* l = back.get_if<RunTimeListObject>()) {
        s.part = Shape::Part::List;
        s.model = back;
        s.type = Type::list(l->element);
        if (entry_counts) {
            const auto* e = entry.get_if<RunTimeListObject>();
            if (!e || !(e->element == l->element)) throw peel();
        }
        return s;
    }
    switch (back.kind()) {
        case Kind::Tuple:
        case Kind::List:
        case Kind::Dict:
        case Kind::Instance:
        case Kind::Range:
        case Kind::Complex:
        case Kind::Slice: {
            s.part = Shape::Part::Container;
            s.model = back;
            const Object* e = entry_counts && entry.is_object() ? entry.object() : nullptr;
            if (entry_counts && (!e || e->kind != back.object()->kind || !e->same_structure(*back.object()))) throw peel();
            std::vector<PyValue> entries;
            if (e) const_cast<Object*>(e)->visit_slots([&](const std::string&, PyValue& v) { entries.push_back(v); });
            size_t i = 0;
            if (++evaluator_.shape_depth_ > 20) throw Stop{Outcome::Unroll, what + " is an object that holds itself"};
            const_cast<Object*>(back.object())->visit_slots([&](const std::string& place, PyValue& v) {
                if (e && i >= entries.size()) throw peel();
                s.members.push_back(shape_of(e ? entries[i] : PyValue(), v, what + " " + place, e != nullptr, false));
                ++i;
            });
            --evaluator_.shape_depth_;
            bool all_static = std::all_of(s.members.begin(), s.members.end(), [](const Shape& m) { return m.part == Shape::Part::Static; });
            if (all_static && !entry_counts) {
                s.part = Shape::Part::Static;
                s.members.clear();
            }
            return s;
        }
        default: break;
    }
    if (!entry_counts) {
        s.model = back;
        return s;
    }
    throw peel();
}

void LoopCapture::leaves(const Shape& s, std::vector<Type>& out) const {
    if (s.part == Shape::Part::Scalar || s.part == Shape::Part::Tensor || s.part == Shape::Part::List) out.push_back(s.type);
    if (s.part == Shape::Part::Optional) out.push_back(Type::boolean());
    for (const Shape& m : s.members) leaves(m, out);
}

PyValue LoopCapture::instantiate(const Shape& s, const std::vector<ValueId>& values, size_t& at, bool head, const std::string& name) {
    switch (s.part) {
        case Shape::Part::Static: return s.model;
        case Shape::Part::Scalar: return PyValue::dynamic(values[at++], s.type.kind);
        case Shape::Part::Tensor: {
            auto* t = in_.heap_.make<TensorObject>(*s.model.as<TensorObject>());
            t->value = values[at++];
            // Behind the loop it is what the last pass made; at the head it has no history (that would unroll the loop).
            if (head) t->variable = in_.autograd_.fresh(s.type, false, in_.span());
            return t;
        }
        case Shape::Part::List: {
            auto* l = in_.heap_.make<RunTimeListObject>(*s.model.as<RunTimeListObject>());
            l->list = values[at++];
            l->static_length = -1;
            return l;
        }
        case Shape::Part::Optional: {
            auto* o = in_.heap_.make<OptionalObject>();
            o->absent = s.absent;
            o->present = values[at++];
            o->value = instantiate(s.members[0], values, at, head, name);
            return o;
        }
        case Shape::Part::Container: {
            Object* made = in_.heap_.clone(*s.model.object());
            size_t k = 0;
            made->visit_slots([&](const std::string&, PyValue& v) { v = instantiate(s.members[k++], values, at, head, name); });
            return made;
        }
    }
    SIFR_UNREACHABLE("a shape");
}

ValueId LoopCapture::placeholder(const Type& type, RegionId region) {
    Function& f = in_.function_;
    switch (type.kind) {
        case Type::Kind::I64: return f.add_constant(int64_t{0});
        case Type::Kind::F64: return f.add_constant(0.0);
        case Type::Kind::Bool: return f.add_constant(false);
        case Type::Kind::Str: return f.add_constant(std::string());
        default: break;
    }
    Builder& b = in_.builder();
    RegionId outer = b.region();
    b.into(region);
    ValueId v;
    if (type.is_tensor()) {
        InstId id = b.emit_typed("empty"_op, {}, attrs({{"sizes", type.sizes}, {"dtype", type.dtype}}), {type});
        v = f[id].results[0];
        f[v].view = {f.add_storage({"", type.dtype, type.sizes, false}), Layout::contiguous(type.sizes), {}};
    } else {
        v = f[b.emit_typed("list_new"_op, {}, {}, {type})].results[0];
    }
    b.into(outer);
    return v;
}

ValueId LoopCapture::whole(ValueId v, RegionId region) {
    // What a pass hands on is not the copy that the next one makes.
    if (in_.is_copy(in_.function_[v].view.storage)) throw Stop{Outcome::Unroll, "a slice that begins at a run-time number is carried from one iteration to the next"};
    Function& f = in_.function_;
    const View view = f[v].view;
    if (view.layout.is_static() && view.layout.is_whole(f[v].type.sizes) && element_count(f[view.storage].frame) == view.layout.numel()) return v;
    in_.share_storage(view.storage);
    Builder& b = in_.builder();
    RegionId outer = b.region();
    b.into(region);
    Type type = f[v].type;
    InstId id = b.emit_typed("clone"_op, {v}, {}, {type});
    f[id].untracked = true;
    ValueId copy = f[id].results[0];
    f[copy].view = {f.add_storage({"", type.dtype, type.sizes, false}), Layout::contiguous(type.sizes), {}};
    b.into(outer);
    copies_.insert(copy);
    return copy;
}

/// The values of `v` that the shape's parameters stand for, made in `region`; placeholders where `v` is unbound.
void LoopCapture::flatten(const Shape& s, PyValue v, RegionId region, std::vector<ValueId>& out) {
    Builder& b = in_.builder();
    RegionId outer = b.region();
    switch (s.part) {
        case Shape::Part::Static: return;
        case Shape::Part::Scalar:
            b.into(region);
            out.push_back(v.is_unbound() ? placeholder(s.type, region) : in_.to_ir(v, s.type.kind));
            b.into(outer);
            return;
        case Shape::Part::Tensor: out.push_back(v.is_unbound() ? placeholder(s.type, region) : whole(v.as<TensorObject>()->value, region)); return;
        case Shape::Part::List: out.push_back(v.is_unbound() ? placeholder(s.type, region) : v.as<RunTimeListObject>()->list); return;
        case Shape::Part::Optional: {
            const auto* o = v.get_if<OptionalObject>();
            out.push_back(o ? o->present : in_.function_.add_constant(!absent(v)));
            flatten(s.members[0], o ? o->value : absent(v) ? PyValue() : v, region, out);
            return;
        }
        case Shape::Part::Container: {
            std::vector<PyValue> items;
            if (v.is_object()) const_cast<Object*>(v.object())->visit_slots([&](const std::string&, PyValue& x) { items.push_back(x); });
            for (size_t i = 0; i < s.members.size(); ++i) flatten(s.members[i], i < items.size() ? items[i] : PyValue(), region, out);
            return;
        }
    }
}

/// An int that each pass moves by a known amount: what `iadd %param, 3` says. INT64_MIN: it is something else.
int64_t LoopCapture::affine_step(const Carried& c, PyValue back) const {
    if (c.shape.part != Shape::Part::Scalar || c.params.size() != 1 || !back.is_dynamic(Type::Kind::I64) || !c.entry.is(Kind::Int)) return INT64_MIN;
    const Function& f = in_.function_;
    int64_t step = 0;
    ValueId v = back.as_value();
    while (v != c.params[0]) {
        const Inst* p = f.producer(v);
        if (!p || (p->op != "iadd"_op && p->op != "isub"_op)) return INT64_MIN;
        bool sub = p->op == "isub"_op;
        if (std::optional<int64_t> k = f.constant_int(p->operands[1])) {
            step += sub ? -*k : *k;
            v = p->operands[0];
        } else if (std::optional<int64_t> first = f.constant_int(p->operands[0]); first && !sub) {
            step += *first;
            v = p->operands[1];
        } else {
            return INT64_MIN;
        }
    }
    return step;
}

bool LoopCapture::writes_storage(RegionId region, StorageId s) const {
    const Function& f = in_.function_;
    bool found = false;
    walk(f, region, [&](InstId id) { found = found || (f[id].dest.valid() && f[f[id].dest].view.storage == s); });
    return found;
}

}  // namespace sifr::capture
