#pragma once

#include <stdint.h>

namespace sifr::rt {

/// Code points first, first + step, …, last.
struct CodePointRun {
    uint32_t first, last, step;
};

/// A case mapping over such a run: c becomes c + delta; `several`: more than one code point.
inline constexpr int32_t several = INT32_MIN;
struct CaseRun {
    uint32_t first, last, step;
    int32_t delta;
};

// Ascending, disjoint up to steps.
extern const CodePointRun printable_runs[], alpha_runs[], digit_runs[], numeric_runs[], space_runs[], upper_runs[], lower_runs[];
extern const int32_t printable_runs_count, alpha_runs_count, digit_runs_count, numeric_runs_count, space_runs_count, upper_runs_count,
    lower_runs_count;
extern const CaseRun to_upper[], to_lower[];
extern const int32_t to_upper_count, to_lower_count;
/// Where the title case is not the upper case.
extern const CaseRun odd_title[];
extern const int32_t odd_title_count;

/// The run that holds `c`; null where none does.
template <class Run>
const Run* run_of(const Run* runs, int32_t count, uint32_t c) {
    int32_t low = 0, high = count;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (runs[middle].last < c) low = middle + 1;
        else high = middle;
    }
    const bool found = low < count && runs[low].first <= c && (c - runs[low].first) % runs[low].step == 0;
    return found ? &runs[low] : nullptr;
}

}  // namespace sifr::rt
