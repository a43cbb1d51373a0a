#pragma once

#include "runtime/sifr_text.h"

namespace sifr {

/// Frees the texts that the runtime gave within a scope; what is wanted later is copied out.
class TextRegion {
public:
    TextRegion() : mark_(sifr_str_mark()) {}
    ~TextRegion() { sifr_str_release(mark_); }
    TextRegion(const TextRegion&) = delete;
    TextRegion& operator=(const TextRegion&) = delete;

private:
    int64_t mark_;
};

}  // namespace sifr
