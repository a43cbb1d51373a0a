// Sorting, selecting and counting; the expected values are PyTorch's.

#include <cmath>

#include "tests/runtime/support.h"

using namespace sifr::test;

namespace {

std::string shown(const OwnedTensor& tensor) {
    return string_of(sifr_tensor_tolist_str(&tensor.view));
}

}  // namespace

TEST(Sort, IsStableWithNaNLast) {
    OwnedTensor in(SIFR_F32, {2, 4});
    in.set<float>({3, NAN, 1, 1, 0, -0.0f, 2, -1});
    OwnedTensor values(SIFR_F32, {2, 4}), indices(SIFR_I64, {2, 4});
    sifr_sort(&in.view, 1, false, &values.view, &indices.view);
    EXPECT_EQ(shown(values), "[[1.0, 1.0, 3.0, nan], [-1.0, 0.0, -0.0, 2.0]]");
    EXPECT_EQ(shown(indices), "[[2, 3, 0, 1], [3, 0, 1, 2]]");
    sifr_sort(&in.view, 1, true, &values.view, &indices.view);
    EXPECT_EQ(shown(values), "[[nan, 3.0, 1.0, 1.0], [2.0, 0.0, -0.0, -1.0]]");
    EXPECT_EQ(shown(indices), "[[1, 0, 2, 3], [2, 0, 1, 3]]");
    sifr_sort(&in.view, 0, false, nullptr, &indices.view);
    EXPECT_EQ(shown(indices), "[[1, 1, 0, 1], [0, 0, 1, 0]]");
}

TEST(Sort, LargeRowsAreOrderedAndIndexed) {
    const int64_t n = 5000;  // more than are sorted by merging
    OwnedTensor in(SIFR_I64, {n}), values(SIFR_I64, {n}), indices(SIFR_I64, {n});
    for (int64_t k = 0; k < n; ++k) in.data<int64_t>()[k] = k * 7919 % 257 + (int64_t{1} << 60);
    sifr_sort(&in.view, 0, false, &values.view, &indices.view);
    for (int64_t k = 0; k < n; ++k) {
        const int64_t at = indices.data<int64_t>()[k];
        ASSERT_EQ(values.data<int64_t>()[k], in.data<int64_t>()[at]);
        if (k == 0) continue;
        const int64_t before = values.data<int64_t>()[k - 1];
        ASSERT_TRUE(before < values.data<int64_t>()[k] || (before == values.data<int64_t>()[k] && indices.data<int64_t>()[k - 1] < at));
    }
}

TEST(TopK, OrderOfEqualElementsIsPyTorchs) {
    OwnedTensor in(SIFR_I64, {8});
    in.set<int64_t>({1, 3, 3, 2, 3, 0, 3, 1});
    OwnedTensor values(SIFR_I64, {3}), indices(SIFR_I64, {3});
    sifr_topk(&in.view, 0, 3, true, true, &values.view, &indices.view);
    EXPECT_EQ(shown(values), "[3, 3, 3]");
    EXPECT_EQ(shown(indices), "[1, 6, 4]");
    OwnedTensor small(SIFR_I64, {2}), where(SIFR_I64, {2});
    sifr_topk(&in.view, 0, 2, false, true, &small.view, &where.view);
    EXPECT_EQ(shown(small), "[0, 1]");
    EXPECT_EQ(shown(where), "[5, 7]");
}

TEST(Select, KthValueMedianMode) {
    OwnedTensor in(SIFR_F64, {7});
    in.set<double>({5, 2, 9, 2, 7, 5, 1});
    OwnedTensor value(SIFR_F64, {1}), index(SIFR_I64, {1});
    sifr_kthvalue(&in.view, 0, 3, &value.view, &index.view);
    EXPECT_EQ(shown(value), "[2.0]");
    EXPECT_EQ(shown(index), "[3]");
    sifr_median(&in.view, 0, &value.view, &index.view);
    EXPECT_EQ(shown(value), "[5.0]");
    EXPECT_EQ(shown(index), "[0]");
    sifr_mode(&in.view, 0, &value.view, &index.view);
    EXPECT_EQ(shown(value), "[2.0]");
    EXPECT_EQ(shown(index), "[3]");
    in.data<double>()[4] = NAN;
    sifr_median(&in.view, 0, &value.view, &index.view);
    EXPECT_EQ(shown(index), "[4]");
}

