#pragma once

#include <vector>

#include "ir/op/op_def.h"

// One function per file of rows. Overloads of one Python name are tried in the order in which they stand.

namespace sifr::rows {

using Rows = std::vector<OpDef>;

Rows structural();
Rows scalar();
Rows host();
Rows random();
Rows creation();
Rows views();
Rows pointwise_arithmetic();
Rows pointwise_math();
Rows pointwise_choice();
Rows pointwise_compare();
Rows activations();
Rows reductions();
Rows statistics();
Rows linalg();
Rows shape();
Rows indexing();
Rows losses();
Rows normalization();
Rows windows();
Rows factorisations();
Rows convolutions();
Rows pools();

}  // namespace sifr::rows
