// A physics step on the program's own array of structs: positions and velocities are views with strides into it, and are moved in place.
#include <cmath>
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

struct Body {
    double x, y, vx, vy, mass;
    int64_t id;
};

int main() {
    // A sun and two planets, in units in which gravity's constant is 1.
    std::vector<Body> bodies{{0, 0, 0, 0, 1, 1}, {1, 0, 0, 1, 1e-3, 2}, {0, 2, -std::sqrt(0.5), 0, 1e-3, 3}};
    const auto n = static_cast<int64_t>(bodies.size());
    const int64_t stride = sizeof(Body) / sizeof(double);

    // Leapfrog: half a kick, a drift, half a kick.
    auto advance = sifr::jit([](sifr::Tensor position, sifr::Tensor velocity, sifr::Tensor mass, sifr::Scalar dt) {
        auto acceleration = [&] {
            sifr::Tensor d = position.unsqueeze(0) - position.unsqueeze(1);        // [i, j]: from i to j
            sifr::Tensor r2 = (d * d).sum(-1) + sifr::eye(d.size(0), sifr::kFloat64);  // no force on itself
            return (d * (mass / (r2 * r2.sqrt())).unsqueeze(-1)).sum(1);
        };
        velocity.add_(acceleration() * (dt * 0.5));
        position.add_(velocity * dt);
        velocity.add_(acceleration() * (dt * 0.5));
    });

    auto energy = [&] {
        double e = 0;
        for (const Body& a : bodies) {
            e += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy);
            for (const Body& b : bodies)
                if (a.id < b.id) e -= a.mass * b.mass / std::hypot(a.x - b.x, a.y - b.y);
        }
        return e;
    };

    const double before = energy();
    const sifr::TensorView position = sifr::from_blob(&bodies[0].x, {n, 2}, {stride, 1});
    const sifr::TensorView velocity = sifr::from_blob(&bodies[0].vx, {n, 2}, {stride, 1});
    const sifr::TensorView mass = sifr::from_blob(&bodies[0].mass, {n}, {stride});
    for (int k = 0; k < 1000; ++k) advance(position, velocity, mass, 0.01);
    std::printf("energy kept: %s\n", std::fabs(energy() - before) < 1e-6 * std::fabs(before) ? "yes" : "no");
    std::printf("the first planet is at distance %.2f\n", std::hypot(bodies[1].x - bodies[0].x, bodies[1].y - bodies[0].y));
    std::printf("ids are %d %d %d\n", static_cast<int>(bodies[0].id), static_cast<int>(bodies[1].id), static_cast<int>(bodies[2].id));
}
