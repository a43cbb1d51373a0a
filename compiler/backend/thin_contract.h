#pragma once

#include "ir/loop/loop_ir.h"

namespace sifr {

/// contract acc over … with min(m, n) < contract_thin, or of integers   ->   loops over batch, m, n around
///     reduce lanes k { } sum acc = a[…] times b[…]; epilogue
///
/// A thin product is by definition the Lanes reduction of its products, so back ends need not know the rule; a sum of integers is
/// the same in any order.
bool has_thin_contraction(const Kernel& kernel);
/// `independent`: all its loops are Parallel, for machines that deal out elements; else those that are worth threads or vectors.
Kernel expand_thin_contractions(const Kernel& kernel, bool independent = false);

}  // namespace sifr
