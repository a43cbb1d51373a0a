#pragma once

#include <list>
#include <string>
#include <vector>

#include "compiler/backend/library.h"
#include "ir/base/diagnostic.h"
#include "ir/base/source.h"

namespace sifr {

struct LibraryOptions {
    std::string name;                    ///< empty: the script's, without `.py`
    std::vector<std::string> functions;  ///< in the order of the header
    std::vector<std::string>
        signatures;  ///< `step(x: f32[32,8], n: int)`; what is not said here, annotations say: `def step(x: "f32[32,8]", n: int)`
};

/// What making a library leaves behind, also when it throws: the last source is the one that a message points into.
struct LibraryMessages {
    std::list<SourceFiles> files;
    std::vector<Diagnostic> diagnostics;
};

/// Captures functions of a script for the types that signatures or annotations give, in every form that calls of them lead to.
Library make_library(const std::string& path, const std::string& text, const LibraryOptions& options, LibraryMessages& messages);

/// One parameter of a signature: `f32[32,8]`, `f32[]`, `int`, `float`, `bool`. Throws CompileError (exit code 2) for anything else.
Type type_of_signature(const std::string& text, const std::string& what);
/// `step(x: f32[32,8], n: int)`, taken apart.
struct LibrarySignature {
    std::string function;
    std::vector<std::pair<std::string, std::string>> parameters;  ///< name, type
};
LibrarySignature parse_signature(const std::string& text);

/// The header in C: plain prototypes, and an options struct that begins with its size.
std::string library_header(const Library& library);

}  // namespace sifr
