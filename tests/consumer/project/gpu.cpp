// As jit.cpp, on a GPU.
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

int main() {
    try {
        auto traced = sifr::jit([](sifr::Tensor x, sifr::Tensor w) { return x.matmul(w); }, {.device = sifr::kCUDA});
        std::vector<float> x{1, 0, 0, 0, 1, 1}, w{1, 2, 3};
        const auto rows = sifr::from_blob(x.data(), {2, 3});
        std::printf("traced %s\n", traced(rows, sifr::from_blob(w.data(), {3, 1})).str().c_str());
        sifr::Script script = sifr::load(SCRIPT, {.device = sifr::kCUDA});
        std::printf("loaded %s\n", script.function("predict")(rows).tensor().str().c_str());
    } catch (const sifr::Error& e) {
        std::printf("%s\n", e.what());
        return 1;
    }
}
