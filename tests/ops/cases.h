#pragma once

#include <string>
#include <vector>

#include "ir/func/builder.h"

namespace sifr::test {

/// One way to call a row. Operands: `f:2x3` floats in (0.1, 0.9), `s:2x3` floats of both signs, `i:2x3<4` indices below 4,
/// `b:2` bools, `spd:3` a symmetric positive definite matrix, `none`, or a number. `n:` marks tensors that have no gradient.
struct Case {
    const char* row;
    std::vector<std::string> operands;
    Attrs attributes;
};
const std::vector<Case>& cases();

}  // namespace sifr::test
