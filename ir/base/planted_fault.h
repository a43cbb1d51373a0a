#pragma once

#include <cstdint>

namespace sifr {

// The faults that a build with -DSIFR_PLANTED_FAULTS=ON can plant, one at a time, to see that the tests find them. Each stands in one place
// of the compiler; in other builds `planted` is false when that place is compiled.
#define SIFR_FAULTS(X)                                                                                  \
    X(ComposedStride, "a view of a gapped view walks with its own strides")                             \
    X(ComposedOffset, "a view of a contiguous view loses its offset")                                   \
    X(MissedOverlap, "slices of unlike steps are said to be disjoint")                                  \
    X(CoverageIgnoresSteps, "a stepped slice is said to cover what lies between its steps")             \
    X(CoverageOffByOne, "a walk covers one place more than it has")                                     \
    X(SweptTooFar, "a loop covers what one trip more would write")                                      \
    X(ReadLosesOffset, "a read through a view begins at the storage's start")                           \
    X(GradientNotSummed, "a second contribution to a gradient replaces the first")                      \
    X(DetachPasses, "a gradient passes through detach")                                                 \
    X(BranchForgetsSum, "a branch's gradient replaces what was summed before it")                       \
    X(StaleClear, "a clear is elided though something else was written there since")                    \
    X(LoopClearTrusted, "what a loop carries is taken for what it begins with")                         \
    X(DeadWriteRead, "a write of which one element is still read is removed")                           \
    X(AssignedOnSecondTrip, "an accumulation assigns on the second trip")                               \
    X(SameButAttributes, "operations that differ in attributes alone are made one")                     \
    X(DroppedPlusZero, "a folded accumulation does not add 0.0")                                        \
    X(KernelOffset, "a kernel's access at a run-time index loses its constant part")                    \
    X(LoopLifeForgotten, "a value from outside of a loop is dead behind its last use in the body")      \
    X(SlotReusedEarly, "memory is given away at the instruction that reads it last")                    \
    X(LoopMemoryFreed, "memory from in front of a loop is free behind its last use in the body")        \
    X(OverwrittenInPlace, "a result takes the place of an operand that is read once more")              \
    X(CopyDropped, "what a loop carries is not copied to its place")                                    \
    X(VersionInLoop, "a rolled loop tells the version of its first trip")                               \
    X(GradientPastLoop, "a rolled loop differentiates through what stands in front of it")

enum class Fault : uint8_t {
    None,
#define SIFR_FAULT(name, text) name,
    SIFR_FAULTS(SIFR_FAULT)
#undef SIFR_FAULT
};

#ifdef SIFR_PLANTED_FAULTS
extern Fault planted_fault;
inline bool planted(Fault f) { return planted_fault == f; }
#else
constexpr bool planted(Fault) { return false; }
#endif

}  // namespace sifr
