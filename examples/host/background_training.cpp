// One thread trains; the main thread reads the parameters while it does, from a copy that is exchanged under a lock.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <sifr/sifr.h>

int main() {
    using sifr::Tensor;
    auto step = sifr::jit([](Tensor w, Tensor x, Tensor y) {
        w.requires_grad_();
        Tensor loss = (x.matmul(w) - y).pow(2).mean();
        std::vector<Tensor> gradient = sifr::autograd::grad({loss}, {w});
        sifr::NoGradGuard no_grad;
        w.sub_(gradient[0] * 0.1);
        return loss;
    });

    std::vector<float> x{1, 0, 0, 1, 1, 1, 1, -1}, y{2, -3, -1, 5};  // y = 2 a - 3 b
    std::mutex lock;
    std::vector<float> published(2, 0);
    std::atomic<bool> done = false;
    std::thread trainer([&] {
        std::vector<float> w(2, 0);
        for (int k = 0; k < 500; ++k) {
            step(sifr::from_blob(w.data(), {2}), sifr::from_blob(x.data(), {4, 2}), sifr::from_span(y));
            std::lock_guard guard(lock);
            published = w;
        }
        done = true;
    });
    int looks = 0;
    while (!done) {
        std::lock_guard guard(lock);
        looks += published[0] <= 2.1F;
    }
    trainer.join();
    std::printf("%.2f %.2f%s\n", published[0], published[1], looks > 0 ? ", seen on the way" : "");
}
