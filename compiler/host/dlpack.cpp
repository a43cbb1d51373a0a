// DLPack, both ways: the legacy struct and the versioned one. The layouts are the protocol's; no header of it is needed.

#include "compiler/host/error.h"

struct DLDevice {
    int32_t device_type;
    int32_t device_id;
};
struct DLDataType {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
};
struct DLTensor {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;
    int64_t* strides;  ///< null: contiguous
    uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor* self);
};
struct DLPackVersion {
    uint32_t major;
    uint32_t minor;
};
struct DLManagedTensorVersioned {
    DLPackVersion version;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned* self);
    uint64_t flags;
    DLTensor dl_tensor;
};

namespace sifr {

namespace {

constexpr int32_t on_cpu = 1;
constexpr uint32_t major_version = 1;
constexpr uint64_t read_only = 1;

struct Row {
    Dtype dtype;
    uint8_t code, bits;
};
constexpr Row rows[] = {
    {Dtype::Bool, 6, 8},   {Dtype::UInt8, 1, 8},    {Dtype::Int8, 0, 8},     {Dtype::Int16, 0, 16},     {Dtype::Int32, 0, 32},       {Dtype::Int64, 0, 64},
    {Dtype::Float16, 2, 16}, {Dtype::BFloat16, 4, 16}, {Dtype::Float32, 2, 32}, {Dtype::Float64, 2, 64}, {Dtype::Complex64, 5, 64}, {Dtype::Complex128, 5, 128},
};

/// A device's name in words.
std::string device_name(int32_t type) {
    static constexpr std::pair<int32_t, const char*> names[] = {{2, "cuda"}, {3, "cuda, host memory"}, {4, "opencl"}, {7, "vulkan"}, {8, "metal"}, {10, "rocm"}, {13, "cuda, managed memory"}, {14, "oneapi"}};
    for (const auto& [number, name] : names)
        if (number == type) return fmt::format("type {} ({})", type, name);
    return fmt::format("type {}", type);
}

template <class Managed>
HostTensor take(Managed* managed, bool is_const) {
    if (!managed) host::fail_call("from_dlpack: no tensor");
    const DLTensor& t = managed->dl_tensor;
    if (t.device.device_type != on_cpu) host::fail_call(fmt::format("from_dlpack: the tensor is on a device of {}, not in the host's memory", device_name(t.device.device_type)), "copy it to the CPU first");
    const Row* row = nullptr;
    for (const Row& r : rows)
        if (r.code == t.dtype.code && r.bits == t.dtype.bits && t.dtype.lanes == 1) row = &r;
    if (!row) host::fail_call(fmt::format("from_dlpack: elements of type code {}, {} bits, {} lanes are not supported", t.dtype.code, t.dtype.bits, t.dtype.lanes));
    const std::span<const int64_t> sizes(t.shape, static_cast<size_t>(t.ndim));
    TensorView v(static_cast<char*>(t.data) + t.byte_offset, row->dtype, sizes, t.strides ? std::span<const int64_t>(t.strides, sizes.size()) : std::span<const int64_t>());
    if (is_const) v = v.as_const();
    return HostTensor(v, std::shared_ptr<void>(t.data, [managed](void*) {
        if (managed->deleter) managed->deleter(managed);
    }));
}

/// The managed tensor, what it points at, and a share of the memory: one allocation that the deleter frees.
template <class Managed>
struct Given {
    Managed managed{};
    HostTensor keep;
    std::array<int64_t, TensorView::max_dims> sizes{}, strides{};
};

template <class Managed>
Given<Managed>* give(const HostTensor& tensor) {
    auto* g = new Given<Managed>;
    g->keep = tensor;
    std::copy(tensor.sizes().begin(), tensor.sizes().end(), g->sizes.begin());
    std::copy(tensor.strides().begin(), tensor.strides().end(), g->strides.begin());
    const Row& row = rows[static_cast<size_t>(tensor.dtype())];
    g->managed.dl_tensor = {tensor.data(), {on_cpu, 0}, static_cast<int32_t>(tensor.dim()), {row.code, row.bits, 1}, g->sizes.data(), g->strides.data(), 0};
    g->managed.manager_ctx = g;
    g->managed.deleter = [](Managed* self) { delete static_cast<Given<Managed>*>(self->manager_ctx); };
    return g;
}

}  // namespace

HostTensor from_dlpack(DLManagedTensor* tensor) { return take(tensor, false); }

HostTensor from_dlpack(DLManagedTensorVersioned* tensor) {
    if (tensor && tensor->version.major != major_version)
        host::fail_call(fmt::format("from_dlpack: a tensor of version {}.{}, and sifr knows version {}", tensor->version.major, tensor->version.minor, major_version));
    return take(tensor, tensor && (tensor->flags & read_only) != 0);
}

DLManagedTensor* to_dlpack(const HostTensor& tensor) { return &give<DLManagedTensor>(tensor)->managed; }

DLManagedTensorVersioned* to_dlpack_versioned(const HostTensor& tensor) {
    auto* g = give<DLManagedTensorVersioned>(tensor);
    g->managed.version = {major_version, 0};
    g->managed.flags = tensor.is_const() ? read_only : 0;
    return &g->managed;
}

}  // namespace sifr
