#pragma once

#include "runtime/cuda_driver.h"
#include "runtime/sifr_cuda.h"

namespace sifr::rt::cuda {

/// What kernels with checks write; as `Status` in the text of the kernels. `latched` is `site` at the end of the queue before.
struct Status {
    int64_t site, position, value, launch;
    int64_t latched;
    int32_t lock;
    int32_t reserved;
};

/// The program that runs.
struct State {
    const sifr_cuda_program* program = nullptr;
    Device device = 0;
    int arch = 0;  ///< 90 for 9.0
    Context context = nullptr;
    Stream stream = nullptr;
    Buffer<Module> modules;      ///< by unit, null until a kernel of it is launched
    Buffer<Buffer<Function>> functions;  ///< by kernel; empty until it is launched
    Address memory = 0;          ///< arena, slab, status, constants
    int64_t memory_bytes = 0;
    Address arena = 0, slab = 0, status = 0;
    Buffer<Address> constants;
    Status* host_status = nullptr;  ///< pinned
    bool checks_pending = false;    ///< a launch with checks was queued since the status word was last read
};
extern State state;

// cuda_program.cpp
const Buffer<Function>& functions_of(int32_t kernel);

/// What belongs to one program while another one runs: swapped in and out.
struct QueueState;
struct StagingState;
void swap_queue(QueueState*& parked);
void swap_staging(StagingState*& parked);
/// Forgets what has been asked for and not handed over: behind a raise.
void drop_queue();
void drop_staging();

// cuda_queue.cpp
/// Hands the queue to the device.
void flush_queue();
void drop_graphs();
/// Waits for everything; raises what a check found, or leaves it in `found` where that is given.
void wait(Status* found = nullptr);
void reset_status();

// cuda_memory.cpp
void free_staging();

}  // namespace sifr::rt::cuda
