// What the calls of host_bench.cpp cost with LibTorch: the same expression on the same memory. Built only on request, where LibTorch is:
//   cmake -D SIFR_BENCH_LIBTORCH=DIR …; ninja sifr-bench-libtorch    (DIR has include/ and lib/; PyTorch's Python package is one)

#include <cstdio>
#include <vector>

#include <torch/torch.h>

#include "tests/bench/measure.h"

int main() {
    using bench::microseconds;
    const torch::InferenceMode guard;  // no autograd: the least that LibTorch can do
    at::set_num_threads(1);
    std::vector<float> x(16, 1), w(16, 1);
    torch::Tensor xs = torch::from_blob(x.data(), {16}), ws = torch::from_blob(w.data(), {16}), y;
    const double c = microseconds([&] { bench::plain(x.data(), w.data()); });
    std::printf("plain C++ call                                      %8.3f us\n", c);
    std::printf("LibTorch, x.copy_(x * 0.5 + w): overhead            %8.3f us\n", microseconds([&] { xs.copy_(xs * 0.5 + ws); }) - c);
    std::printf("LibTorch, x.mul_(0.5).add_(w): overhead             %8.3f us\n", microseconds([&] { xs.mul_(0.5).add_(ws); }) - c);
    std::printf("LibTorch, y = x * 0.5 + w: overhead                 %8.3f us\n", microseconds([&] { y = xs * 0.5 + ws; }) - c);
    std::printf("LibTorch, from_blob twice and x.mul_(0.5).add_(w)   %8.3f us\n", microseconds([&] {
        torch::from_blob(x.data(), {16}).mul_(0.5).add_(torch::from_blob(w.data(), {16}));
    }) - c);
}
