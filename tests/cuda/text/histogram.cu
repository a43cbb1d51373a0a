// histogram_kernel on 79 blocks of 256 threads
#line 8 "t.py"
extern "C" __global__ void __launch_bounds__(256) histogram_kernel(const i64* index, const i64* weight, i64* out, Status* status, i64 launch) {
    for (i64 i = blockIdx.x * 256 + threadIdx.x; i < 20000; i += gridDim.x * 256) {
        const i64 at_1 = index[i];
        if (!((0 <= at_1) && (at_1 < 16))) note_offence(status, launch, 0, i, at_1);
        const i64 safe = larger<i64>(smaller<i64>(at_1, 15), 0);
        atomicAdd((u64*)&out[safe], u64(weight[i]));
    }
}
