#pragma once

#include <string>

#include "ir/func/function.h"

namespace sifr {

/// A literal operand: `0.5`, `3`, `true`, `"text"`, `none`.
std::string constant_text(const ScalarConstant& c);
/// An attribute's value: a literal, `f32`, `[1,2]`, `f32{0.5, 1.0}` (tensor data).
std::string attribute_text(const AttrValue& v);
/// Element `index` of packed data.
std::string element_text(const TensorData& data, size_t index);

}  // namespace sifr
