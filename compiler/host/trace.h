#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/frontend/capture/interpreter.h"
#include "compiler/host/arguments.h"
#include "compiler/host/include/sifr/sifr.h"

namespace sifr::host {

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
    capture::PyValue run_for, run_while, run_if, print;
    /// The innermost trace of this thread; null outside.
    static std::shared_ptr<Trace>& current();

    Handle handle(const std::shared_ptr<Trace>& self, capture::PyValue v);
    capture::PyValue value(const Handle& h);
    capture::PyValue value(const Arg& a);
    void at(const Place& where);
};

}  // namespace sifr::detail
