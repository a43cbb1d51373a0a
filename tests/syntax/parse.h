#pragma once

#include <memory>
#include <string>

#include "compiler/frontend/syntax/dump.h"
#include "compiler/frontend/syntax/parser.h"
#include "ir/base/diagnostic.h"
#include "ir/base/source.h"

namespace sifr::syntax {

/// A script called t.py and its tree.
struct Parsed {
    SourceFiles files;
    std::unique_ptr<Module> module;
};

inline Parsed parse(const std::string& source) {
    Parsed p;
    p.files.add("t.py", source);
    p.module = parse_module(p.files.file(0), 0);
    return p;
}

/// What is said about a script that is wrong, and the message's name in `code`; "accepted" if nothing is.
inline std::string error_of(const std::string& source, std::string* code = nullptr, bool excerpts = true) {
    SourceFiles files;
    files.add("t.py", source);
    try {
        parse_module(files.file(0), 0);
    } catch (const CompileError& e) {
        if (code) *code = e.diagnostic.code;
        return render(e.diagnostic, files, RenderOptions{.excerpts = excerpts});
    }
    return "accepted\n";
}

/// The tree of one expression.
inline std::string tree_of(const std::string& expression) {
    Parsed p = parse(expression + "\n");
    return dump(*as<ExprStmt>(*p.module->body.at(0)).value);
}

}  // namespace sifr::syntax
