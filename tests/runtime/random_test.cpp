// The random streams are PyTorch's, bit for bit (data/random.txt holds hashes of what PyTorch 2.15 drew).

#include "runtime/random.h"
#include "runtime/sifr_cuda.h"
#include "tests/runtime/support.h"

using namespace sifr::test;

namespace {

std::string hash_of(const std::vector<unsigned char>& bytes) {
    uint64_t hash = 0xCBF29CE484222325;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
    char text[20];
    std::snprintf(text, sizeof text, "%016lx", static_cast<unsigned long>(hash));
    return text;
}

std::vector<int64_t> numbers(const std::string& list) {
    std::vector<int64_t> out;
    for (const std::string& item : split(list, ',')) out.push_back(std::stoll(item));
    return out;
}

struct Generator {
    sifr_generator* g = sifr_generator_new();
    Generator() = default;
    explicit Generator(uint64_t seed) { sifr_manual_seed(g, seed); }
    ~Generator() { sifr_generator_free(g); }
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
};

}  // namespace

TEST(Random, RecordedDrawsAreEqualBitForBit) {
    const Generator generator;
    sifr_generator* g = generator.g;
    int line = 1;
    for (const auto& row : recorded("random.txt")) {
        ++line;
        ASSERT_EQ(row.size(), 8u);
        if (row[0] != "-") sifr_manual_seed(g, std::stoull(row[0]));
        const std::string& what = row[1];
        OwnedTensor out(dtype_of(row[2]), numbers(row[3]));
        std::vector<int64_t> strides;
        if (row[4] != "-") strides = numbers(row[4]);
        const int64_t* order = strides.empty() ? nullptr : strides.data();
        const bool whole = what == "range" || what == "multinomial";
        const double a = whole || row[5] == "0" ? 0 : double_of(row[5]);
        const double b = whole || row[6] == "0" ? 0 : double_of(row[6]);
        if (what == "uniform") sifr_random_uniform(g, &out.view, order, a, b);
        if (what == "normal") sifr_random_normal(g, &out.view, order, a, b);
        if (what == "range") sifr_random_range(g, &out.view, order, std::stoll(row[5]), std::stoll(row[6]));
        if (what == "full") sifr_random_full(g, &out.view, order);
        if (what == "bernoulli") sifr_random_bernoulli(g, &out.view, order, a);
        if (what == "exponential") sifr_random_exponential(g, &out.view, order, a);
        if (what == "geometric") sifr_random_geometric(g, &out.view, order, a);
        if (what == "cauchy") sifr_random_cauchy(g, &out.view, order, a, b);
        if (what == "log_normal") sifr_random_log_normal(g, &out.view, order, a, b);
        if (what == "perm") sifr_random_permutation(g, &out.view);
        if (what == "multinomial") {
            OwnedTensor weights(SIFR_F32, {std::stoll(row[5])});
            for (int64_t k = 0; k < weights.numel(); ++k) sifr_store_f64(&weights.view, k, static_cast<double>(k * 7 % 11 + 1) / 8);
            ASSERT_EQ(sifr_random_multinomial(g, &weights.view, &out.view, row[6] == "1"), SIFR_OK);
        }
        EXPECT_EQ(hash_of(out.bytes), row[7]) << "line " << line << ": " << what << ' ' << row[2] << ' ' << row[3];
    }
}

TEST(Random, SkippingLeavesTheStreamWhereDrawingWould) {
    for (const sifr_dtype dtype : {SIFR_F32, SIFR_F64, SIFR_F16, SIFR_C64}) {
        for (const int64_t size : {0, 1, 7, 16, 37, 5000}) {
            const Generator drawn(5);
            const Generator skipped(5);
            OwnedTensor odd(SIFR_F32, {3});  // leaves a cached sample
            sifr_random_normal(drawn.g, &odd.view, nullptr, 0, 1);
            sifr_random_normal(skipped.g, &odd.view, nullptr, 0, 1);
            OwnedTensor out(dtype, {size});
            sifr_random_normal(drawn.g, &out.view, nullptr, 0, 1);
            sifr_random_skip_normal(skipped.g, dtype, size, true);
            OwnedTensor after(SIFR_F64, {5}), expected(SIFR_F64, {5});
            sifr_random_normal(drawn.g, &expected.view, nullptr, 0, 1);
            sifr_random_normal(skipped.g, &after.view, nullptr, 0, 1);
            EXPECT_EQ(after.bytes, expected.bytes) << size << ' ' << string_of(sifr_dtype_name(dtype));
        }
    }
    const Generator drawn(5);
    const Generator skipped(5);
    for (int k = 0; k < 2000; ++k) sifr_random_u32(drawn.g);
    sifr_random_skip(skipped.g, 2000);
    EXPECT_EQ(sifr_random_u32(drawn.g), sifr_random_u32(skipped.g));
}

