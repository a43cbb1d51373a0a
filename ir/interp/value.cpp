#include "ir/interp/value.h"

#include <cstring>

#include "ir/base/check.h"

namespace sifr {

RunTensor RunTensor::make(DType dtype, const Sizes& sizes) {
    auto memory = std::make_shared<RunMemory>(static_cast<size_t>(element_count(sizes) * size_of(dtype)));
    return {dtype, Layout::contiguous(sizes), std::move(memory), nullptr};
}

RunTensor RunTensor::packed() const {
    if (layout.offset == 0 && layout.is_contiguous() && memory->size() == static_cast<size_t>(numel() * size_of(dtype))) return with(Layout::contiguous(sizes()));
    return copied();
}

RunTensor RunTensor::copied() const {
    RunTensor out = make(dtype, sizes());
    size_t size = static_cast<size_t>(size_of(dtype));
    for (Walk w({&layout, &out.layout}); !w.done(); w.next()) std::memcpy(out.at(w.offset(1)), at(w.offset(0)), size);
    return out;
}

RunTensor RunTensor::expanded(const Sizes& to) const {
    SIFR_CHECK(to.size() >= sizes().size(), "expand to fewer axes");
    Layout l{layout.offset, to, Strides(to.size(), 0), {}, {}};
    size_t added = to.size() - sizes().size();
    for (size_t d = 0; d < sizes().size(); ++d) {
        if (sizes()[d] == to[added + d]) l.strides[added + d] = layout.strides[d];
        else SIFR_CHECK(sizes()[d] == 1, "axis {} of {} expanded to {}", d, sizes()[d], to[added + d]);
    }
    return with(std::move(l));
}

RunTensor RunTensor::cast(DType to) const {
    if (to == dtype) return *this;
    RunTensor out = make(to, sizes());
    for (Walk w({&layout, &out.layout}); !w.done(); w.next()) out.store(w.offset(1), cast_value(load(w.offset(0)), dtype, to));
    return out;
}

Walk::Walk(std::vector<const Layout*> layouts) : layouts_(std::move(layouts)), index_(layouts_.at(0)->sizes.size(), 0) {
    for (const Layout* l : layouts_) offsets_.push_back(l->offset);
    done_ = layouts_[0]->numel() == 0;
}

void Walk::next() {
    for (size_t d = index_.size(); d-- > 0;) {
        int64_t size = layouts_[0]->sizes[d];
        if (++index_[d] < size) {
            for (size_t k = 0; k < layouts_.size(); ++k) offsets_[k] += layouts_[k]->strides[d];
            return;
        }
        for (size_t k = 0; k < layouts_.size(); ++k) offsets_[k] -= layouts_[k]->strides[d] * (size - 1);
        index_[d] = 0;
    }
    done_ = true;
}

ScalarValue element_of(const RunValue& number, DType to) {
    ScalarValue v;
    if (const bool* b = std::get_if<bool>(&number)) {
        v.i64 = *b ? 1 : 0;
        return cast_value(v, DType::Bool, to);
    }
    if (const int64_t* i = std::get_if<int64_t>(&number)) {
        v.i64 = *i;
        return cast_value(v, DType::I64, to);
    }
    const double* d = std::get_if<double>(&number);
    SIFR_CHECK(d, "a number was expected");
    v.f64 = *d;
    return cast_value(v, DType::F64, to);
}

}  // namespace sifr
