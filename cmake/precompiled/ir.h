// What the passes and the parts of the IR are written on.
#pragma once

#include "cmake/precompiled/std.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/func/builder.h"
#include "ir/op/op_def.h"
