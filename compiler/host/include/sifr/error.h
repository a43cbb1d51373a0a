/// What everything here throws.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <sifr/types.h>

namespace sifr {

/// A place in a source: of the C++ program for traced code, of the script for loaded code. Line and column count from 1.
struct SourcePlace {
    std::string file;
    uint32_t line = 0, column = 0;
    std::string text;  ///< what stands there: "saved here by 'mul'"
};

/// What everything here throws. `what()` is the text that the command line would print, with the places and the help.
class SIFR_API Error : public std::runtime_error {
public:
    enum class Kind : uint8_t {
        Compile,  ///< the traced code or the script is wrong, or not supported; found before anything ran
        Call,     ///< the arguments of a call do not fit
        Raise,    ///< Python's exception, raised while the compiled code ran
        Machine,  ///< memory, a file, a CPU feature, a library
        Internal, ///< a fault of sifr
    };
    struct Details {
        Kind kind = Kind::Internal;
        std::string code;            ///< `saved-overwritten`, `not-supported`, …; empty where there is none
        std::string message;         ///< one line
        std::string exception;       ///< `RuntimeError`: the type that PyTorch raises here; empty if it raises nothing
        std::string exception_text;  ///< its text, PyTorch's own
        std::vector<SourcePlace> places;  ///< where, then what else there is to see
        std::string help;                 ///< what to write instead
        std::vector<std::string> written; ///< Raise: the arguments that were written before it, wholly or in part
    };
    Error(Details details, const std::string& text);
    ~Error() override;
    [[nodiscard]] const Details& details() const { return *details_; }
    [[nodiscard]] Kind kind() const { return details_->kind; }
    [[nodiscard]] const std::string& code() const { return details_->code; }
    [[nodiscard]] const std::string& message() const { return details_->message; }

private:
    std::shared_ptr<const Details> details_;  // copying an exception must not throw
};

}  // namespace sifr
