// Layouts against what they mean: lists and sets of places, for all slices of a small tensor.

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "ir/type/layout.h"

namespace sifr {
namespace {

/// The places of a layout, in row-major order of its elements.
std::vector<int64_t> places(const Layout& l) {
    std::vector<int64_t> out;
    std::vector<int64_t> index(l.sizes.size(), 0);
    if (l.numel() == 0) return out;
    for (;;) {
        int64_t at = l.offset;
        for (size_t d = 0; d < index.size(); ++d) at += index[d] * l.strides[d];
        out.push_back(at);
        size_t d = index.size();
        while (d > 0 && ++index[d - 1] == l.sizes[d - 1]) index[--d] = 0;
        if (d == 0) return out;
    }
}

std::set<int64_t> place_set(const Layout& l) {
    std::vector<int64_t> p = places(l);
    return {p.begin(), p.end()};
}

/// All slices of a row-major tensor, with steps in both directions, each axis in turn last.
std::vector<Layout> slices(const Sizes& frame, bool backwards, bool transposed) {
    std::vector<Layout> out{Layout{0, {}, {}, {}, {}}};
    Strides strides = contiguous_strides(frame);
    for (size_t d = 0; d < frame.size(); ++d) {
        std::vector<Layout> longer;
        for (const Layout& l : out)
            for (int64_t start = 0; start < frame[d]; ++start)
                for (int64_t step = backwards ? -frame[d] + 1 : 1; step < frame[d]; ++step)
                    for (int64_t count = 1; step != 0 && start + step * (count - 1) >= 0 && start + step * (count - 1) < frame[d]; ++count) {
                        if (count == 1 && step != 1) continue;
                        Layout next = l;
                        next.offset += start * strides[d];
                        next.sizes.push_back(count);
                        next.strides.push_back(step * strides[d]);
                        longer.push_back(next);
                    }
        out = std::move(longer);
    }
    if (transposed)
        for (size_t k = 0, n = out.size(); k < n; ++k) {
            Layout l = out[k];
            std::reverse(l.sizes.begin(), l.sizes.end());
            std::reverse(l.strides.begin(), l.strides.end());
            out.push_back(l);
        }
    return out;
}

Overlap overlap_of_sets(const std::set<int64_t>& a, const std::set<int64_t>& b) {
    bool a_in_b = std::includes(b.begin(), b.end(), a.begin(), a.end());
    bool b_in_a = std::includes(a.begin(), a.end(), b.begin(), b.end());
    if (a_in_b && b_in_a) return Overlap::Equal;
    if (a_in_b) return Overlap::Inside;
    if (b_in_a) return Overlap::Contains;
    bool meet = std::any_of(a.begin(), a.end(), [&](int64_t x) { return b.count(x) != 0; });
    return meet ? Overlap::May : Overlap::Disjoint;
}

TEST(Layout, OverlapOfAllPairsOfSlicesIsExact) {
    for (const Sizes& frame : {Sizes{3, 4}, Sizes{7}, Sizes{2, 1, 3}}) {
        std::vector<Layout> all = slices(frame, true, false);
        std::vector<std::set<int64_t>> sets;
        for (const Layout& l : all) sets.push_back(place_set(l));
        for (size_t i = 0; i < all.size(); ++i)
            for (size_t j = 0; j < all.size(); ++j) {
                Overlap truth = overlap_of_sets(sets[i], sets[j]);
                ASSERT_EQ(overlap(all[i], all[j], frame), truth) << all[i].str() << " and " << all[j].str();
            }
    }
}

TEST(Layout, OverlapIsNeverWrongForOtherLayouts) {
    // Windows, flat ranges, diagonals, expanded axes: what is no box may be answered by May, but by nothing false.
    Sizes frame{3, 4};
    std::vector<Layout> all = slices(frame, false, true);
    for (int64_t offset = 0; offset < 12; ++offset)
        for (int64_t n = 1; n <= 4; ++n)
            for (int64_t m = 1; m <= 3; ++m)
                for (int64_t s = 0; s <= 5; ++s)
                    for (int64_t t = 0; t <= 5; ++t) {
                        Layout l{offset, {m, n}, {s, t}, {}, {}};
                        if (offset + (m - 1) * s + (n - 1) * t < 12) all.push_back(l);
                    }
    std::vector<std::set<int64_t>> sets;
    for (const Layout& l : all) sets.push_back(place_set(l));
    size_t decided = 0, exact = 0;
    for (size_t i = 0; i < all.size(); ++i)
        for (size_t j = i % 89; j < all.size(); j += 89) {
            Overlap answer = overlap(all[i], all[j], frame), truth = overlap_of_sets(sets[i], sets[j]);
            if (answer == Overlap::May) continue;
            ++decided;
            ASSERT_EQ(answer, truth) << all[i].str() << " and " << all[j].str();
            exact += truth != Overlap::May;
        }
    EXPECT_GE(decided, exact);
    EXPECT_GT(exact, 1000u);
}

TEST(Layout, OverlapOfEmptyLayouts) {
    Layout none = Layout::contiguous({0, 3}), all = Layout::contiguous({2, 3});
    EXPECT_EQ(overlap(none, all, {2, 3}), Overlap::Disjoint);
    EXPECT_EQ(overlap(none, none, {2, 3}), Overlap::Equal);
}

TEST(Layout, FlatViewsOfRowsAreDecided) {
    Sizes frame{4, 3};
    Layout flat_first{0, {6}, {1}, {}, {}}, flat_rest{6, {6}, {1}, {}, {}}, row{3, {3}, {1}, {}, {}};
    EXPECT_EQ(overlap(flat_first, flat_rest, frame), Overlap::Disjoint);
    EXPECT_EQ(overlap(flat_first, row, frame), Overlap::Contains);
    Layout odd{1, {5}, {1}, {}, {}};  // no box of the frame
    EXPECT_EQ(overlap(odd, flat_rest, frame), Overlap::Disjoint);
    EXPECT_EQ(overlap(flat_first, odd, frame), Overlap::Contains);
}

TEST(Layout, RunTimeIndices) {
    Sizes frame{4, 3};
    // x[i] with 0 <= i < 4, x[0], and x[i, 1].
    Layout row_i{0, {3}, {1}, {3}, {4}}, row_0{0, {3}, {1}, {}, {}}, element{1, {}, {}, {3}, {4}};
    EXPECT_EQ(overlap(row_i, row_i, frame), Overlap::Equal);
    EXPECT_EQ(overlap(row_i, row_0, frame), Overlap::May);
    EXPECT_EQ(overlap(row_i, element, frame), Overlap::Contains);
    // x.view(-1)[3 + i] with 0 <= i < 9 leaves row 1: it is no box of the frame, and may meet row 2.
    Layout flat_i{3, {}, {}, {1}, {9}}, row_2{6, {3}, {1}, {}, {}};
    EXPECT_EQ(box_in_frame(flat_i, frame), std::nullopt);
    EXPECT_EQ(overlap(flat_i, row_2, frame), Overlap::May);
    // x[1, i] with 0 <= i < 3 has the same offset and scale, and does not.
    Layout in_row{3, {}, {}, {1}, {3}};
    EXPECT_EQ(overlap(in_row, row_2, frame), Overlap::Disjoint);
    // Of unknown range, only the outermost axis is trusted.
    Layout unknown_row{0, {3}, {1}, {3}, {}}, unknown_flat{3, {}, {}, {1}, {}};
    EXPECT_NE(box_in_frame(unknown_row, frame), std::nullopt);
    EXPECT_EQ(box_in_frame(unknown_flat, frame), std::nullopt);
}

TEST(Layout, BoxOfEverySliceGivesTheSlice) {
    for (const Sizes& frame : {Sizes{3, 4}, Sizes{2, 1, 3}}) {
        Strides strides = contiguous_strides(frame);
        for (const Layout& l : slices(frame, true, true)) {
            std::optional<Box> box = box_in_frame(l, frame);
            ASSERT_TRUE(box) << l.str();
            Layout again{0, l.sizes, Strides(l.sizes.size(), 0), {}, {}};
            for (size_t a = 0; a < frame.size(); ++a) again.offset += box->starts[a] * strides[a];
            for (size_t d = 0; d < l.sizes.size(); ++d)
                if (box->axis_of[d] >= 0) again.strides[d] = box->steps[static_cast<size_t>(box->axis_of[d])] * strides[static_cast<size_t>(box->axis_of[d])];
            EXPECT_EQ(places(again), places(l)) << l.str();
        }
    }
}

TEST(Layout, BoxesDoNotWrap) {
    EXPECT_EQ(box_in_frame(Layout{2, {3}, {1}, {}, {}}, {3, 4}), std::nullopt);     // over the end of a row
    EXPECT_EQ(box_in_frame(Layout{0, {3}, {5}, {}, {}}, {3, 4}), std::nullopt);     // a diagonal
    EXPECT_EQ(box_in_frame(Layout{0, {3, 3}, {1, 1}, {}, {}}, {7}), std::nullopt);  // a window
    EXPECT_EQ(box_in_frame(Layout{0, {0}, {1}, {}, {}}, {3}), std::nullopt);        // without elements
}

TEST(Layout, CompositionOfAllSlices) {
    Sizes frame{3, 4};
    size_t found = 0;
    for (const Layout& outer : slices(frame, true, true)) {
        std::vector<int64_t> outer_places = places(outer);
        for (const Layout& inner : slices(outer.sizes, false, true)) {
            std::optional<Layout> both = compose(outer, inner);
            ASSERT_TRUE(both) << outer.str() << " then " << inner.str();
            std::vector<int64_t> expected;
            for (int64_t p : places(inner)) expected.push_back(outer_places[static_cast<size_t>(p)]);
            ASSERT_EQ(places(*both), expected) << outer.str() << " then " << inner.str();
            ++found;
        }
    }
    EXPECT_GT(found, 1000u);
}

TEST(Layout, CompositionThatNoStridesExpress) {
    Layout columns{0, {3, 2}, {4, 1}, {}, {}};  // the first two columns of a [3, 4]
    EXPECT_EQ(compose(columns, Layout{0, {6}, {1}, {}, {}}), std::nullopt);
    std::optional<Layout> column = compose(columns, Layout{1, {3}, {2}, {}, {}});
    ASSERT_TRUE(column);
    EXPECT_EQ(places(*column), (std::vector<int64_t>{1, 5, 9}));
}

TEST(Layout, CompositionKeepsIndices) {
    Layout rows{0, {2, 3}, {6, 1}, {3}, {2}};       // of a [4, 3]: rows i and i + 2
    Layout element{1, {}, {}, {3}, {2}};            // [j, 1]
    std::optional<Layout> both = compose(rows, element);
    ASSERT_TRUE(both);
    EXPECT_EQ(*both, (Layout{1, {}, {}, {3, 6}, {2, 2}}));
}

TEST(Layout, ViewStridesAreFoundExactlyWhenThereAreAny) {
    std::vector<Sizes> shapes{{12}, {3, 4}, {4, 3}, {2, 6}, {6, 2}, {2, 2, 3}, {1, 12}, {12, 1}, {2, 3, 2}, {1, 3, 1, 4}, {6}, {2, 3}, {3, 2}, {4}, {2, 2}, {1}, {}};
    for (const Layout& l : slices({3, 4}, false, true))
        for (const Sizes& shape : shapes) {
            std::optional<Strides> strides = view_strides(l, shape);
            if (element_count(shape) != l.numel()) {
                EXPECT_FALSE(strides);
                continue;
            }
            std::vector<int64_t> expected = places(l);
            if (strides) {
                ASSERT_EQ(places(Layout{l.offset, shape, *strides, {}, {}}), expected) << l.str();
                continue;
            }
            // None is claimed: there is none among all that are small.
            std::vector<Strides> candidates{{}};
            for (size_t d = 0; d < shape.size(); ++d) {
                std::vector<Strides> longer;
                for (const Strides& c : candidates)
                    for (int64_t s = 0; s <= 12; ++s) {
                        if (shape[d] == 1 && s > 0) break;
                        longer.push_back(c);
                        longer.back().push_back(s);
                    }
                candidates = std::move(longer);
            }
            for (const Strides& c : candidates) ASSERT_NE(places(Layout{l.offset, shape, c, {}, {}}), expected) << l.str();
        }
}

TEST(Layout, Predicates) {
    EXPECT_EQ(contiguous_strides({2, 0, 3}), (Strides{3, 3, 1}));
    EXPECT_TRUE(Layout::contiguous({2, 3}).is_whole({2, 3}));
    EXPECT_FALSE((Layout{1, {2}, {1}, {}, {}}).is_whole({3}));
    EXPECT_TRUE((Layout{5, {1, 3}, {100, 1}, {}, {}}).is_contiguous());  // an axis of size 1 does not count
    EXPECT_FALSE((Layout{0, {3, 2}, {1, 3}, {}, {}}).is_contiguous());
    EXPECT_TRUE((Layout{0, {3, 2}, {1, 3}, {}, {}}).is_dense());
    EXPECT_FALSE((Layout{0, {3, 2}, {1, 4}, {}, {}}).is_dense());
    EXPECT_TRUE((Layout{0, {3, 2}, {1, 4}, {}, {}}).is_injective());
    EXPECT_FALSE((Layout{0, {3, 2}, {1, 2}, {}, {}}).is_injective());
    EXPECT_TRUE((Layout{0, {3, 2}, {0, 1}, {}, {}}).has_zero_stride());
    EXPECT_FALSE((Layout{0, {1, 2}, {0, 1}, {}, {}}).has_zero_stride());
    EXPECT_FALSE((Layout{0, {3, 0}, {0, 1}, {}, {}}).has_zero_stride());
    for (const Layout& l : slices({3, 4}, true, true)) {
        std::vector<int64_t> p = places(l);
        EXPECT_TRUE(l.is_injective());
        bool run = true;
        for (size_t k = 1; k < p.size(); ++k) run = run && p[k] == p[k - 1] + 1;
        EXPECT_EQ(l.is_contiguous(), run) << l.str();
    }
}

}  // namespace
}  // namespace sifr
