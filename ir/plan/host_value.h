#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/func/attr.h"
#include "ir/op/op.h"
#include "ir/type/type.h"
#include "runtime/sifr_runtime.h"

namespace sifr {

/// A number, text, optional or list of the host while a plan is interpreted.
struct HostValue {
    Type::Kind kind = Type::Kind::I64;
    int64_t i64 = 0;  ///< I64; Bool as 0 or 1; Optional: 1 when it is set
    double f64 = 0;
    std::string text;
    std::vector<HostValue> members;  ///< Optional
    std::shared_ptr<sifr_list> list;
    int32_t element = SIFR_LIST_I64;  ///< of a list: sifr_list_kind

    static HostValue of(int64_t v) { return {Type::Kind::I64, v, 0, {}, {}, {}, SIFR_LIST_I64}; }
    static HostValue of(double v) { return {Type::Kind::F64, 0, v, {}, {}, {}, SIFR_LIST_I64}; }
    static HostValue of_bool(bool v) { return {Type::Kind::Bool, v, 0, {}, {}, {}, SIFR_LIST_I64}; }
    static HostValue of(std::string v) { return {Type::Kind::Str, 0, 0, std::move(v), {}, {}, SIFR_LIST_I64}; }
    static HostValue of(sifr_str v) { return of(std::string(v.data, static_cast<size_t>(v.size))); }
    [[nodiscard]] sifr_str str() const { return {text.data(), static_cast<int64_t>(text.size())}; }
};

/// Arguments of a row on the host. `place` is the line of the script, for raises.
struct HostCall {
    Op op;
    std::span<const HostValue> args;
    std::span<const sifr_tensor> tensors;  ///< operands, then results
    const Attrs& attrs;
    std::span<const Type> results;
    int32_t line = 0;

    [[nodiscard]] int64_t i(size_t k) const { return args[k].i64; }
    [[nodiscard]] double f(size_t k) const { return args[k].f64; }
    [[nodiscard]] sifr_str s(size_t k) const { return args[k].str(); }
    /// Raises what a runtime function left when it failed.
    void done(sifr_status status) const {
        if (status != SIFR_OK) sifr_raise_pending(nullptr, line);
    }
};

using HostRow = std::function<std::vector<HostValue>(const HostCall&)>;
/// The meaning of a scalar or host row; null where there is none.
const HostRow* scalar_row(std::string_view name);   ///< numbers, optionals
const HostRow* string_row(std::string_view name);   ///< strings, prints, the world outside
const HostRow* list_row(std::string_view name);
const HostRow* tensor_row(std::string_view name);   ///< random draws, tensors as text
const HostRow* library_row(std::string_view name);  ///< order, selection, linear algebra

}  // namespace sifr
