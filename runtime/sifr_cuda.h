#ifndef SIFR_CUDA_H
#define SIFR_CUDA_H

/* What a program with kernels for NVIDIA GPUs calls. The driver, libcuda.so.1, is loaded when the program starts and never linked.
 *
 * Work is not done when it is asked for: launches, fills and copies are put in a queue, and go to the device when something needs them: a
 * host effect (a print, `.item()`), the end of a loop's body, or the end of the program. A queue that comes again with the same steps is replayed
 * as a graph. Pointers to the device's memory are plain addresses; the host never reads through them. */

#include <stdint.h>

#include "runtime/sifr_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One `__global__` function of a kernel. */
typedef struct {
    const char* symbol;
    int32_t threads;
    int32_t reserved;
    int64_t blocks;
} sifr_cuda_part;

/** What a check of a kernel raises; `{}` in the text is the offending value. Line 0: that of the launch. */
typedef struct {
    const char* type;
    const char* text;
    int32_t line;
    int32_t reserved;
} sifr_cuda_site;

/** Parameters of each part: buffers, scalars (8 bytes each), with sites the status word and the launch's number, with `slab` scratch memory. */
typedef struct {
    const char* name;
    const sifr_cuda_part* parts;
    const sifr_cuda_site* sites;
    int32_t unit;
    int32_t part_count;
    int32_t buffer_count;
    int32_t scalar_count;
    int32_t site_count;
    int32_t slab;
} sifr_cuda_kernel;

/** A unit of kernels as machine code for one architecture (`arch` 90: sm_90, serves 9.x), or as PTX for that one and newer ones. */
typedef struct {
    const void* data;
    int64_t bytes;
    int32_t unit;
    int32_t arch;
    int32_t is_ptx;
    int32_t reserved;
} sifr_cuda_image;

typedef struct {
    const void* data;
    int64_t bytes;
} sifr_cuda_constant;

typedef struct {
    int32_t struct_size;
    int32_t driver_version; /**< the least that the images need: 13000 for 13.0 */
    const char* script;
    const sifr_cuda_kernel* kernels;
    const sifr_cuda_image* images;
    const sifr_cuda_constant* constants;
    int32_t kernel_count;
    int32_t unit_count;
    int32_t image_count;
    int32_t constant_count;
    int64_t arena_bytes;
    int64_t slab_bytes;
} sifr_cuda_program;

/** Loads the driver, takes the first device, loads the images that fit it, and allocates. Ends the process with a message and exit code 3 where
 *  something is missing: before any of the program's work. The result is the arena's address on the device. */
void* sifr_cuda_start(const sifr_cuda_program* program);
/** Does what is left, and gives everything back. */
void sifr_cuda_end(void);
/** The address of a constant on the device. */
void* sifr_cuda_constant_data(int32_t index);

/** Steps for the queue. */
void sifr_cuda_launch(int32_t kernel, void* const* buffers, const int64_t* scalars, int32_t line);
/** `count` elements of `element_size` (1, 2, 4, 8) bytes become `pattern`. */
void sifr_cuda_fill(void* data, int64_t count, uint64_t pattern, int32_t element_size);
void sifr_cuda_copy(void* to, const void* from, int64_t bytes);

/** A body of a loop is through: hands the queue to the device, and does not wait. */
void sifr_cuda_step(void);
/** Before a host effect: if a kernel that checks has been asked for, waits for it and raises what it found. */
void sifr_cuda_settle(void);
/** All work is done when it returns. */
void sifr_cuda_synchronize(void);

/** Waits, and reads the device's memory. */
void sifr_cuda_read(void* to, const void* from, int64_t bytes);
/** The host's copy of an operand of a function of the runtime, valid until sifr_cuda_publish. */
void* sifr_cuda_fetch(const void* data, int64_t bytes);
/** Memory of the host where a function of the runtime writes a result. */
void* sifr_cuda_stage(void* data, int64_t bytes);
/** Behind the function: its results go to the device, and the host's copies are given back. */
void sifr_cuda_publish(void);

/** Runs one kernel on memory of the host, waits, and gives the status word {site, position, value} (may be null) instead of raising. */
void sifr_cuda_launch_host(int32_t kernel, void* const* buffers, const int64_t* bytes, const int64_t* scalars, int64_t* status);

/* A host's own functions, several of them in one process: instead of start and end, a session for each. What is called between enter and leave is
 * about this one; one at a time is entered, by one thread. Whatever fails may raise in between; then the host leaves all the same. */

typedef struct sifr_cuda_session sifr_cuda_session;
/** The architecture of the GPU that there is, 90 for 9.0; says what is missing as sifr_cuda_start does. */
int64_t sifr_cuda_find_device(void);
/** As sifr_cuda_start, and with memory on the device for what the host passes. */
sifr_cuda_session* sifr_cuda_session_new(const sifr_cuda_program* program, int64_t argument_bytes);
void sifr_cuda_session_free(sifr_cuda_session* session);
/** Gives the address of that memory. */
void* sifr_cuda_enter(sifr_cuda_session* session);
/** What has been asked for and is not done is forgotten. */
void sifr_cuda_leave(sifr_cuda_session* session);
/** The arena of the session that is entered. */
void* sifr_cuda_arena(void);
void sifr_cuda_upload(void* to, const void* from, int64_t bytes);
/** Waits. */
void sifr_cuda_download(void* to, const void* from, int64_t bytes);

/** The generator of tensors on the GPU, that `torch.manual_seed` seeds, too; its numbers are drawn on the host, as torch.cuda's are on the GPU. */
sifr_generator* sifr_cuda_generator(void);
/** `torch.Generator(device='cuda')` */
sifr_generator* sifr_cuda_generator_new(void);

/** Bytes of device memory that the program holds. */
int64_t sifr_cuda_memory(void);
/** The name of the GPU that the program runs on; the text lives as long as the program. */
sifr_status sifr_cuda_device_name(sifr_str* out);
/** Its architecture: 90 for 9.0. */
int64_t sifr_cuda_capability(void);

#ifdef __cplusplus
}
#endif

#endif
