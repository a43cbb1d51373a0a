// borders_kernel on 1 blocks of 32 threads
#line 6 "t.py"
extern "C" __global__ void __launch_bounds__(32) borders_kernel(float* out, i64* last) {
    for (i64 i = threadIdx.x; i < 5; i += 32) {
        out[i] = 1.0f;
    }
#line 7 "t.py"
    __syncthreads();
    for (u32 element = threadIdx.x; element < 9; element += 32) {
        const i64 r = 1 + element / 3;
        const i64 j = element % 3;
        out[5 * r + j + 1] = 0.0f;
    }
#line 8 "t.py"
    __syncthreads();
    if (threadIdx.x == 0) last[0] = add<i64>(3, 4);
}
