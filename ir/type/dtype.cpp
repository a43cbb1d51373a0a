#include "ir/type/dtype.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/base/check.h"

namespace sifr {
namespace {

struct Row {
    DType dtype;
    int64_t size;
    Category category;
    std::string_view name, torch, scalar, c, tensor_type;
};

// In the order of the enumeration, which is also the order of promotion within integers and within floats.
constexpr std::array<Row, dtype_count> rows = {{
    {DType::Bool, 1, Category::Bool, "bool", "torch.bool", "Bool", "bool", "torch.BoolTensor"},
    {DType::U8, 1, Category::Integer, "u8", "torch.uint8", "Byte", "unsigned char", "torch.ByteTensor"},
    {DType::I8, 1, Category::Integer, "i8", "torch.int8", "Char", "signed char", "torch.CharTensor"},
    {DType::I16, 2, Category::Integer, "i16", "torch.int16", "Short", "short int", "torch.ShortTensor"},
    {DType::I32, 4, Category::Integer, "i32", "torch.int32", "Int", "int", "torch.IntTensor"},
    {DType::I64, 8, Category::Integer, "i64", "torch.int64", "Long", "long int", "torch.LongTensor"},
    {DType::F16, 2, Category::Float, "f16", "torch.float16", "Half", "c10::Half", "torch.HalfTensor"},
    {DType::BF16, 2, Category::Float, "bf16", "torch.bfloat16", "BFloat16", "c10::BFloat16", "torch.BFloat16Tensor"},
    {DType::F32, 4, Category::Float, "f32", "torch.float32", "Float", "float", "torch.FloatTensor"},
    {DType::F64, 8, Category::Float, "f64", "torch.float64", "Double", "double", "torch.DoubleTensor"},
    {DType::C64, 8, Category::Complex, "c64", "torch.complex64", "ComplexFloat", "c10::complex<float>", "torch.ComplexFloatTensor"},
    {DType::C128, 16, Category::Complex, "c128", "torch.complex128", "ComplexDouble", "c10::complex<double>", "torch.ComplexDoubleTensor"},
}};

constexpr std::pair<std::string_view, DType> torch_aliases[] = {
    {"half", DType::F16},  {"float", DType::F32},   {"double", DType::F64},   {"short", DType::I16},
    {"int", DType::I32},   {"long", DType::I64},    {"cfloat", DType::C64},   {"cdouble", DType::C128},
};

const Row& row(DType t) {
    SIFR_CHECK(static_cast<int>(t) < dtype_count, "dtype number {}", static_cast<int>(t));
    return rows[static_cast<size_t>(t)];
}

}  // namespace

int64_t size_of(DType t) { return row(t).size; }
std::string_view name_of(DType t) { return row(t).name; }
std::string_view torch_name(DType t) { return row(t).torch; }
std::string_view scalar_name(DType t) { return row(t).scalar; }
std::string_view c_name(DType t) { return row(t).c; }
std::string_view tensor_type_name(DType t) { return row(t).tensor_type; }

std::optional<DType> dtype_named(std::string_view name) {
    for (const Row& r : rows)
        if (r.name == name) return r.dtype;
    return std::nullopt;
}

std::optional<DType> dtype_torch_named(std::string_view name) {
    for (const Row& r : rows)
        if (r.torch.substr(6) == name) return r.dtype;
    for (const auto& [alias, dtype] : torch_aliases)
        if (alias == name) return dtype;
    return std::nullopt;
}

Category category_of(DType t) { return row(t).category; }
bool is_float(DType t) { return category_of(t) == Category::Float; }
bool is_complex(DType t) { return category_of(t) == Category::Complex; }
bool is_integral(DType t, bool with_bool) {
    return category_of(t) == Category::Integer || (with_bool && category_of(t) == Category::Bool);
}
bool is_signed(DType t) { return t != DType::Bool && t != DType::U8; }

DType promote(DType a, DType b) {
    if (a == b) return a;
    if (is_complex(a) || is_complex(b)) {
        auto wide = [](DType t) { return t == DType::F64 || t == DType::C128; };
        return wide(a) || wide(b) ? DType::C128 : DType::C64;
    }
    if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
    auto [low, high] = std::minmax(a, b);
    if (low == DType::U8 && high == DType::I8) return DType::I16;     // neither holds the other
    if (low == DType::F16 && high == DType::BF16) return DType::F32;  // neither holds the other
    return high;
}

bool can_cast(DType from, DType to) {
    return static_cast<int>(category_of(from)) <= static_cast<int>(category_of(to));
}

}  // namespace sifr
