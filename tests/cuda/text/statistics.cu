// standardize_kernel_1 on 49 blocks of 256 threads
// standardize_kernel_2 on 1 blocks of 256 threads
// standardize_kernel_3 on 98 blocks of 256 threads
// slab: 12800 bytes
#line 3 "t.py"
extern "C" __global__ void __launch_bounds__(256) standardize_kernel_1(float* x, float* mean_out, u8* slab) {
    alignas(16) __shared__ u8 shared_space[2304];
    const auto add_to_total = [&](float& acc, i64 k) {
        acc = acc + x[k];
    };
    const auto join_total = [](float a, float b) { return a + b; };
    reduce_by_grid<256, 16>(shared_space, 100000, 16, 0.0f, add_to_total, join_total, (float*)slab);
}

#line 3 "t.py"
extern "C" __global__ void __launch_bounds__(256) standardize_kernel_2(float* x, float* mean_out, u8* slab) {
    alignas(16) __shared__ u8 shared_space[2304];
    const auto join_total_1 = [](float a, float b) { return a + b; };
    const float total = join_nodes<256, 16>(shared_space, 49, 0.0f, join_total_1, (const float*)slab);
    const float mean = total / 100000.0f;
    if (threadIdx.x == 0) mean_out[0] = mean;
    if (threadIdx.x == 0) *(float*)(slab + 12544) = mean;
}

#line 3 "t.py"
extern "C" __global__ void __launch_bounds__(256) standardize_kernel_3(float* x, float* mean_out, u8* slab) {
    const float mean = *(float*)(slab + 12544);
#line 4 "t.py"
    for (i64 i_first = 4 * (blockIdx.x * 256 + threadIdx.x); i_first < 100000; i_first += 4 * gridDim.x * 256) {
        const Four<float> x_four = *(const Four<float>*)(x + i_first);
        Four<float> x_four_1;
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            const i64 i = i_first + lane;
            x_four_1.at[lane] = x_four.at[lane] - mean;
        }
        *(Four<float>*)(x + i_first) = x_four_1;
    }
}
