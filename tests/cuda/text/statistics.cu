// standardize_kernel_1 on 49 blocks of 256 threads
// standardize_kernel_2 on 1 blocks of 256 threads
// standardize_kernel_3 on 98 blocks of 256 threads
// slab: 12800 bytes
#line 3 "t.py"
extern "C" __global__ void __launch_bounds__(256) standardize_kernel_1(float* x, float* mean_out, u8* slab) {
    struct Partial { float total; };
    const auto add_element = [&](Partial& acc, i64 k) {
        acc.total = acc.total + x[k];
    };
    const auto join = [](const Partial& a, const Partial& b) { return Partial{a.total + b.total}; };
    reduce_by_grid<256, 16>(100000, 16, Partial{0.0f}, add_element, join, (Partial*)(slab + 0));
}

#line 3 "t.py"
extern "C" __global__ void __launch_bounds__(256) standardize_kernel_2(float* x, float* mean_out, u8* slab) {
    struct Partial_1 { float total; };
    const auto join_1 = [](const Partial_1& a, const Partial_1& b) { return Partial_1{a.total + b.total}; };
    const Partial_1 all = join_nodes<256, 16>(49, Partial_1{0.0f}, join_1, (const Partial_1*)(slab + 0));
    const float total = all.total;
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
