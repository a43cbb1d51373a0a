// Several programs of one process, as functions that a host compiles: each has a session, and one at a time is entered. What a program has on the
// device (modules, memory, graphs) stays there between its calls.

#include <stdlib.h>

#include "runtime/cuda_state.h"

using namespace sifr::rt;
using namespace sifr::rt::cuda;

struct sifr_cuda_session {
    State state;
    QueueState* queue;
    StagingState* staging;
    Address arguments;  ///< memory for what the host passes
    bool entered;
};

namespace {

void swap(sifr_cuda_session& s) {
    const State was = state;
    state = s.state;
    s.state = was;
    swap_queue(s.queue);
    swap_staging(s.staging);
}

}  // namespace

extern "C" {

int64_t sifr_cuda_find_device(void) {
    load_driver(12000);
    int count = 0;
    SIFR_CUDA(cuDeviceGetCount, &count);
    if (count == 0) sifr_fatal(lit("the work is to run on an NVIDIA GPU, and the driver finds none"));
    Device device = 0;
    SIFR_CUDA(cuDeviceGet, &device, 0);
    int major = 0, minor = 0;
    SIFR_CUDA(cuDeviceGetAttribute, &major, attribute_major, device);
    SIFR_CUDA(cuDeviceGetAttribute, &minor, attribute_minor, device);
    return 10 * major + minor;
}

sifr_cuda_session* sifr_cuda_session_new(const sifr_cuda_program* program, int64_t argument_bytes) {
    auto* s = static_cast<sifr_cuda_session*>(calloc(1, sizeof(sifr_cuda_session)));
    if (s == nullptr) sifr_fatal(lit("out of memory"));
    sifr_cuda_start(program);
    if (argument_bytes > 0) {
        SIFR_CUDA(cuMemAllocAsync, &s->arguments, static_cast<size_t>(argument_bytes), state.stream);
        SIFR_CUDA(cuStreamSynchronize, state.stream);
    }
    swap(*s);
    return s;
}

void* sifr_cuda_enter(sifr_cuda_session* s) {
    swap(*s);
    s->entered = true;
    SIFR_CUDA(cuCtxSetCurrent, state.context);
    return reinterpret_cast<void*>(s->arguments);
}

void sifr_cuda_leave(sifr_cuda_session* s) {
    if (!s->entered) return;
    drop_queue();
    drop_staging();
    s->entered = false;
    swap(*s);
}

void sifr_cuda_session_free(sifr_cuda_session* s) {
    if (s == nullptr) return;
    sifr_cuda_enter(s);
    wait();
    if (s->arguments != 0) SIFR_CUDA(cuMemFreeAsync, s->arguments, state.stream);
    sifr_cuda_end();
    s->entered = false;
    free(s->queue);
    free(s->staging);
    free(s);
}

void* sifr_cuda_arena(void) { return reinterpret_cast<void*>(state.arena); }

void sifr_cuda_upload(void* to, const void* from, int64_t bytes) {
    if (bytes > 0) SIFR_CUDA(cuMemcpyHtoDAsync, reinterpret_cast<Address>(to), from, static_cast<size_t>(bytes), state.stream);
}

void sifr_cuda_download(void* to, const void* from, int64_t bytes) {
    if (bytes > 0) SIFR_CUDA(cuMemcpyDtoHAsync, to, reinterpret_cast<Address>(from), static_cast<size_t>(bytes), state.stream);
    SIFR_CUDA(cuStreamSynchronize, state.stream);
}

}  // extern "C"
