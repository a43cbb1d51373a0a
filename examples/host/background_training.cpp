// A small network is trained by a thread of its own; the main thread goes on, and reads the newest parameters whenever it likes.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <sifr/sifr.h>

struct Parameters {
    std::vector<float> w1 = std::vector<float>(16), b1 = std::vector<float>(16), w2 = std::vector<float>(16), b2 = std::vector<float>(1);
    std::vector<sifr::TensorView> views() {
        return {sifr::from_blob(w1.data(), {1, 16}), sifr::from_span(b1), sifr::from_blob(w2.data(), {16, 1}), sifr::from_span(b2)};
    }
};

sifr::Tensor network(sifr::Tensor x, const std::vector<sifr::Tensor>& p) { return (x.matmul(p[0]) + p[1]).tanh().matmul(p[2]) + p[3]; }

int main() {
    auto step = sifr::jit([](std::vector<sifr::Tensor> p, sifr::Tensor x, sifr::Tensor y, sifr::Scalar rate) {
        for (sifr::Tensor& t : p) t.requires_grad_();
        sifr::Tensor loss = (network(x, p) - y).pow(2).mean();
        std::vector<sifr::Tensor> g = sifr::autograd::grad({loss}, p);
        sifr::NoGradGuard no_grad;
        for (size_t k = 0; k < p.size(); ++k) p[k].sub_(g[k] * rate);
        return loss;
    });
    auto predict = sifr::jit([](std::vector<sifr::Tensor> p, sifr::Tensor x) { return network(x, p); });

    std::vector<float> x(64), y(64);
    for (size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k) / 32 - 1, y[k] = std::sin(3 * x[k]);
    Parameters start;
    for (size_t k = 0; k < 16; ++k) start.w1[k] = 0.25F * static_cast<float>(k) - 2, start.b1[k] = 0.1F * static_cast<float>(k % 5), start.w2[k] = k % 2 ? 0.3F : -0.3F;

    std::mutex lock;
    auto newest = std::make_shared<Parameters>(start);
    std::atomic<bool> done = false, seen = false;
    std::thread trainer([&] {
        Parameters mine = start;
        for (int k = 0; k < 4000 || !seen; ++k) {
            step(mine.views(), sifr::from_blob(x.data(), {64, 1}), sifr::from_blob(y.data(), {64, 1}), 0.1);
            if (k % 100 != 99) continue;
            auto copy = std::make_shared<Parameters>(mine);
            const std::lock_guard guard(lock);
            newest = copy;
        }
        done = true;
    });

    auto error = [&] {
        std::shared_ptr<Parameters> p;
        {
            const std::lock_guard guard(lock);
            p = newest;
        }
        const sifr::HostTensor out = predict(p->views(), sifr::from_blob(x.data(), {64, 1}));
        float worst = 0;
        for (size_t k = 0; k < 64; ++k) worst = std::max(worst, std::fabs(out.data<float>()[k] - y[k]));
        return worst;
    };
    const float first = error();
    int reads = 0;
    while (!done) {
        error();
        seen = ++reads >= 10;
    }
    trainer.join();
    std::printf("read while it was trained: %s\n", reads >= 10 ? "yes" : "no");
    std::printf("better than at first: %s\n", error() < 0.2F * first ? "yes" : "no");
}
