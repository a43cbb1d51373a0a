#include "ir/base/check.h"

#include <cstring>

namespace sifr {

void internal_error(const char* file, int line, const char* condition, const std::string& message) {
    const char* slash = std::strrchr(file, '/');
    throw InternalError(fmt::format("{}:{}: {} ({})", slash ? slash + 1 : file, line, message, condition));
}

}  // namespace sifr