TEST(Random, SeedsAndStates) {
    const Generator g;
    EXPECT_EQ(sifr_initial_seed(g.g), 67280421310721u);
    sifr_manual_seed(g.g, (uint64_t{1} << 32) + 5);
    const uint32_t first = sifr_random_u32(g.g);
    const Generator low(5);
    EXPECT_EQ(sifr_random_u32(low.g), first);  // only the low 32 bits count
    std::vector<char> state(static_cast<size_t>(sifr_generator_state_size()));
    sifr_generator_get_state(g.g, state.data());
    const uint64_t next = sifr_random_u64(g.g);
    sifr_generator_set_state(g.g, state.data());
    EXPECT_EQ(sifr_random_u64(g.g), next);
    EXPECT_NE(sifr_seed_from_os(g.g), sifr_seed_from_os(g.g));
}

TEST(Random, AMemoryThatIsNotContiguousGetsTheSameNumbers) {
    const Generator a(9);
    const Generator b(9);
    OwnedTensor plain(SIFR_F32, {40});
    OwnedTensor wide(SIFR_F32, {80});
    const int64_t size = 40;
    const int64_t stride = 2;
    const int64_t seen = 1;
    const sifr_tensor gapped = {wide.view.data, SIFR_F32, 1, &size, &stride};
    sifr_random_normal(a.g, &plain.view, nullptr, 0, 1);
    sifr_random_normal(b.g, &gapped, &seen, 0, 1);
    for (int64_t k = 0; k < size; ++k) EXPECT_EQ(sifr_load_f64(&plain.view, k), sifr_load_f64(&gapped, k));
}

TEST(Random, WeightsAndProbabilitiesAreChecked) {
    const Generator g(1);
    OwnedTensor weights(SIFR_F32, {2});
    OwnedTensor out(SIFR_I64, {1});
    weights.set<float>({-1, 1});
    EXPECT_EQ(sifr_random_multinomial(g.g, &weights.view, &out.view, false), SIFR_RUNTIME_ERROR);
    EXPECT_EQ(failure(), "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0");
    weights.set<float>({0, 0});
    EXPECT_EQ(sifr_random_multinomial(g.g, &weights.view, &out.view, false), SIFR_RUNTIME_ERROR);
    EXPECT_EQ(failure(), "RuntimeError: invalid multinomial distribution (sum of probabilities <= 0)");
    weights.set<float>({0.5, 1.5});
    OwnedTensor chosen(SIFR_F32, {2});
    EXPECT_EQ(sifr_random_bernoulli_tensor(g.g, &chosen.view, nullptr, &weights.view), SIFR_RUNTIME_ERROR);
}

/// Philox4x32-10 as its authors published it, for counter and key 0: the four words of the first thread's first group.
TEST(Random, TorchCudasWordsAreThoseOfPhilox) {
    const int64_t usual = sifr::rt::philox_blocks;
    sifr::rt::philox_blocks = 1;  // 256 threads: elements 0, 256, 512 and 768 are the first thread's
    sifr_generator* g = sifr_cuda_generator_new();
    sifr_manual_seed(g, 0);
    OwnedTensor out(SIFR_I64, {1024});
    sifr_random_range(g, &out.view, nullptr, 0, 1 << 24);
    const auto* words = static_cast<const int64_t*>(out.view.data);
    const uint32_t published[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    for (int k = 0; k < 4; ++k) EXPECT_EQ(words[256 * k], published[k] & 0xFFFFFF) << k;
    sifr::rt::philox_blocks = usual;
    sifr_generator_free(g);
}

/// What torch.rand and torch.randn print on a GPU after torch.manual_seed(0).
TEST(Random, TorchCudasFirstNumbersAreThoseOfAGpu) {
    sifr_generator* g = sifr_cuda_generator_new();
    OwnedTensor out(SIFR_F32, {5});
    const auto* drawn = static_cast<const float*>(out.view.data);
    sifr_manual_seed(g, 0);
    sifr_random_uniform(g, &out.view, nullptr, 0, 1);
    const float uniform[] = {0.3990f, 0.5167f, 0.0249f, 0.9401f, 0.9459f};
    for (int k = 0; k < 5; ++k) EXPECT_NEAR(drawn[k], uniform[k], 6e-5) << k;
    sifr_manual_seed(g, 0);
    sifr_random_normal(g, &out.view, nullptr, 0, 1);
    const float normal[] = {-0.9247f, -0.4253f, -2.6438f, 0.1452f, -0.1209f};
    for (int k = 0; k < 5; ++k) EXPECT_NEAR(drawn[k], normal[k], 6e-5) << k;
    sifr_generator_free(g);
}
