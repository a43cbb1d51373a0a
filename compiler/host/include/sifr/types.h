/// Element types, lists of sizes, and the version of the ABI.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#define SIFR_API __attribute__((visibility("default")))
#define SIFR_INTERNAL __attribute__((visibility("hidden")))

/// Grows when a program that was compiled against an older libsifr would no longer work with this one.
#define SIFR_ABI_VERSION 1

/// Programs link one libsifr; the namespace keeps those of two ABI versions apart.
namespace sifr {

/// Element types. The numbers are part of the ABI.
enum class Dtype : uint8_t { Bool, UInt8, Int8, Int16, Int32, Int64, Float16, BFloat16, Float32, Float64, Complex64, Complex128 };

inline constexpr Dtype kBool = Dtype::Bool, kUInt8 = Dtype::UInt8, kInt8 = Dtype::Int8, kInt16 = Dtype::Int16, kInt32 = Dtype::Int32, kInt64 = Dtype::Int64,
                       kFloat16 = Dtype::Float16, kBFloat16 = Dtype::BFloat16, kFloat32 = Dtype::Float32, kFloat64 = Dtype::Float64,
                       kComplex64 = Dtype::Complex64, kComplex128 = Dtype::Complex128;

/// Where compiled code runs. Arguments and results are memory of the host in either case.
enum class Device : uint8_t { CPU, CUDA };
inline constexpr Device kCPU = Device::CPU, kCUDA = Device::CUDA;

/// Bytes of one element.
constexpr size_t element_size(Dtype t) {
    constexpr uint8_t sizes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    return sizes[static_cast<size_t>(t)];
}
/// `float32`, as PyTorch says it.
constexpr const char* name_of(Dtype t) {
    constexpr const char* names[] = {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
    return names[static_cast<size_t>(t)];
}

namespace detail {
template <class T>
constexpr Dtype dtype_for() {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, bool>) return Dtype::Bool;
    else if constexpr (std::is_same_v<U, float>) return Dtype::Float32;
    else if constexpr (std::is_same_v<U, double>) return Dtype::Float64;
    else if constexpr (std::is_integral_v<U> && std::is_unsigned_v<U> && sizeof(U) == 1) return Dtype::UInt8;
    else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>) return sizeof(U) == 1 ? Dtype::Int8 : sizeof(U) == 2 ? Dtype::Int16 : sizeof(U) == 4 ? Dtype::Int32 : Dtype::Int64;
    else if constexpr (std::is_same_v<U, std::complex<float>>) return Dtype::Complex64;
    else if constexpr (std::is_same_v<U, std::complex<double>>) return Dtype::Complex128;
    else static_assert(!sizeof(U*), "no dtype has elements of this C++ type: give the dtype by name, sifr::from_blob(pointer, sizes, dtype)");
}
}  // namespace detail
/// The dtype whose elements are T: `dtype_of<float>` is kFloat32.
template <class T>
inline constexpr Dtype dtype_of = detail::dtype_for<T>();

/// Sizes, strides, axes: from a braced list, a vector, or one int.
class Ints {
public:
    Ints() = default;
    Ints(std::initializer_list<int64_t> v) : values_(v) {}
    Ints(std::vector<int64_t> v) : values_(std::move(v)) {}                      // NOLINT: a vector of ints is one
    template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
    Ints(I v) : values_{static_cast<int64_t>(v)} {}                              // NOLINT
    [[nodiscard]] const std::vector<int64_t>& values() const { return values_; }
    [[nodiscard]] size_t size() const { return values_.size(); }
    int64_t operator[](size_t i) const { return values_[i]; }

private:
    std::vector<int64_t> values_;
};

}  // namespace sifr
