// The gradient of a function of the program's own, and with it the function's least value.
#include <cstdio>

#include <sifr/sifr.h>

namespace {

sifr::Tensor rosenbrock(const sifr::Tensor& p) {
    sifr::Tensor a = p[0], b = p[1];
    return (1 - a).pow(2) + 100 * (b - a * a).pow(2);
}

}  // namespace

int main() {
    auto value_and_gradient = sifr::jit([](sifr::Tensor p) {
        p.requires_grad_();
        sifr::Tensor value = rosenbrock(p);
        return std::tuple{value, sifr::autograd::grad({value}, {p})[0]};
    });

    double p[2] = {-1.2, 1};
    auto [value, gradient] = value_and_gradient(sifr::from_blob(p, {2}));
    std::printf("f = %.2f, gradient = (%.2f, %.2f)\n", value.item<double>(), gradient.at<double>({0}), gradient.at<double>({1}));
    for (int k = 0; k < 50000; ++k) {
        auto [v, g] = value_and_gradient(sifr::from_blob(p, {2}));
        for (int64_t d = 0; d < 2; ++d) p[d] -= 0.001 * g.at<double>({d});
    }
    std::printf("least at (%.3f, %.3f)\n", p[0], p[1]);
}
