#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sifr {

/// Element types. The values are part of the runtime's C ABI.
enum class DType : uint8_t { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64, C64, C128 };
inline constexpr int dtype_count = 12;

enum class Category : uint8_t { Bool, Integer, Float, Complex };

int64_t size_of(DType t);                    ///< bytes per element
std::string_view name_of(DType t);           ///< `f32`, as in IR text
std::string_view torch_name(DType t);        ///< `torch.float32`
std::string_view scalar_name(DType t);       ///< `Float`, as in PyTorch's messages ("result type Float can't be cast …")
std::string_view c_name(DType t);            ///< `long int`, as in PyTorch's other messages
std::string_view tensor_type_name(DType t);  ///< `torch.FloatTensor`
std::optional<DType> dtype_named(std::string_view name);        ///< by IR name
std::optional<DType> dtype_torch_named(std::string_view name);  ///< by `float32`, `long`, `half`, … (without `torch.`)

Category category_of(DType t);
bool is_float(DType t);  ///< F16, BF16, F32, F64
bool is_complex(DType t);
bool is_integral(DType t, bool with_bool = false);
bool is_signed(DType t);

/// PyTorch's `torch.promote_types`.
DType promote(DType a, DType b);
/// PyTorch's `torch.can_cast`: a category never goes down.
bool can_cast(DType from, DType to);

}  // namespace sifr
