#pragma once

#include <string>
#include <vector>

#include "compiler/backend/device_program.h"
#include "ir/loop/loop_ir.h"

namespace sifr::cuda {

/// `script` names the file in `#line`. Sums of floats at repeated indices are taken in the order of the program, by one thread; with `float_atomics` by
/// all at once, and then the order of the additions, and with it the last digits, is not always the same.
DeviceKernel print_kernel(const Kernel& kernel, const std::string& script, bool float_atomics = false);

/// Levels of the tree in which a block joins what its threads have reduced: enough for 2^28 times what it takes at once.
constexpr int64_t tree_levels = 28;

/// A whole translation unit without headers: what the kernels use of our own functions, then the kernels.
std::string device_unit(const std::vector<const DeviceKernel*>& kernels);

/// The transcendental function `op` of type `t` (F32 or F64) as a device function of the name `math_function_name` gives: the formulas of ir/math.
std::string math_function_text(ScalarOp op, DType t);
std::string math_function_name(ScalarOp op, DType t);

/// Our own device functions and types, each with what it needs; `text` is scanned for their names.
std::string prelude_for(const std::string& text);

/// The type of a value in a register, and of an element in memory.
const char* value_type(DType t);
const char* memory_type(DType t);

}  // namespace sifr::cuda
