// One compiled function, called by several threads at once, each on its part of one image. Nothing is locked: code is shared, and what a
// call needs beside its arguments belongs to the thread.
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include <sifr/sifr.h>

int main() {
    constexpr int64_t width = 256, height = 128, parts = 4;
    std::vector<float> image(width * height);
    for (size_t k = 0; k < image.size(); ++k) image[k] = static_cast<float>((k * 2654435761U) % 1000) / 1000;
    const std::vector<float> original = image;

    auto tone = sifr::jit([](sifr::Tensor pixels, sifr::Scalar gamma) {
        pixels.copy_((pixels + 1e-3).log().mul(gamma).exp().clamp(0, 1));
    });

    std::vector<std::thread> threads;
    for (int64_t t = 0; t < parts; ++t)
        threads.emplace_back([&, t] {
            const int64_t rows = height / parts;
            tone(sifr::from_blob(&image[static_cast<size_t>(t * rows * width)], {rows, width}), 0.5);
        });
    for (std::thread& t : threads) t.join();

    float worst = 0;
    for (size_t k = 0; k < image.size(); ++k) worst = std::max(worst, std::fabs(image[k] - std::min(1.0F, std::sqrt(original[k] + 1e-3F))));
    std::printf("compiled for %d signature\n", static_cast<int>(tone.signatures()));
    std::printf("as by hand: %s\n", worst < 1e-6F ? "yes" : "no");
}
