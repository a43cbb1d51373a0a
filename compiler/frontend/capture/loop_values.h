#pragma once

#include "compiler/frontend/capture/loops.h"

namespace sifr::capture {

/// Why a loop is not rolled, found in the middle of something.
struct Stop {
    LoopCapture::Outcome outcome;
    std::string reason;
};

/// Equal static values, or the same object or value of the IR.
inline bool same_value(PyValue a, PyValue b) {
    if (a.same(b)) return true;
    if (a.is(Kind::Str) && b.is(Kind::Str)) return a.as<StrObject>()->text == b.as<StrObject>()->text;
    if (a.is(Kind::BigInt) && b.is(Kind::BigInt)) return a.as<BigIntObject>()->value == b.as<BigIntObject>()->value;
    return false;
}

/// Nothing is there: what merges with anything into an optional.
inline bool absent(PyValue v) { return v.is_none() || v.is_unbound(); }

}  // namespace sifr::capture
