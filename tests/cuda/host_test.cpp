// Functions of a C++ program that run on the GPU, through <sifr/sifr.h>: under the driver that records and checks every call.

#include <sifr/sifr.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

namespace {

using sifr::Scalar;
using sifr::Tensor;
using Floats = std::vector<float>;

std::string log() {
    std::ifstream f(std::getenv("SIFR_TEST_CUDA_LOG"));
    return {std::istreambuf_iterator<char>(f), {}};
}
Floats values(const sifr::TensorView& t) { return {t.data<float>(), t.data<float>() + t.numel()}; }

template <class F>
std::string error(F&& f) {
    try {
        f();
    } catch (const sifr::Error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST(GpuFunctions, GiveWhatTheCpuGives) {
    const auto body = [](Tensor x, Tensor y, Scalar k) {
        x.mul_(k);
        Tensor w = x.detach().requires_grad_();
        Tensor z = sifr::for_(0, 4, w, [&](Scalar i, Tensor c) { return (c * 0.5 + i).sin() + y; });
        z.sum().backward();
        return std::tuple{w.grad(), z.sum(), z.sum().item()};
    };
    auto on_gpu = sifr::jit(body, {.device = sifr::kCUDA});
    auto on_cpu = sifr::jit(body);
    Floats x{1, 2, 3, 4, 5, 6}, y{1, 2, 3}, x2 = x;
    for (int k = 1; k < 4; ++k) {
        // Every other element of x.
        auto [g, s, n] = on_gpu(sifr::from_blob(x.data(), {3}, {2}), sifr::from_span(y), k);
        auto [g2, s2, n2] = on_cpu(sifr::from_blob(x2.data(), {3}, {2}), sifr::from_span(y), k);
        EXPECT_EQ(x, x2);
        EXPECT_EQ(values(g), values(g2));
        EXPECT_EQ(s.item<float>(), s2.item<float>());
        EXPECT_EQ(n.as<double>(), n2.as<double>());
    }
    EXPECT_NE(log().find("cuLaunchKernel"), std::string::npos);
    EXPECT_EQ(log().find("INVALID"), std::string::npos);
    ASSERT_FALSE(on_gpu.remarks().empty());
    EXPECT_NE(on_gpu.remarks()[0].text.find("go to the GPU and back for each call"), std::string::npos);
    EXPECT_NE(on_gpu.source(sifr::kCUDA).find("__global__"), std::string::npos);
    EXPECT_EQ(on_gpu.source(sifr::kCUDA), on_cpu.source(sifr::kCUDA));
}

TEST(GpuFunctions, RaisesLeaveThemUsable) {
    auto f = sifr::jit([](Tensor x, Tensor i) {
        x.add_(1);
        return sifr::index_select(x, 0, i);
    }, {.argument_names = {"x", "i"}, .device = sifr::kCUDA});
    Floats x{1, 2, 3};
    std::vector<int64_t> good{0, 2}, bad{0, 3};
    EXPECT_NE(error([&] { f(sifr::from_span(x), sifr::from_span(bad)); }).find("IndexError: index out of range in self\nnote: written before, wholly or in part: argument 1 ('x')"), std::string::npos);
    EXPECT_EQ(x, (Floats{2, 3, 4}));
    EXPECT_EQ(values(f(sifr::from_span(x), sifr::from_span(good))), (Floats{3, 5}));
    EXPECT_EQ(x, (Floats{3, 4, 5}));
}

TEST(GpuFunctions, ManyThreadsAndManyFunctions) {
    auto f = sifr::jit([](Tensor x) { return (x * 2).sum(); }, {.device = sifr::kCUDA});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 1; t < 4; ++t)
        threads.emplace_back([&, t] {
            Floats x(static_cast<size_t>(t), 1.0F);
            auto own = sifr::jit([t](Tensor a) { a.add_(t); }, {.device = sifr::kCUDA});
            for (int k = 0; k < 5; ++k) {
                own(sifr::from_span(x));
                if (f(sifr::from_span(x)).item<float>() != static_cast<float>(2 * t * (1 + (k + 1) * t))) ++wrong;
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(log().find("INVALID"), std::string::npos);
}

TEST(GpuFunctions, ScriptsKeepTheirStateBetweenCalls) {
    const char* text = R"(
import torch
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
def step(x, y):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()
)";
    const sifr::Script gpu = sifr::load_string(text, "train.py", {.device = sifr::kCUDA}), cpu = sifr::load_string(text, "train.py");
    Floats x{1, 2, 3, 4}, y{1, -1};
    const auto step = [&](const sifr::Script& s) { return s.function("step")(sifr::from_blob(x.data(), {2, 2}), sifr::from_blob(y.data(), {2, 1})).number<double>(); };
    for (int k = 0; k < 4; ++k) EXPECT_EQ(step(gpu), step(cpu));
    EXPECT_EQ(values(gpu.state("model.weight")), values(cpu.state("model.weight")));
}

}  // namespace
