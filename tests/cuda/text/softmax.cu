// log_softmax_kernel on 40 blocks of 256 threads
#line 9 "t.py"
extern "C" __global__ void __launch_bounds__(256) log_softmax_kernel(const float* x, float* out) {
    alignas(16) __shared__ u8 shared_space[2304];
    for (i64 i = blockIdx.x; i < 40; i += gridDim.x) {
        const auto add_to_largest = [&](float& acc, i64 k) {
            const float v = x[1000 * i + k];
            acc = larger<float>(acc, v);
        };
        const auto join_largest = [](float a, float b) { return larger<float>(a, b); };
        const float largest = reduce_by_block<256, 16>(shared_space, 1000, -infinity_f32, add_to_largest, join_largest);
        const auto add_to_total = [&](float& acc, i64 k_1) {
            const float shifted = x[1000 * i + k_1] - largest;
            acc = acc + exp_f32(shifted);
        };
        const auto join_total = [](float a, float b) { return a + b; };
        const float total = reduce_by_block<256, 16>(shared_space, 1000, 0.0f, add_to_total, join_total);
        const float log_total = log_f32(total);
        for (i64 k_2 = threadIdx.x; k_2 < 1000; k_2 += 256) {
            out[1000 * i + k_2] = (x[1000 * i + k_2] - largest) - log_total;
        }
        __syncthreads();
    }
}
