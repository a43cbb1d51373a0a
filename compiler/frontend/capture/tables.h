#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "compiler/frontend/capture/interpreter.h"

namespace sifr::capture {

/// What the interpreter looks up by name.
struct Interpreter::Tables {
    struct ModuleSource {
        FillModule fill;
        std::string path, text;  ///< of a prelude module; empty for native ones
        bool prelude = false;
        const ModuleObject* made = nullptr;
    };
    std::map<std::string, ModuleSource, std::less<>> modules;
    std::map<std::string, const ClassObject*, std::less<>> classes;     ///< builtin classes, exceptions included
    std::map<std::string, const ClassObject*, std::less<>> exceptions;  ///< by the name that ScriptError carries
    std::map<std::string, const ClassObject*, std::less<>> iterators;   ///< by type name
    const NamespaceObject* builtins = nullptr;
    const ClassObject* object = nullptr;
    const ClassObject* type = nullptr;
    std::unordered_map<std::string, PyValue> strings;  ///< short ones are shared
};

}  // namespace sifr::capture
