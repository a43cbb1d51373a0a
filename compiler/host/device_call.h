#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/backend/backend.h"

struct sifr_cuda_session;

namespace sifr::host {

/// The architecture of this machine's GPU, `sm_90`. Throws Error (Machine) with what is missing.
std::string gpu_architecture();

/// Calls of a function whose kernels run on the GPU. Arguments and results are memory of the host: they are copied there and, as far as they
/// are written, back. Calls take turns, of all functions together.
class DeviceCalls {
public:
    struct Memory {
        int64_t bytes = 0;
        bool read = true, written = false;
    };
    /// `memories`: one per pointer that the code gets.
    DeviceCalls(LoadedProgram& code, std::vector<Memory> memories);
    ~DeviceCalls();
    DeviceCalls(const DeviceCalls&) = delete;
    DeviceCalls& operator=(const DeviceCalls&) = delete;
    /// As sifr_context_call. What the code has written before a raise is copied back, too.
    sifr_status call(sifr_context* context, void* const* arguments, const int64_t* numbers, int64_t* results);

private:
    struct Call;
    static void run(void*, void* const* arguments, const int64_t* numbers, int64_t* results);

    LoadedProgram& code_;
    std::vector<Memory> memories_;
    std::vector<int64_t> offsets_;
    int64_t bytes_ = 0;
    sifr_cuda_session* session_ = nullptr;
};

}  // namespace sifr::host
