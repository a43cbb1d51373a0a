#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/capture/interpreter.h"

namespace sifr::host {

/// What a function is compiled for: the memory that a caller hands in, and the tensors that lie in it.
struct ArgumentShape {
    struct Memory {
        DType dtype = DType::F32;
        int64_t elements = 0;
    };
    struct Place {
        uint32_t memory = 0;
        Layout layout;
    };
    std::vector<Memory> memories;  ///< arguments that share elements lie in one
    std::vector<Place> tensors;
    std::vector<Type::Kind> numbers;
    std::vector<std::string> names;  ///< of tensors; may be shorter
};

/// What comes back, in the order in which the function gave it.
struct ResultShape {
    enum class Kind : uint8_t { Fresh, Argument, Number } kind = Kind::Fresh;
    DType dtype = DType::F32;
    Layout layout;        ///< Fresh: contiguous; Argument: in that memory
    uint32_t memory = 0;  ///< Argument
    std::string name;     ///< of what a dict holds: its key
    Type::Kind number = Type::Kind::I64;
};

/// The tensors of the arguments, each a view of a new parameter that is a whole piece of memory; `memories` gets their storages.
capture::Values argument_tensors(capture::Interpreter& in, const ArgumentShape& shape, std::vector<StorageId>& memories);
/// The layout of complex numbers whose real and imaginary parts lie so, one axis less; nothing where the parts are not side by side.
std::optional<Layout> complex_layout(const Layout& parts);
/// The dtype of complex numbers that are made of such parts.
DType complex_of(DType part);
/// Makes a tensor or number a result of the function. A view of one of `memories` is told as such, and is none of the function's own.
ResultShape add_result(capture::Interpreter& in, capture::PyValue v, const std::vector<StorageId>& memories);
/// Makes `v` a result of the function: a tensor or number, or the members of a tuple, list or dict of them; nothing for None.
void add_results(capture::Interpreter& in, capture::PyValue v, const std::vector<StorageId>& memories, std::vector<ResultShape>& results, const std::string& name = "");
/// Per piece of memory that comes in (the first tensor parameters): does the function write it?
std::vector<bool> written_memories(const Function& f, size_t memories);

}  // namespace sifr::host
