#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/backend/backend.h"
#include "ir/type/layout.h"

namespace sifr {

/// Functions of a script as a library: what sifr_library of runtime/sifr_library.h says, with plans in place of code.
struct Library {
    struct Parameter {
        std::string name;
        Type type;             ///< a tensor, or a number
        bool written = false;  ///< of a tensor: some call may write it
    };
    struct Function {
        std::string name;
        std::vector<Parameter> parameters;
        std::vector<Type> results;
    };
    struct Kept {
        std::string name;
        uint32_t piece = 0;
        DType dtype = DType::F32;
        Layout layout;
    };
    struct Form {
        std::vector<int64_t> bytes;  ///< per piece
        std::vector<Kept> tensors;
    };
    struct Code {
        Plan plan;
        int32_t next_form = 0;
        std::vector<int32_t> piece_from, number_from;
        std::vector<int64_t> initial;
        int32_t kept_out = 0;
    };

    std::string name;    ///< an identifier of C: what all names in the header begin with
    std::string script;  ///< its path
    std::vector<Function> functions;
    std::vector<Form> forms;
    std::vector<Code> code;  ///< [form][function]
    std::optional<Code> top;
};

/// `Object`, `StaticLibrary`, `SharedLibrary`, or a text of the code.
std::vector<std::byte> compile_library(const Library& library, Emit what, const BackendOptions& options);

}  // namespace sifr
