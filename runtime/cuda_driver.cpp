// The driver: loaded by name when a program starts, so that a binary runs, and can say what is missing, on machines without it.

#include "runtime/cuda_driver.h"

#include <dlfcn.h>

namespace sifr::rt::cuda {

Driver driver;

namespace {

bool loaded = false;
const char* current_kernel = nullptr;
int32_t current_line = 0;
const char* current_script = nullptr;

using GetProcAddress = Result(const char* symbol, void** function, int version, uint64_t flags, int* status);

[[noreturn]] void missing(const Text& message) { sifr_fatal(message.view()); }

void append_version(Text& out, int version) { out << static_cast<int64_t>(version / 1000) << '.' << static_cast<int64_t>(version % 1000 / 10); }

}  // namespace

void working_for(const char* kernel, int32_t line) {
    current_kernel = kernel;
    current_line = line;
}

void set_script(const char* script) { current_script = script; }

void driver_failed(Result error, const char* call) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (driver.cuGetErrorName != nullptr) driver.cuGetErrorName(error, &name);
    if (driver.cuGetErrorString != nullptr) driver.cuGetErrorString(error, &text);
    Text message;
    message << "CUDA: " << call << " failed: ";
    if (name != nullptr) message << name;
    else message << "error " << static_cast<int64_t>(error);
    if (text != nullptr) message << " (" << text << ')';
    if (current_kernel != nullptr) message << ", kernel '" << current_kernel << '\'';
    if (current_line != 0 && current_script != nullptr) message << ", for line " << static_cast<int64_t>(current_line) << " of " << current_script;
    missing(message);
}

void load_driver(int32_t least_version) {
    if (!loaded) {
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            Text message;
            const char* why = dlerror();
            message << "this program runs on an NVIDIA GPU, and this machine has no driver for one: " << (why != nullptr ? why : "libcuda.so.1 cannot be loaded")
                    << "; build it without --device=cuda to run on the CPU";
            missing(message);
        }
        auto* get = reinterpret_cast<GetProcAddress*>(dlsym(library, "cuGetProcAddress_v2"));
        if (get == nullptr) {
            Text message;
            message << "this machine's NVIDIA driver is too old: it has no cuGetProcAddress_v2, which came with CUDA 12.0; this program needs ";
            append_version(message, least_version);
            missing(message);
        }
        struct Row {
            const char* name;
            int version;
            void** place;
        };
#define SIFR_CUDA_ROW(name, version, parameters) {#name, version, reinterpret_cast<void**>(&driver.name)},
        const Row rows[] = {SIFR_CUDA_FUNCTIONS(SIFR_CUDA_ROW)};
#undef SIFR_CUDA_ROW
        for (const Row& row : rows) {
            int found = 0;
            if (get(row.name, row.place, row.version, 0, &found) != 0 || *row.place == nullptr) {
                Text message;
                message << "this machine's NVIDIA driver is too old: it has no " << row.name << "; this program needs CUDA ";
                append_version(message, least_version);
                missing(message);
            }
        }
        loaded = true;
    }
    if (const Result error = driver.cuInit(0); error != 0) {
        if (error == error_no_device) missing(Text() << "this program runs on an NVIDIA GPU, and the driver finds none");
        driver_failed(error, "cuInit");
    }
    int version = 0;
    SIFR_CUDA(cuDriverGetVersion, &version);
    if (version < least_version) {
        Text message;
        message << "this machine's NVIDIA driver is too old: it supports CUDA ";
        append_version(message, version);
        message << ", and this program needs ";
        append_version(message, least_version);
        missing(message);
    }
}

}  // namespace sifr::rt::cuda
