// log_softmax_kernel on 40 blocks of 256 threads
#line 9 "t.py"
extern "C" __global__ void __launch_bounds__(256) log_softmax_kernel(const float* x, float* out) {
    for (i64 i = blockIdx.x; i < 40; i += gridDim.x) {
        struct Partial { float largest; };
        const auto add_element = [&](Partial& acc, i64 k) {
            const float v = x[1000 * i + k];
            acc.largest = larger<float>(acc.largest, v);
        };
        const auto join = [](const Partial& a, const Partial& b) { return Partial{larger<float>(a.largest, b.largest)}; };
        const Partial all = reduce_by_block<256, 16>(1000, Partial{-infinity_f32}, add_element, join);
        const float largest = all.largest;
        struct Partial_1 { float total; };
        const auto add_element_1 = [&](Partial_1& acc, i64 k_1) {
            const float shifted = x[1000 * i + k_1] - largest;
            acc.total = acc.total + exp_f32(shifted);
        };
        const auto join_1 = [](const Partial_1& a, const Partial_1& b) { return Partial_1{a.total + b.total}; };
        const Partial_1 all_1 = reduce_by_block<256, 16>(1000, Partial_1{0.0f}, add_element_1, join_1);
        const float total = all_1.total;
        const float log_total = log_f32(total);
        for (i64 k_2 = threadIdx.x; k_2 < 1000; k_2 += 256) {
            out[1000 * i + k_2] = (x[1000 * i + k_2] - largest) - log_total;
        }
        __syncthreads();
    }
}
