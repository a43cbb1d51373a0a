#include "ir/analysis/region_set.h"
#include "ir/base/planted_fault.h"

#include <algorithm>

namespace sifr {
namespace {

using Interval = RegionSet::Interval;
using IndexSet = RegionSet::IndexSet;

IndexSet normalized(IndexSet s) {
    std::sort(s.begin(), s.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    IndexSet out;
    for (const Interval& i : s) {
        if (i.begin >= i.end) continue;
        if (!out.empty() && i.begin <= out.back().end) out.back().end = std::max(out.back().end, i.end);
        else out.push_back(i);
    }
    return out;
}

IndexSet intersection(const IndexSet& a, const IndexSet& b) {
    IndexSet out;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        int64_t begin = std::max(a[i].begin, b[j].begin), end = std::min(a[i].end, b[j].end);
        if (begin < end) out.push_back({begin, end});
        a[i].end < b[j].end ? ++i : ++j;
    }
    return out;
}

IndexSet difference(const IndexSet& a, const IndexSet& b) {
    IndexSet out;
    size_t j = 0;
    for (Interval i : a) {
        while (j < b.size() && b[j].end <= i.begin) ++j;
        int64_t at = i.begin;
        for (size_t k = j; k < b.size() && b[k].begin < i.end; ++k) {
            if (b[k].begin > at) out.push_back({at, b[k].begin});
            at = std::max(at, b[k].end);
        }
        if (at < i.end) out.push_back({at, i.end});
    }
    return out;
}

int64_t size_of(const IndexSet& s) {
    int64_t n = 0;
    for (const Interval& i : s) n += i.end - i.begin;
    return n;
}

/// start, start + step, …: `extent` places.
std::optional<IndexSet> walk_places(int64_t start, int64_t extent, int64_t step) {
    if (extent == 0) return IndexSet{};
    if (step == 1) return IndexSet{{start, start + extent + (planted(Fault::CoverageOffByOne) ? 1 : 0)}};
    if (step == -1) return IndexSet{{start - extent + 1, start + 1}};
    if (extent > static_cast<int64_t>(RegionSet::limit)) return std::nullopt;
    IndexSet out;
    for (int64_t k = 0; k < extent; ++k) out.push_back({start + k * step, start + k * step + 1});
    return normalized(std::move(out));
}

}  // namespace

RegionSet RegionSet::whole(const Sizes& frame) {
    RegionSet out;
    Product p;
    for (int64_t s : frame) p.push_back(IndexSet{{0, s}});
    if (element_count(frame) > 0) out.products_.push_back(std::move(p));
    return out;
}

int64_t RegionSet::count() const {
    int64_t n = 0;
    for (const Product& p : products_) {
        int64_t m = 1;
        for (const IndexSet& s : p) m *= size_of(s);
        n += m;
    }
    return n;
}

bool RegionSet::take(std::vector<Product> products) {
    size_t intervals = 0;
    for (const Product& p : products)
        for (const IndexSet& s : p) intervals += s.size();
    if (products.size() > limit || intervals > limit) return false;
    products_ = std::move(products);
    return true;
}

bool RegionSet::subtract(const Product& region) {
    std::vector<Product> out;
    for (const Product& p : products_) {
        bool touched = true;
        for (size_t a = 0; a < p.size() && touched; ++a) touched = !intersection(p[a], region[a]).empty();
        if (!touched) {
            out.push_back(p);
            continue;
        }
        // What lies outside on axis a, and inside on all axes in front of it: disjoint pieces.
        Product inside = p;
        for (size_t a = 0; a < p.size(); ++a) {
            IndexSet left = difference(p[a], region[a]);
            if (!left.empty()) {
                Product piece = inside;
                piece[a] = std::move(left);
                out.push_back(std::move(piece));
            }
            inside[a] = intersection(p[a], region[a]);
        }
        if (out.size() > limit) return false;
    }
    return take(std::move(out));
}

bool RegionSet::subtract(const RegionSet& other) {
    RegionSet left = *this;
    for (const Product& p : other.products_)
        if (!left.subtract(p)) return false;
    products_ = std::move(left.products_);
    return true;
}

bool RegionSet::intersect(const Product& region) {
    std::vector<Product> out;
    for (const Product& p : products_) {
        Product both;
        for (size_t a = 0; a < p.size(); ++a) both.push_back(intersection(p[a], region[a]));
        if (std::none_of(both.begin(), both.end(), [](const IndexSet& s) { return s.empty(); })) out.push_back(std::move(both));
    }
    return take(std::move(out));
}

bool RegionSet::add(const Product& region) {
    if (std::any_of(region.begin(), region.end(), [](const IndexSet& s) { return s.empty(); })) return true;
    // Products stay disjoint: the old ones give way where they meet the new one.
    RegionSet sum = *this;
    if (!sum.subtract(region)) return false;
    sum.products_.push_back(region);
    return take(std::move(sum.products_));
}

bool RegionSet::add(const RegionSet& other) {
    RegionSet sum = *this;
    for (const Product& p : other.products_)
        if (!sum.add(p)) return false;
    products_ = std::move(sum.products_);
    return true;
}

std::optional<RegionSet::Product> RegionSet::of_box(const Box& box) {
    Product out;
    for (size_t a = 0; a < box.starts.size(); ++a) {
        if (!box.terms[a].empty()) return std::nullopt;
        std::optional<IndexSet> s = walk_places(box.starts[a], box.extents[a], box.steps[a]);
        if (!s) return std::nullopt;
        out.push_back(std::move(*s));
    }
    return out;
}

std::optional<RegionSet::Product> RegionSet::swept(const Box& box, int index, int64_t lo, int64_t hi, int64_t step) {
    if (step <= 0) return std::nullopt;
    int64_t trips = lo < hi ? (hi - lo + step - 1) / step : 0;
    if (planted(Fault::SweptTooFar) && trips > 0) ++trips;
    Product out;
    int moved = 0;
    for (size_t a = 0; a < box.starts.size(); ++a) {
        std::optional<IndexSet> places = walk_places(box.starts[a], box.extents[a], box.steps[a]);
        if (!places) return std::nullopt;
        int64_t scale = 0;
        for (const Box::IndexTerm& t : box.terms[a]) {
            if (t.index != index) return std::nullopt;
            scale += t.scale;
        }
        if (scale == 0) {
            out.push_back(std::move(*places));
            continue;
        }
        // Two moved axes sweep a diagonal, not a product.
        if (++moved > 1) return std::nullopt;
        IndexSet all;
        int64_t stride = scale * step;
        bool solid = places->size() == 1 && std::abs(stride) <= places->front().end - places->front().begin;
        if (solid && trips > 0) {
            int64_t first = scale * lo, last = scale * (lo + (trips - 1) * step);
            all.push_back({places->front().begin + std::min(first, last), places->front().end + std::max(first, last)});
        } else {
            if (trips * static_cast<int64_t>(places->size()) > static_cast<int64_t>(limit)) return std::nullopt;
            for (int64_t k = 0; k < trips; ++k)
                for (const Interval& i : *places) all.push_back({i.begin + scale * (lo + k * step), i.end + scale * (lo + k * step)});
        }
        out.push_back(normalized(std::move(all)));
    }
    if (trips == 0)
        for (IndexSet& s : out) s.clear();
    return out;
}

std::optional<Box> RegionSet::swept_box(const Box& box, int index, int64_t lo, int64_t hi, int64_t step) {
    if (step <= 0 || lo >= hi) return std::nullopt;
    int64_t trips = (hi - lo + step - 1) / step;
    Box out = box;
    int moved = 0;
    for (size_t a = 0; a < box.starts.size(); ++a) {
        int64_t scale = 0;
        std::vector<Box::IndexTerm> others;
        for (const Box::IndexTerm& t : box.terms[a]) {
            if (t.index == index) scale += t.scale;
            else others.push_back(t);
        }
        out.terms[a] = std::move(others);
        if (scale == 0) continue;
        if (++moved > 1) return std::nullopt;
        int64_t stride = scale * step;
        out.starts[a] += scale * lo;
        if (box.extents[a] == 1) {
            out.extents[a] = trips;
            out.steps[a] = stride;
        } else if (std::abs(box.steps[a]) == 1 && std::abs(stride) <= box.extents[a]) {
            // The pieces meet or overlap: one interval, in the piece's own direction.
            int64_t reach = (trips - 1) * stride;
            out.extents[a] += std::abs(reach);
            if ((reach > 0) != (box.steps[a] > 0)) out.starts[a] += reach;
        } else {
            return std::nullopt;
        }
    }
    // Which axis of a view walks where is no longer told.
    out.axis_of.clear();
    return out;
}

std::optional<std::vector<Layout>> RegionSet::layouts(const Sizes& frame, size_t most) const {
    Strides strides = contiguous_strides(frame);
    std::vector<Layout> out;
    for (const Product& p : products_) {
        size_t boxes = 1;
        for (const IndexSet& s : p) boxes *= s.size();
        if (out.size() + boxes > most) return std::nullopt;
        for (size_t k = 0; k < boxes; ++k) {
            Layout l;
            l.strides = strides;
            size_t rest = k;
            for (size_t a = 0; a < p.size(); ++a) {
                const Interval& i = p[a][rest % p[a].size()];
                rest /= p[a].size();
                l.offset += i.begin * strides[a];
                l.sizes.push_back(i.end - i.begin);
            }
            out.push_back(std::move(l));
        }
    }
    return out;
}

}  // namespace sifr
