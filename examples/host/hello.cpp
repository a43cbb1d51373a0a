// A lambda on tensors, compiled when it is called, on the program's own memory.
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

int main() {
    auto step = sifr::jit([](sifr::Tensor x, sifr::Tensor w) { return (x * w).sum(); });

    std::vector<float> x{1, 2, 3, 4, 5, 6}, w{1, 1, 1, 2, 2, 2};
    sifr::HostTensor y = step(sifr::from_blob(x.data(), {2, 3}), sifr::from_blob(w.data(), {2, 3}));
    std::printf("%g\n", y.item<double>());
}
