#pragma once

#include <cstdint>

#include "ir/loop/expr.h"

namespace sifr {

/// One element of any real type: F64 in `f64`; F32, F16 and BF16 in `f32`; integers in `i64`, extended by their sign (U8 by
/// zeros); Bool as 0 or 1 in `i64`.
union ScalarValue {
    int64_t i64 = 0;
    double f64;
    float f32;
};

/// The value of a Const node.
ScalarValue constant_value(DType type, uint64_t payload);
ScalarValue load_value(DType type, const void* at);
void store_value(DType type, void* at, ScalarValue value);
ScalarValue cast_value(ScalarValue value, DType from, DType to);
ScalarValue bitcast_value(ScalarValue value, DType from, DType to);
/// An operator that is no leaf and no conversion; `type` is that of the operands (of a Select: of its two values).
ScalarValue apply(ScalarOp op, DType type, ScalarValue a, ScalarValue b, ScalarValue c);

}  // namespace sifr
