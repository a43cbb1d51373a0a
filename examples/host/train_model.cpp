// A small network trained on the program's own data. The program owns the parameters; one call is one step.
#include <cmath>
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

int main() {
    using sifr::Scalar, sifr::Tensor;
    auto step = sifr::jit([](std::vector<Tensor> parameters, Tensor x, Tensor y, Scalar rate) {
        for (Tensor& p : parameters) p.requires_grad_();
        Tensor hidden = (x.matmul(parameters[0]) + parameters[1]).tanh();
        Tensor loss = (hidden.matmul(parameters[2]) + parameters[3] - y).pow(2).mean();
        loss.backward();
        sifr::NoGradGuard no_grad;
        for (Tensor& p : parameters) p.sub_(p.grad() * rate);
        return loss;
    });

    std::vector<float> x, y;
    for (int i = 0; i < 64; ++i) {
        x.push_back(static_cast<float>(i) / 16 - 2);
        y.push_back(std::sin(2 * x.back()));
    }
    std::vector<float> w1(16), b1(16), w2(16), b2(1);
    for (size_t i = 0; i < 16; ++i) w1[i] = 0.3F * static_cast<float>(i) - 2.4F, b1[i] = std::cos(static_cast<float>(i)), w2[i] = 0.2F * std::sin(static_cast<float>(3 * i));

    const std::vector<sifr::TensorView> parameters{sifr::from_blob(w1.data(), {1, 16}), sifr::from_blob(b1.data(), {16}), sifr::from_blob(w2.data(), {16, 1}), sifr::from_blob(b2.data(), {1})};
    float first = 0, last = 0;
    for (int epoch = 0; epoch < 2000; ++epoch) {
        last = step(parameters, sifr::from_blob(x.data(), {64, 1}), sifr::from_blob(y.data(), {64, 1}), 0.05).item<float>();
        if (epoch == 0) first = last;
    }
    std::printf("%s\n", last < 0.05F * first ? "learnt" : "not learnt");
}
