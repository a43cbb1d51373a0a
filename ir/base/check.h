#pragma once

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace sifr {

/// A fault of ours, never of the user's. The driver turns it into exit code 70 and a report of what to send.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void internal_error(const char* file, int line, const char* condition, const std::string& message);

}  // namespace sifr

/// Our own invariants. `SIFR_CHECK(a == b, "slots of {} and {}", x, y)`. Always on.
#define SIFR_CHECK(condition, ...)                                                                      \
    do {                                                                                                \
        if (!(condition)) [[unlikely]]                                                                  \
            ::sifr::internal_error(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__));        \
    } while (false)

#define SIFR_UNREACHABLE(...) ::sifr::internal_error(__FILE__, __LINE__, "unreachable", ::fmt::format(__VA_ARGS__))
