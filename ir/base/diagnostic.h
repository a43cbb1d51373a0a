#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ir/base/source.h"

namespace sifr {

enum class Severity { Error, Warning, Remark, Note };

/// A message that a user can see. Each module lists its messages in one table (`messages.h`) with
/// SIFR_DEFINE_MESSAGES; a test checks that every one of them is provoked by a test.
struct Message {
    const char* name;  ///< kebab-case, printed in brackets behind the text: `[saved-overwritten]`
    Severity severity;
    const char* text;  ///< an fmt format
};

#define SIFR_MESSAGE_CONSTANT(id, name, severity, text) \
    inline constexpr ::sifr::Message id{name, ::sifr::Severity::severity, text};
#define SIFR_MESSAGE_POINTER(id, name, severity, text) &id,
/// `TABLE(X)` lists `X(identifier, "kebab-name", Severity, "format")`. Defines a constant for each, and
/// `all_messages` over them; use it inside a namespace of the module's own.
#define SIFR_DEFINE_MESSAGES(TABLE) \
    TABLE(SIFR_MESSAGE_CONSTANT)    \
    inline constexpr const ::sifr::Message* all_messages[] = {TABLE(SIFR_MESSAGE_POINTER)};

/// A second place that a diagnostic points at, with what stands there.
struct Label {
    Span span;
    std::string text;
};

struct Diagnostic {
    Severity severity = Severity::Error;
    std::string code;        ///< Message::name
    Span span;               ///< where; `!span.known()` when nothing in the script is to blame
    std::string text;        ///< one line, in the words of what the user wrote
    std::string exception;   ///< the Python exception type (`RuntimeError`) when Python or PyTorch raises here
    std::string exception_text;  ///< PyTorch's own text; may be empty, may have several lines
    std::vector<Label> labels;
    std::string help;        ///< what to write instead
};

/// Makes a diagnostic from a table row.
template <class... Args>
Diagnostic diagnose(const Message& message, Span span, const Args&... args) {
    Diagnostic d;
    d.severity = message.severity;
    d.code = message.name;
    d.span = span;
    d.text = fmt::format(fmt::runtime(message.text), args...);
    return d;
}

/// The user's mistake, or something that the machine lacks. Ends the compilation with a diagnostic.
/// `exit_code`: 1 the program is wrong, 2 usage, 3 the machine lacks something.
class CompileError : public std::exception {
public:
    explicit CompileError(Diagnostic d, int exit_code = 1) : diagnostic(std::move(d)), exit_code(exit_code) {}
    const char* what() const noexcept override { return diagnostic.text.c_str(); }
    Diagnostic diagnostic;
    int exit_code;
};

/// What Python or PyTorch would raise at this point of the script. Shape rules and folding throw it without a
/// place; capture adds the place and the script's `try` may catch it.
class ScriptError : public std::exception {
public:
    ScriptError(std::string type, std::string text) : type(std::move(type)), text(std::move(text)) {}
    const char* what() const noexcept override { return text.c_str(); }
    std::string type;  ///< `RuntimeError`, `IndexError`, `TypeError`, …
    std::string text;  ///< PyTorch's own words
};

/// Throws ScriptError with a formatted text.
template <class... Args>
[[noreturn]] void raise(const char* type, fmt::format_string<Args...> format, Args&&... args) {
    throw ScriptError(type, fmt::format(format, std::forward<Args>(args)...));
}

/// Valid Python or PyTorch that sifr does not accept. Becomes `error: not supported: …`; never caught by a
/// script's `try`.
class NotSupported : public std::exception {
public:
    explicit NotSupported(std::string what, std::string help = {}) : text(std::move(what)), help(std::move(help)) {}
    const char* what() const noexcept override { return text.c_str(); }
    std::string text;
    std::string help;  ///< what to write instead
};

/// Where diagnostics that do not end the compilation go (warnings, remarks).
using DiagnosticSink = std::function<void(const Diagnostic&)>;

struct RenderOptions {
    bool color = false;
    bool excerpts = true;  ///< show the source lines with carets
};

/// The text that the command line prints, with line breaks. An exception stands as `Type: text` right behind
/// `file:L:C: error: `, or, when the diagnostic has words of its own too, on a line of its own in front.
std::string render(const Diagnostic& d, const SourceFiles& files, const RenderOptions& options = {});

/// The candidate nearest to `name` by edit distance, or empty when none is near enough to suggest.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace sifr
