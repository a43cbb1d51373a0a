// Memory of the host: views of it, and what sifr allocates for it.

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "compiler/host/error.h"
#include "compiler/host/memory.h"
#include "ir/type/dtype.h"
#include "runtime/sifr_runtime.h"

namespace sifr {

TensorView::TensorView(void* data, Dtype dtype, std::span<const int64_t> sizes, std::span<const int64_t> strides) : data_(data), dtype_(dtype) {
    if (sizes.size() > max_dims) host::fail_call(fmt::format("a tensor of {} axes: a sifr::TensorView has at most {}", sizes.size(), max_dims));
    if (!strides.empty() && strides.size() != sizes.size()) host::fail_call(fmt::format("{} strides for {} axes", strides.size(), sizes.size()));
    dim_ = static_cast<uint8_t>(sizes.size());
    int64_t step = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
        if (sizes[d] < 0) host::fail_call(fmt::format("axis {} has a negative size, {}", d, sizes[d]));
        if (!strides.empty() && strides[d] < 0) host::fail_call(fmt::format("axis {} has a negative stride, {}: PyTorch has none either; pass a flipped copy", d, strides[d]));
        sizes_[d] = sizes[d];
        strides_[d] = strides.empty() ? step : strides[d];
        if (__builtin_mul_overflow(step, std::max<int64_t>(sizes[d], 1), &step)) host::fail_call("the number of elements does not fit 64 bits");
    }
}

bool TensorView::is_contiguous() const {
    int64_t step = 1;
    for (size_t d = dim_; d-- > 0;) {
        if (sizes_[d] == 0) return true;
        if (sizes_[d] != 1 && strides_[d] != step) return false;
        step *= sizes_[d];
    }
    return true;
}

void TensorView::wrong_dtype(Dtype asked) const { host::fail_call(fmt::format("the elements are {}, and {} was asked for", name_of(dtype_), name_of(asked))); }

namespace {

sifr_tensor c_tensor(const TensorView& t) {
    return {t.data(), static_cast<int32_t>(t.dtype()), static_cast<int32_t>(t.dim()), t.sizes().data(), t.strides().data()};
}
void require_one(const TensorView& t) {
    if (t.numel() != 1) host::fail_call(fmt::format("a Tensor with {} elements cannot be converted to Scalar", t.numel()));
    if (is_complex(static_cast<DType>(t.dtype()))) host::fail_call("a complex element has no one number: take at<std::complex<float>>({…}), or abs() in the traced function");
}

}  // namespace

double TensorView::item_as_double() const {
    require_one(*this);
    const sifr_tensor t = c_tensor(*this);
    return sifr_load_f64(&t, 0);
}
int64_t TensorView::item_as_int() const {
    require_one(*this);
    const sifr_tensor t = c_tensor(*this);
    return is_float(static_cast<DType>(dtype_)) ? static_cast<int64_t>(sifr_load_f64(&t, 0)) : sifr_load_i64(&t, 0);
}

void* TensorView::element(std::span<const int64_t> index) const {
    if (index.size() != dim_) host::fail_call(fmt::format("{} indices for a tensor of {} axes", index.size(), static_cast<int>(dim_)));
    int64_t offset = 0;
    for (size_t d = 0; d < dim_; ++d) {
        if (index[d] < 0 || index[d] >= sizes_[d]) host::fail_call(fmt::format("index {} is out of bounds for dimension {} with size {}", index[d], d, sizes_[d]));
        offset += index[d] * strides_[d];
    }
    return static_cast<char*>(data_) + offset * static_cast<int64_t>(element_size(dtype_));
}

std::string TensorView::str() const {
    const sifr_tensor t = c_tensor(*this);
    const int64_t mark = sifr_str_mark();
    const sifr_print_options options = sifr_default_print_options();
    const sifr_str s = sifr_tensor_str(&t, &options, {nullptr, 0}, {nullptr, 0});
    std::string out(s.data, static_cast<size_t>(s.size));
    sifr_str_release(mark);
    return out;
}

HostTensor empty_host(const Ints& sizes, Dtype dtype) { return host::allocate(sizes.values(), dtype); }

HostTensor zeros_host(const Ints& sizes, Dtype dtype) {
    HostTensor t = host::allocate(sizes.values(), dtype);
    std::memset(t.data(), 0, static_cast<size_t>(t.numel()) * element_size(dtype));
    return t;
}

HostTensor clone_host(const TensorView& from) {
    HostTensor to = host::allocate(from.sizes(), from.dtype());
    const sifr_tensor a = c_tensor(from), b = c_tensor(to);
    sifr_tensor_copy(&a, &b);
    return to;
}

namespace host {

HostTensor allocate(std::span<const int64_t> sizes, Dtype dtype) {
    TensorView v(nullptr, dtype, sizes);
    const size_t bytes = static_cast<size_t>(v.numel()) * element_size(dtype);
    // Elements and their count of owners in one piece, and from malloc, which hands small ones out again at once; aligned_alloc does not.
    constexpr size_t alignment = 64;
    std::shared_ptr<std::byte[]> block;
    try {
        block = std::make_shared_for_overwrite<std::byte[]>(bytes + alignment - 1);
    } catch (const std::bad_alloc&) {
        fail_machine(fmt::format("out of memory: a tensor of {} bytes", bytes));
    }
    std::byte* data = block.get() + (alignment - reinterpret_cast<uintptr_t>(block.get()) % alignment) % alignment;
    return HostTensor(TensorView(data, dtype, sizes), std::shared_ptr<void>(std::move(block), data));
}

}  // namespace host
}  // namespace sifr
