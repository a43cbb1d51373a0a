#pragma once

#include "cmake/precompiled/ir.h"
#include <gtest/gtest.h>
