#pragma once

namespace sifr::capture {

class Interpreter;

/// The modules of this folder: builtins, math, time, sys, itertools, functools, collections, …
void bind_builtins(Interpreter& in);
void bind_math(Interpreter& in);
void bind_standard_modules(Interpreter& in);

/// The torch module (compiler/frontend/torch): adds classes, modules and the prelude, and hooks of the interpreter.
void bind_torch(Interpreter& in);

}  // namespace sifr::capture
