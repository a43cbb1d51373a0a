// one_hot_kernel on 79 blocks of 256 threads
#line 8 "t.py"
extern "C" __global__ void __launch_bounds__(256) one_hot_kernel(const i64* index, const float* x, float* out) {
    for (i64 i = blockIdx.x * 256 + threadIdx.x; i < 20000; i += gridDim.x * 256) {
        const i64 at_1 = index[i];
        const i64 safe = larger<i64>(smaller<i64>(at_1, 9), 0);
        out[10 * i + safe] = x[i];
    }
}
