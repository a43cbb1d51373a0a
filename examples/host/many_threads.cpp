// One compiled function, called from several threads at once, each with its own data and its own stream of random numbers.
#include <cstdio>
#include <thread>
#include <vector>

#include <sifr/sifr.h>

int main() {
    auto estimate = sifr::jit([](sifr::Scalar rounds) {
        // The share of random points of the square that lie in the circle.
        sifr::Tensor inside = sifr::for_(0, rounds, sifr::zeros({}), [](sifr::Scalar, sifr::Tensor sum) {
            sifr::Tensor x = sifr::rand({1000}), y = sifr::rand({1000});
            return sum + (x * x + y * y <= 1).to(sifr::kFloat32).mean();
        });
        return inside * 4 / rounds;
    });

    constexpr int threads = 4;
    std::vector<double> pi(threads);
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t)
        pool.emplace_back([&, t] {
            sifr::manual_seed(static_cast<uint64_t>(t));
            pi[static_cast<size_t>(t)] = estimate(200).item<double>();
        });
    for (std::thread& t : pool) t.join();
    double mean = 0;
    for (double p : pi) mean += p / threads;
    std::printf("%.2f, compiled once: %s\n", mean, estimate.signatures() == 1 ? "yes" : "no");
}
