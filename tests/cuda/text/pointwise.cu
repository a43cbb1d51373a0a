// mul_add_kernel on 128 blocks of 256 threads
#line 4 "t.py"
extern "C" __global__ void __launch_bounds__(256) mul_add_kernel(const float* x, const float* y, float* out, double alpha) {
    for (i64 i_first = 4 * (blockIdx.x * 256 + threadIdx.x); i_first < 131072; i_first += 4 * gridDim.x * 256) {
        const Four<float> x_four = *(const Four<float>*)(x + i_first);
        const Four<float> y_four = *(const Four<float>*)(y + i_first);
        Four<float> out_four;
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            const i64 i = i_first + lane;
            const float scaled = x_four.at[lane] * float(alpha);
            out_four.at[lane] = (scaled * scaled) + y_four.at[lane];
        }
        *(Four<float>*)(out + i_first) = out_four;
    }
}
