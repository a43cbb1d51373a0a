// A 3x3 box blur of a part of an image that stays where it is: rows of the part are not contiguous, and nothing is copied.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

int main() {
    constexpr int64_t width = 64, height = 48;
    std::vector<uint8_t> image(width * height);
    for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x) image[static_cast<size_t>(y * width + x)] = static_cast<uint8_t>((x * 7 + y * 13) % 256);

    auto blur = sifr::jit([](sifr::Tensor in, sifr::Tensor out) {
        using sifr::Slice;
        sifr::Tensor f = in.to(sifr::kFloat32);
        const int64_t h = f.size(0), w = f.size(1);
        sifr::Tensor sum = sifr::zeros({h - 2, w - 2});
        for (int64_t dy = 0; dy < 3; ++dy)
            for (int64_t dx = 0; dx < 3; ++dx) sum = sum + f.index({Slice(dy, dy + h - 2), Slice(dx, dx + w - 2)});
        out.copy_((sum / 9).round().to(sifr::kUInt8));
    });

    // Rows 8 … 39, columns 16 … 47 of the image, into an image of their own.
    const sifr::TensorView part = sifr::from_blob(&image[8 * width + 16], {32, 32}, {width, 1});
    std::vector<uint8_t> out(30 * 30);
    blur(part, sifr::from_blob(out.data(), {30, 30}));

    int expected = 0;
    for (int64_t y = 8; y < 11; ++y)
        for (int64_t x = 16; x < 19; ++x) expected += image[static_cast<size_t>(y * width + x)];
    std::printf("%d, and by hand %.0f\n", out[0], expected / 9.0);
}
