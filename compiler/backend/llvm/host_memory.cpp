// A plan's tensors in the memory of the CPU, and what both kinds of memory share.

#include "compiler/backend/llvm/host_memory.h"

#include "ir/base/check.h"
#include "ir/loop/loop_ir.h"

namespace sifr::codegen {

using llvm::Value;

HostMemory::Arguments HostMemory::arguments(const PlanInst& inst) {
    const Kernel& kernel = h_.plan().kernels.at(inst.kernel.index);
    auto* buffers_type = llvm::ArrayType::get(m_.ptr(), std::max<size_t>(1, inst.buffers.size()));
    Value* buffers = h_.slot(buffers_type, "buffers");
    for (size_t i = 0; i < inst.buffers.size(); ++i)
        b_.CreateStore(h_.buffer(inst.buffers[i]), b_.CreateConstInBoundsGEP2_64(buffers_type, buffers, 0, i));
    auto* scalars_type = llvm::ArrayType::get(m_.i64(), std::max<size_t>(1, inst.scalars.size()));
    Value* scalars = h_.slot(scalars_type, "scalars");
    SIFR_CHECK(inst.scalars.size() == kernel.scalars.size(), "a launch of {} with {} scalars", kernel.name, inst.scalars.size());
    for (size_t i = 0; i < inst.scalars.size(); ++i) {
        const DType wanted = kernel.vars.at(kernel.scalars[i].index).type;
        Value* v = wanted == DType::F64 ? b_.CreateBitCast(h_.as_f64(inst.scalars[i]), m_.i64()) : h_.as_i64(inst.scalars[i]);
        b_.CreateStore(v, b_.CreateConstInBoundsGEP2_64(scalars_type, scalars, 0, i));
    }
    return {buffers, scalars};
}

namespace {

class CpuMemory : public HostMemory {
public:
    CpuMemory(HostEmitter& h, std::vector<llvm::Function*> kernels) : HostMemory(h), kernels_(std::move(kernels)), constants_(h.plan().constants.size()) {}

    Value* start() override {
        if (h_.plan().arena_bytes == 0) return llvm::ConstantPointerNull::get(m_.ptr());
        return h_.call("sifr_arena_alloc", {m_.constant(h_.plan().arena_bytes)});
    }
    void end(Value* arena) override {
        if (h_.plan().arena_bytes > 0) h_.call("sifr_arena_free", {arena, m_.constant(h_.plan().arena_bytes)});
    }
    Value* constant(size_t index) override {
        llvm::Constant*& c = constants_.at(index);
        if (!c) c = m_.data(h_.plan().constants.at(index)->bytes, "constant");
        return c;
    }
    void launch(const PlanInst& inst) override;
    void fill(Value* at, int64_t count, uint64_t pattern, int32_t element, bool lazy) override {
        if (pattern == 0) {
            h_.call(lazy ? "sifr_zero_pages" : "sifr_zero", {at, m_.constant(count)});
            return;
        }
        auto* word = new llvm::GlobalVariable(m_.module(), m_.i64(), true, llvm::GlobalValue::PrivateLinkage, llvm::ConstantInt::get(m_.i64(), pattern), "pattern");
        h_.call("sifr_fill", {at, m_.constant(count), word, b_.getInt32(static_cast<uint32_t>(element))});
    }
    void copy(Value* to, Value* from, int64_t bytes) override { h_.call("sifr_copy", {to, from, m_.constant(bytes)}); }
    Value* readable(Value* at, int64_t) override { return at; }
    Value* operand(Value* at, int64_t) override { return at; }
    Value* result(Value* at, int64_t) override { return at; }
    void operands_done() override {}
    void settle() override {}
    void synchronize() override {}
    void step() override {}

private:
    std::vector<llvm::Function*> kernels_;
    std::vector<llvm::Constant*> constants_;
};

void CpuMemory::launch(const PlanInst& inst) {
    const Kernel& kernel = h_.plan().kernels.at(inst.kernel.index);
    const Arguments args = arguments(inst);
    Value* status = llvm::ConstantPointerNull::get(m_.ptr());
    auto* status_type = llvm::ArrayType::get(m_.i64(), 3);
    if (!kernel.sites.empty()) {
        status = h_.slot(status_type, "status");
        const KernelStatus fine;
        const int64_t initial[] = {fine.site, fine.position, fine.value};
        for (uint64_t i = 0; i < 3; ++i) b_.CreateStore(m_.constant(initial[i]), b_.CreateConstInBoundsGEP2_64(status_type, status, 0, i));
    }
    b_.CreateCall(kernels_.at(inst.kernel.index), {args.buffers, args.scalars, status});
    if (kernel.sites.empty()) return;
    Value* site = b_.CreateLoad(m_.i64(), status);
    h_.require(b_.CreateICmpSLT(site, m_.constant(0)), [&] {
        Value* value = b_.CreateLoad(m_.i64(), b_.CreateConstInBoundsGEP2_64(status_type, status, 0, 2));
        llvm::BasicBlock* none = h_.block("no.site");
        llvm::SwitchInst* choose = b_.CreateSwitch(site, none, static_cast<unsigned>(kernel.sites.size()));
        for (size_t i = 0; i < kernel.sites.size(); ++i) {
            const CheckSite& s = kernel.sites[i];
            const Location& where = s.location.empty() ? inst.location : s.location;
            llvm::BasicBlock* here = h_.block("site");
            choose->addCase(m_.constant(static_cast<int64_t>(i)), here);
            b_.SetInsertPoint(here);
            h_.raise(s.exception, h_.format(s.text, {{Type::i64(), value}}, where), where);
            b_.CreateUnreachable();
        }
        b_.SetInsertPoint(none);
    });
}

}  // namespace

std::unique_ptr<HostMemory> cpu_memory(HostEmitter& h, std::vector<llvm::Function*> kernels) { return std::make_unique<CpuMemory>(h, std::move(kernels)); }

}  // namespace sifr::codegen
