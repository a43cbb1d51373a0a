#pragma once

namespace sifr::capture {

class Interpreter;
struct ModuleObject;

/// The builtins: types and their methods, functions, exceptions.
void bind_builtins(Interpreter& in);
void bind_exceptions(Interpreter& in);
void bind_numbers(Interpreter& in);
void bind_complex(Interpreter& in);
void bind_str(Interpreter& in);
void bind_containers(Interpreter& in);
void bind_sorting(Interpreter& in);
void bind_functions(Interpreter& in);
void bind_iteration(Interpreter& in);

/// `math`; then time, sys, os, itertools, functools, collections, dataclasses, typing, copy, …
void bind_math(Interpreter& in);
void bind_standard_modules(Interpreter& in);
void bind_collections(Interpreter& in, const ModuleObject* module);
void bind_warnings(Interpreter& in, const ModuleObject* module);
void bind_mersenne_twister(Interpreter& in, const ModuleObject* module);
void bind_argparse(Interpreter& in, const ModuleObject* module);

/// The torch module (compiler/frontend/torch): adds classes, modules and the prelude, and hooks of the interpreter.
void bind_torch(Interpreter& in);

}  // namespace sifr::capture
