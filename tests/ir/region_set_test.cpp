// Sets of elements of a frame against sets of integers: random boxes with steps, loops over run-time indices.

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "ir/analysis/region_set.h"

namespace sifr {
namespace {

using Places = std::set<std::vector<int64_t>>;

/// The places of a product.
Places places(const RegionSet::Product& p) {
    Places out;
    if (std::any_of(p.begin(), p.end(), [](const auto& s) { return s.empty(); })) return out;
    std::vector<int64_t> at(p.size());
    auto level = [&](auto&& self, size_t a) -> void {
        if (a == p.size()) {
            out.insert(at);
            return;
        }
        for (const RegionSet::Interval& i : p[a])
            for (at[a] = i.begin; at[a] < i.end;) {
                int64_t here = at[a];
                self(self, a + 1);
                at[a] = here + 1;
            }
    };
    level(level, 0);
    return out;
}

/// The places of a set; fails the test when two products share one.
Places places(const RegionSet& s) {
    Places out;
    size_t total = 0;
    for (const RegionSet::Product& p : s.products()) {
        Places more = places(p);
        EXPECT_FALSE(more.empty()) << "an empty product is kept";
        total += more.size();
        out.insert(more.begin(), more.end());
    }
    EXPECT_EQ(total, out.size()) << "products overlap";
    EXPECT_EQ(s.count(), static_cast<int64_t>(out.size()));
    EXPECT_EQ(s.empty(), out.empty());
    return out;
}

/// The places of a box whose run-time indices have these values, inside of no frame in particular.
Places places(const Box& box, const std::vector<int64_t>& indices) {
    Places out;
    std::vector<int64_t> at(box.starts.size());
    auto level = [&](auto&& self, size_t a) -> void {
        if (a == at.size()) {
            out.insert(at);
            return;
        }
        int64_t start = box.starts[a];
        for (const Box::IndexTerm& t : box.terms[a]) start += t.scale * indices[static_cast<size_t>(t.index)];
        for (int64_t k = 0; k < box.extents[a]; ++k) {
            at[a] = start + k * box.steps[a];
            self(self, a + 1);
        }
    };
    level(level, 0);
    return out;
}

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    int64_t between(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(engine_); }

