#include "compiler/frontend/capture/value.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

namespace sifr::capture {

Symbol symbol(std::string_view name) {
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
    };
    // Never freed, one for all threads: symbols of several captures stay comparable.
    static auto* table = new std::unordered_set<std::string, Hash, std::equal_to<>>();
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    auto it = table->find(name);
    if (it == table->end()) it = table->emplace(name).first;
    return &*it;
}

PyValue Args::keyword(std::string_view name) const {
    for (const auto& [key, value] : keywords)
        if (*key == name) return value;
    return {};
}

// ------------------------------------------------------------------------------------------------ variables

namespace {
constexpr size_t indexed_from = 12;  // entries; shorter lists are searched
}

size_t Variables::position(Symbol s) const {
    if (entries.size() < indexed_from) {
        for (size_t i = 0; i < entries.size(); ++i)
            if (entries[i].first == s) return i;
        return SIZE_MAX;
    }
    if (index_.size() != entries.size()) {
        index_.clear();
        for (size_t i = 0; i < entries.size(); ++i) index_.emplace(entries[i].first, i);
    }
    auto it = index_.find(s);
    return it == index_.end() ? SIZE_MAX : it->second;
}

PyValue Variables::get(Symbol s) const {
    size_t i = position(s);
    return i == SIZE_MAX ? PyValue() : entries[i].second;
}

void Variables::set(Symbol s, PyValue v) {
    size_t i = position(s);
    if (i != SIZE_MAX) {
        entries[i].second = v;
        return;
    }
    if (!index_.empty()) index_.emplace(s, entries.size());
    entries.emplace_back(s, v);
}

PyValue* Variables::find(Symbol s) {
    size_t i = position(s);
    return i == SIZE_MAX ? nullptr : &entries[i].second;
}

const PyValue* Variables::find(Symbol s) const {
    size_t i = position(s);
    return i == SIZE_MAX ? nullptr : &entries[i].second;
}

// --------------------------------------------------------------------------------------------- slots inside

namespace {
void visit_variables(Variables& v, const std::string& prefix, const Object::SlotVisitor& visit) {
    for (size_t i = 0; i < v.entries.size(); ++i) visit(prefix + *v.entries[i].first, v.entries[i].second);
}
bool same_names(const Variables& a, const Variables& b) {
    return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first; });
}
}  // namespace

void TupleObject::visit_slots(const SlotVisitor& visit) {
    for (size_t i = 0; i < items.size(); ++i) visit(fmt::format("[{}]", i), items[i]);
}
bool TupleObject::same_structure(const Object& o) const {
    const auto& t = static_cast<const TupleObject&>(o);
    return t.items.size() == items.size() && t.cls == cls;
}
void ComplexObject::visit_slots(const SlotVisitor& visit) {
    visit("real", real);
    visit("imag", imaginary);
}

void ListObject::visit_slots(const SlotVisitor& visit) {
    for (size_t i = 0; i < items.size(); ++i) visit(fmt::format("[{}]", i), items[i]);
}
bool ListObject::same_structure(const Object& o) const { return static_cast<const ListObject&>(o).items.size() == items.size(); }

const PyValue* DictObject::find(const std::string& hash) const {
    auto it = index.find(hash);
    return it == index.end() ? nullptr : &entries[it->second].value;
}
void DictObject::set(const std::string& hash, PyValue key, PyValue value) {
    auto [it, fresh] = index.emplace(hash, entries.size());
    if (fresh) entries.push_back({key, value});
    else entries[it->second].value = value;
}
bool DictObject::erase(const std::string& hash) {
    auto it = index.find(hash);
    if (it == index.end()) return false;
    size_t at = it->second;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
    index.erase(it);
    for (auto& [key, position] : index)
        if (position > at) --position;
    return true;
}
void DictObject::visit_slots(const SlotVisitor& visit) {
    for (size_t i = 0; i < entries.size(); ++i) visit(fmt::format("[{}]", i), entries[i].value);
}
bool DictObject::same_structure(const Object& o) const {
    const auto& d = static_cast<const DictObject&>(o);
    if (d.entries.size() != entries.size() || d.cls != cls || d.index.size() != index.size()) return false;
    for (const auto& [hash, position] : index) {
        auto it = d.index.find(hash);
        if (it == d.index.end() || it->second != position) return false;
    }
    return true;
}
void SetObject::visit_slots(const SlotVisitor&) {}
bool SetObject::same_structure(const Object& o) const { return table.same_structure(static_cast<const SetObject&>(o).table); }
void NamespaceObject::visit_slots(const SlotVisitor& visit) { visit_variables(variables, "", visit); }
void FunctionObject::visit_slots(const SlotVisitor& visit) { visit_variables(attributes, ".", visit); }
void ClassObject::visit_slots(const SlotVisitor& visit) { visit_variables(attributes, ".", visit); }
void InstanceObject::visit_slots(const SlotVisitor& visit) { visit_variables(attributes, ".", visit); }
bool InstanceObject::same_structure(const Object& o) const {
    const auto& i = static_cast<const InstanceObject&>(o);
    return i.cls == cls && i.native.same(native);
}
void IteratorObject::visit_slots(const SlotVisitor& visit) {
    for (size_t i = 0; i < items.size(); ++i) visit(fmt::format("[{}]", i), items[i]);
    visit("state", state);
    visit("state2", state2);
}
bool IteratorObject::same_structure(const Object& o) const {
    const auto& i = static_cast<const IteratorObject&>(o);
    return i.items.size() == items.size() && i.position == position;
}
void TensorObject::visit_slots(const SlotVisitor& visit) {
    visit(".grad", grad);
    visit(".hooks", hooks);
    visit(".extra", extra);
    visit_variables(attributes, ".", visit);
}
bool TensorObject::same_structure(const Object& o) const {
    const auto& t = static_cast<const TensorObject&>(o);
    return t.value == value && t.variable == variable && t.cls == cls && t.cuda == cuda && t.device_index == device_index && same_names(t.attributes, attributes);
}
bool RunTimeListObject::same_structure(const Object& o) const {
    const auto& l = static_cast<const RunTimeListObject&>(o);
    return l.list == list && l.element == element && l.static_length == static_length;
}
void OptionalObject::visit_slots(const SlotVisitor& visit) { visit("", value); }

int64_t RangeObject::length() const {
    // In 128 bits: the difference of two int64s does not fit 64.
    __extension__ using Wide = __int128;
    Wide lo = start.as_int(), hi = stop.as_int(), by = step.as_int();
    if (by > 0) return hi > lo ? static_cast<int64_t>((hi - lo + by - 1) / by) : 0;
    return hi < lo ? static_cast<int64_t>((lo - hi - by - 1) / -by) : 0;
}

bool ClassObject::derives_from(const ClassObject* base) const { return std::find(mro.begin(), mro.end(), base) != mro.end(); }

PyValue ClassObject::lookup(Symbol s) const {
    for (const ClassObject* c : mro)
        if (PyValue v = c->attributes.get(s); !v.is_unbound()) return v;
    return {};
}

Variables* variables_of(Object& o) {
    switch (o.kind) {
        case Kind::Namespace: return &static_cast<NamespaceObject&>(o).variables;
        case Kind::Function: return &static_cast<FunctionObject&>(o).attributes;
        case Kind::Class: return &static_cast<ClassObject&>(o).attributes;
        case Kind::Instance: return &static_cast<InstanceObject&>(o).attributes;
        case Kind::Tensor: return &static_cast<TensorObject&>(o).attributes;
        default: return nullptr;
    }
}

}  // namespace sifr::capture
