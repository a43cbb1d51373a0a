#pragma once

#include <string>
#include <string_view>

#include "ir/base/diagnostic.h"
#include "ir/base/text_region.h"
#include "runtime/sifr_runtime.h"

/// The runtime's functions, as capture calls them: std::string in and out, failures as exceptions.
namespace sifr::capture {

inline sifr_str rt(std::string_view s) { return {s.data(), static_cast<int64_t>(s.size())}; }
inline std::string text(sifr_str s) { return {s.data, static_cast<size_t>(s.size)}; }

inline void must(sifr_status status) {
    if (status == SIFR_OK) return;
    std::string what = text(sifr_error_text());
    if (status == SIFR_NOT_SUPPORTED) throw NotSupported(what);
    throw ScriptError(sifr_error_type(), what);
}

/// `must_text([&](sifr_str* out) { return sifr_str_upper(rt(s), out); })`
template <class F>
std::string must_text(F&& f) {
    TextRegion region;
    sifr_str out{};
    must(f(&out));
    return text(out);
}

}  // namespace sifr::capture
