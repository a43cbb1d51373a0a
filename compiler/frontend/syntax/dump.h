#pragma once

#include <string>

#include "compiler/frontend/syntax/ast.h"

namespace sifr::syntax {

struct DumpOptions {
    bool spans = false;  ///< `(Name@1:5-1:6 x)`: line and column of the start and of the end, which is exclusive
};

/// The tree as S-expressions, for reading and for tests: a statement a line, bodies indented.
/// `_` stands for what is not there; `store` and `del` behind a target for its context.
std::string dump(const Module& module, const DumpOptions& options = {});
std::string dump(const Expr& expr, const DumpOptions& options = {});

/// `text` in double quotes, with `\n`, `\"`, `\\` and `\xNN` for what is not printable ASCII; `unicode` keeps UTF-8.
std::string quoted(const std::string& text, bool unicode);

}  // namespace sifr::syntax
