// linear_kernel on 20 blocks of 256 threads
#line 11 "t.py"
extern "C" __global__ void __launch_bounds__(256, 2) linear_kernel(const float* x, const float* w, const float* bias, float* out) {
    for (i64 tile = blockIdx.x; tile < 20; tile += gridDim.x) {
        const auto a = [&](i64 i, i64 k) { return x[90 * i + k]; };
        const auto b = [&](i64 k, i64 j) { return w[90 * j + k]; };
        const auto finish = [&](i64 i, i64 j, float acc_1) {
            const float v = acc_1 + bias[j];
            out[50 * i + j] = larger<float>(v, 0.0f);
        };
        contract_tile<float, 16, 16, 16, 256, true, true>(tile / 4 * 16, tile % 4 * 16, 70, 50, 90, a, b, finish);
    }
}
