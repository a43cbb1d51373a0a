// The header of a library, in C that C++ reads too.

#include "compiler/library/library.h"

#include <cctype>
#include <set>
#include <string_view>

namespace sifr {

namespace {

/// The elements of a tensor in C.
const char* c_element(DType t) {
    switch (t) {
        case DType::Bool:
        case DType::U8: return "uint8_t";
        case DType::I8: return "int8_t";
        case DType::I16: return "int16_t";
        case DType::I32: return "int32_t";
        case DType::I64: return "int64_t";
        case DType::F16:
        case DType::BF16: return "uint16_t";
        case DType::F32:
        case DType::C64: return "float";
        case DType::F64:
        case DType::C128: return "double";
    }
    return "void";
}

const char* c_number(Type::Kind k) { return k == Type::Kind::F64 ? "double" : k == Type::Kind::Bool ? "int32_t" : "int64_t"; }

/// What the type alone does not say.
const char* remark(DType t) {
    switch (t) {
        case DType::Bool: return ", each 0 or 1";
        case DType::F16: return ", IEEE half precision as its bits";
        case DType::BF16: return ", bfloat16 as its bits";
        case DType::C64:
        case DType::C128: return ", real and imaginary parts in turn";
        default: return "";
    }
}

/// A parameter's name, with `_` behind those that C, C++ or the header itself have taken.
std::string c_parameter(const std::string& name) {
    static const std::set<std::string_view> taken = {
        "alignas", "alignof",  "and",       "asm",       "auto",     "bool",      "break",    "case",     "catch",   "char",
        "class",   "concept",  "const",     "constexpr", "continue", "context",   "default",  "delete",   "do",      "double",
        "else",    "enum",     "explicit",  "export",    "extern",   "false",     "float",    "for",      "friend",  "goto",
        "if",      "inline",   "int",       "long",      "mutable",  "namespace", "new",      "not",      "nullptr", "operator",
        "or",      "private",  "protected", "public",    "register", "requires",  "restrict", "return",   "short",   "signed",
        "sizeof",  "static",   "struct",    "switch",    "template", "this",      "throw",    "true",     "try",     "typedef",
        "typeid",  "typename", "union",     "unsigned",  "using",    "virtual",   "void",     "volatile", "while",   "xor"};
    return taken.contains(name) || name.starts_with("result") ? name + "_" : name;
}

std::string line_of(const std::string& name, const Type& type, const char* role) {
    if (!type.is_tensor())
        return fmt::format(" *    {}: {}{}\n", name,
                           type.kind == Type::Kind::F64    ? "float"
                           : type.kind == Type::Kind::Bool ? "bool"
                                                           : "int",
                           role);
    return fmt::format(" *    {}: {}{}{}, {} bytes\n", name, type.text(), role, remark(type.dtype), type.bytes());
}

std::string result_name(const Library::Function& f, size_t k) { return f.results.size() == 1 ? "result" : fmt::format("result{}", k + 1); }

std::string function_text(const Library& l, const Library::Function& f) {
    std::string doc = fmt::format("/** {}() of the script.\n", f.name), parameters = fmt::format("{}_context* context", l.name);
    for (const Library::Parameter& p : f.parameters) {
        const std::string name = c_parameter(p.name);
        doc += line_of(name, p.type, !p.type.is_tensor() ? "" : p.written ? ", read and written" : ", read");
        if (p.type.is_tensor())
            parameters += fmt::format(", {}{}* {}", p.written ? "" : "const ", c_element(p.type.dtype), name);
        else
            parameters += fmt::format(", {} {}", c_number(p.type.kind), name);
    }
    for (size_t k = 0; k < f.results.size(); ++k) {
        const Type& t = f.results[k];
        doc += line_of(result_name(f, k), t, ", written");
        parameters += fmt::format(", {}* {}", t.is_tensor() ? c_element(t.dtype) : c_number(t.kind), result_name(f, k));
    }
    return doc + fmt::format(" */\nint32_t {}_{}({});\n\n", l.name, f.name, parameters);
}

}  // namespace

std::string library_header(const Library& l) {
    std::string guard = "SIFR_LIBRARY_";
    for (char c : l.name) guard += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    guard += "_H";
    const std::string& n = l.name;
    std::string out = fmt::format(
        "/* Made by sifr from {1}. The library needs libc and libm.\n"
        " *\n"
        " * Functions give 0, or another number where the script raises: then {0}_error() has the text, results are undefined, and what a "
        "function\n"
        " * writes is written as far as it came. Tensors are row-major without gaps, at a multiple of their element's size; what is "
        "written shares no\n"
        " * memory with anything else that is passed. Nothing is shared between contexts: one thread at a time uses a context, many "
        "threads have one each.\n"
        " * Memory is allocated when a context is made and by its first calls.\n"
        " */\n"
        "#ifndef {2}\n#define {2}\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
        "/** What the script's variables hold, memory for intermediate values, random numbers, and the last failure. */\n"
        "typedef struct {0}_context {0}_context;\n\n"
        "/** Zero is the default of every field but the first. */\n"
        "typedef struct {0}_options {{\n"
        "    uint32_t struct_size; /**< sizeof({0}_options) */\n"
        "    uint32_t seeded;      /**< not 0: random numbers start from `seed`; 0: from the system */\n"
        "    uint64_t seed;\n"
        "    void* user;           /**< handed to the writers */\n"
        "    void (*write_stdout)(void* user, const char* data, int64_t size); /**< null: the process's own */\n"
        "    void (*write_stderr)(void* user, const char* data, int64_t size);\n"
        "}} {0}_options;\n\n"
        "/** A tensor of one of the script's variables. */\n"
        "typedef struct {0}_tensor {{\n"
        "    void* data;\n"
        "    int32_t dtype; /**< 0 bool, 1 u8, 2 i8, 3 i16, 4 i32, 5 i64, 6 f16, 7 bf16, 8 f32, 9 f64, 10 c64, 11 c128 */\n"
        "    int32_t ndim;\n"
        "    const int64_t* sizes;\n"
        "    const int64_t* strides; /**< in elements */\n"
        "}} {0}_tensor;\n\n"
        "/** Runs the script's top level. Null options are the defaults; null without memory. Where the top level raises, or the "
        "options' struct_size\n"
        " *  is 0, every call says so; so does a call with a null context. */\n"
        "{0}_context* {0}_context_new(const {0}_options* options);\n"
        "void {0}_context_free({0}_context* context);\n"
        "/** torch.manual_seed(seed) for the calls to come. */\n"
        "void {0}_context_seed({0}_context* context, uint64_t seed);\n"
        "/** `Type: text` of what the last call raised, empty after a good one; valid until the next. */\n"
        "const char* {0}_error(const {0}_context* context);\n"
        "/** Its line in the script, or 0. */\n"
        "int32_t {0}_error_line(const {0}_context* context);\n"
        "/** Variable number `index` (from 0), by name and with its memory, which may be read and written between calls; -1 past the last. "
        "A call may\n"
        " *  move it. */\n"
        "int32_t {0}_state(const {0}_context* context, int32_t index, const char** name, {0}_tensor* tensor);\n\n",
        n, l.script.substr(l.script.rfind('/') + 1), guard);
    for (const Library::Function& f : l.functions) out += function_text(l, f);
    return out + fmt::format("#ifdef __cplusplus\n}} /* extern \"C\" */\n#endif\n\n#endif /* {} */\n", guard);
}

}  // namespace sifr
