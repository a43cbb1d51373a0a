// A thousand small steps of bodies on springs, as one loop of compiled code; positions and velocities are updated where they are.
#include <cmath>
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

int main() {
    auto advance = sifr::jit([](sifr::Tensor position, sifr::Tensor velocity, sifr::Scalar dt, sifr::Scalar steps) {
        auto [p, v] = sifr::for_(0, steps, std::tuple{position, velocity}, [&](sifr::Scalar, auto state) {
            auto [p, v] = state;
            sifr::Tensor half = v - p * (dt * 0.5);
            sifr::Tensor next = p + half * dt;
            return std::tuple{next, half - next * (dt * 0.5)};
        });
        position.copy_(p);
        velocity.copy_(v);
        return (position.pow(2) + velocity.pow(2)).sum() * 0.5;
    });

    std::vector<double> position{1, 0.5, -2}, velocity{0, 1, 0.25};
    auto view = [](std::vector<double>& v) { return sifr::from_span(v); };
    const double before = advance(view(position), view(velocity), 0.001, 0).item<double>();
    const double after = advance(view(position), view(velocity), 0.001, 1000).item<double>();
    std::printf("energy %.4f, after one second %.4f\n", before, after);
    std::printf("position %.3f, exact %.3f\n", position[0], std::cos(1.0));
}
