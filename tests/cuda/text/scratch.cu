// normalize_kernel on 30 blocks of 256 threads
#line 2 "t.py"
extern "C" __global__ void __launch_bounds__(256) normalize_kernel(const double* x, double* out) {
    alignas(16) __shared__ u8 shared_space[4608];
    __shared__ double row[1000];
    for (i64 i = blockIdx.x; i < 30; i += gridDim.x) {
        for (i64 k = 0; k < 1000; ++k) {
            if (threadIdx.x == 0) row[k] = exp_f64(x[1000 * i + k]);
            __syncthreads();
        }
        const auto add_to_total = [&](double& acc, i64 k_1) {
            acc = acc + row[k_1];
        };
        const auto join_total = [](double a, double b) { return a + b; };
        const double total = reduce_by_block<256, 16>(shared_space, 1000, 0.0, add_to_total, join_total);
        for (i64 k_2 = 0; k_2 < 1000; ++k_2) {
            if (threadIdx.x == 0) out[1000 * i + k_2] = row[k_2] / total;
            __syncthreads();
        }
    }
}