TEST(Unique, ValuesInverseAndCounts) {
    OwnedTensor in(SIFR_I32, {2, 3});
    in.set<int32_t>({3, 1, 3, 2, 1, 1});
    int32_t values[6];
    int64_t counts[6];
    OwnedTensor inverse(SIFR_I64, {2, 3});
    ASSERT_EQ(sifr_unique(&in.view, values, &inverse.view, counts), 3);
    EXPECT_EQ(std::vector<int32_t>(values, values + 3), (std::vector<int32_t>{1, 2, 3}));
    EXPECT_EQ(std::vector<int64_t>(counts, counts + 3), (std::vector<int64_t>{3, 1, 2}));
    EXPECT_EQ(shown(inverse), "[[2, 0, 2], [1, 0, 0]]");
    ASSERT_EQ(sifr_unique_consecutive(&in.view, values, &inverse.view, counts), 5);
    EXPECT_EQ(shown(inverse), "[[0, 1, 2], [3, 4, 4]]");
    OwnedTensor rows(SIFR_F32, {4, 2});
    rows.set<float>({1, 2, 0, 5, 1, 2, 0, 4});
    int64_t representatives[4], classes[4];
    ASSERT_EQ(sifr_unique_dim(&rows.view, 0, false, representatives, classes, counts), 3);
    EXPECT_EQ(std::vector<int64_t>(classes, classes + 4), (std::vector<int64_t>{2, 1, 2, 0}));
    EXPECT_EQ(std::vector<int64_t>(representatives, representatives + 3), (std::vector<int64_t>{3, 1, 0}));
}

TEST(Search, BordersLeftAndRight) {
    OwnedTensor sorted(SIFR_F32, {4}), wanted(SIFR_F32, {5}), out(SIFR_I64, {5});
    sorted.set<float>({1, 3, 3, 7});
    wanted.set<float>({0, 3, 4, 7, NAN});
    sifr_searchsorted(&sorted.view, &wanted.view, false, &out.view);
    EXPECT_EQ(shown(out), "[0, 1, 3, 3, 4]");
    sifr_searchsorted(&sorted.view, &wanted.view, true, &out.view);
    EXPECT_EQ(shown(out), "[0, 3, 3, 4, 4]");
    OwnedTensor rows(SIFR_I64, {2, 3}), keys(SIFR_I64, {2, 2}), found(SIFR_I64, {2, 2});
    rows.set<int64_t>({1, 3, 5, 2, 4, 6});
    keys.set<int64_t>({3, 6, 3, 6});
    sifr_searchsorted(&rows.view, &keys.view, false, &found.view);
    EXPECT_EQ(shown(found), "[[1, 3], [1, 2]]");
}

TEST(Nonzero, IndicesAndChoice) {
    OwnedTensor in(SIFR_F32, {2, 3});
    in.set<float>({0, 1, -0.0f, NAN, 0, 2});
    std::vector<int64_t> out(12);
    ASSERT_EQ(sifr_nonzero(&in.view, out.data()), 3);
    EXPECT_EQ(std::vector<int64_t>(out.begin(), out.begin() + 6), (std::vector<int64_t>{0, 1, 1, 0, 1, 2}));
    EXPECT_EQ(sifr_nonzero(&in.view, nullptr), 3);
    OwnedTensor mask(SIFR_BOOL, {2, 3});
    mask.set<uint8_t>({0, 1, 0, 0, 0, 1});
    float chosen[6];
    ASSERT_EQ(sifr_masked_select(&in.view, &mask.view, chosen), 2);
    EXPECT_EQ(chosen[0], 1);
    EXPECT_EQ(chosen[1], 2);
}

TEST(Count, BinsAndHistograms) {
    OwnedTensor in(SIFR_I64, {5});
    in.set<int64_t>({1, 4, 1, 0, 4});
    int64_t bins = 0;
    ASSERT_EQ(sifr_bincount_size(&in.view, 0, &bins), SIFR_OK);
    ASSERT_EQ(bins, 5);
    OwnedTensor counts(SIFR_I64, {5});
    sifr_bincount(&in.view, nullptr, &counts.view);
    EXPECT_EQ(shown(counts), "[1, 2, 0, 0, 2]");
    in.data<int64_t>()[0] = -1;
    EXPECT_EQ(sifr_bincount_size(&in.view, 0, &bins), SIFR_RUNTIME_ERROR);
    OwnedTensor data(SIFR_F32, {5}), histogram(SIFR_F32, {4});
    data.set<float>({0, 0.5f, 1, 2, NAN});
    ASSERT_EQ(sifr_histc(&data.view, 0, 2, &histogram.view), SIFR_OK);
    EXPECT_EQ(shown(histogram), "[1.0, 1.0, 1.0, 1.0]");
    EXPECT_EQ(sifr_histc(&data.view, 2, 1, &histogram.view), SIFR_RUNTIME_ERROR);
    EXPECT_EQ(failure(), "RuntimeError: torch.histc: max must be larger than min");
}
