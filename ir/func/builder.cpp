#include "ir/func/builder.h"

#include <algorithm>

namespace sifr {

Builder::Builder(Function& f, RegionId region, Location location) : f_(f), region_(region), location_(std::move(location)) {}

void Builder::into(RegionId region) {
    region_ = region;
    position_ = SIZE_MAX;
}

void Builder::before(InstId inst) {
    region_ = f_[inst].parent;
    const std::vector<InstId>& list = f_[region_].insts;
    auto it = std::find(list.begin(), list.end(), inst);
    SIFR_CHECK(it != list.end(), "{} is not in its region", inst.str());
    position_ = static_cast<size_t>(it - list.begin());
}

namespace {

/// The attributes in the signature's order, with its defaults where nothing was given; others, which passes add (`order`), behind.
Attrs complete_attrs(const Signature& sig, const Attrs& given) {
    Attrs out;
    for (const Param& p : sig.params) {
        if (p.is_operand()) continue;
        if (const AttrValue* v = given.find(p.name)) out.set(p.name, *v);
        else if (p.has_default) out.set(p.name, p.default_value);
    }
    for (const Attrs::Entry& e : given.entries())
        if (!out.has(e.name)) out.set(e.name, e.value);
    return out;
}

/// Operands at the end that were left out get the signature's defaults, or None. With a list among the parameters their
/// number says nothing, so then all must be there.
void complete_operands(Function& f, const Signature& sig, std::vector<ValueId>& operands) {
    size_t k = 0;
    for (const Param& p : sig.params) {
        if (!p.is_operand()) continue;
        if (p.list) return;
        if (k++ < operands.size()) continue;
        if (p.has_default) {
            ScalarConstant c;
            if (const bool* b = std::get_if<bool>(&p.default_value)) c = *b;
            else if (const int64_t* i = std::get_if<int64_t>(&p.default_value)) c = *i;
            else if (const double* d = std::get_if<double>(&p.default_value)) c = *d;
            else if (const std::string* s = std::get_if<std::string>(&p.default_value)) c = *s;
            operands.push_back(f.add_constant(std::move(c)));
        } else {
            SIFR_CHECK(p.optional, "operand '{}' is missing", p.name);
            operands.push_back(f.add_constant(std::monostate{}));
        }
    }
}

}  // namespace

std::vector<ValueId> Builder::emit_all(Op op, std::vector<ValueId> operands, Attrs attrs) {
    Inst inst;
    inst.op = op;
    inst.operands = std::move(operands);
    const Signature& sig = signature(op);
    complete_operands(f_, sig, inst.operands);
    inst.attrs = complete_attrs(sig, attrs);
    inst.location = location_;
    std::vector<Type> types = infer_types(InstCall(f_, inst));
    InstId id = f_.add_inst(region_, std::move(inst), types, position_);
    if (position_ != SIZE_MAX) ++position_;
    return f_[id].results;
}

ValueId Builder::emit(Op op, std::vector<ValueId> operands, Attrs attrs) {
    std::vector<ValueId> results = emit_all(op, std::move(operands), std::move(attrs));
    SIFR_CHECK(results.size() == 1, "'{}' has {} results", name_of(op), results.size());
    return results.front();
}

InstId Builder::emit_typed(Op op, std::vector<ValueId> operands, Attrs attrs, const std::vector<Type>& types) {
    Inst inst;
    inst.op = op;
    inst.operands = std::move(operands);
    inst.attrs = std::move(attrs);
    inst.location = location_;
    InstId id = f_.add_inst(region_, std::move(inst), types, position_);
    if (position_ != SIZE_MAX) ++position_;
    return id;
}

ValueId Builder::full(DType dtype, Sizes sizes, double value) {
    switch (category_of(dtype)) {
        case Category::Bool: return full(dtype, std::move(sizes), constant_bool(value != 0));
        case Category::Integer: return full(dtype, std::move(sizes), constant_int(static_cast<int64_t>(value)));
        case Category::Float:
        case Category::Complex: break;
    }
    return full(dtype, std::move(sizes), constant(value));
}

ValueId Builder::full(DType dtype, Sizes sizes, ValueId value) {
    return emit("full"_op, {value}, sifr::attrs({{"sizes", std::move(sizes)}, {"dtype", dtype}}));
}

ValueId Builder::cast(ValueId v, DType to) {
    if (f_.type(v).is_tensor() && f_.type(v).dtype == to) return v;
    return emit("cast"_op, {v}, sifr::attrs({{"dtype", to}}));
}

ValueId Builder::extract(ValueId v, const Layout& layout, std::span<const ValueId> indices) {
    if (layout.is_whole(f_.type(v).sizes)) return v;
    std::vector<ValueId> operands{v};
    operands.insert(operands.end(), indices.begin(), indices.end());
    return emit("extract"_op, std::move(operands), sifr::attrs({{"layout", layout}}));
}

ValueId Builder::insert(ValueId v, const Layout& layout, ValueId piece, std::span<const ValueId> indices) {
    std::vector<ValueId> operands{v, piece};
    operands.insert(operands.end(), indices.begin(), indices.end());
    return emit("insert"_op, std::move(operands), sifr::attrs({{"layout", layout}}));
}

ValueId Builder::reshape(ValueId v, Sizes sizes) {
    const Type& t = f_.type(v);
    SIFR_CHECK(element_count(sizes) == t.numel(), "reshape of {} to {} elements", t.text(), element_count(sizes));
    return extract(v, Layout::contiguous(sizes));
}

ValueId Builder::permute(ValueId v, std::vector<int> axes) {
    Layout whole = Layout::contiguous(f_.type(v).sizes);
    SIFR_CHECK(axes.size() == whole.sizes.size(), "a permutation of {} axes for {}", axes.size(), f_.type(v).text());
    Layout permuted = whole;
    for (size_t d = 0; d < axes.size(); ++d) {
        permuted.sizes[d] = whole.sizes.at(static_cast<size_t>(axes[d]));
        permuted.strides[d] = whole.strides.at(static_cast<size_t>(axes[d]));
    }
    return extract(v, permuted);
}

ValueId Builder::expand(ValueId v, Sizes sizes) {
    Layout whole = Layout::contiguous(f_.type(v).sizes);
    SIFR_CHECK(sizes.size() >= whole.sizes.size(), "expand of {} to {} axes", f_.type(v).text(), sizes.size());
    Layout expanded{0, sizes, Strides(sizes.size(), 0), {}, {}};
    size_t added = sizes.size() - whole.sizes.size();
    for (size_t d = 0; d < whole.sizes.size(); ++d) {
        if (whole.sizes[d] == sizes[added + d]) expanded.strides[added + d] = whole.strides[d];
        else SIFR_CHECK(whole.sizes[d] == 1, "expand of {}: axis {} to {}", f_.type(v).text(), d, sizes[added + d]);
    }
    return extract(v, expanded);
}

ValueId Builder::sum_to(ValueId v, const Sizes& sizes) {
    const Sizes from = f_.type(v).sizes;
    if (from == sizes) return v;
    SIFR_CHECK(from.size() >= sizes.size(), "sum of {} to {} axes", f_.type(v).text(), sizes.size());
    size_t added = from.size() - sizes.size();
    std::vector<int64_t> dims;
    for (size_t d = 0; d < from.size(); ++d)
        if (d < added || (sizes[d - added] == 1 && from[d] != 1)) dims.push_back(static_cast<int64_t>(d));
    ValueId sum = v;
    if (!dims.empty()) sum = emit("sum.dim"_op, {v}, sifr::attrs({{"dim", dims}, {"keepdim", true}, {"dtype", f_.type(v).dtype}}));
    return reshape(sum, sizes);
}

Attrs attrs(std::initializer_list<std::pair<std::string_view, AttrValue>> list) {
    Attrs out;
    for (const auto& [name, value] : list) out.set(name, value);
    return out;
}

}  // namespace sifr
