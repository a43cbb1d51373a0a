// transpose_relu_kernel on 79 blocks of 256 threads
#line 7 "t.py"
extern "C" __global__ void __launch_bounds__(256) transpose_relu_kernel(const float* x, const float* bias, float* out) {
    for (u32 element = blockIdx.x * 256 + threadIdx.x; element < 20000; element += gridDim.x * 256) {
        const i64 i = element / 100;
        const i64 j_first = 4 * (element % 100);
        const float b = bias[i];
        Four<float> out_four;
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            const i64 j = j_first + lane;
            out_four.at[lane] = larger<float>((x[i + 200 * j] + b), 0.0f);
        }
        *(Four<float>*)(out + j_first + 400 * i) = out_four;
    }
}
