// What capture and its binding of torch are written on.
#pragma once

#include "cmake/precompiled/ir.h"
#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
