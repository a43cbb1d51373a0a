#pragma once

#include <string>

#include "compiler/host/include/sifr/sifr.h"
#include "ir/base/diagnostic.h"

namespace sifr::host {

/// Throws Error (Call): the arguments, or where an operation stands, are wrong.
[[noreturn]] void fail_call(const std::string& message, const std::string& help = {});
[[noreturn]] void fail_machine(const std::string& message);
/// The Error of a diagnostic, as the command line shows it.
Error error_of(const Diagnostic& d, const SourceFiles& files, Error::Kind kind = Error::Kind::Compile);
/// Runs `f`; what the compiler throws becomes an Error. Errors, and exceptions of the host's own code, pass through.
void guarded(const SourceFiles& files, const std::function<void()>& f);

}  // namespace sifr::host
