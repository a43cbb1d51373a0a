// The host's side of the device's memory: copies of operands and results of functions of the runtime, in pinned memory.

#include "runtime/cuda_state.h"

using namespace sifr::rt;
using namespace sifr::rt::cuda;

namespace {

/// Pinned memory: pieces that are used again. A piece is large enough for what was asked for, so pointers stay valid.
struct Piece {
    void* data;
    int64_t bytes;
    bool taken;
};
Buffer<Piece> pieces;

struct Pending {
    Address to;
    const void* from;
    int64_t bytes;
};
Buffer<Pending> results;

void* take(int64_t bytes) {
    Piece* best = nullptr;
    for (Piece& p : pieces)
        if (!p.taken && p.bytes >= bytes && (best == nullptr || p.bytes < best->bytes)) best = &p;
    if (best == nullptr) {
        Piece fresh{nullptr, bytes < 4096 ? 4096 : bytes, false};
        SIFR_CUDA(cuMemHostAlloc, &fresh.data, static_cast<size_t>(fresh.bytes), 0);
        pieces.push(fresh);
        best = &pieces[pieces.size - 1];
    }
    best->taken = true;
    return best->data;
}

}  // namespace

namespace sifr::rt::cuda {

struct StagingState {
    Buffer<Piece> pieces;
    Buffer<Pending> results;
};

void swap_staging(StagingState*& parked) {
    if (parked == nullptr) parked = static_cast<StagingState*>(calloc(1, sizeof(StagingState)));
    if (parked == nullptr) sifr_fatal(lit("out of memory"));
    const StagingState was = {pieces, results};
    pieces = parked->pieces;
    results = parked->results;
    *parked = was;
}

void drop_staging() {
    results.size = 0;
    for (Piece& p : pieces) p.taken = false;
}

void free_staging() {
    for (const Piece& p : pieces) SIFR_CUDA(cuMemFreeHost, p.data);
    pieces.free_memory();
    results.free_memory();
}

}  // namespace sifr::rt::cuda

extern "C" {

void sifr_cuda_read(void* to, const void* from, int64_t bytes) {
    flush_queue();
    void* staged = take(bytes);
    SIFR_CUDA(cuMemcpyDtoHAsync, staged, reinterpret_cast<Address>(from), static_cast<size_t>(bytes), state.stream);
    wait();
    memcpy(to, staged, static_cast<size_t>(bytes));
    for (Piece& p : pieces)
        if (p.data == staged) p.taken = false;
}

void* sifr_cuda_fetch(const void* data, int64_t bytes) {
    flush_queue();
    void* staged = take(bytes);
    if (bytes > 0) SIFR_CUDA(cuMemcpyDtoHAsync, staged, reinterpret_cast<Address>(data), static_cast<size_t>(bytes), state.stream);
    wait();
    return staged;
}

void* sifr_cuda_stage(void* data, int64_t bytes) {
    void* staged = take(bytes);
    results.push({reinterpret_cast<Address>(data), staged, bytes});
    return staged;
}

void sifr_cuda_publish(void) {
    flush_queue();
    for (const Pending& r : results)
        if (r.bytes > 0) SIFR_CUDA(cuMemcpyHtoDAsync, r.to, r.from, static_cast<size_t>(r.bytes), state.stream);
    // The host's memory is used again by the next function.
    if (results.size > 0) SIFR_CUDA(cuStreamSynchronize, state.stream);
    results.size = 0;
    for (Piece& p : pieces) p.taken = false;
}

void sifr_cuda_launch_host(int32_t kernel, void* const* buffers, const int64_t* bytes, const int64_t* scalars, int64_t* status) {
    const sifr_cuda_kernel& k = state.program->kernels[kernel];
    Scratch<void*> device;
    for (int32_t i = 0; i < k.buffer_count; ++i) {
        Address at = 0;
        SIFR_CUDA(cuMemAllocAsync, &at, static_cast<size_t>(bytes[i] > 0 ? bytes[i] : 1), state.stream);
        if (bytes[i] > 0) SIFR_CUDA(cuMemcpyHtoDAsync, at, buffers[i], static_cast<size_t>(bytes[i]), state.stream);
        device.push(reinterpret_cast<void*>(at));
    }
    sifr_cuda_launch(kernel, device.data, scalars, 0);
    Status found;
    wait(&found);
    for (int32_t i = 0; i < k.buffer_count; ++i) {
        const auto at = reinterpret_cast<Address>(device[i]);
        if (bytes[i] > 0) SIFR_CUDA(cuMemcpyDtoHAsync, buffers[i], at, static_cast<size_t>(bytes[i]), state.stream);
        SIFR_CUDA(cuMemFreeAsync, at, state.stream);
    }
    SIFR_CUDA(cuStreamSynchronize, state.stream);
    if (status == nullptr) return;
    status[0] = found.site;
    status[1] = found.position;
    status[2] = found.value;
}

}  // extern "C"
