#pragma once

#include "runtime/sifr_runtime.h"

namespace sifr::rt {

/// The hooks of the calling thread; all null in a program of its own.
const sifr_host_hooks& host_hooks();

/// Writes all of it to stderr, or to the host's hook.
void write_stderr(sifr_str text);

/// True when a write to stdout failed since the start.
bool stdout_failed();

}  // namespace sifr::rt
