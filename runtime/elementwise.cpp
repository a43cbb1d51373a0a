// What kernels cannot say: a running log-sum-exp, greatest common divisors, bytes seen as another dtype.

#include <math.h>

#include "runtime/rows.h"

using namespace sifr::rt;

namespace {

/// log(exp(a) + exp(b)) without overflow.
double log_add_exp(double a, double b) {
    if (a != a || b != b) return NAN;
    const double high = a > b ? a : b;
    const double low = a > b ? b : a;
    return low == -INFINITY || high == INFINITY ? high : high + log1p(exp(low - high));
}

int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

}  // namespace

extern "C" {

void sifr_logcumsumexp(const sifr_tensor* in, int32_t dim, const sifr_tensor* out) {
    const Rows rows(*in, dim);
    const Rows to(*out, dim);
    for (int64_t row = 0; row < rows.count; ++row) {
        double sum = -INFINITY;
        const int64_t from_start = rows.start(row), to_start = to.start(row);
        for (int64_t k = 0; k < rows.size; ++k) {
            sum = log_add_exp(sum, load_f64_at(in->data, in->dtype, from_start + k * rows.step));
            store_f64_at(out->data, out->dtype, to_start + k * to.step, sum);
        }
    }
}

void sifr_gcd(const sifr_tensor* a, const sifr_tensor* b, const sifr_tensor* out) {
    const int64_t count = sifr_tensor_numel(out);
    for (int64_t k = 0; k < count; ++k) {
        int64_t x = magnitude(load_i64_at(a->data, a->dtype, k)), y = magnitude(load_i64_at(b->data, b->dtype, k));
        while (y != 0) {
            const int64_t rest = x % y;
            x = y;
            y = rest;
        }
        store_i64_at(out->data, out->dtype, k, x);
    }
}

void sifr_reinterpret(const void* in, void* out, int64_t bytes) {
    if (bytes > 0) memcpy(out, in, static_cast<size_t>(bytes));
}

}  // extern "C"
