// Loops and branches that depend on data: they are loops and branches of the compiled code, not of the trace.
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

int main() {
    using sifr::Scalar, sifr::Tensor;

    // Conjugate gradients until the residual is small, at most `limit` rounds.
    auto solve = sifr::jit([](Tensor a, Tensor b, Scalar limit) {
        auto dot = [](Tensor p, Tensor q) { return (p * q).sum(); };
        auto [x, r, p, rounds] = sifr::while_(
            std::tuple{sifr::zeros_like(b), b, b, Scalar(0)},
            [&](auto s) { return sifr::logical_and(dot(std::get<1>(s), std::get<1>(s)) > 1e-20, sifr::full({}, std::get<3>(s)) < limit); },
            [&](auto s) {
                auto [x, r, p, n] = s;
                Tensor ap = a.matmul(p), rr = dot(r, r), step = rr / dot(p, ap);
                Tensor next = r - step * ap;
                return std::tuple{x + step * p, next, next + dot(next, next) / rr * p, n + 1};
            });
        return std::tuple{x, rounds};
    });
    std::vector<double> a{4, 1, 0, 1, 3, 1, 0, 1, 2}, b{1, 2, 3};
    auto [x, rounds] = solve(sifr::from_blob(a.data(), {3, 3}), sifr::from_span(b), 50);
    std::printf("x = %.4f %.4f %.4f after %d rounds\n", x.at<double>({0}), x.at<double>({1}), x.at<double>({2}), rounds.as<int>());

    // A moving average over a signal: what is carried goes from one element to the next.
    auto smooth = sifr::jit([](Tensor signal, Tensor out, Scalar keep) {
        sifr::for_(0, signal.size(0), signal[0], [&](Scalar i, Tensor mean) {
            Tensor next = mean * keep + signal[i] * (1.0 - keep);
            out.index_put_({i}, next);
            return next;
        });
    });
    std::vector<double> signal{0, 8, 8, 8}, out(4);
    smooth(sifr::from_span(signal), sifr::from_span(out), 0.5);
    std::printf("smoothed %g %g %g %g\n", out[0], out[1], out[2], out[3]);

    // One of two ways.
    auto centre = sifr::jit([](Tensor v) {
        return sifr::if_(v.mean() > 0, [&] { return v - v.mean(); }, [&] { return v; });
    });
    std::vector<double> up{1, 3}, down{-1, -3};
    std::printf("%s %s\n", centre(sifr::from_span(up)).str().c_str(), centre(sifr::from_span(down)).str().c_str());
}
