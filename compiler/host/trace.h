#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/frontend/capture/interpreter.h"
#include "compiler/host/include/sifr/sifr.h"

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
    Layout layout;                 ///< Fresh: contiguous; Argument: in that memory
    uint32_t memory = 0;           ///< Argument
    Type::Kind number = Type::Kind::I64;
};

/// The tensors of the arguments, each a view of a new parameter that is a whole piece of memory; `memories` gets their storages.
capture::Values argument_tensors(capture::Interpreter& in, const ArgumentShape& shape, std::vector<StorageId>& memories);
/// Makes `v` a result of the function: a tensor or number, or the members of a tuple or list of them; nothing for None. A view of one of
/// `memories` is told as such.
void add_results(capture::Interpreter& in, capture::PyValue v, const std::vector<StorageId>& memories, std::vector<ResultShape>& results);

/// A traced function before any pass.
struct Traced {
    Captured captured;
    std::vector<ResultShape> results;
};

/// Traces `body` for arguments of this shape. `files` gets the C++ sources that it was traced through, as far as they can be read;
/// `warnings` what capture has to say. Throws CompileError, and whatever the body throws of its own.
Traced trace(const std::string& name, const ArgumentShape& shape, const std::function<void(detail::TraceCall&)>& body, detail::Place where,
             SourceFiles& files, std::vector<Diagnostic>& warnings);

}  // namespace sifr::host

namespace sifr::detail {

/// A running trace. It ends with the interpreter; handles that outlive it are refused.
struct Trace {
    capture::Interpreter* in = nullptr;  ///< null: ended
    std::vector<capture::PyValue> values;
    std::map<std::string, uint32_t> files;
    capture::PyValue run_for, run_while, run_if;
    /// The innermost trace of this thread; null outside.
    static std::shared_ptr<Trace>& current();

    Handle handle(const std::shared_ptr<Trace>& self, capture::PyValue v);
    capture::PyValue value(const Handle& h);
    capture::PyValue value(const Arg& a);
    void at(const Place& where);
};

}  // namespace sifr::detail
