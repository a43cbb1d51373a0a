// Memory that another library gives away as a DLPack tensor, used in place, and a result given away the same way.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

// What <dlpack/dlpack.h> declares; a program that has it includes it instead.
struct DLDevice { int32_t device_type, device_id; };
struct DLDataType { uint8_t code, bits; uint16_t lanes; };
struct DLTensor { void* data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape, *strides; uint64_t byte_offset; };
struct DLManagedTensor { DLTensor dl_tensor; void* manager_ctx; void (*deleter)(DLManagedTensor*); };

int main() {
    std::vector<double> data{1, 2, 3, 4};
    int64_t shape[] = {2, 2};
    DLManagedTensor given{{data.data(), {1, 0}, 2, {2, 64, 1}, shape, nullptr, 0}, nullptr, [](DLManagedTensor*) { std::printf("given back\n"); }};

    auto square = sifr::jit([](sifr::Tensor x) {
        x.mul_(x);
        return x.sum(0);
    });
    DLManagedTensor* result = nullptr;
    {
        sifr::HostTensor x = sifr::from_dlpack(&given);
        result = sifr::to_dlpack(square(x));
    }
    std::printf("%g in place; ", data[3]);
    const auto* sums = static_cast<const double*>(result->dl_tensor.data);
    std::printf("columns %g %g\n", sums[0], sums[1]);
    result->deleter(result);
}
