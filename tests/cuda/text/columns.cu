// column_sums_kernel on 3 blocks of 256 threads
#line 5 "t.py"
extern "C" __global__ void __launch_bounds__(256) column_sums_kernel(const float* x, float* out, i64* where) {
    for (i64 c = blockIdx.x * 256 + threadIdx.x; c < 600; c += gridDim.x * 256) {
        struct Partial { float total; i64 best; float best_value; };
        const auto add_to_total = [&](Partial& acc, i64 r) {
            const float v = x[c + 600 * r];
            acc.total = acc.total + v;
            const float candidate = v;
            if (is_better<true>(candidate, r, acc.best_value, acc.best)) {
                acc.best = r;
                acc.best_value = candidate;
            }
        };
        const auto join_total = [](const Partial& a, const Partial& b) { return Partial{a.total + b.total, is_better<true>(b.best_value, b.best, a.best_value, a.best) ? b.best : a.best, is_better<true>(b.best_value, b.best, a.best_value, a.best) ? b.best_value : a.best_value}; };
        const Partial all = reduce_few<1>(70, Partial{0.0f, -1, -infinity_f32}, add_to_total, join_total);
        const float total = all.total;
        const i64 best = all.best < 0 ? 0 : all.best;
        out[c] = total;
        where[c] = best;
    }
}
