#include "compiler/host/error.h"

#include "ir/base/check.h"

namespace sifr {

Error::Error(Details details, const std::string& text) : std::runtime_error(text), details_(std::make_shared<const Details>(std::move(details))) {}
Error::~Error() = default;

namespace host {

void fail_call(const std::string& message, const std::string& help) {
    Error::Details d;
    d.kind = Error::Kind::Call;
    d.message = message;
    d.help = help;
    throw Error(std::move(d), "error: " + message + (help.empty() ? "" : "\nhelp: " + help));
}

void fail_machine(const std::string& message) {
    Error::Details d;
    d.kind = Error::Kind::Machine;
    d.message = message;
    throw Error(std::move(d), "error: " + message);
}

Error error_of(const Diagnostic& diagnostic, const SourceFiles& files, Error::Kind kind) {
    Error::Details d;
    d.kind = kind;
    d.code = diagnostic.code;
    d.message = diagnostic.text.empty() ? diagnostic.exception + (diagnostic.exception_text.empty() ? "" : ": " + diagnostic.exception_text) : diagnostic.text;
    d.exception = diagnostic.exception;
    d.exception_text = diagnostic.exception_text;
    d.help = diagnostic.help;
    auto place = [&](const Span& s, const std::string& text) {
        if (s.known() && s.file < files.size()) d.places.push_back({files.file(s.file).path(), s.line, s.column, text});
    };
    place(diagnostic.span, "");
    for (const Label& l : diagnostic.labels) place(l.span, l.text);
    return Error(std::move(d), render(diagnostic, files));
}

void guarded(const SourceFiles& files, const std::function<void()>& f) {
    auto plain = [&](Diagnostic d) { return error_of(d, files); };
    try {
        f();
    } catch (const CompileError& e) {
        throw error_of(e.diagnostic, files, e.exit_code == 3 ? Error::Kind::Machine : Error::Kind::Compile);
    } catch (const NotSupported& e) {
        Diagnostic d;
        d.code = "not-supported";
        d.text = "not supported: " + e.text;
        d.help = e.help;
        throw plain(d);
    } catch (const ScriptError& e) {
        Diagnostic d;
        d.exception = e.type;
        d.exception_text = e.text;
        throw plain(d);
    } catch (const InternalError& e) {
        Error::Details d;
        d.kind = Error::Kind::Internal;
        d.message = e.what();
        throw Error(std::move(d), std::string("internal error: ") + e.what());
    }
}

}  // namespace host
}  // namespace sifr
