/* sifr's runtime: a C ABI, linked into every binary that sifr makes and into the compiler itself (the interpreters
 * and compile-time formatting call the very same functions). It depends on libc, libm and pthread alone.
 *
 * Conventions
 * - Text is `sifr_str` (UTF-8, not zero-terminated). A returned text lives in the calling thread's string region until the
 *   region is released past it (sifr_text.h), unless its comment says that it is static.
 * - Whatever can fail returns a `sifr_status`: 0, or a code that stands for a Python exception type. The result goes
 *   through the last pointer, and is untouched on failure. The exception's text is kept for the calling thread:
 *   `sifr_error_type()`, `sifr_error_text()`; `sifr_raise_pending(file, line)` raises it.
 * - Functions that take no status never fail, but for a machine without memory (message on stderr, exit code 3).
 * - Lines of code count from 1. `file` may be null where a place is not known; then no `File` line is printed.
 * - Integers are Python's as far as 64 bits go; a result that needs more is an OverflowError.
 */
#ifndef SIFR_RUNTIME_H
#define SIFR_RUNTIME_H

/* Without a folder: these headers stand beside this one in the tree and where they are installed. */
#include "sifr_kernels.h"
#include "sifr_program.h"
#include "sifr_text.h"
#include "sifr_values.h"

#endif /* SIFR_RUNTIME_H */
