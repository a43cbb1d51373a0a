// Start and end of a program on the device: which device, which images, and all its memory at once.

#include "runtime/cuda_state.h"
#include "runtime/random.h"

using namespace sifr::rt;
using namespace sifr::rt::cuda;

namespace sifr::rt::cuda {

State state;

namespace {

int64_t round_up(int64_t bytes) { return (bytes + 255) / 256 * 256; }

/// The image of a unit that the device runs: machine code of its own generation, at most as new as it is; else the newest PTX that is not newer.
const sifr_cuda_image* image_of(int32_t unit) {
    const sifr_cuda_image* best = nullptr;
    for (int32_t i = 0; i < state.program->image_count; ++i) {
        const sifr_cuda_image& image = state.program->images[i];
        if (image.unit != unit || image.arch > state.arch) continue;
        if (!image.is_ptx && image.arch / 10 != state.arch / 10) continue;
        const bool better = best == nullptr || (best->is_ptx && !image.is_ptx) || (best->is_ptx == image.is_ptx && image.arch > best->arch);
        if (better) best = &image;
    }
    return best;
}

void require_images() {
    for (int32_t unit = 0; unit < state.program->unit_count; ++unit) {
        if (image_of(unit) != nullptr) continue;
        char name[256] = "";
        driver.cuDeviceGetName(name, sizeof name, state.device);
        Text message;
        message << "this program has no code for this GPU (" << name << ", sm_" << static_cast<int64_t>(state.arch) << "); it has ";
        const char* separator = "";
        for (int32_t i = 0; i < state.program->image_count; ++i) {
            const sifr_cuda_image& image = state.program->images[i];
            if (image.unit != unit) continue;
            message << separator << (image.is_ptx ? "PTX for sm_" : "sm_") << static_cast<int64_t>(image.arch) << (image.is_ptx ? " and newer" : "");
            separator = ", ";
        }
        message << "; build it with --gpu-arch=sm_" << static_cast<int64_t>(state.arch);
        sifr_fatal(message.view());
    }
}

void allocate() {
    const sifr_cuda_program& p = *state.program;
    int64_t total = round_up(p.arena_bytes) + round_up(p.slab_bytes) + round_up(sizeof(Status));
    for (int32_t i = 0; i < p.constant_count; ++i) total += round_up(p.constants[i].bytes);
    const Result error = driver.cuMemAllocAsync(&state.memory, static_cast<size_t>(total), state.stream);
    if (error == error_out_of_memory) {
        size_t free_bytes = 0, all_bytes = 0;
        driver.cuMemGetInfo(&free_bytes, &all_bytes);
        Text message;
        message << "out of memory on the GPU: the program needs " << total << " bytes, and " << static_cast<int64_t>(free_bytes) << " of "
                << static_cast<int64_t>(all_bytes) << " are free";
        sifr_fatal(message.view());
    }
    if (error != 0) driver_failed(error, "cuMemAllocAsync");
    state.memory_bytes = total;
    state.arena = state.memory;
    state.slab = state.arena + static_cast<Address>(round_up(p.arena_bytes));
    state.status = state.slab + static_cast<Address>(round_up(p.slab_bytes));
    Address at = state.status + static_cast<Address>(round_up(sizeof(Status)));
    for (int32_t i = 0; i < p.constant_count; ++i) {
        state.constants.push(at);
        if (p.constants[i].bytes > 0) SIFR_CUDA(cuMemcpyHtoDAsync, at, p.constants[i].data, static_cast<size_t>(p.constants[i].bytes), state.stream);
        at += static_cast<Address>(round_up(p.constants[i].bytes));
    }
    void* pinned = nullptr;
    SIFR_CUDA(cuMemHostAlloc, &pinned, sizeof(Status), 0);
    state.host_status = static_cast<Status*>(pinned);
    reset_status();
}

}  // namespace

const Buffer<Function>& functions_of(int32_t kernel) {
    Buffer<Function>& functions = state.functions[kernel];
    const sifr_cuda_kernel& k = state.program->kernels[kernel];
    if (functions.size == 0) {
        Module& module = state.modules[k.unit];
        if (module == nullptr) SIFR_CUDA(cuModuleLoadData, &module, image_of(k.unit)->data);
        for (int32_t i = 0; i < k.part_count; ++i) {
            Function f = nullptr;
            SIFR_CUDA(cuModuleGetFunction, &f, module, k.parts[i].symbol);
            functions.push(f);
        }
    }
    return functions;
}

}  // namespace sifr::rt::cuda

extern "C" {

void* sifr_cuda_start(const sifr_cuda_program* program) {
    if (state.program != nullptr) sifr_cuda_end();
    set_script(program->script);
    working_for(nullptr, 0);
    load_driver(program->driver_version);
    int count = 0;
    SIFR_CUDA(cuDeviceGetCount, &count);
    if (count == 0) sifr_fatal(lit("this program runs on an NVIDIA GPU, and the driver finds none"));
    state.program = program;
    SIFR_CUDA(cuDeviceGet, &state.device, 0);
    int major = 0, minor = 0;
    SIFR_CUDA(cuDeviceGetAttribute, &major, attribute_major, state.device);
    SIFR_CUDA(cuDeviceGetAttribute, &minor, attribute_minor, state.device);
    state.arch = 10 * major + minor;
    int multiprocessors = 0, threads = 0;
    SIFR_CUDA(cuDeviceGetAttribute, &multiprocessors, attribute_multiprocessors, state.device);
    SIFR_CUDA(cuDeviceGetAttribute, &threads, attribute_threads, state.device);
    if (multiprocessors > 0 && threads >= 256) philox_blocks = int64_t{multiprocessors} * (threads / 256);
    require_images();
    SIFR_CUDA(cuDevicePrimaryCtxRetain, &state.context, state.device);
    SIFR_CUDA(cuCtxSetCurrent, state.context);
    SIFR_CUDA(cuStreamCreate, &state.stream, stream_non_blocking);
    state.modules.fill(nullptr, program->unit_count);
    state.functions.fill({}, program->kernel_count);
    allocate();
    // Code is loaded before the work begins, so that what does not load is known by then.
    for (int32_t k = 0; k < program->kernel_count; ++k) {
        working_for(program->kernels[k].name, 0);
        functions_of(k);
    }
    working_for(nullptr, 0);
    return reinterpret_cast<void*>(state.arena);
}

void sifr_cuda_end(void) {
    if (state.program == nullptr) return;
    wait();
    drop_graphs();
    free_staging();
    for (Module m : state.modules)
        if (m != nullptr) SIFR_CUDA(cuModuleUnload, m);
    for (Buffer<Function>& f : state.functions) f.free_memory();
    state.modules.free_memory();
    state.functions.free_memory();
    state.constants.free_memory();
    SIFR_CUDA(cuMemFreeHost, state.host_status);
    SIFR_CUDA(cuMemFreeAsync, state.memory, state.stream);
    SIFR_CUDA(cuStreamSynchronize, state.stream);
    SIFR_CUDA(cuStreamDestroy, state.stream);
    SIFR_CUDA(cuDevicePrimaryCtxRelease, state.device);
    state = State{};
}

void* sifr_cuda_constant_data(int32_t index) { return reinterpret_cast<void*>(state.constants[index]); }

int64_t sifr_cuda_memory(void) { return state.memory_bytes; }

sifr_status sifr_cuda_device_name(sifr_str* out) {
    static char name[256];
    SIFR_CUDA(cuDeviceGetName, name, sizeof name, state.device);
    *out = c_str(name);
    return SIFR_OK;
}

int64_t sifr_cuda_capability(void) { return state.arch; }

}  // extern "C"
