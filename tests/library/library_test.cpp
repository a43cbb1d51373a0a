// A library of a script's functions, as a program in C uses it, compared with the same script loaded by libsifr.

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sifr/sifr.h>

#include "train.h"

namespace {

using Floats = std::vector<float>;

struct Data {
    Floats x = Floats(24), y = Floats(8);
    Data() {
        for (size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>((k * 7) % 5) - 2;
        for (size_t k = 0; k < y.size(); ++k) y[k] = 2 * x[3 * k] - x[3 * k + 1] + 0.5F;
    }
};

struct Context {
    train_context* c;
    explicit Context(const train_options* options = nullptr) : c(train_context_new(options)) {}
    ~Context() { train_context_free(c); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
};

std::map<std::string, train_tensor> state(const Context& context) {
    std::map<std::string, train_tensor> out;
    const char* name = nullptr;
    train_tensor t{};
    for (int32_t k = 0; train_state(context.c, k, &name, &t) == 0; ++k) out.emplace(name, t);
    return out;
}

TEST(Library, ComputesWhatTheLoadedScriptComputes) {
    sifr::Script script = sifr::load(SIFR_TEST_SCRIPT);
    auto step = script.function("step"), predict = script.function("predict");
    Context context;
    Data d;
    for (int64_t k = 1; k <= 40; ++k) {
        double loss = 0;
        int64_t steps = 0;
        ASSERT_EQ(train_step(context.c, d.x.data(), d.y.data(), &loss, &steps), 0) << train_error(context.c);
        const sifr::ScriptResult r = step(sifr::from_blob(d.x.data(), {8, 3}), sifr::from_blob(d.y.data(), {8, 1}));
        EXPECT_EQ(loss, r.number<double>(0)) << k;
        EXPECT_EQ(steps, k);
    }
    Floats p(8);
    ASSERT_EQ(train_predict(context.c, d.x.data(), p.data()), 0);
    EXPECT_EQ(std::memcmp(p.data(), predict(sifr::from_blob(d.x.data(), {8, 3})).tensor().data(), 32), 0);
    const auto mine = state(context);
    ASSERT_EQ(mine.size(), script.state_names().size());
    for (const std::string& name : script.state_names()) {
        const sifr::HostTensor t = script.state(name);
        ASSERT_TRUE(mine.contains(name)) << name;
        EXPECT_EQ(std::memcmp(mine.at(name).data, t.data(), static_cast<size_t>(t.numel()) * sifr::element_size(t.dtype())), 0) << name;
    }
}

TEST(Library, StateIsTheHostsToReadAndWrite) {
    Context context;
    auto s = state(context);
    ASSERT_TRUE(s.contains("model.weight"));
    EXPECT_EQ(s["model.weight"].ndim, 2);
    EXPECT_EQ(s["model.weight"].sizes[1], 3);
    EXPECT_EQ(s["model.weight"].dtype, 8);
    const float w[] = {1, 2, 3}, b = 0.5F;
    std::memcpy(s["model.weight"].data, w, sizeof w);
    std::memcpy(s["model.bias"].data, &b, sizeof b);
    Floats x(24, 1), p(8);
    ASSERT_EQ(train_predict(context.c, x.data(), p.data()), 0);
    EXPECT_EQ(p, Floats(8, 6.5F));
}

TEST(Library, ContextsShareNothing) {
    std::atomic<int> wrong = 0;
    const auto run = [&] {
        Context context;
        Data d;
        double loss = 0;
        int64_t steps = 0;
        for (int k = 0; k < 50; ++k)
            if (train_step(context.c, d.x.data(), d.y.data(), &loss, &steps) != 0) ++wrong;
        return std::pair{loss, steps};
    };
    const auto expected = run();
    EXPECT_EQ(expected.second, 50);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            if (run() != expected) ++wrong;
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Library, NumbersTextAndRaises) {
    std::string text;
    train_options o{};
    o.struct_size = sizeof o;
    o.user = &text;
    o.write_stdout = [](void* user, const char* data, int64_t size) {
        static_cast<std::string*>(user)->append(data, static_cast<size_t>(size));
    };
    Context context(&o);
    Floats x{1, 2, 3, 4};
    float sum = 0;
    int32_t off = 5;
    int64_t n = 0;
    ASSERT_EQ(train_scale(context.c, x.data(), 0.5, 7, 1, &sum, &off, &n), 0) << train_error(context.c);
    EXPECT_EQ(sum, 5);
    EXPECT_EQ(off, 0);
    EXPECT_EQ(n, 8);
    EXPECT_EQ(text, "scaled by 0.5\n");
    EXPECT_STREQ(train_error(context.c), "");
    EXPECT_NE(train_scale(context.c, x.data(), 2, -1, 0, &sum, &off, &n), 0);
    EXPECT_STREQ(train_error(context.c), "ValueError: n is -1");
    EXPECT_EQ(train_error_line(context.c), 28);
    EXPECT_EQ(train_scale(context.c, x.data(), 1, 0, 0, &sum, &off, &n), 0);
    EXPECT_EQ(off, 1);
}

TEST(Library, OptionsMayBeThoseOfAnOlderHeader) {
    // What stands behind struct_size bytes is not looked at.
    std::string text;
    train_options o{};
    o.struct_size = offsetof(train_options, user);
    o.seeded = 1;
    o.seed = 0;
    o.user = &text;
    o.write_stdout = [](void*, const char*, int64_t) { FAIL() << "the field is not there"; };
    Context context(&o);
    Floats x(4);
    ASSERT_EQ(train_noise(context.c, x.data()), 0);
    EXPECT_NE(x[0], 0);
}

TEST(Library, ForgottenSizesAndContextsAreSaid) {
    train_options o{};
    o.seeded = 1;
    Context context(&o);
    Floats x(4);
    EXPECT_NE(train_noise(context.c, x.data()), 0);
    EXPECT_STREQ(train_error(context.c), "ValueError: struct_size of the options is 0: set it to the size of the structure");
    EXPECT_TRUE(state(context).empty());
    EXPECT_NE(train_noise(nullptr, x.data()), 0);
    EXPECT_STREQ(train_error(nullptr), "OSError: there is no context: memory ran out when it was made");
    EXPECT_EQ(train_error_line(nullptr), 0);
    train_context_free(nullptr);
}

TEST(Library, RandomNumbersBelongToTheContext) {
    train_options o{};
    o.struct_size = sizeof o;
    Context a(&o), b(&o);
    Floats x(4), y(4), z(4);
    train_context_seed(a.c, 0);
    train_context_seed(b.c, 0);
    train_noise(a.c, x.data());
    train_noise(a.c, z.data());
    train_noise(b.c, y.data());
    EXPECT_EQ(x, y);
    EXPECT_NE(x, z);
    EXPECT_NEAR(x[0], 0.4963, 1e-4);  // as torch.manual_seed(0); torch.rand(4)
}

TEST(Library, KeptTensorsAreGivenOutAndReplaced) {
    Context context;
    Floats x{1, 2, 3, 4}, out(4);
    for (int k = 0; k < 5; ++k) {
        ASSERT_EQ(train_keep_last(context.c, x.data(), out.data()), 0);
        EXPECT_EQ(out[0], k == 0 ? 0 : static_cast<float>(2 * k)) << k;
        x[0] += 1;
    }
}

TEST(Library, AllocatesNothingOnceItIsWarm) {
    Context context;
    Data d;
    Floats x{1, 2, 3, 4}, p(8), out(4);
    double loss = 0;
    int64_t steps = 0;
    const auto all = [&] {
        train_step(context.c, d.x.data(), d.y.data(), &loss, &steps);
        train_predict(context.c, d.x.data(), p.data());
        train_keep_last(context.c, x.data(), out.data());
    };
    for (int k = 0; k < 3; ++k) all();
    const struct mallinfo2 before = mallinfo2();
    for (int k = 0; k < 1000; ++k) all();
    const struct mallinfo2 after = mallinfo2();
    EXPECT_EQ(after.uordblks, before.uordblks);
    EXPECT_EQ(after.hblkhd, before.hblkhd);
}

}  // namespace
