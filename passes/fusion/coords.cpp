#include "passes/fusion/coords.h"

#include "ir/base/check.h"
#include "ir/base/planted_fault.h"

namespace sifr {

std::string Coords::key() const {
    std::string s = flat ? "f" : "";
    for (const Affine& a : at) {
        s += fmt::format("|{}", a.base);
        for (const Affine::Term& t : a.terms) s += fmt::format(",{}*{}", t.scale, t.var.index);
    }
    return s;
}

Affine linear(const Coords& c, const Sizes& sizes) {
    if (c.flat) return c.at[0];
    Affine out;
    Strides strides = contiguous_strides(sizes);
    SIFR_CHECK(c.at.size() == sizes.size(), "{} coordinates for {} axes", c.at.size(), sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] != 1) out.add(c.at[d], strides[d]);
    }
    return out;
}

std::optional<Affine> place_in_frame(const Layout& layout, const Coords& c, const std::vector<VarId>& indices) {
    Affine place = Affine::constant(planted(Fault::KernelOffset) && !layout.is_static() ? 0 : layout.offset);
    for (size_t k = 0; k < layout.index_scales.size(); ++k) {
        if (layout.index_scales[k] != 0) place.add(Affine::of(indices.at(k), layout.index_scales[k]));
    }
    if (c.flat) {
        if (!layout.is_contiguous()) return std::nullopt;
        place.add(c.at[0]);
        return place;
    }
    for (size_t d = 0; d < layout.sizes.size(); ++d) {
        if (layout.sizes[d] != 1 && layout.strides[d] != 0) place.add(c.at[d], layout.strides[d]);
    }
    return place;
}

std::optional<Coords> split(const Affine& place, const Sizes& frame, const VarRange& range) {
    Coords out;
    out.at.resize(frame.size());
    Strides strides = contiguous_strides(frame);
    for (const Affine::Term& t : place.terms) {
        // The outermost axis whose stride divides the factor.
        size_t axis = 0;
        while (axis < frame.size() && (frame[axis] == 1 || t.scale % strides[axis] != 0)) ++axis;
        if (axis == frame.size()) return std::nullopt;
        out.at[axis].add(Affine::of(t.var, t.scale / strides[axis]));
    }
    int64_t rest = place.base;
    if (rest < 0) return std::nullopt;
    for (size_t a = 0; a < frame.size(); ++a) {
        if (frame[a] == 1) continue;
        if (frame[a] == 0) return std::nullopt;
        out.at[a].base = rest / strides[a];
        rest %= strides[a];
    }
    if (rest != 0) return std::nullopt;
    // Digits are unique only if each stays inside its axis.
    for (size_t a = 0; a < frame.size(); ++a) {
        int64_t lo = out.at[a].base, hi = lo;
        bool known = true;
        for (const Affine::Term& t : out.at[a].terms) {
            auto r = range(t.var);
            if (!r) known = false;
            else {
                lo += t.scale * (t.scale > 0 ? r->first : r->second);
                hi += t.scale * (t.scale > 0 ? r->second : r->first);
            }
        }
        // A run-time index is known to stay inside of the axis that its factor walks.
        if (known && (lo < 0 || hi >= frame[a])) return std::nullopt;
    }
    return out;
}

std::optional<Coords> frame_coords(const Layout& layout, const Sizes& frame, const Coords& c, const std::vector<VarId>& indices,
                                   const VarRange& range) {
    auto place = place_in_frame(layout, c, indices);
    if (!place) return std::nullopt;
    // The same sizes from the start: the coordinates themselves.
    if (!c.flat && layout.is_whole(frame) && layout.sizes == frame) return c;
    if (auto s = split(*place, frame, range)) return s;
    return Coords{true, {*place}};
}

std::optional<Coords> broadcast_coords(const Sizes& sizes, const Sizes& result, const Coords& c) {
    if (c.flat) {
        if (sizes == result) return c;
        bool leading_ones = sizes.size() < result.size();
        for (size_t d = 0; leading_ones && d < result.size() - sizes.size(); ++d) leading_ones = result[d] == 1;
        if (leading_ones && Sizes(result.end() - static_cast<std::ptrdiff_t>(sizes.size()), result.end()) == sizes) return c;
        if (element_count(sizes) == 1) return Coords{false, std::vector<Affine>(sizes.size())};
        return std::nullopt;
    }
    Coords out;
    size_t skip = result.size() - sizes.size();
    for (size_t d = 0; d < sizes.size(); ++d) out.at.push_back(sizes[d] == 1 ? Affine{} : c.at[skip + d]);
    return out;
}

}  // namespace sifr
