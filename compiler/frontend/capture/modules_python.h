#pragma once

/// Modules of the standard library written in the accepted language.
namespace sifr::capture {

extern const char* const functools_py;
extern const char* const itertools_py;
extern const char* const collections_py;
extern const char* const dataclasses_py;
extern const char* const string_py;
extern const char* const statistics_py;

}  // namespace sifr::capture
