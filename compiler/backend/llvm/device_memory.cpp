// A plan's tensors in the memory of a GPU: what runtime/sifr_cuda.h offers, called from the host's code, and the table that tells it
// about the kernels.

#include "compiler/backend/llvm/host_memory.h"
#include "ir/base/check.h"
#include "ir/loop/loop_ir.h"
#include "runtime/sifr_cuda.h"

namespace sifr::codegen {

using llvm::Constant;
using llvm::Value;

namespace {

class DeviceMemory : public HostMemory {
public:
    DeviceMemory(HostEmitter& h, const DeviceProgram& device) : HostMemory(h), device_(device), constants_(h.plan().constants.size()) {}

    Value* start() override { return h_.call("sifr_cuda_start", {table()}); }
    Value* enter(Value*) override {
        table();  // for the host, which makes a session of it
        return h_.call("sifr_cuda_arena", {});
    }
    void end(Value*) override { h_.call("sifr_cuda_end", {}); }
    Value* constant(size_t index) override {
        // Asked for once, in the entry block.
        Value*& c = constants_.at(index);
        if (!c) c = h_.at_start([&] { return h_.call("sifr_cuda_constant_data", {b_.getInt32(static_cast<uint32_t>(index))}); });
        return c;
    }
    void launch(const PlanInst& inst) override {
        const Arguments args = arguments(inst);
        h_.call("sifr_cuda_launch", {b_.getInt32(inst.kernel.index), args.buffers, args.scalars, h_.line_number(inst.location)});
    }
    void fill(Value* at, int64_t count, uint64_t pattern, int32_t element, bool) override {
        if (pattern == 0) element = 1;
        h_.call("sifr_cuda_fill", {at, m_.constant(count), m_.constant(static_cast<int64_t>(pattern)), b_.getInt32(static_cast<uint32_t>(element))});
    }
    void copy(Value* to, Value* from, int64_t bytes) override { h_.call("sifr_cuda_copy", {to, from, m_.constant(bytes)}); }
    Value* readable(Value* at, int64_t bytes) override {
        Value* place = h_.slot(m_.i64(), "read", static_cast<uint64_t>((bytes + 7) / 8));
        h_.call("sifr_cuda_read", {place, at, m_.constant(bytes)});
        return place;
    }
    Value* operand(Value* at, int64_t bytes) override { return h_.call("sifr_cuda_fetch", {at, m_.constant(bytes)}); }
    Value* result(Value* at, int64_t bytes) override { return h_.call("sifr_cuda_stage", {at, m_.constant(bytes)}); }
    void operands_done() override { h_.call("sifr_cuda_publish", {}); }
    void settle() override { h_.call("sifr_cuda_settle", {}); }
    void synchronize() override { h_.call("sifr_cuda_synchronize", {}); }
    void step() override { h_.call("sifr_cuda_step", {}); }

private:
    Constant* word(int64_t v) { return llvm::ConstantInt::getSigned(m_.i32(), v); }
    Constant* global(Constant* value, const char* name) {
        return new llvm::GlobalVariable(m_.module(), value->getType(), true, llvm::GlobalValue::PrivateLinkage, value, name);
    }
    Constant* array(llvm::StructType* type, const std::vector<Constant*>& rows, const char* name) {
        if (rows.empty()) return llvm::ConstantPointerNull::get(m_.ptr());
        return global(llvm::ConstantArray::get(llvm::ArrayType::get(type, rows.size()), rows), name);
    }
    Constant* kernels();
    Constant* images();
    Constant* constants();
    Constant* table();

