#pragma once

#include <memory>

#include "compiler/frontend/syntax/ast.h"
#include "ir/base/source.h"

namespace sifr::syntax {

/// Parses a whole Python 3.11 file. `file_index` becomes the `file` of every span.
/// Throws CompileError whose diagnostic carries CPython's exception (`SyntaxError`, `IndentationError`, `TabError`), its text
/// and the place; also for what CPython rejects after parsing, such as `return` outside a function.
/// CRLF and CR line ends and a UTF-8 byte order mark are accepted.
std::unique_ptr<Module> parse_module(const SourceFile& file, uint32_t file_index);

}  // namespace sifr::syntax
