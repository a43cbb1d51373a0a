// Traced functions, through <sifr/sifr.h> alone.

#include <sifr/sifr.h>

#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

namespace {

using sifr::HostTensor;
using sifr::Object;
using sifr::Scalar;
using sifr::Tensor;
using sifr::from_blob;

std::vector<float> values(const sifr::TensorView& t) {
    const HostTensor c = sifr::clone_host(t);
    return {c.data<float>(), c.data<float>() + c.numel()};
}
using Floats = std::vector<float>;

/// The Error that `f` throws.
template <class F>
sifr::Error::Details error(F&& f, std::string* text = nullptr) {
    try {
        f();
    } catch (const sifr::Error& e) {
        if (text) *text = e.what();
        return e.details();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

TEST(Jit, ComputesOnTheCallersMemory) {
    auto step = sifr::jit([](Tensor x, Tensor w) { return (x * w).sum(); });
    Floats x{1, 2, 3, 4, 5, 6}, w{1, 1, 1, 2, 2, 2};
    EXPECT_EQ(step(from_blob(x.data(), {2, 3}), from_blob(w.data(), {2, 3})).item<float>(), 36);
    x[0] = 10;
    EXPECT_EQ(step(from_blob(x.data(), {2, 3}), from_blob(w.data(), {2, 3})).item<float>(), 45);
    EXPECT_EQ(step.signatures(), 1U);
    EXPECT_EQ(step(from_blob(x.data(), {3}), from_blob(w.data(), {3})).item<float>(), 15);
    EXPECT_EQ(step.signatures(), 2U);
}

TEST(Jit, WritesInPlace) {
    auto f = sifr::jit([](Tensor x, Tensor y) {
        x.add_(y);
        x[0].zero_();
        return x;
    });
    Floats x{1, 2, 3, 4}, y{10, 20, 30, 40};
    const HostTensor r = f(from_blob(x.data(), {2, 2}), from_blob(y.data(), {2, 2}));
    EXPECT_EQ(x, (Floats{0, 0, 33, 44}));
    EXPECT_EQ(r.data(), x.data()) << "a result that is an argument is no copy";
    EXPECT_FALSE(r.owns_memory());
}

TEST(Jit, TakesStridesAndAnyAlignment) {
    auto f = sifr::jit([](Tensor x) {
        x.mul_(2);
        return x.sum(0);
    });
    Floats m(13);
    std::iota(m.begin(), m.end(), -1.0F);  // the matrix begins at element 1: 0 … 11, rows of 4
    const HostTensor r = f(from_blob(m.data() + 1, {4, 3}, {1, 4}));  // its transpose
    EXPECT_EQ(values(r), (Floats{12, 44, 76}));
    EXPECT_EQ(m[12], 22);
    EXPECT_EQ(m[0], -1);
    // A column of a matrix: the rest stays.
    Floats n{1, 2, 3, 4, 5, 6};
    f(from_blob(n.data() + 1, {2}, {3}));
    EXPECT_EQ(n, (Floats{1, 4, 3, 4, 10, 6}));
}

TEST(Jit, MemoryBetweenTwoElementsIsCopiedThereAndBack) {
    auto f = sifr::jit([](Tensor x, Tensor y) {
        x.mul_(2);
        return std::tuple{x + y, x};
    }, {.argument_names = {"x", "y"}});
    alignas(8) unsigned char bytes[30];
    for (unsigned char& b : bytes) b = 0xAB;
    const Floats values_in{1, 2, 3, 4, 5, 6};
    std::memcpy(bytes + 1, values_in.data(), 24);
    Floats y{10, 20, 30};
    // Every other element, from a byte that is no multiple of four.
    const sifr::TensorView x = from_blob(static_cast<void*>(bytes + 1), {3}, sifr::kFloat32, {2});
    auto [sum, same] = f(x, sifr::from_span(y));
    EXPECT_EQ(values(sum), (Floats{12, 26, 40}));
    EXPECT_EQ(same.data(), bytes + 1);
    Floats back(6);
    std::memcpy(back.data(), bytes + 1, 24);
    EXPECT_EQ(back, (Floats{2, 2, 6, 4, 10, 6}));
    EXPECT_EQ(bytes[0], 0xAB);
    EXPECT_EQ(bytes[25], 0xAB);
    ASSERT_EQ(f.remarks().size(), 1U);
    EXPECT_EQ(f.remarks()[0].code, "copied");
    EXPECT_NE(f.remarks()[0].text.find("argument 1 ('x')"), std::string::npos) << f.remarks()[0].text;
    // Aligned memory is not copied.
    Floats z{1, 2, 3, 4, 5, 6};
    f(from_blob(z.data(), {3}, {2}), sifr::from_span(y));
    EXPECT_TRUE(f.remarks().empty());
    EXPECT_EQ(z, (Floats{2, 2, 6, 4, 10, 6}));
}

TEST(Jit, MachineCodeIsKeptOnDiskWhenThatIsAskedFor) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("sifr-jit-cache-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()); };
    Floats x{1, 2, 3};
    const auto run = [&](double k) { return values(sifr::jit([=](Tensor a) { return a * k; }, {.cache_folder = folder.string()})(sifr::from_span(x))); };
    EXPECT_EQ(run(2), (Floats{2, 4, 6}));
    EXPECT_EQ(files(), 1);
    EXPECT_EQ(run(2), (Floats{2, 4, 6}));
    EXPECT_EQ(files(), 1);
    EXPECT_EQ(run(3), (Floats{3, 6, 9})) << "another program, another entry";
    EXPECT_EQ(files(), 2);
    // What is damaged is made again.
    for (const auto& file : std::filesystem::directory_iterator(folder)) std::filesystem::resize_file(file, 40);
    EXPECT_EQ(run(2), (Floats{2, 4, 6}));
    std::filesystem::remove_all(folder);
}

TEST(Jit, TakesWhatATorchUserWrites) {
    auto f = sifr::jit([](Tensor& x) {
        using namespace sifr;
        Tensor y = x.clone();
        y[1] += 2;
        y.index_put_({Slice(None, None, 2), 0}, tensor({0.25, 1, 4}));
        return std::tuple{y[0][1], !(y > 1), ~(y > 1), y[tensor({1, 0})], y[y > 4], Tensor(call("torch.einsum", "ij,kj->ik", y, y)), ones({2}, kFloat64) + arange(2) + eye(2, {kFloat64})[0] * zeros({2}, {kFloat64})};
    });
    Floats x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_THROW(f(from_blob(x.data(), {5, 2})), sifr::Error) << "y[y > 4] has a size that depends on data";
    auto g = sifr::jit([](const Tensor& x) {
        using namespace sifr;
        Tensor y = x.clone();
        y[1] += 2;
        y.index_put_({Slice(None, None, 2), 0}, tensor({0.25, 1, 4}));
        return std::tuple{y[0][1], (!(y > 1)).sum(), (~(y > 1)).sum(), y[tensor({1, 0})], y[y > 4].sum(), Tensor(call("torch.einsum", "ij,kj->ik", y, y)).trace(), ones({2}, kFloat64) + arange(2) + eye(2, {kFloat64})[0] * zeros({2}, {kFloat64})};
    });
    auto [a, b, c, d, e, t, o] = g(from_blob(x.data(), {5, 2}));
    EXPECT_EQ(a.item<float>(), 1);
    EXPECT_EQ(b.item<int>(), 3);
    EXPECT_EQ(c.item<int>(), 3);
    EXPECT_EQ(values(d), (Floats{4, 5, 0.25, 1}));
    EXPECT_EQ(e.item<float>(), 5 + 5 + 6 + 7 + 9);
    EXPECT_EQ(t.item<float>(), 0.0625F + 1 + 16 + 25 + 1 + 25 + 36 + 49 + 16 + 81);
    EXPECT_EQ(o.dtype(), sifr::kFloat64);
}

TEST(Jit, PlacesAreThoseOfTheOperators) {
    const auto line = [](const sifr::Error::Details& e) { return e.places.empty() ? 0U : e.places[0].line; };
    Floats x{1, 2, 3};
    const uint32_t here = __LINE__;
    EXPECT_EQ(line(error([&] { sifr::jit([](Tensor a) { a.neg(); return a[7]; })(sifr::from_span(x)); })), here + 1);
    EXPECT_EQ(line(error([&] { sifr::jit([](Tensor a) { Tensor b = sifr::zeros({2}); return a += b; })(sifr::from_span(x)); })), here + 2);
    EXPECT_EQ(line(error([&] { sifr::jit([](Tensor a) { return a.size(2); })(sifr::from_span(x)); })), here + 3);
    EXPECT_EQ(line(error([&] { sifr::jit([](Tensor a) { return sifr::call("torch.nn.Linear", 2, 2)(a); })(sifr::from_span(x)); })), here + 4);
    EXPECT_EQ(sifr::jit([](Tensor a) { return std::pair{a.size(0), sifr::call("torch.norm", a)}; })(sifr::from_span(x)).first, 3);
}

TEST(Jit, ArgumentsThatOverlapAreOneMemory) {
    auto f = sifr::jit([](Tensor a, Tensor b) {
        a.add_(1);
        b.mul_(10);
    });
    Floats m{1, 2, 3, 4};
    f(from_blob(m.data(), {3}), from_blob(m.data() + 1, {3}));
    EXPECT_EQ(m, (Floats{2, 30, 40, 40}));
    Floats n{1, 2, 3};
    f(from_blob(m.data(), {3}), from_blob(n.data(), {3}));
    EXPECT_EQ(n, (Floats{10, 20, 30}));
    EXPECT_EQ(f.signatures(), 2U);
}

TEST(Jit, NumbersAreRunTimeValues) {
    auto f = sifr::jit([](Tensor x, Scalar k, int64_t n) { return std::tuple{(x * k).sum(), k + 1, Scalar(n)}; });
    Floats x{1, 2, 3};
    auto [s, k, n] = f(from_blob(x.data(), {3}), 0.5, 7);
    EXPECT_EQ(s.item<float>(), 3);
    EXPECT_EQ(k.as<double>(), 1.5);
    EXPECT_EQ(n.as<int64_t>(), 7);
    f(from_blob(x.data(), {3}), 0.25, 7);
    EXPECT_EQ(f.signatures(), 1U);
    f(from_blob(x.data(), {3}), 0.25, 8);
    EXPECT_EQ(f.signatures(), 2U);
}

TEST(Jit, ComplexMemoryIsThatOfStdComplex) {
    using C = std::complex<float>;
    const C i(0, 1);
    auto f = sifr::jit([=](Tensor a, Tensor b) {
        a.mul_(b);
        return std::tuple{a, a + b * i, 2.0F * i - a, a.abs(), sifr::call("torch.conj", b), a[0], a.sum()};
    });
    std::vector<C> a{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, b{{0, 1}, {2, -1}};
    // Every other element of `a`.
    auto [same, sum, difference, length, conjugated, first, total] = f(from_blob(a.data(), {2}, {2}), sifr::from_span(b));
    EXPECT_EQ(a, (std::vector<C>{{-2, 1}, {3, 4}, {16, 7}, {7, 8}}));
    EXPECT_EQ(same.dtype(), sifr::kComplex64);
    EXPECT_EQ(same.data(), a.data());
    EXPECT_EQ(same.strides()[0], 2);
    EXPECT_EQ(sum.at<C>({0}), C(-3, 1));
    EXPECT_EQ(sum.at<C>({1}), C(17, 9));
    EXPECT_EQ(difference.at<C>({0}), C(2, 1));
    EXPECT_EQ(length.dtype(), sifr::kFloat32);
    EXPECT_EQ(conjugated.at<C>({1}), C(2, 1));
    EXPECT_EQ(first.data(), a.data());
    EXPECT_EQ(first.dim(), 0U);
    EXPECT_EQ(total.at<C>({}), C(14, 8));
    EXPECT_EQ(sum.str(), "tensor([-3.+1.j, 17.+9.j])");
    // What is known while tracing, a gradient, doubles, the real parts as memory.
    auto g = sifr::jit([](Tensor z) {
        if (z.dtype() != sifr::kComplex128 || z.sizes() != std::vector<int64_t>{2} || z.strides() != std::vector<int64_t>{1}) return z.abs();
        z.requires_grad_();
        z.abs().pow(2).sum().backward();
        return z.grad();
    });
    std::vector<std::complex<double>> z{{1, 2}, {3, 4}};
    EXPECT_EQ(g(sifr::from_span(z)).at<std::complex<double>>({1}), std::complex<double>(6, 8));
    auto real = sifr::jit([](Tensor z) { return Object(z.call("conj")).attr("real").tensor(); });
    EXPECT_EQ(real(sifr::from_span(z)).at<double>({1}), 3);
    EXPECT_EQ(error([&] { (void)sifr::from_span(z).item<float>(); }).kind, sifr::Error::Kind::Call);
    // A script's function gets them, too.
    auto script = sifr::load_string("import torch\ndef f(z):\n    z.mul_(2)\n    return torch.view_as_real(z).sum(), z\n").function("f");
    const sifr::ScriptResult r = script(sifr::from_span(z));
    EXPECT_EQ(r.number<double>(0), 20);
    EXPECT_EQ(r.tensor(1).data(), z.data());
    EXPECT_EQ(z[1], std::complex<double>(6, 8));
}

TEST(Jit, Differentiates) {
    auto f = sifr::jit([](Tensor x, Tensor w) {
        w.requires_grad_();
        Tensor loss = (x * w).tanh().sum();
        loss.backward();
        return std::tuple{loss, w.grad()};
    });
    Floats x{0.5F, -1}, w{1, 2};
    auto [loss, grad] = f(from_blob(x.data(), {2}), from_blob(w.data(), {2}));
    EXPECT_NEAR(loss.item<float>(), std::tanh(0.5F) + std::tanh(-2.0F), 1e-6F);
    EXPECT_NEAR(values(grad)[0], 0.5F * (1 - std::pow(std::tanh(0.5F), 2.0F)), 1e-6F);
    auto g = sifr::jit([](Tensor x) {
        x.requires_grad_();
        return sifr::autograd::grad({(x * x * x).sum()}, {x});
    });
    EXPECT_EQ(values(g(from_blob(x.data(), {2})).at(0)), (Floats{0.75F, 3}));
}

TEST(Jit, TrainsInPlace) {
    auto step = sifr::jit([](std::vector<Tensor> p, Tensor x, Tensor y, Scalar rate) {
        for (Tensor& t : p) t.requires_grad_();
        Tensor loss = (x.matmul(p[0]) + p[1] - y).pow(2).mean();
        std::vector<Tensor> g = sifr::autograd::grad({loss}, p);
        sifr::NoGradGuard guard;
        for (size_t k = 0; k < p.size(); ++k) p[k].sub_(g[k] * rate);
        return loss;
    });
    Floats w(3), b(1), x(30), y(10);
    for (size_t k = 0; k < x.size(); ++k) x[k] = std::sin(static_cast<float>(k));
    for (size_t k = 0; k < y.size(); ++k) y[k] = 2 * x[3 * k] - x[3 * k + 1] + 0.5F;
    float first = 0, last = 0;
    for (int k = 0; k < 500; ++k) {
        last = step({from_blob(w.data(), {3, 1}), from_blob(b.data(), {1})}, from_blob(x.data(), {10, 3}), from_blob(y.data(), {10, 1}), 0.1).item<float>();
        if (k == 0) first = last;
    }
    EXPECT_LT(last, first * 1e-3F);
    EXPECT_EQ(step.signatures(), 1U);
}

TEST(Jit, LoopsAndBranchesAreInTheCode) {
    auto f = sifr::jit([](Tensor x, Scalar n) {
        Tensor y = sifr::for_(0, n, x, [](Scalar i, Tensor c) { return c * 2 + i; });
        auto [z, k] = sifr::while_(std::tuple{y, Scalar(0)}, [](auto c) { return std::get<0>(c).sum() < 1000; },
                                   [](auto c) { return std::tuple{std::get<0>(c) * 3, std::get<1>(c) + 1}; });
        Tensor r = sifr::if_(z.sum() > 2000, [z = z] { return z - 1; }, [z = z] { return z + 1; });
        return std::tuple{r, k};
    });
    Floats x{1, 2};
    for (int64_t n : {0, 1, 5}) {
        Floats y = x;
        for (int64_t i = 0; i < n; ++i)
            for (float& v : y) v = v * 2 + static_cast<float>(i);
        int64_t k = 0;
        while (y[0] + y[1] < 1000) {
            for (float& v : y) v *= 3;
            ++k;
        }
        const float d = y[0] + y[1] > 2000 ? -1 : 1;
        for (float& v : y) v += d;
        auto [r, passes] = f(from_blob(x.data(), {2}), n);
        EXPECT_EQ(values(r), y) << n;
        EXPECT_EQ(passes.as<int64_t>(), k) << n;
    }
    EXPECT_EQ(f.signatures(), 1U);
}

TEST(Jit, GradientsFlowThroughLoops) {
    auto f = sifr::jit([](Tensor x) {
        x.requires_grad_();
        Tensor y = sifr::for_(0, 100, x, [](Scalar, Tensor c) { return c * 0.9 + 0.1; });
        y.sum().backward();
        return x.grad();
    });
    Floats x{1, 2};
    EXPECT_NEAR(values(f(from_blob(x.data(), {2})))[0], std::pow(0.9, 100), 1e-7);
}

TEST(Jit, ModulesOfThePreludeAreThere) {
    auto f = sifr::jit([](Tensor x, Tensor target) {
        sifr::call("torch.manual_seed", 0);
        sifr::Object model = sifr::call("torch.nn.Sequential", sifr::call("torch.nn.Linear", 3, 4), sifr::call("torch.nn.ReLU"), sifr::call("torch.nn.Linear", 4, 2));
        Tensor loss = sifr::call("torch.nn.functional.cross_entropy", model(x).tensor(), target).tensor();
        loss.backward();
        return loss;
    });
    Floats x(6, 0.5F);
    std::vector<int64_t> target{0, 1};
    const float loss = f(from_blob(x.data(), {2, 3}), from_blob(target.data(), {2})).item<float>();
    EXPECT_GT(loss, 0.3F);
    EXPECT_LT(loss, 1.5F);
}

TEST(Jit, FunctionsOfNetworksHaveTheirNames) {
    auto f = sifr::jit([](Tensor x, Tensor w, Tensor target) {
        namespace F = sifr::nn::functional;
        Tensor y = F::relu(F::linear(x, w)) + 1;
        sifr::Object pooled = F::max_pool1d_with_indices(y, 2);
        return std::tuple{F::cross_entropy(y, target, sifr::keyword("reduction", "sum")), F::softmax(y, 1), pooled.items()[1].tensor()};
    });
    Floats x{1, 2, 3, 4}, w{1, 0, 0, 1};
    std::vector<int64_t> target{0, 1};
    auto [loss, softmax, at] = f(from_blob(x.data(), {2, 2}), from_blob(w.data(), {2, 2}), sifr::from_span(target));
    EXPECT_NEAR(loss.item<double>(), std::log(1 + std::exp(1.0)) + std::log(1 + std::exp(-1.0)), 1e-6);
    EXPECT_NEAR(softmax.at<float>({0, 1}), 1 / (1 + std::exp(-1.0)), 1e-6);
    EXPECT_EQ(at.at<int64_t>({1, 0}), 1);
    EXPECT_EQ(error([&] { sifr::jit([](Tensor a) { return sifr::nn::functional::softplus(a, sifr::keyword("betta", 2)); })(sifr::from_span(x)); }).places.at(0).line, static_cast<uint32_t>(__LINE__));
}

TEST(Jit, ErrorsSayWhatAndWhere) {
    auto f = sifr::jit([](Tensor x, Tensor w) { return x.matmul(w); }, {.name = "project", .argument_names = {"x", "w"}});
    Floats x(6), w(6);
    std::string text;
    sifr::Error::Details e = error([&] { f(from_blob(x.data(), {2, 3}), from_blob(w.data(), {2, 3})); }, &text);
    EXPECT_EQ(e.kind, sifr::Error::Kind::Compile);
    EXPECT_EQ(e.exception, "RuntimeError");
    EXPECT_NE(e.exception_text.find("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"), std::string::npos) << e.exception_text;
    ASSERT_FALSE(e.places.empty());
    EXPECT_NE(e.places[0].file.find("jit_test.cpp"), std::string::npos);
    EXPECT_NE(text.find("argument 2 ('w'): float32[2, 3]"), std::string::npos) << text;
    // It goes on working.
    EXPECT_EQ(f(from_blob(x.data(), {2, 3}), from_blob(w.data(), {3, 2})).numel(), 4);
}

TEST(Jit, HazardsPointIntoTheProgram) {
    auto f = sifr::jit([](Tensor w) {
        w.requires_grad_();
        Tensor y = w.exp();
        Tensor s = y.sum();
        y.zero_();
        s.backward();
        return w.grad();
    });
    Floats w{1, 2};
    const sifr::Error::Details e = error([&] { f(from_blob(w.data(), {2})); });
    EXPECT_EQ(e.code, "saved-overwritten");
    EXPECT_GE(e.places.size(), 3U);
    EXPECT_NE(e.exception_text.find("modified by an inplace operation"), std::string::npos);
}

TEST(Jit, ARaiseSaysWhatWasWritten) {
    auto f = sifr::jit([](Tensor x, Tensor i) {
        x.add_(1);
        return sifr::index_select(x, 0, i);
    }, {.argument_names = {"x", "i"}});
    Floats x{1, 2, 3};
    std::vector<int64_t> good{0, 2}, bad{0, 3};
    EXPECT_EQ(values(f(from_blob(x.data(), {3}), from_blob(good.data(), {2}))), (Floats{2, 4}));
    const sifr::Error::Details e = error([&] { f(from_blob(x.data(), {3}), from_blob(bad.data(), {2})); });
    EXPECT_EQ(e.kind, sifr::Error::Kind::Raise);
    EXPECT_EQ(e.exception, "IndexError");
    ASSERT_EQ(e.written.size(), 1U);
    EXPECT_EQ(e.written[0], "argument 1 ('x')");
    EXPECT_EQ(values(f(from_blob(x.data(), {3}), from_blob(good.data(), {2}))).size(), 2U);
}

TEST(Jit, WhatComesBehindARaiseIsNotWritten) {
    // Each of a, b and c is 0 before the call and not 0 once it is written; what the error says is what the memory shows.
    auto f = sifr::jit([](Tensor a, Tensor b, Tensor c, Tensor i, Scalar n) {
        a.add_(1);
        Tensor r = i.index({i});
        b.copy_(a + r.sum());
        Tensor last = sifr::for_(0, n, i, [&](Scalar k, Tensor x) {
            Tensor y = x.index({x + k});
            c.add_(1);
            return y;
        });
        a.add_(last.sum());
    }, {.argument_names = {"a", "b", "c", "i", "n"}});
    for (int64_t first : {7, 1, 0})
        for (int64_t n : {0, 1, 4}) {
            Floats a{0, 0}, b{0, 0}, c{0, 0};
            std::vector<int64_t> i{first, 0};
            std::vector<std::string> written;
            try {
                f(sifr::from_span(a), sifr::from_span(b), sifr::from_span(c), sifr::from_span(i), n);
                continue;
            } catch (const sifr::Error& e) {
                written = e.details().written;
            }
            const auto says = [&](const char* name) {
                return std::any_of(written.begin(), written.end(), [&](const std::string& w) { return w.find(name) != std::string::npos; });
            };
            EXPECT_TRUE(says("'a'") || a[0] == 0) << first << " " << n;
            EXPECT_TRUE(says("'b'") || b[0] == 0) << first << " " << n;
            EXPECT_TRUE(says("'c'") || c[0] == 0) << first << " " << n;
            EXPECT_FALSE(says("'i'"));
            if (first == 7) {
                EXPECT_FALSE(says("'b'"));
                EXPECT_FALSE(says("'c'"));
            }
        }
    // A write behind the only raise.
    auto g = sifr::jit([](Tensor x, Tensor i) {
        Tensor r = x.index({i});
        x.add_(1);
        return r;
    });
    Floats x{1, 2};
    std::vector<int64_t> i{5};
    std::string text;
    EXPECT_TRUE(error([&] { g(sifr::from_span(x), sifr::from_span(i)); }, &text).written.empty()) << text;
    EXPECT_EQ(x, (Floats{1, 2}));
}

TEST(Jit, ConstMemoryIsNotWritten) {
    auto f = sifr::jit([](Tensor x) { x.add_(1); });
    const Floats x{1, 2};
    EXPECT_NE(error([&] { f(from_blob(x.data(), {2})); }).message.find("const"), std::string::npos);
    EXPECT_EQ(x[0], 1);
    // Nor through a result that is a view of it.
    auto row = sifr::jit([](Tensor x) { return std::pair{x[0], x + 1}; });
    auto [view, fresh] = row(from_blob(x.data(), {2}));
    EXPECT_TRUE(view.is_const());
    EXPECT_FALSE(fresh.is_const());
    EXPECT_THROW(f(view), sifr::Error);
    Floats y{1, 2};
    EXPECT_FALSE(row(sifr::from_span(y)).first.is_const());
    const sifr::ScriptResult r = sifr::load_string("def f(x):\n    return x[0], x + 1\n").function("f")(from_blob(x.data(), {2}));
    EXPECT_TRUE(r.tensor(0).is_const());
    EXPECT_FALSE(r.tensor(1).is_const());
}

TEST(Jit, CallsFromManyThreads) {
    auto f = sifr::jit([](Tensor x, Scalar k) { return (x * k).exp().sum(); });
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int64_t n = 1; n < 6; ++n) {
                Floats x(static_cast<size_t>(n), 0.0F);
                for (int k = 0; k < 20; ++k)
                    if (f(from_blob(x.data(), {n}), t).item<float>() != static_cast<float>(n)) ++wrong;
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(f.signatures(), 5U);
}

TEST(Jit, CompilesOnManyThreadsAtOnce) {
    // Traces, loads, calls, and looks inside, each thread its own and all of them one.
    auto shared = sifr::jit([](Tensor x, Scalar k) { return sifr::for_(0, 3, x, [&](Scalar i, Tensor c) { return c * k + i; }); });
    sifr::Script script = sifr::load_string("import torch\nimport torch.nn as nn\ntorch.manual_seed(0)\nm = nn.Linear(2, 1)\nn = 0\ndef f(x):\n    global n\n    n += 1\n    return m(x).detach(), n\n", "shared.py");
    auto scripted = script.function("f");
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const int64_t n = 2 + t;
            Floats x(static_cast<size_t>(n), 1.0F);
            auto own = sifr::jit([](Tensor a) {
                a.requires_grad_();
                return sifr::autograd::grad({(a * a).sum()}, {a});
            });
            if (values(own(from_blob(x.data(), {n})).at(0)) != Floats(static_cast<size_t>(n), 2.0F)) ++wrong;
            sifr::Script mine = sifr::load_string("import torch\ntotal = torch.zeros(2)\ndef add(x):\n    total.add_(x)\n    return total.sum()\n", "own.py");
            auto add = mine.function("add");
            for (int k = 1; k <= 3; ++k)
                if (add(from_blob(x.data(), {2})).number<float>() != static_cast<float>(2 * k)) ++wrong;
            for (int k = 0; k < 5; ++k)
                if (values(shared(from_blob(x.data(), {n}), 1)) != Floats(static_cast<size_t>(n), 4.0F)) ++wrong;
            for (int k = 0; k < 5; ++k)
                if (scripted(from_blob(x.data(), {1, 2})).size() != 2) ++wrong;
            if (shared.ir("plan").empty() || shared.remarks().size() > 1000 || own.ir("captured").find("func") == std::string::npos) ++wrong;
            try {
                sifr::jit([](Tensor a) { return a.matmul(a); })(from_blob(x.data(), {1, n}));
                ++wrong;
            } catch (const sifr::Error& e) {
                if (e.details().exception != "RuntimeError") ++wrong;
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(shared.signatures(), 4U);
    Floats x{1, 1};
    EXPECT_EQ(scripted(from_blob(x.data(), {1, 2})).number<int>(1), 21) << "calls of one script take turns";
}

TEST(Jit, RandomNumbersComeFromTheThread) {
    auto f = sifr::jit([] { return sifr::rand({4}); });
    sifr::manual_seed(0);
    const Floats a = values(f()), b = values(f());
    sifr::manual_seed(0);
    EXPECT_EQ(values(f()), a);
    EXPECT_NE(a, b);
    EXPECT_NEAR(a[0], 0.4963, 1e-4);  // as torch.manual_seed(0); torch.rand(4)
}

TEST(Jit, ShowsItsInside) {
    auto f = sifr::jit([](Tensor x) {
        Tensor z = sifr::zeros({4});
        z.copy_(x);
        return z * 2;
    });
    Floats x{1, 2, 3, 4};
    EXPECT_EQ(values(f(from_blob(x.data(), {4}))), (Floats{2, 4, 6, 8}));
    EXPECT_NE(f.ir("captured").find("captured func @jit"), std::string::npos);
    EXPECT_NE(f.ir("plan").find("launch"), std::string::npos);
    EXPECT_NE(f.ir("llvm").find("sifr.entry"), std::string::npos);
    ASSERT_EQ(f.ledger().size(), 1U);
    EXPECT_EQ(f.ledger()[0].verdict, "removed");
    EXPECT_NE(f.ledger()[0].place.file.find("jit_test.cpp"), std::string::npos);
}

TEST(Jit, CopiesAreRemarks) {
    const auto copies = [](const auto& f) {
        size_t n = 0;
        for (const sifr::Remark& r : f.remarks()) n += r.code == "copied";
        return n;
    };
    Floats x{1, 2}, y{3, 4};
    auto swap = sifr::jit([](Tensor a, Tensor b) {
        Tensor t = a.clone();
        a.copy_(b);
        b.copy_(t);
    }, {.argument_names = {"a", "b"}});
    swap(sifr::from_span(x), sifr::from_span(y));
    EXPECT_EQ(x, (Floats{3, 4}));
    EXPECT_GT(copies(swap), 0U);
    EXPECT_NE(swap.remarks().at(0).text.find("8 bytes are copied from '"), std::string::npos) << swap.remarks().at(0).text;
    auto scale = sifr::jit([](Tensor a) {
        a.mul_(2);
        return a + 1;
    });
    scale(sifr::from_span(x));
    EXPECT_EQ(copies(scale), 0U);
}

TEST(Jit, TensorsDoNotOutliveTheirTrace) {
    Tensor kept;
    auto f = sifr::jit([&](Tensor x) {
        kept = x;
        return x + 1;
    });
    Floats x{1};
    f(from_blob(x.data(), {1}));
    EXPECT_EQ(error([&] { kept + 1; }).kind, sifr::Error::Kind::Call);
    auto g = sifr::jit([&](Tensor x) { return x + kept; });
    EXPECT_EQ(error([&] { g(from_blob(x.data(), {1})); }).kind, sifr::Error::Kind::Call);
}

}  // namespace