    const DeviceProgram& device_;
    std::vector<Value*> constants_;
};

Constant* DeviceMemory::kernels() {
    auto* part_type = llvm::StructType::get(m_.context, {m_.ptr(), m_.i32(), m_.i32(), m_.i64()});
    auto* site_type = llvm::StructType::get(m_.context, {m_.ptr(), m_.ptr(), m_.i32(), m_.i32()});
    auto* kernel_type = llvm::StructType::get(m_.context, {m_.ptr(), m_.ptr(), m_.ptr(), m_.i32(), m_.i32(), m_.i32(), m_.i32(), m_.i32(), m_.i32()});
    static_assert(sizeof(sifr_cuda_part) == 24 && sizeof(sifr_cuda_site) == 24 && sizeof(sifr_cuda_kernel) == 48);
    std::vector<Constant*> rows;
    for (size_t i = 0; i < h_.plan().kernels.size(); ++i) {
        const Kernel& k = h_.plan().kernels[i];
        const DeviceKernel& d = device_.kernels.at(i);
        std::vector<Constant*> parts, sites;
        for (const DevicePart& p : d.parts) parts.push_back(llvm::ConstantStruct::get(part_type, {m_.text(p.symbol), word(p.threads), word(0), m_.constant(p.blocks)}));
        for (const CheckSite& s : k.sites)
            sites.push_back(llvm::ConstantStruct::get(site_type, {m_.text(s.exception), m_.text(s.text), word(s.location.empty() ? 0 : s.location.front().line), word(0)}));
        const int64_t buffers = std::count_if(k.buffers.begin(), k.buffers.end(), [](const Buffer& b) { return !b.scratch; });
        rows.push_back(llvm::ConstantStruct::get(
            kernel_type, {m_.text(k.name), array(part_type, parts, "parts"), array(site_type, sites, "sites"), word(d.unit), word(static_cast<int64_t>(parts.size())),
                          word(buffers), word(static_cast<int64_t>(k.scalars.size())), word(static_cast<int64_t>(sites.size())), word(d.slab_bytes > 0)}));
    }
    return array(kernel_type, rows, "kernels");
}

Constant* DeviceMemory::images() {
    auto* type = llvm::StructType::get(m_.context, {m_.ptr(), m_.i64(), m_.i32(), m_.i32(), m_.i32(), m_.i32()});
    static_assert(sizeof(sifr_cuda_image) == 32);
    std::vector<Constant*> rows;
    for (const DeviceImage& i : device_.images)
        rows.push_back(llvm::ConstantStruct::get(type, {m_.data(i.bytes, "image"), m_.constant(static_cast<int64_t>(i.bytes.size())), word(i.unit), word(i.arch), word(i.ptx), word(0)}));
    return array(type, rows, "images");
}

Constant* DeviceMemory::constants() {
    auto* type = llvm::StructType::get(m_.context, {m_.ptr(), m_.i64()});
    std::vector<Constant*> rows;
    for (const auto& c : h_.plan().constants)
        rows.push_back(llvm::ConstantStruct::get(type, {m_.data(c->bytes, "constant"), m_.constant(static_cast<int64_t>(c->bytes.size()))}));
    return array(type, rows, "constants");
}

Constant* DeviceMemory::table() {
    int64_t slab = 0;
    for (const DeviceKernel& k : device_.kernels) slab = std::max(slab, k.slab_bytes);
    auto* type = llvm::StructType::get(m_.context, {m_.i32(), m_.i32(), m_.ptr(), m_.ptr(), m_.ptr(), m_.ptr(), m_.i32(), m_.i32(), m_.i32(), m_.i32(), m_.i64(), m_.i64()});
    static_assert(sizeof(sifr_cuda_program) == 72);
    auto* value = llvm::ConstantStruct::get(
        type, {word(sizeof(sifr_cuda_program)), word(device_.driver_version), m_.text(h_.script()), kernels(), images(), constants(),
               word(static_cast<int64_t>(device_.kernels.size())), word(device_.units), word(static_cast<int64_t>(device_.images.size())),
               word(static_cast<int64_t>(h_.plan().constants.size())), m_.constant(h_.plan().arena_bytes), m_.constant(slab)});
    return new llvm::GlobalVariable(m_.module(), type, true, llvm::GlobalValue::ExternalLinkage, value, device_table_symbol);
}

}  // namespace

std::unique_ptr<HostMemory> device_memory(HostEmitter& h, const DeviceProgram& device) { return std::make_unique<DeviceMemory>(h, device); }

}  // namespace sifr::codegen
