#pragma once

#include <memory>

#include "compiler/backend/device_program.h"
#include "compiler/backend/llvm/host_emitter.h"

namespace sifr::codegen {

/// Where a plan's tensors live, and how the host's code gets kernels to run on them. One for the CPU, one for a device; all else of the host
/// part (scalars, texts, control flow, calls of the runtime) is the same code.
class HostMemory {
public:
    using Value = llvm::Value;
    explicit HostMemory(HostEmitter& h) : h_(h), m_(h.m_), b_(h.b_) {}
    virtual ~HostMemory() = default;

    /// Behind sifr_program_start: gives the arena's address.
    virtual Value* start() = 0;
    /// Of a function that a host calls: the arena's address, where the host gives `arena`.
    virtual Value* enter(Value* arena) { return arena; }
    /// In front of sifr_program_end.
    virtual void end(Value* arena) = 0;
    virtual Value* constant(size_t index) = 0;
    virtual void launch(const PlanInst& inst) = 0;
    /// `count` elements of `element` bytes become `pattern`. A pattern of 0 comes as bytes.
    virtual void fill(Value* at, int64_t count, uint64_t pattern, int32_t element, bool lazy) = 0;
    virtual void copy(Value* to, Value* from, int64_t bytes) = 0;
    /// `bytes` bytes at `at`, where the host reads them.
    virtual Value* readable(Value* at, int64_t bytes) = 0;
    /// The same for an operand of a function of the runtime, and memory where it writes a result.
    virtual Value* operand(Value* at, int64_t bytes) = 0;
    virtual Value* result(Value* at, int64_t bytes) = 0;
    /// Behind such a function.
    virtual void operands_done() = 0;
    /// In front of what the world sees or asks: a raise of a kernel before it comes first.
    virtual void settle() = 0;
    /// In front of a clock.
    virtual void synchronize() = 0;
    /// At the end of a loop's body.
    virtual void step() = 0;

    /// The arguments of a launch in memory: pointers, then 8-byte scalars. (Shared: the kernels' interface is the same.)
    struct Arguments {
        Value* buffers;
        Value* scalars;
    };
    Arguments arguments(const PlanInst& inst);

protected:
    HostEmitter& h_;
    ModuleEmitter& m_;
    llvm::IRBuilder<>& b_;
};

/// `kernels`: the kernels' functions in the module, by KernelId.
std::unique_ptr<HostMemory> cpu_memory(HostEmitter& h, std::vector<llvm::Function*> kernels);
std::unique_ptr<HostMemory> device_memory(HostEmitter& h, const DeviceProgram& device);

/// The name of the table that tells the runtime about a device's kernels, in object code.
inline constexpr const char* device_table_symbol = "device.program";

}  // namespace sifr::codegen
