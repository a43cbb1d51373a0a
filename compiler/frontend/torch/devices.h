#pragma once

#include "compiler/frontend/capture/interpreter.h"

namespace sifr::capture {

/// What PyTorch says on a machine without a GPU.
/// What creating a stream or a generator raises there, as torch.AcceleratorError: these ask CUDA itself.
inline constexpr const char* insufficient_cuda_driver = "CUDA error: CUDA driver version is insufficient for CUDA runtime version\nSearch for `cudaErrorInsufficientDriver' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\nDevice-side assertions were explicitly omitted for this error check; the error probably arose while initializing the DSA handlers.";
inline constexpr const char* no_cuda_driver = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx";

/// Puts a fresh tensor where `device` (a device, a string, None or unbound) says, else where `like` is. `cuda` without
/// `--device=cuda` is PyTorch's error on a machine without CUDA.
void place_on_device(Interpreter& in, PyValue tensor, PyValue device, const TensorObject* like);
/// `torch.device("cuda:0")`.
PyValue parse_device(Interpreter& in, PyValue v);
std::string device_text(PyValue device);  ///< `cuda:0`
PyValue device_of(const TensorObject* tensor);
/// `x.to(device)`: the same object where it is there already.
PyValue to_device(Interpreter& in, PyValue tensor, PyValue device);
/// Raises as PyTorch does where an instruction's operands, and what it writes into if that is given, are on several devices.
void check_devices(Interpreter& in, Op op, const Values& operands, PyValue written = {});

}  // namespace sifr::capture
