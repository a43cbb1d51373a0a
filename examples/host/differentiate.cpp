// The gradient and the curvature of a function that is ordinary C++: a template that runs on doubles, and on tensors to be differentiated.
#include <cmath>
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

using std::exp, std::sin;
using sifr::exp, sifr::sin;

template <class T>
T cost(const T& x, const T& y) {
    return sin(x * y) + exp(x * -0.5) * y * y;
}

int main() {
    auto derivatives = sifr::jit([](sifr::Tensor point) {
        point.requires_grad_();
        sifr::Tensor value = cost(point[0], point[1]);
        sifr::Tensor gradient = sifr::autograd::grad({value}, {point}, {}, true)[0];
        sifr::Tensor xx = sifr::autograd::grad({gradient[0]}, {point}, {}, true)[0][0];
        return std::tuple{value, gradient, xx};
    });

    std::vector<double> at{0.75, -1.25};
    auto [value, gradient, xx] = derivatives(sifr::from_span(at));
    const double h = 1e-5, x = at[0], y = at[1];
    const double dx = (cost(x + h, y) - cost(x - h, y)) / (2 * h), dy = (cost(x, y + h) - cost(x, y - h)) / (2 * h);
    const double dxx = (cost(x + h, y) - 2 * cost(x, y) + cost(x - h, y)) / (h * h);
    std::printf("value     %.6f  %.6f\n", value.item<double>(), cost(x, y));
    std::printf("d/dx      %.6f  %.6f\n", gradient.at<double>({0}), dx);
    std::printf("d/dy      %.6f  %.6f\n", gradient.at<double>({1}), dy);
    std::printf("d2/dx2    %.4f  %.4f\n", xx.item<double>(), dxx);
}
