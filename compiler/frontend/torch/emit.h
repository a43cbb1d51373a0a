#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/frontend/capture/interpreter.h"
#include "ir/op/op_def.h"

/// The torch module over capture's values. This file: how a call of a row becomes a CAPTURED instruction.
namespace sifr::capture {

/// The operands of a row, in the order of its signature: Tensor objects, numbers (static or run-time), strings, None for an
/// optional operand that is not given. Members of a list parameter stand one after the other.
using Operands = Values;

/// A new tensor object for a CAPTURED value. `like` gives the device; null: the CPU.
PyValue make_tensor_object(Interpreter& in, ValueId value, VariableId variable, const TensorObject* like = nullptr);

/// Code of a class's call, which gets the class in front of the arguments, from code that takes the arguments alone.
inline NativeCode constructor(NativeCode code) {
    return [code = std::move(code)](Interpreter& in, Args& args) {
        args.positional.erase(args.positional.begin());
        return code(in, args);
    };
}

/// The row of this name; NotSupported where the op table has none (yet).
Op row_named(std::string_view name);

/// Notes which object a variable of the autograd state belongs to from now on.
void own_variable(Interpreter& in, VariableId variable, const TensorObject* owner);

/// `results = op operands {attrs}`: a fresh row makes storages, a view row shares that of operand 0. Types and errors come
/// from the row; the autograd state is told, and what it refuses is raised. One Tensor (or scalar) per result.
Values emit_row(Interpreter& in, Op op, const Operands& operands, Attrs attributes = {});
/// The same, for rows with one result.
PyValue emit_one(Interpreter& in, Op op, const Operands& operands, Attrs attributes = {});

/// A row whose results have types that no rule gives: run-time sizes. A size without a value is the first result.
Values emit_of_types(Interpreter& in, Op op, const Operands& operands, Attrs attributes, const std::vector<Type>& types);

/// Random numbers for a tensor on the GPU are the CPU's: that is said.
void warn_of_cuda_draw(Interpreter& in, PyValue tensor);

/// How a write is checked, and what it does to the version.
struct WriteOptions {
    bool check_overlap = true;   ///< fills may be written through an expanded tensor
    bool check_cast = true;      ///< the result's category may not be above the destination's (copy_ converts)
    bool check_shape = true;     ///< the broadcast shape must be the destination's (copy_ has a text of its own)
    const char* node = nullptr;  ///< unused by rows; the printed node comes from the row
};
/// `dest <- op operands {attrs}`. Gives `dest`.
PyValue emit_write(Interpreter& in, PyValue dest, Op op, const Operands& operands, Attrs attributes = {}, const WriteOptions& options = {});

/// The captured value of a Tensor, its type and layout.
inline const TensorObject* tensor_of(PyValue v) { return v.as<TensorObject>(); }
const Type& type_of(Interpreter& in, PyValue tensor);
const Layout& layout_of(Interpreter& in, PyValue tensor);
const View& view_of(Interpreter& in, PyValue tensor);
bool requires_grad(Interpreter& in, PyValue tensor);
/// The extents as Python ints: known, or a run-time int for an axis of run-time extent.
Values shape_of(Interpreter& in, PyValue tensor);

/// The frame of a storage made for `layout`: its sizes in the order of falling strides.
Sizes frame_of(const Layout& layout);

/// The default dtype (`torch.set_default_dtype`).
DType default_dtype(Interpreter& in);

/// A tensor with elements that are all known: `full`, `literal`.
PyValue full_tensor(Interpreter& in, DType dtype, const Sizes& sizes, PyValue value);
PyValue literal_tensor(Interpreter& in, DType dtype, const Sizes& sizes, std::vector<std::byte> bytes);

/// `.item()`: a run-time number.
PyValue item_of(Interpreter& in, PyValue tensor);

}  // namespace sifr::capture