    Sizes frame() {
        Sizes f(static_cast<size_t>(between(0, 3)));
        for (int64_t& s : f) s = between(0, 20) == 0 ? 0 : between(1, 5);
        return f;
    }
    /// A box with steps in both directions inside of `frame`; nothing where the frame has no elements.
    Box box(const Sizes& frame) {
        Box b;
        for (int64_t size : frame) {
            int64_t start = between(0, size - 1), step = between(1, 3) * (between(0, 1) ? 1 : -1);
            int64_t most = step > 0 ? (size - 1 - start) / step + 1 : start / -step + 1;
            b.starts.push_back(start);
            b.steps.push_back(step);
            b.extents.push_back(between(1, most));
        }
        b.terms.resize(frame.size());
        return b;
    }

private:
    std::mt19937 engine_;
};

TEST(RegionSet, OperationsAgreeWithSetsOfPlaces) {
    Random random(1);
    for (int round = 0; round < 1500; ++round) {
        Sizes frame = random.frame();
        RegionSet set = RegionSet::whole(frame);
        Places expected = places(set);
        EXPECT_EQ(static_cast<int64_t>(expected.size()), element_count(frame));
        if (element_count(frame) == 0) continue;
        RegionSet other;
        Places expected_other;
        for (int step = 0; step < 6; ++step) {
            Box box = random.box(frame);
            std::optional<RegionSet::Product> product = RegionSet::of_box(box);
            ASSERT_TRUE(product);
            Places of_box = places(box, {});
            ASSERT_EQ(places(*product), of_box);
            Places next;
            switch (random.between(0, 5)) {
                case 0:
                case 1:
                    ASSERT_TRUE(set.subtract(*product));
                    std::set_difference(expected.begin(), expected.end(), of_box.begin(), of_box.end(), std::inserter(next, next.end()));
                    break;
                case 2:
                    ASSERT_TRUE(set.intersect(*product));
                    std::set_intersection(expected.begin(), expected.end(), of_box.begin(), of_box.end(), std::inserter(next, next.end()));
                    break;
                case 3:
                    ASSERT_TRUE(set.add(*product));
                    std::set_union(expected.begin(), expected.end(), of_box.begin(), of_box.end(), std::inserter(next, next.end()));
                    break;
                case 4:
                    ASSERT_TRUE(other.add(*product));
                    expected_other.insert(of_box.begin(), of_box.end());
                    ASSERT_EQ(places(other), expected_other);
                    ASSERT_TRUE(set.subtract(other));
                    std::set_difference(expected.begin(), expected.end(), expected_other.begin(), expected_other.end(), std::inserter(next, next.end()));
                    break;
                default:
                    ASSERT_TRUE(set.add(other));
                    std::set_union(expected.begin(), expected.end(), expected_other.begin(), expected_other.end(), std::inserter(next, next.end()));
                    break;
            }
            expected = std::move(next);
            ASSERT_EQ(places(set), expected);
        }
        // As layouts: each place once.
        std::optional<std::vector<Layout>> boxes = set.layouts(frame, 1000);
        ASSERT_TRUE(boxes);
        size_t total = 0;
        Strides strides = contiguous_strides(frame);
        for (const Layout& l : *boxes) {
            std::optional<Box> box = box_in_frame(l, frame);
            ASSERT_TRUE(box);
            for (const auto& at : places(*box, {})) EXPECT_TRUE(expected.count(at));
            total += static_cast<size_t>(l.numel());
        }
        EXPECT_EQ(total, expected.size());
    }
}

/// Gives up axes to run-time indices: axis a starts at starts[a] + scale · index.
TEST(RegionSet, SweepsAgreeWithTheUnionOverTheTrips) {
    Random random(2);
    int solid = 0, boxes = 0, refused = 0;
    for (int round = 0; round < 8000; ++round) {
        Sizes frame(static_cast<size_t>(random.between(1, 3)));
        for (int64_t& s : frame) s = random.between(1, 6);
        Box box = random.box(frame);
        int64_t lo = random.between(-2, 3), hi = random.between(-2, 8), step = random.between(1, 3);
        size_t moved = 0;
        for (size_t a = 0; a < frame.size(); ++a)
            if (random.between(0, 2) == 0) {
                box.terms[a].push_back({0, random.between(1, 3) * (random.between(0, 1) ? 1 : -1)});
                ++moved;
            }
        bool second = random.between(0, 3) == 0;
        if (second) box.terms[static_cast<size_t>(random.between(0, static_cast<int64_t>(frame.size()) - 1))].push_back({1, random.between(1, 2)});
        int64_t other = random.between(0, 3);
        Places expected;
        for (int64_t i = lo; i < hi; i += step) {
            Places at = places(box, {i, other});
            expected.insert(at.begin(), at.end());
        }
        std::optional<RegionSet::Product> swept = RegionSet::swept(box, 0, lo, hi, step);
        if (second || moved > 1) {
            EXPECT_FALSE(swept && second);
        } else {
            ASSERT_TRUE(swept);
            ASSERT_EQ(places(*swept), expected);
            ++solid;
        }
        std::optional<Box> as_box = RegionSet::swept_box(box, 0, lo, hi, step);
        if (!as_box) {
            ++refused;
            continue;
        }
        ++boxes;
        ASSERT_EQ(places(*as_box, {0, other}), expected);
    }
    EXPECT_GT(solid, 2000);
    EXPECT_GT(boxes, 2000);
    EXPECT_GT(refused, 400);
}

TEST(RegionSet, GivesUpWithoutChangeWhenItGrowsTooLarge) {
    Sizes frame{20000};
    RegionSet set = RegionSet::whole(frame);
    Box odd{{1}, {10000}, {2}, {{}}, {}};
    EXPECT_FALSE(RegionSet::of_box(odd)) << "more single places than the limit";
    RegionSet::Product gaps(1);
    for (int64_t k = 0; k < 5000; ++k) gaps[0].push_back({4 * k, 4 * k + 1});
    EXPECT_FALSE(set.subtract(gaps));
    EXPECT_EQ(set.count(), 20000);
    RegionSet none;
    EXPECT_FALSE(none.add(gaps));
    EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace sifr
