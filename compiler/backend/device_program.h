#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sifr {

/// One `__global__` function: a kernel of the loop IR is one or several of them, launched one behind the other.
struct DevicePart {
    std::string symbol;
    int threads = 256;    ///< of a block
    int resident = 0;     ///< blocks that a multiprocessor is to have room for; 0: as the compiler likes
    int64_t blocks = 1;   ///< of the grid; loops stride by it, so any number is right
};

/// A kernel as CUDA C++. Parameters of all its parts: the buffers (pointers), the scalars (I64 and Bool as `i64`, F64 as `double`), if
/// it checks the status word and the launch's number, if `slab_bytes` a pointer to that much memory without defined contents.
struct DeviceKernel {
    std::string name;
    std::vector<DevicePart> parts;
    std::string text;
    int64_t slab_bytes = 0;
    int unit = 0;  ///< the translation unit that it is in
};

/// A translation unit as machine code for sm_`arch`, or as PTX for that architecture and newer ones.
struct DeviceImage {
    int unit = 0;
    int arch = 0;
    bool ptx = false;
    std::vector<std::byte> bytes;
};

/// What the host part of a plan needs to know of its kernels on a device.
struct DeviceProgram {
    std::vector<DeviceKernel> kernels;  ///< by KernelId
    std::vector<DeviceImage> images;
    int units = 0;
    int driver_version = 12000;  ///< the least that the images need: 13000 for 13.0
};

}  // namespace sifr
