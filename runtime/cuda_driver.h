#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/internal.h"

// The functions of libcuda.so.1 that are used, and what they take: our own declarations of its published interface.

namespace sifr::rt::cuda {

using Device = int;
using Result = int;
using Address = uint64_t;
struct Context_;
struct Stream_;
struct Module_;
struct Function_;
struct Graph_;
struct GraphNode_;
struct GraphExec_;
using Context = Context_*;
using Stream = Stream_*;
using Module = Module_*;
using Function = Function_*;
using Graph = Graph_*;
using GraphNode = GraphNode_*;
using GraphExec = GraphExec_*;

struct KernelNodeParams {
    Function function;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    void** params;
    void** extra;
    void* kernel;
    Context context;
};

constexpr Result error_out_of_memory = 2, error_no_device = 100, error_no_image = 209;
constexpr int attribute_multiprocessors = 16, attribute_threads = 39, attribute_major = 75, attribute_minor = 76;
constexpr int stream_non_blocking = 1, capture_relaxed = 2;

// name, the version of the interface that is asked for, parameters
#define SIFR_CUDA_FUNCTIONS(X)                                                                                      \
    X(cuInit, 2000, (unsigned flags))                                                                               \
    X(cuDriverGetVersion, 2020, (int* version))                                                                     \
    X(cuGetErrorName, 6000, (Result error, const char** name))                                                      \
    X(cuGetErrorString, 6000, (Result error, const char** text))                                                    \
    X(cuDeviceGetCount, 2000, (int* count))                                                                         \
    X(cuDeviceGet, 2000, (Device* device, int ordinal))                                                             \
    X(cuDeviceGetName, 2000, (char* name, int length, Device device))                                               \
    X(cuDeviceGetAttribute, 2000, (int* value, int attribute, Device device))                                       \
    X(cuDevicePrimaryCtxRetain, 7000, (Context* context, Device device))                                            \
    X(cuDevicePrimaryCtxRelease, 11000, (Device device))                                                            \
    X(cuCtxSetCurrent, 4000, (Context context))                                                                     \
    X(cuStreamCreate, 2000, (Stream* stream, unsigned flags))                                                       \
    X(cuStreamDestroy, 4000, (Stream stream))                                                                       \
    X(cuStreamSynchronize, 2000, (Stream stream))                                                                   \
    X(cuMemGetInfo, 3020, (size_t* free, size_t* total))                                                            \
    X(cuMemAllocAsync, 11020, (Address* data, size_t bytes, Stream stream))                                         \
    X(cuMemFreeAsync, 11020, (Address data, Stream stream))                                                         \
    X(cuMemHostAlloc, 2020, (void** data, size_t bytes, unsigned flags))                                            \
    X(cuMemFreeHost, 2000, (void* data))                                                                            \
    X(cuMemcpyHtoDAsync, 3020, (Address to, const void* from, size_t bytes, Stream stream))                         \
    X(cuMemcpyDtoHAsync, 3020, (void* to, Address from, size_t bytes, Stream stream))                               \
    X(cuMemcpyDtoDAsync, 3020, (Address to, Address from, size_t bytes, Stream stream))                             \
    X(cuMemsetD8Async, 3020, (Address data, unsigned char value, size_t count, Stream stream))                      \
    X(cuMemsetD16Async, 3020, (Address data, unsigned short value, size_t count, Stream stream))                    \
    X(cuMemsetD32Async, 3020, (Address data, unsigned value, size_t count, Stream stream))                          \
    X(cuMemsetD2D32Async, 3020, (Address data, size_t pitch, unsigned value, size_t width, size_t height, Stream stream)) \
    X(cuModuleLoadData, 2000, (Module* module, const void* image))                                                  \
    X(cuModuleUnload, 2000, (Module module))                                                                        \
    X(cuModuleGetFunction, 2000, (Function* function, Module module, const char* name))                             \
    X(cuLaunchKernel, 4000, (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
                             unsigned block_z, unsigned shared_bytes, Stream stream, void** params, void** extra))  \
    X(cuStreamBeginCapture, 10010, (Stream stream, int mode))                                                       \
    X(cuStreamGetCaptureInfo, 11030, (Stream stream, int* status, uint64_t* id, Graph* graph, const GraphNode** nodes, size_t* count)) \
    X(cuStreamEndCapture, 10000, (Stream stream, Graph* graph))                                                     \
    X(cuGraphInstantiateWithFlags, 11040, (GraphExec* exec, Graph graph, uint64_t flags))                           \
    X(cuGraphExecKernelNodeSetParams, 12000, (GraphExec exec, GraphNode node, const KernelNodeParams* params))      \
    X(cuGraphLaunch, 10000, (GraphExec exec, Stream stream))                                                        \
    X(cuGraphExecDestroy, 10000, (GraphExec exec))                                                                  \
    X(cuGraphDestroy, 10000, (Graph graph))

/// The functions, by name; all null until load_driver.
struct Driver {
#define SIFR_CUDA_MEMBER(name, version, parameters) Result(*name) parameters;
    SIFR_CUDA_FUNCTIONS(SIFR_CUDA_MEMBER)
#undef SIFR_CUDA_MEMBER
};
extern Driver driver;

/// Loads libcuda.so.1 once; what is missing ends the process with exit code 3.
void load_driver(int32_t least_version);
/// Ends the process with the driver's name for the error, the call, and where in the script it belongs to.
[[noreturn]] void driver_failed(Result error, const char* call);
/// What the next calls work for, in messages: a kernel (may be null) and a line (0: none).
void working_for(const char* kernel, int32_t line);
void set_script(const char* script);

#define SIFR_CUDA(call, ...)                                                                            \
    do {                                                                                                \
        const ::sifr::rt::cuda::Result result_ = ::sifr::rt::cuda::driver.call(__VA_ARGS__);            \
        if (result_ != 0) ::sifr::rt::cuda::driver_failed(result_, #call);                              \
    } while (false)

}  // namespace sifr::rt::cuda
