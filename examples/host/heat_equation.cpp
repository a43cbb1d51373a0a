// A plate whose edges are held: its temperature relaxes until it changes no more. How often is known when the code runs.
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

int main() {
    auto relax = sifr::jit([](sifr::Tensor plate, sifr::Scalar tolerance) {
        using sifr::Slice;
        const int64_t n = plate.size(0);
        const Slice inner(1, n - 1), low(0, n - 2), high(2, n);
        auto [t, change, rounds] = sifr::while_(
            std::tuple{plate, sifr::full({}, 1.0), sifr::Scalar(0)}, [&](auto s) { return std::get<1>(s) > tolerance; },
            [&](auto s) {
                auto [t, change, rounds] = s;
                sifr::Tensor mean = (t.index({low, inner}) + t.index({high, inner}) + t.index({inner, low}) + t.index({inner, high})) * 0.25;
                sifr::Tensor next = t.clone();
                next.index_put_({inner, inner}, mean);
                return std::tuple{next, (next - t).abs().max(), rounds + 1};
            });
        plate.copy_(t);
        return rounds;
    });

    constexpr int64_t n = 16;
    std::vector<float> plate(n * n, 0.0F);
    for (int64_t i = 0; i < n; ++i) plate[static_cast<size_t>(i)] = 1;  // one hot edge
    const auto rounds = relax(sifr::from_blob(plate.data(), {n, n}), 1e-5).as<int>();
    std::printf("%s, %.2f in the middle\n", rounds > 100 ? "settled" : "stopped too early", plate[n / 2 * n + n / 2]);
}
