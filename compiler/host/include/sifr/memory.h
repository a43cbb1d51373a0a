/// Memory of the host as tensors: the caller's, and what sifr has allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <sifr/error.h>
#include <sifr/types.h>

namespace sifr {

class HostTensor;

/// The caller's memory as a tensor. It owns nothing. Sizes and strides count elements; strides are not negative; up to 16 axes. Alignment
/// is only that of the element. Copied by value.
class TensorView {
public:
    static constexpr size_t max_dims = 16;

    TensorView() = default;
    /// A view of memory that goes at the end of the line: name the HostTensor, and pass it where a view is asked for.
    TensorView(HostTensor&&) = delete;
    /// Throws Error (Call) where `sizes` has more than 16 axes or a negative one, or `strides` another length.
    SIFR_API TensorView(void* data, Dtype dtype, std::span<const int64_t> sizes, std::span<const int64_t> strides = {});

    [[nodiscard]] void* data() const { return data_; }
    /// The elements as T; throws where the dtype is another.
    template <class T>
    [[nodiscard]] T* data() const {
        require(dtype_of<T>);
        return static_cast<T*>(data_);
    }
    [[nodiscard]] Dtype dtype() const { return dtype_; }
    [[nodiscard]] size_t dim() const { return dim_; }
    [[nodiscard]] std::span<const int64_t> sizes() const { return {sizes_.data(), dim_}; }
    [[nodiscard]] std::span<const int64_t> strides() const { return {strides_.data(), dim_}; }
    [[nodiscard]] int64_t size(size_t axis) const { return sizes_.at(axis); }
    [[nodiscard]] int64_t numel() const {
        int64_t n = 1;
        for (size_t d = 0; d < dim_; ++d) n *= sizes_[d];
        return n;
    }
    /// Row-major without gaps.
    [[nodiscard]] SIFR_API bool is_contiguous() const;
    /// A call that writes this argument is refused before anything runs.
    [[nodiscard]] bool is_const() const { return const_; }
    [[nodiscard]] TensorView as_const() const {
        TensorView v = *this;
        v.const_ = true;
        return v;
    }
    /// The only element, converted to T; throws where there are more.
    template <class T>
    [[nodiscard]] T item() const {
        if constexpr (std::is_floating_point_v<T>) return static_cast<T>(item_as_double());
        else return static_cast<T>(item_as_int());
    }
    /// The element at `index`, one number per axis.
    template <class T>
    [[nodiscard]] T& at(std::initializer_list<int64_t> index) const {
        require(dtype_of<T>);
        return *static_cast<T*>(element(std::span<const int64_t>(index.begin(), index.size())));
    }
    /// As PyTorch prints it: `tensor([1., 2.])`.
    [[nodiscard]] SIFR_API std::string str() const;

protected:
    void require(Dtype t) const {
        if (t != dtype_) wrong_dtype(t);
    }
    [[noreturn]] SIFR_API void wrong_dtype(Dtype asked) const;
    [[nodiscard]] SIFR_API double item_as_double() const;
    [[nodiscard]] SIFR_API int64_t item_as_int() const;
    [[nodiscard]] SIFR_API void* element(std::span<const int64_t> index) const;

    void* data_ = nullptr;
    Dtype dtype_ = Dtype::Float32;
    bool const_ = false;
    uint8_t dim_ = 0;
    std::array<int64_t, max_dims> sizes_{}, strides_{};
};

/// Memory that sifr allocated (64-byte aligned) or that came through DLPack. Copies share it; the last one frees it. It is a TensorView and
/// is passed as one.
class HostTensor : public TensorView {
public:
    HostTensor() = default;
    HostTensor(const TensorView& view, std::shared_ptr<void> owner) : TensorView(view), owner_(std::move(owner)) {}
    /// Null where the memory is the caller's: a result that is an argument, or a view of one.
    [[nodiscard]] const std::shared_ptr<void>& owner() const { return owner_; }
    [[nodiscard]] bool owns_memory() const { return owner_ != nullptr; }

private:
    std::shared_ptr<void> owner_;
};

/// The memory at `data` as a tensor; it stays the caller's. PyTorch's from_blob without a deleter.
template <class T, class = std::enable_if_t<!std::is_void_v<T>>>
TensorView from_blob(T* data, const Ints& sizes, const Ints& strides = {}) {
    TensorView v(const_cast<std::remove_const_t<T>*>(data), dtype_of<T>, sizes.values(), strides.values());
    return std::is_const_v<T> ? v.as_const() : v;
}
inline TensorView from_blob(void* data, const Ints& sizes, Dtype dtype, const Ints& strides = {}) { return {data, dtype, sizes.values(), strides.values()}; }
/// A vector or array as a tensor of one axis. The container must not move while the tensor is used.
template <class C, class T = std::remove_reference_t<decltype(*std::data(std::declval<C&>()))>>
TensorView from_span(C& container) {
    return from_blob(std::data(container), Ints{static_cast<int64_t>(std::size(container))});
}

/// `std::cout << tensor`, as PyTorch prints it.
template <class Stream, class = decltype(std::declval<Stream&>().rdbuf())>
Stream& operator<<(Stream& out, const TensorView& tensor) {
    out << tensor.str();
    return out;
}

/// New memory outside of a trace. `empty_host` leaves its elements undefined.
SIFR_API HostTensor empty_host(const Ints& sizes, Dtype dtype = kFloat32);
SIFR_API HostTensor zeros_host(const Ints& sizes, Dtype dtype = kFloat32);
/// A contiguous copy.
SIFR_API HostTensor clone_host(const TensorView& from);

/// What every call draws from on this thread, as torch.manual_seed. Each thread has a generator of its own, which starts from the OS.
SIFR_API void manual_seed(uint64_t seed);

}  // namespace sifr
