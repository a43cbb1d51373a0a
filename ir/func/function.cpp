#include "ir/func/function.h"

#include <algorithm>
#include <bit>

namespace sifr {
namespace {

/// Equal keys, equal constants: numbers by kind and bits.
std::string key_of(const ScalarConstant& c) {
    struct Visitor {
        std::string operator()(std::monostate) const { return "n"; }
        std::string operator()(bool v) const { return v ? "b1" : "b0"; }
        std::string operator()(int64_t v) const { return "i" + std::to_string(v); }
        std::string operator()(double v) const { return "f" + std::to_string(std::bit_cast<uint64_t>(v)); }
        std::string operator()(const std::string& v) const { return "s" + v; }
    };
    return std::visit(Visitor{}, c);
}

Type type_of(const ScalarConstant& c) {
    struct Visitor {
        Type operator()(std::monostate) const { return Type::optional({}); }
        Type operator()(bool) const { return Type::boolean(); }
        Type operator()(int64_t) const { return Type::i64(); }
        Type operator()(double) const { return Type::f64(); }
        Type operator()(const std::string&) const { return Type::str(); }
    };
    return std::visit(Visitor{}, c);
}

/// Visits the values that a type and a view name: run-time sizes and indices.
template <class Visit>
void for_named_values(Value& v, const Visit& visit) {
    auto in_type = [&](auto& self, Type& t) -> void {
        for (RunTimeSize& r : t.run_time_sizes) visit(r.size);
        for (Type& m : t.members) self(self, m);
    };
    in_type(in_type, v.type);
    for (ValueId& i : v.view.indices) visit(i);
}

}  // namespace

namespace {
constexpr std::string_view verdict_names[] = {"open", "kept", "removed", "shrunk", "folded", "merged", "lazy"};
}

std::string_view name_of(Clear::Verdict verdict) { return verdict_names[static_cast<size_t>(verdict)]; }

std::optional<Clear::Verdict> verdict_named(std::string_view name) {
    const auto* at = std::find(std::begin(verdict_names), std::end(verdict_names), name);
    if (at == std::end(verdict_names)) return std::nullopt;
    return static_cast<Clear::Verdict>(at - std::begin(verdict_names));
}

Function::Function() { body = add_region(InstId()); }

const Inst* Function::producer(ValueId id) const {
    const Value& v = values[id.index];
    return v.def == Value::Def::Result ? &insts[v.inst.index] : nullptr;
}

std::optional<int64_t> Function::constant_int(ValueId id) const {
    const Value& v = values[id.index];
    if (v.def != Value::Def::Constant) return std::nullopt;
    if (const bool* b = std::get_if<bool>(&v.constant)) return *b ? 1 : 0;
    if (const int64_t* i = std::get_if<int64_t>(&v.constant)) return *i;
    return std::nullopt;
}

std::optional<double> Function::constant_float(ValueId id) const {
    const Value& v = values[id.index];
    if (v.def != Value::Def::Constant) return std::nullopt;
    if (const double* d = std::get_if<double>(&v.constant)) return *d;
    if (std::optional<int64_t> i = constant_int(id)) return static_cast<double>(*i);
    return std::nullopt;
}

ValueId Function::add_value(Value v) {
    values.push_back(std::move(v));
    return ValueId(values.size() - 1);
}

ValueId Function::add_constant(ScalarConstant c) {
    std::string key = key_of(c);
    auto it = std::lower_bound(constants_.begin(), constants_.end(), key, [](const auto& e, const std::string& k) { return e.first < k; });
    if (it != constants_.end() && it->first == key) return it->second;
    Value v;
    v.type = type_of(c);
    v.def = Value::Def::Constant;
    v.constant = std::move(c);
    auto at = it - constants_.begin();
    ValueId id = add_value(std::move(v));
    constants_.insert(constants_.begin() + at, {std::move(key), id});
    return id;
}

ValueId Function::add_parameter(RegionId region, Type type, std::string name) {
    Value v;
    v.type = std::move(type);
    v.def = Value::Def::Parameter;
    v.region = region;
    v.position = static_cast<uint32_t>(regions[region.index].params.size());
    v.name = std::move(name);
    ValueId id = add_value(std::move(v));
    regions[region.index].params.push_back(id);
    return id;
}

RegionId Function::add_region(InstId parent) {
    RegionId id(regions.size());
    regions.push_back(Region{parent, {}, {}, {}});
    if (parent) insts[parent.index].regions.push_back(id);
    return id;
}

StorageId Function::add_storage(Storage s) {
    storages.push_back(std::move(s));
    return StorageId(storages.size() - 1);
}

ClearId Function::add_clear(Clear c) {
    ledger.push_back(std::move(c));
    return ClearId(ledger.size() - 1);
}

InstId Function::add_inst(RegionId at, Inst inst, const std::vector<Type>& result_types, size_t position) {
    InstId id(insts.size());
    inst.parent = at;
    inst.results.clear();
    for (const Type& t : result_types) {
        Value v;
        v.type = t;
        v.inst = id;
        v.position = static_cast<uint32_t>(inst.results.size());
        inst.results.push_back(add_value(std::move(v)));
    }
    // A type that a row inferred names the instruction's own size result so.
    for (ValueId r : inst.results)
        for_named_values(values[r.index], [&](ValueId& named) {
            if (!named) named = inst.results.front();
        });
    for (RegionId r : inst.regions) regions[r.index].parent = id;
    insts.push_back(std::move(inst));
    std::vector<InstId>& list = regions[at.index].insts;
    list.insert(list.begin() + static_cast<ptrdiff_t>(std::min(position, list.size())), id);
    return id;
}

void Function::erase(InstId id) {
    insts[id.index].erased = true;
    for (RegionId r : insts[id.index].regions)
        for (InstId inner : regions[r.index].insts) erase(inner);
}

std::vector<std::vector<Use>> compute_uses(const Function& f) {
    std::vector<std::vector<Use>> uses(f.values.size());
    auto named_by = [&](ValueId id, InstId inst, RegionId region) {
        Value v = f[id];
        for_named_values(v, [&](ValueId& named) {
            if (named) uses[named.index].push_back({inst, region, Use::view_operand});
        });
    };
    auto visit_region = [&](auto& self, RegionId region) -> void {
        for (ValueId p : f[region].params) named_by(p, InstId(), region);
        for (InstId id : f[region].insts) {
            const Inst& inst = f[id];
            if (inst.erased) continue;
            for (size_t k = 0; k < inst.operands.size(); ++k)
                uses[inst.operands[k].index].push_back({id, RegionId(), static_cast<uint32_t>(k)});
            if (inst.dest) uses[inst.dest.index].push_back({id, RegionId(), Use::dest_operand});
            for (ValueId r : inst.results) named_by(r, id, RegionId());
            for (RegionId r : inst.regions) self(self, r);
        }
        for (size_t k = 0; k < f[region].results.size(); ++k)
            uses[f[region].results[k].index].push_back({InstId(), region, static_cast<uint32_t>(k)});
    };
    visit_region(visit_region, f.body);
    return uses;
}

void replace_uses(Function& f, ValueId from, ValueId to) {
    auto change = [&](ValueId& v) {
        if (v == from) v = to;
    };
    for (Inst& inst : f.insts) {
        if (inst.erased) continue;
        for (ValueId& v : inst.operands) change(v);
        change(inst.dest);
    }
    for (Region& r : f.regions)
        for (ValueId& v : r.results) change(v);
    for (Value& v : f.values) for_named_values(v, change);
}

void ValueMap::set(ValueId from, ValueId to) {
    if (from.index >= to_.size()) to_.resize(from.index + 1);
    to_[from.index] = to;
}

ValueId ValueMap::get(ValueId from) const { return from.index < to_.size() ? to_[from.index] : ValueId(); }

void ValueMap::set(StorageId from, StorageId to) {
    if (from.index >= storage_to_.size()) storage_to_.resize(from.index + 1);
    storage_to_[from.index] = to;
}

StorageId ValueMap::get(StorageId from) const { return from.index < storage_to_.size() ? storage_to_[from.index] : StorageId(); }

namespace {

class Cloner {
public:
    Cloner(const Function& from, Function& to, ValueMap& map) : from_(from), to_(to), map_(map), same_(&from == &to) {}

