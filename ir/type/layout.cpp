#include "ir/type/layout.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"

namespace sifr {

int64_t element_count(const Sizes& sizes) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
    int64_t n = 1;
    for (int64_t s : sizes)
        if (__builtin_mul_overflow(n, s, &n))
            raise("RuntimeError", "Storage size calculation overflowed with sizes=[{}]", fmt::join(sizes, ", "));
    return n;
}

Strides contiguous_strides(const Sizes& sizes) {
    Strides strides(sizes.size());
    int64_t n = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
        strides[d] = n;
        n *= std::max<int64_t>(sizes[d], 1);
    }
    return strides;
}

bool Layout::is_contiguous() const {
    if (numel() == 0) return true;
    int64_t expected = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
        if (sizes[d] == 1) continue;
        if (strides[d] != expected) return false;
        expected *= sizes[d];
    }
    return true;
}

bool Layout::is_whole(const Sizes& frame) const { return offset == 0 && is_static() && sizes == frame && is_contiguous(); }

bool Layout::has_zero_stride() const {
    if (numel() == 0) return false;
    for (size_t d = 0; d < sizes.size(); ++d)
        if (sizes[d] > 1 && strides[d] == 0) return true;
    return false;
}

namespace {

/// Axes of more than one element by descending |stride|: the order in which a dense layout nests.
std::vector<size_t> axes_outer_first(const Layout& l) {
    std::vector<size_t> axes;
    for (size_t d = 0; d < l.sizes.size(); ++d)
        if (l.sizes[d] > 1) axes.push_back(d);
    std::stable_sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return std::abs(l.strides[a]) > std::abs(l.strides[b]); });
    return axes;
}

}  // namespace

bool Layout::is_dense() const {
    if (numel() == 0) return true;
    std::vector<size_t> axes = axes_outer_first(*this);
    int64_t expected = 1;
    for (size_t k = axes.size(); k-- > 0;) {
        if (strides[axes[k]] != expected) return false;
        expected *= sizes[axes[k]];
    }
    return true;
}

bool Layout::is_injective() const {
    if (numel() <= 1) return true;
    std::vector<size_t> axes = axes_outer_first(*this);
    int64_t span = 0;  // the largest distance inside the axes seen so far, innermost first
    for (size_t k = axes.size(); k-- > 0;) {
        int64_t stride = std::abs(strides[axes[k]]);
        if (stride <= span) return false;
        span += stride * (sizes[axes[k]] - 1);
    }
    return true;
}

std::string Layout::str() const {
    std::string out = fmt::format("+{}", offset);
    for (size_t k = 0; k < index_scales.size(); ++k) out += fmt::format("{:+}*i{}", index_scales[k], k);
    return out + fmt::format(" ({})", fmt::join(strides, ","));
}

Layout Layout::contiguous(const Sizes& sizes) { return Layout{0, sizes, contiguous_strides(sizes), {}, {}}; }

std::optional<Strides> view_strides(const Layout& layout, const Sizes& sizes) {
    int64_t count = layout.numel();
    if (element_count(sizes) != count) return std::nullopt;
    if (count == 0) return sizes == layout.sizes ? layout.strides : contiguous_strides(sizes);
    if (layout.sizes.empty()) return Strides(sizes.size(), 1);
    // Walk both shapes from the inside. A run of old axes that lie behind each other without a gap is one chunk; new axes
    // must fill each chunk exactly.
    Strides strides(sizes.size());
    size_t view_left = sizes.size();
    int64_t base = layout.strides.back(), chunk = 1, filled = 1;
    for (size_t d = layout.sizes.size(); d-- > 0;) {
        chunk *= layout.sizes[d];
        bool ends = d == 0 || (layout.sizes[d - 1] != 1 && layout.strides[d - 1] != chunk * base);
        if (!ends) continue;
        while (view_left > 0 && (filled < chunk || sizes[view_left - 1] == 1)) {
            strides[view_left - 1] = filled * base;
            filled *= sizes[view_left - 1];
            --view_left;
        }
        if (filled != chunk) return std::nullopt;
        if (d > 0) base = layout.strides[d - 1];
        chunk = filled = 1;
    }
    if (view_left != 0) return std::nullopt;
    return strides;
}

}  // namespace sifr
