#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/base/ids.h"
#include "ir/type/dtype.h"
#include "ir/type/layout.h"

namespace sifr {

/// An axis whose extent is known only at run time. The tensor's `sizes` hold its upper bound, `size` the i64 value. In a type
/// that a row infers, an invalid `size` stands for the instruction's first result.
struct RunTimeSize {
    int axis;
    ValueId size;
    bool operator==(const RunTimeSize&) const = default;
};

/// The type of an IR value. Printed `f32[2,3]`, `f32[%n<=16,3]`, `i64`, `f64`, `bool`, `str`, `opt(f64,f64)`, `list(f64)`.
struct Type {
    enum class Kind : uint8_t {
        Tensor,
        I64,       ///< a Python int at run time; weak in promotion
        F64,       ///< a Python float at run time; weak in promotion
        Bool,      ///< a Python bool at run time
        Str,       ///< a Python string at run time
        Optional,  ///< a flag, and the members when it is set
        List,      ///< a list that grows at run time; one member, the element
    };
    Kind kind = Kind::I64;
    DType dtype = DType::F32;                 ///< of tensors
    Sizes sizes;                              ///< of tensors
    std::vector<RunTimeSize> run_time_sizes;  ///< of tensors; empty when all sizes are static
    std::vector<Type> members;

    bool operator==(const Type&) const = default;

    static Type tensor(DType dtype, Sizes sizes);
    static Type i64() { return Type{Kind::I64}; }
    static Type f64() { return Type{Kind::F64}; }
    static Type boolean() { return Type{Kind::Bool}; }
    static Type str() { return Type{Kind::Str}; }
    static Type optional(std::vector<Type> members);
    static Type list(Type element);

    [[nodiscard]] bool is_tensor() const { return kind == Kind::Tensor; }
    [[nodiscard]] bool is_number() const { return kind == Kind::I64 || kind == Kind::F64 || kind == Kind::Bool; }
    [[nodiscard]] int rank() const { return static_cast<int>(sizes.size()); }
    [[nodiscard]] int64_t numel() const { return element_count(sizes); }
    [[nodiscard]] int64_t bytes() const { return numel() * size_of(dtype); }
    [[nodiscard]] std::string text() const;
    /// The same with `name` giving the text of run-time sizes.
    [[nodiscard]] std::string text(const std::function<std::string(ValueId)>& name) const;
};

/// The Python number type as a DType: i64 -> I64, f64 -> F64, bool -> Bool.
DType dtype_of_number(Type::Kind kind);

}  // namespace sifr
