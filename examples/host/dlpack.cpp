// Tensors go to another library and come from it through DLPack; elements are never copied.
#include <cstdio>
#include <cstdlib>

#include <sifr/sifr.h>

// What <dlpack/dlpack.h> has; a program that includes that header leaves this out.
struct DLDevice { int32_t type, id; };
struct DLDataType { uint8_t code, bits; uint16_t lanes; };
struct DLTensor {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor*);
};

/// Another library: it makes tensors.
DLManagedTensor* camera_image() {
    struct Image {
        DLManagedTensor managed;
        int64_t shape[2], strides[2];
        float pixels[12];
    };
    auto* image = new Image{};
    for (int k = 0; k < 12; ++k) image->pixels[k] = static_cast<float>(k);
    image->shape[0] = 3, image->shape[1] = 4;
    image->strides[0] = 1, image->strides[1] = 3;  // columns in a row
    image->managed.dl_tensor = {image->pixels, {1, 0}, 2, {2, 32, 1}, image->shape, image->strides, 0};
    image->managed.manager_ctx = image;
    image->managed.deleter = [](DLManagedTensor* t) {
        std::printf("the camera has its image back\n");
        delete static_cast<Image*>(t->manager_ctx);
    };
    return &image->managed;
}

int main() {
    auto brighten = sifr::jit([](sifr::Tensor image) {
        image.mul_(2);
        return image.sum(1);
    });
    {
        DLManagedTensor* raw = camera_image();
        const sifr::HostTensor image = sifr::from_dlpack(raw);
        std::printf("same memory: %s\n", image.data() == raw->dl_tensor.data ? "yes" : "no");
        const sifr::HostTensor rows = brighten(image);
        std::printf("%s\n%s\n", image.str().c_str(), rows.str().c_str());

        // Out again: whoever takes it calls the deleter. It keeps the memory alive behind `rows`.
        DLManagedTensor* given = sifr::to_dlpack(rows);
        std::printf("given: %d axis of %d, %d bits\n", given->dl_tensor.ndim, static_cast<int>(given->dl_tensor.shape[0]), given->dl_tensor.dtype.bits);
        given->deleter(given);
    }
    std::printf("done\n");
}