    ValueId value(ValueId v) {
        if (!v) return v;
        if (ValueId mapped = map_.get(v)) return mapped;
        if (from_.is_constant(v)) return same_ ? v : to_.add_constant(ScalarConstant(from_[v].constant));
        SIFR_CHECK(same_, "{} is not mapped into the other function", v.str());
        return v;
    }

    InstId inst(InstId id, RegionId at) {
        // Copies, since the tables may be the same ones and move.
        Inst copy = from_[id];
        std::vector<ValueId> old_results = copy.results;
        std::vector<RegionId> old_regions = std::move(copy.regions);
        copy.regions.clear();
        for (ValueId& v : copy.operands) v = value(v);
        copy.dest = value(copy.dest);
        std::vector<Type> types;
        for (ValueId r : old_results) types.push_back(from_.type(r));
        InstId made = to_.add_inst(at, std::move(copy), types);
        for (size_t k = 0; k < old_results.size(); ++k) map_.set(old_results[k], to_[made].results[k]);
        for (ValueId r : old_results) finish(r);
        for (RegionId r : old_regions) region(r, to_.add_region(made));
        return made;
    }

    void region(RegionId old_region, RegionId made) {
        for (ValueId p : std::vector<ValueId>(from_[old_region].params)) {
            map_.set(p, to_.add_parameter(made, from_.type(p)));
            finish(p);
        }
        // By index: cloning into the region itself would not end, but other regions may move.
        for (InstId i : std::vector<InstId>(from_[old_region].insts))
            if (!from_[i].erased) inst(i, made);
        std::vector<ValueId> results;
        for (ValueId r : std::vector<ValueId>(from_[old_region].results)) results.push_back(value(r));
        to_[made].results = std::move(results);
    }

private:
    /// Name, view, leaf and the values that the type names, for a value that is mapped already.
    void finish(ValueId old) {
        Value v = from_[old];
        for_named_values(v, [&](ValueId& named) { named = value(named); });
        if (v.view.storage) v.view.storage = storage(v.view.storage);
        Value& made = to_[map_.get(old)];
        made.type = std::move(v.type);
        made.view = std::move(v.view);
        made.name = std::move(v.name);
        made.leaf = v.leaf;
    }

    StorageId storage(StorageId s) {
        if (StorageId mapped = map_.get(s)) return mapped;
        if (same_) return s;
        StorageId made = to_.add_storage(from_[s]);
        map_.set(s, made);
        return made;
    }

    const Function& from_;
    Function& to_;
    ValueMap& map_;
    bool same_;
};

}  // namespace

InstId clone_inst(const Function& from, InstId id, Function& to, RegionId at, ValueMap& map) {
    return Cloner(from, to, map).inst(id, at);
}

Function compact(const Function& f) {
    Function out;
    out.name = f.name;
    out.ledger = f.ledger;
    out.updates = f.updates;
    out.facts = f.facts;
    ValueMap map;
    Cloner(f, out, map).region(f.body, out.body);
    return out;
}

}  // namespace sifr
