#include "compiler/backend/llvm/host_emitter.h"

#include <algorithm>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/MDBuilder.h>

#include "compiler/backend/llvm/host_memory.h"
#include "compiler/backend/llvm/kernel_symbol.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/op/op_def.h"
#include "runtime/sifr_runtime.h"

namespace sifr::codegen {

using llvm::BasicBlock;
using llvm::Value;

HostEmitter::HostEmitter(ModuleEmitter& module, const Plan& plan, const BackendOptions& options)
    : m_(module), b_(module.context), plan_(plan), options_(options), scalars_(plan.scalars.size()), rotating_(plan.buffers.size()),
      parts_(module, plan) {}
HostEmitter::~HostEmitter() = default;

llvm::StructType* HostEmitter::str_type() { return llvm::StructType::get(m_.context, {m_.ptr(), m_.i64()}); }

llvm::Type* HostEmitter::type_of(const Type& t) {
    switch (t.kind) {
        case Type::Kind::I64: return m_.i64();
        case Type::Kind::F64: return m_.f64();
        case Type::Kind::Bool: return m_.i1();
        case Type::Kind::Str: return str_type();
        case Type::Kind::List: return m_.ptr();
        case Type::Kind::Optional: {
            std::vector<llvm::Type*> members{m_.i1()};
            for (const Type& member : t.members) members.push_back(type_of(member));
            return llvm::StructType::get(m_.context, members);
        }
        case Type::Kind::Tensor: break;
    }
    throw NotSupported(fmt::format("a run-time value of type {} in compiled host code", t.text()));
}

Value* HostEmitter::slot(llvm::Type* type, const char* name, uint64_t count) {
    llvm::IRBuilder<>::InsertPointGuard guard(b_);
    b_.SetInsertPoint(entry_, entry_->begin());
    return b_.CreateAlloca(type, count == 1 ? nullptr : m_.constant(static_cast<int64_t>(count)), name);
}

Value* HostEmitter::make_str(Value* data, Value* size) {
    Value* s = llvm::PoisonValue::get(str_type());
    return b_.CreateInsertValue(b_.CreateInsertValue(s, data, 0), size, 1);
}

Value* HostEmitter::text(const std::string& text) { return make_str(m_.text(text), m_.constant(static_cast<int64_t>(text.size()))); }

Value* HostEmitter::scalar(PlanScalar s) {
    const ScalarDef& def = plan_.scalars.at(s.index);
    if (const auto* v = std::get_if<bool>(&def.constant)) return b_.getInt1(*v);
    if (const auto* v = std::get_if<int64_t>(&def.constant)) return m_.constant(*v);
    if (const auto* v = std::get_if<double>(&def.constant)) return llvm::ConstantFP::get(m_.f64(), *v);
    if (const auto* v = std::get_if<std::string>(&def.constant)) return text(*v);
    // None is an empty optional that nothing makes.
    if (!scalars_[s.index] && def.type.kind == Type::Kind::Optional && def.type.members.empty()) return llvm::Constant::getNullValue(type_of(def.type));
    SIFR_CHECK(scalars_[s.index], "plan {}: scalar {} is read before it is made", plan_.name, s.str());
    return b_.CreateLoad(type_of(def.type), scalars_[s.index], def.name);
}

void HostEmitter::set(PlanScalar s, Value* value) {
    if (!scalars_[s.index]) scalars_[s.index] = slot(type_of(type(s)), "scalar");
    b_.CreateStore(value, scalars_[s.index]);
}

Value* HostEmitter::as_f64(PlanScalar s) {
    Value* v = scalar(s);
    switch (type(s).kind) {
        case Type::Kind::F64: return v;
        case Type::Kind::I64: return b_.CreateSIToFP(v, m_.f64());
        case Type::Kind::Bool: return b_.CreateUIToFP(v, m_.f64());
        default: SIFR_UNREACHABLE("a number was expected, {} is {}", s.str(), type(s).text());
    }
}

Value* HostEmitter::as_i64(PlanScalar s) {
    Value* v = scalar(s);
    switch (type(s).kind) {
        case Type::Kind::I64: return v;
        case Type::Kind::F64: return b_.CreateFPToSI(v, m_.i64());
        case Type::Kind::Bool: return b_.CreateZExt(v, m_.i64());
        case Type::Kind::Optional:  // a bound of a slice that may be missing
            return b_.CreateSelect(b_.CreateExtractValue(v, 0), type(s).members.empty() ? m_.constant(0) : b_.CreateExtractValue(v, 1),
                                   m_.constant(SIFR_SLICE_NONE));
        default: SIFR_UNREACHABLE("a number was expected, {} is {}", s.str(), type(s).text());
    }
}

Value* HostEmitter::buffer(PlanBuffer b) {
    const BufferDef& def = plan_.buffers.at(b.index);
    if (def.view_of.valid()) return buffer(def.view_of);
    switch (def.kind) {
        case BufferDef::Kind::Arena: return b_.CreateInBoundsGEP(m_.i8(), arena_, m_.constant(def.offset), def.name);
        case BufferDef::Kind::Constant: return memory_->constant(static_cast<size_t>(def.offset));
        case BufferDef::Kind::Argument:
            SIFR_CHECK(arguments_, "plan {}: an argument of a program", plan_.name);
            return b_.CreateAlignedLoad(m_.ptr(), b_.CreateConstInBoundsGEP1_64(m_.ptr(), arguments_, static_cast<uint64_t>(def.offset)), llvm::Align(8), def.name);
        case BufferDef::Kind::Rotating:
            SIFR_CHECK(rotating_[b.index], "plan {}: buffer {} is used before it is bound", plan_.name, b.str());
            return b_.CreateLoad(m_.ptr(), rotating_[b.index], def.name);
    }
    SIFR_UNREACHABLE("kind of a buffer");
}

Value* HostEmitter::sizes_array(const std::vector<int64_t>& values) {
    if (values.empty()) return llvm::ConstantPointerNull::get(m_.ptr());
    std::vector<uint64_t> words(values.begin(), values.end());
    auto* data = llvm::ConstantDataArray::get(m_.context, words);
    auto* global = new llvm::GlobalVariable(m_.module(), data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "sizes");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return global;
}

int64_t HostEmitter::buffer_bytes(PlanBuffer b) const {
    const BufferDef& def = plan_.buffers.at(b.index);
    return element_count(def.sizes) * size_of(def.type);
}

Value* HostEmitter::operand_memory(PlanBuffer b) { return memory_->operand(buffer(b), buffer_bytes(b)); }
Value* HostEmitter::result_memory(PlanBuffer b) { return memory_->result(buffer(b), buffer_bytes(b)); }

Value* HostEmitter::tensor(PlanBuffer b, bool written, const Sizes& sizes) {
    const BufferDef& def = plan_.buffers.at(b.index);
    auto* type = llvm::StructType::get(m_.context, {m_.ptr(), m_.i32(), m_.i32(), m_.ptr(), m_.ptr()});
    Value* t = slot(type, "tensor");
    Value* data = written ? result_memory(b) : operand_memory(b);
    Value* extents = sizes_array(sizes);
    Value* strides = llvm::ConstantPointerNull::get(m_.ptr());
    if (!def.run_time_sizes.empty()) {
        SIFR_CHECK(sizes == def.sizes, "plan {}: buffer {} of a run-time size under other sizes", plan_.name, b.str());
        auto* array = llvm::ArrayType::get(m_.i64(), sizes.size());
        extents = slot(array, "sizes");
        for (size_t d = 0; d < sizes.size(); ++d) {
            Value* n = m_.constant(sizes[d]);
            for (const BufferDef::RunTimeAxis& r : def.run_time_sizes)
                if (static_cast<size_t>(r.axis) == d) n = as_i64(r.size);
            b_.CreateStore(n, b_.CreateConstInBoundsGEP2_64(array, extents, 0, d));
        }
        const bool gaps = std::any_of(def.run_time_sizes.begin(), def.run_time_sizes.end(), [&](const auto& r) { return r.axis > 0; });
        if (gaps) strides = sizes_array(contiguous_strides(sizes));
    }
    Value* members[] = {data, b_.getInt32(static_cast<uint32_t>(def.type)), b_.getInt32(static_cast<uint32_t>(sizes.size())), extents, strides};
    for (unsigned i = 0; i < 5; ++i) b_.CreateStore(members[i], b_.CreateStructGEP(type, t, i));
    return t;
}

Value* HostEmitter::call(const std::string& function, std::vector<Value*> args) {
    llvm::FunctionCallee f = m_.runtime(function);
    std::vector<Value*> flat;
    for (Value* a : args) {
        if (a->getType() == str_type()) {
            flat.push_back(b_.CreateExtractValue(a, 0));
            flat.push_back(b_.CreateExtractValue(a, 1));
        } else {
            flat.push_back(a);
        }
    }
    return b_.CreateCall(f, flat);
}

Value* HostEmitter::file_pointer(const Location& location) {
    if (location.empty() || !location.front().known()) return llvm::ConstantPointerNull::get(m_.ptr());
    const uint32_t file = location.front().file;
    return m_.text(file < options_.files.size() ? options_.files[file] : options_.script_path);
}

Value* HostEmitter::line_number(const Location& location) { return b_.getInt32(location.empty() ? 0 : location.front().line); }

void HostEmitter::require(Value* ok, const std::function<void()>& otherwise) {
    BasicBlock* cold = block("raise");
    BasicBlock* on = block("on");
    b_.CreateCondBr(ok, on, cold, llvm::MDBuilder(m_.context).createBranchWeights(2000, 1));
    b_.SetInsertPoint(cold);
    otherwise();
    b_.CreateUnreachable();
    b_.SetInsertPoint(on);
}

void HostEmitter::raise_pending(const Location& location) {
    memory_->settle();
    call("sifr_raise_pending", {file_pointer(location), line_number(location)});
}

void HostEmitter::require(Value* status, const Location& location) {
    require(b_.CreateICmpEQ(status, b_.getInt32(0)), [&] { raise_pending(location); });
}

void HostEmitter::raise(const std::string& type, Value* what, const Location& location) {
    memory_->settle();
    call("sifr_raise", {m_.text(type), what, file_pointer(location), line_number(location)});
}

Value* HostEmitter::generator(int64_t id) {
    // Below 0: of tensors on the GPU.
    if (id == 0) return call("sifr_default_generator", {});
    if (id == -1) return call("sifr_cuda_generator", {});
    if (options_.as_function) throw NotSupported("a torch.Generator of its own in a function that a host calls", "draw from the default generator");
    Value*& g = generators_[id];
    if (!g) {
        // A generator of the script's own lives as long as the program.
        g = at_start([&] { return call(id < 0 ? "sifr_cuda_generator_new" : "sifr_generator_new", {}); });
    }
    return g;
}

Value* HostEmitter::at_start(const std::function<Value*()>& make) {
    llvm::IRBuilder<>::InsertPointGuard guard(b_);
    b_.SetInsertPoint(entry_->getTerminator());
    return make();
}

void HostEmitter::emit(std::unique_ptr<HostMemory> memory, bool executable) {
    memory_ = std::move(memory);
    if (options_.as_function) return emit_entry();
    SIFR_CHECK(plan_.parameters.empty() && plan_.results.empty(), "plan {}: a program takes and gives nothing", plan_.name);
    auto* type = llvm::FunctionType::get(m_.i32(), {m_.i32(), m_.ptr()}, false);
    main_ = m_.add_function("main", type, false);
    entry_ = BasicBlock::Create(m_.context, "entry", main_);
    BasicBlock* start = BasicBlock::Create(m_.context, "start", main_);
    b_.SetInsertPoint(entry_);
    if (llvm::DISubprogram* scope = main_->getSubprogram()) b_.SetCurrentDebugLocation(m_.debug_location({}, scope));
    auto* info_type = llvm::StructType::get(m_.context, {m_.i32(), m_.i32(), m_.i64(), m_.ptr()});
    auto* info = llvm::ConstantStruct::get(info_type, {llvm::ConstantInt::get(m_.i32(), sizeof(sifr_program_info)),
                                                      llvm::ConstantInt::get(m_.i32(), SIFR_RUNTIME_ABI),
                                                      llvm::ConstantInt::get(m_.i64(), m_.machine.required_features), m_.text(options_.script_path)});
    auto* info_global = new llvm::GlobalVariable(m_.module(), info_type, true, llvm::GlobalValue::PrivateLinkage, info, "program");
    call("sifr_program_start", {main_->getArg(0), main_->getArg(1), info_global});
    arena_ = memory_->start();
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    emit_block(plan_.body);
    memory_->end(arena_);
    b_.CreateRet(call("sifr_program_end", {}));
    parts_.cut(*main_);
    if (executable) emit_start();
}

namespace {

bool writes_text(const PlanBlock& block) {
    return std::any_of(block.insts.begin(), block.insts.end(), [](const PlanInst& i) {
        return (i.kind == PlanInst::Kind::Call && def(i.op).effect == Effect::Host) || std::any_of(i.blocks.begin(), i.blocks.end(), writes_text);
    });
}

}  // namespace

/// `void sifr.entry(ptr arena, ptr arguments, ptr numbers, ptr results)`: see sifr_entry.
void HostEmitter::emit_entry() {
    main_ = m_.add_function(entry_symbol, llvm::FunctionType::get(m_.void_type(), {m_.ptr(), m_.ptr(), m_.ptr(), m_.ptr()}, false), false);
    entry_ = BasicBlock::Create(m_.context, "entry", main_);
    BasicBlock* start = BasicBlock::Create(m_.context, "start", main_);
    b_.SetInsertPoint(entry_);
    if (llvm::DISubprogram* scope = main_->getSubprogram()) b_.SetCurrentDebugLocation(m_.debug_location({}, scope));
    arena_ = memory_->enter(main_->getArg(0));
    arguments_ = main_->getArg(1);
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    auto place = [&](Value* array, size_t k) { return b_.CreateConstInBoundsGEP1_64(m_.i64(), array, k); };
    for (size_t k = 0; k < plan_.parameters.size(); ++k) {
        const PlanScalar s = plan_.parameters[k];
        Value* bits = b_.CreateAlignedLoad(m_.i64(), place(main_->getArg(2), k), llvm::Align(8));
        switch (type(s).kind) {
            case Type::Kind::F64: bits = b_.CreateBitCast(bits, m_.f64()); break;
            case Type::Kind::Bool: bits = b_.CreateICmpNE(bits, m_.constant(0)); break;
            case Type::Kind::I64: break;
            default: throw NotSupported(fmt::format("a parameter of type {} in compiled code", type(s).text()));
        }
        set(s, bits);
    }
    emit_block(plan_.body);
    memory_->synchronize();
    for (size_t k = 0; k < plan_.results.size(); ++k) {
        const PlanScalar s = plan_.results[k];
        Value* v = scalar(s);
        switch (type(s).kind) {
            case Type::Kind::F64: v = b_.CreateBitCast(v, m_.i64()); break;
            case Type::Kind::Bool: v = b_.CreateZExt(v, m_.i64()); break;
            case Type::Kind::I64: break;
            default: throw NotSupported(fmt::format("a result of type {} of compiled code", type(s).text()));
        }
        b_.CreateAlignedStore(v, place(main_->getArg(3), k), llvm::Align(8));
    }
    if (writes_text(plan_.body)) call("sifr_flush", {});
    b_.CreateRetVoid();
}

void HostEmitter::emit_start() {
    // The stack holds argc and argv; rdx is the dynamic loader's exit function. libc calls main, and exit with what it returns.
    m_.module().setModuleInlineAsm(
        ".text\n.globl _start\n.type _start,@function\n_start:\n"
        "  .cfi_startproc\n  .cfi_undefined rip\n"
        "  endbr64\n  xor %ebp, %ebp\n  mov %rdx, %r9\n  pop %rsi\n  mov %rsp, %rdx\n  and $-16, %rsp\n  push %rax\n  push %rsp\n"
        "  xor %r8d, %r8d\n  xor %ecx, %ecx\n  lea main(%rip), %rdi\n  call *__libc_start_main@GOTPCREL(%rip)\n  hlt\n"
        "  .cfi_endproc\n.size _start, .-_start\n");
}

void HostEmitter::emit_block(const PlanBlock& block) {
    HostParts::Run run;
    for (const PlanInst& inst : block.insts) {
        parts_.before_step(run, inst, b_);
        emit_inst(inst);
    }
    parts_.end_of_block(run, b_);
}

void HostEmitter::emit_inst(const PlanInst& inst) {
    if (llvm::DISubprogram* scope = main_->getSubprogram()) b_.SetCurrentDebugLocation(m_.debug_location(inst.location, scope));
    switch (inst.kind) {
        case PlanInst::Kind::Launch: memory_->launch(inst); return;
        case PlanInst::Kind::Fill: return emit_fill(inst);
        case PlanInst::Kind::Copy: memory_->copy(buffer(inst.buffers.at(0)), buffer(inst.buffers.at(1)), inst.size); return;
        case PlanInst::Kind::Item: return emit_item(inst);
        case PlanInst::Kind::Scalar: case PlanInst::Kind::Call:
            if (def(inst.op).effect == Effect::Host) memory_->settle();
            if (emit_scalar_row(*this, inst) || emit_call_row(*this, inst)) {
                if (!inst.buffers.empty()) memory_->operands_done();
                return;
            }
            throw NotSupported(fmt::format("'{}' in compiled host code", name_of(inst.op)));
        case PlanInst::Kind::For: return emit_for(inst);
        case PlanInst::Kind::While: return emit_while(inst);
        case PlanInst::Kind::If: return emit_if(inst);
        case PlanInst::Kind::Raise: return emit_raise(inst);
    }
}

void HostEmitter::emit_fill(const PlanInst& inst) {
    Value* base = inst.buffers.size() == 1 ? buffer(inst.buffers[0]) : arena_;
    Value* at = b_.CreateInBoundsGEP(m_.i8(), base, m_.constant(inst.begin));
    if (inst.size == 0) return;
    if (inst.pattern == 0) return memory_->fill(at, inst.size, 0, 1, inst.lazy);
    // The smallest element that repeats to the pattern; the bytes need not be a multiple of eight.
    int32_t element = 8;
    for (int32_t half : {4, 2, 1}) {
        const uint64_t mask = (uint64_t{1} << (8 * half)) - 1;
        if ((inst.pattern & mask) == ((inst.pattern >> (8 * half)) & mask)) element = half;
        else break;
    }
    SIFR_CHECK(inst.size % element == 0, "a fill of {} bytes by elements of {}", inst.size, element);
    memory_->fill(at, inst.size / element, inst.pattern, element, false);
}

void HostEmitter::emit_item(const PlanInst& inst) {
    const BufferDef& def = plan_.buffers.at(inst.buffers.at(0).index);
    const DType t = def.type;
    Value* p = memory_->readable(b_.CreateInBoundsGEP(m_.memory_type(t), buffer(inst.buffers[0]), m_.constant(inst.begin)), size_of(t));
    if (is_complex(t)) throw NotSupported("item() of a complex tensor in compiled code");
    Value* v = b_.CreateAlignedLoad(m_.memory_type(t), p, llvm::Align(static_cast<uint64_t>(size_of(t))));
    const PlanScalar result = inst.results.at(0);
    if (t == DType::Bool) v = b_.CreateICmpNE(v, b_.getInt8(0));
    else if (t == DType::F16 || t == DType::BF16) {
        llvm::Type* half = t == DType::F16 ? llvm::Type::getHalfTy(m_.context) : llvm::Type::getBFloatTy(m_.context);
        v = b_.CreateFPExt(b_.CreateFPExt(b_.CreateBitCast(v, half), m_.f32()), m_.f64());
    } else if (is_float(t)) v = b_.CreateFPCast(v, m_.f64());
    else v = is_signed(t) ? b_.CreateSExt(v, m_.i64()) : b_.CreateZExt(v, m_.i64());
    switch (type(result).kind) {
        case Type::Kind::Bool:
            if (is_float(t)) v = b_.CreateFCmpUNE(v, llvm::ConstantFP::get(m_.f64(), 0.0));
            else if (t != DType::Bool) v = b_.CreateICmpNE(v, m_.constant(0));
            break;
        case Type::Kind::I64:
            if (t == DType::Bool) v = b_.CreateZExt(v, m_.i64());
            else if (is_float(t)) {
                Value* out = slot(m_.i64(), "integer");
                require(call("sifr_f64_to_i64", {v, out}), inst.location);
                v = b_.CreateLoad(m_.i64(), out);
            }
            break;
        case Type::Kind::F64:
            if (t == DType::Bool) v = b_.CreateUIToFP(v, m_.f64());
            else if (!is_float(t)) v = is_signed(t) ? b_.CreateSIToFP(v, m_.f64()) : b_.CreateUIToFP(v, m_.f64());
            break;
        default: SIFR_UNREACHABLE("item gives {}", type(result).text());
    }
    set(result, v);
}

void HostEmitter::assign_scalars(const std::vector<PlanScalar>& to, const std::vector<PlanScalar>& from) {
    SIFR_CHECK(to.size() == from.size(), "plan {}: {} scalars handed on for {}", plan_.name, from.size(), to.size());
    std::vector<Value*> values;  // all are read before one is written
    for (size_t i = 0; i < from.size(); ++i) {
        Value* v = scalar(from[i]);
        // A literal may stand for a member of an optional type only through `some`; types agree otherwise.
        SIFR_CHECK(v->getType() == type_of(type(to[i])), "plan {}: {} is handed on as {}", plan_.name, type(from[i]).text(), type(to[i]).text());
        values.push_back(v);
    }
    for (size_t i = 0; i < to.size(); ++i) set(to[i], values[i]);
}

void HostEmitter::assign_buffers(const std::vector<PlanBuffer>& to, const std::vector<PlanBuffer>& from) {
    SIFR_CHECK(to.size() == from.size(), "plan {}: {} buffers handed on for {}", plan_.name, from.size(), to.size());
    std::vector<Value*> values;
    for (PlanBuffer b : from) values.push_back(buffer(b));
    for (size_t i = 0; i < to.size(); ++i) {
        if (!rotating_[to[i].index]) rotating_[to[i].index] = slot(m_.ptr(), "rotating");
        b_.CreateStore(values[i], rotating_[to[i].index]);
    }
}

namespace {

bool makes_strings(const Plan& plan, const PlanBlock& block) {
    return std::any_of(block.insts.begin(), block.insts.end(), [&](const PlanInst& inst) {
        for (PlanScalar r : inst.results) {
            const Type& t = plan.scalars.at(r.index).type;
            if (t.kind == Type::Kind::Str || t.kind == Type::Kind::Optional) return true;
        }
        return std::any_of(inst.blocks.begin(), inst.blocks.end(), [&](const PlanBlock& b) { return makes_strings(plan, b); });
    });
}

}  // namespace

void HostEmitter::body_with_strings(const PlanBlock& body, const std::vector<PlanScalar>& params, const std::function<void()>& hand_on) {
    std::vector<PlanScalar> kept;
    bool releases = makes_strings(plan_, body);
    for (PlanScalar p : params) {
        if (type(p).kind == Type::Kind::Str) kept.push_back(p);
        // A text inside of an optional is not moved; such a loop keeps its texts until its end.
        if (type(p).kind == Type::Kind::Optional) releases = false;
    }
    Value* mark = releases ? call("sifr_str_mark", {}) : nullptr;
    emit_block(body);
    hand_on();
    memory_->step();
    if (!releases) return;
    if (kept.empty()) {
        call("sifr_str_release", {mark});
        return;
    }
    auto* array = llvm::ArrayType::get(str_type(), kept.size());
    Value* texts = slot(array, "texts");
    for (size_t i = 0; i < kept.size(); ++i) b_.CreateStore(scalar(kept[i]), b_.CreateConstInBoundsGEP2_64(array, texts, 0, i));
    call("sifr_str_release_keep", {mark, texts, m_.constant(static_cast<int64_t>(kept.size()))});
    for (size_t i = 0; i < kept.size(); ++i) set(kept[i], b_.CreateLoad(str_type(), b_.CreateConstInBoundsGEP2_64(array, texts, 0, i)));
}

void HostEmitter::emit_for(const PlanInst& inst) {
    Value* lo = as_i64(inst.scalars.at(0));
    Value* hi = as_i64(inst.scalars.at(1));
    Value* step = as_i64(inst.scalars.at(2));
    assign_scalars(inst.params, {inst.scalars.begin() + 3, inst.scalars.end()});
    assign_buffers(inst.buffer_params, inst.buffers);
    // The number of iterations as Python's range has it; a step of zero was refused before.
    Value* up = b_.CreateICmpSGT(step, m_.constant(0));
    Value* distance = b_.CreateSelect(up, b_.CreateSub(hi, lo), b_.CreateSub(lo, hi));
    Value* some = b_.CreateSelect(up, b_.CreateICmpSLT(lo, hi), b_.CreateICmpSGT(lo, hi));
    Value* width = b_.CreateSelect(up, step, b_.CreateNeg(step));
    width = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, width, m_.constant(1));
    Value* count = b_.CreateAdd(b_.CreateUDiv(b_.CreateSub(distance, m_.constant(1)), width), m_.constant(1));
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* loop = block("for");
    BasicBlock* done = block("for.done");
    b_.CreateCondBr(some, loop, done);
    b_.SetInsertPoint(loop);
    llvm::PHINode* left = b_.CreatePHI(m_.i64(), 2, "left");
    llvm::PHINode* i = b_.CreatePHI(m_.i64(), 2, "i");
    left->addIncoming(count, before);
    i->addIncoming(lo, before);
    set(inst.induction, i);
    body_with_strings(inst.blocks.at(0), inst.params, [&] {
        assign_scalars(inst.params, inst.yields.at(0));
        assign_buffers(inst.buffer_params, inst.buffer_yields.empty() ? std::vector<PlanBuffer>{} : inst.buffer_yields[0]);
    });
    Value* next = b_.CreateSub(left, m_.constant(1));
    left->addIncoming(next, b_.GetInsertBlock());
    i->addIncoming(b_.CreateAdd(i, step), b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpNE(next, m_.constant(0)), loop, done);
    b_.SetInsertPoint(done);
    assign_scalars(inst.results, inst.params);
    assign_buffers(inst.buffer_results, inst.buffer_params);
}

void HostEmitter::emit_while(const PlanInst& inst) {
    assign_scalars(inst.params, inst.scalars);
    assign_buffers(inst.buffer_params, inst.buffers);
    BasicBlock* head = block("while");
    BasicBlock* body = block("do");
    BasicBlock* done = block("while.done");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    emit_block(inst.blocks.at(0));
    b_.CreateCondBr(scalar(inst.yields.at(0).at(0)), body, done);
    b_.SetInsertPoint(body);
    body_with_strings(inst.blocks.at(1), inst.params, [&] {
        assign_scalars(inst.params, inst.yields.at(1));
        assign_buffers(inst.buffer_params, inst.buffer_yields.size() < 2 ? std::vector<PlanBuffer>{} : inst.buffer_yields[1]);
    });
    b_.CreateBr(head);
    b_.SetInsertPoint(done);
    assign_scalars(inst.results, inst.params);
    assign_buffers(inst.buffer_results, inst.buffer_params);
}

void HostEmitter::emit_if(const PlanInst& inst) {
    BasicBlock* arms[] = {block("then"), block("else")};
    BasicBlock* done = block("endif");
    b_.CreateCondBr(scalar(inst.scalars.at(0)), arms[0], arms[1]);
    for (size_t i = 0; i < 2; ++i) {
        b_.SetInsertPoint(arms[i]);
        const bool ends = i < inst.blocks.size() && !inst.blocks[i].insts.empty() && inst.blocks[i].insts.back().kind == PlanInst::Kind::Raise;
        if (i < inst.blocks.size()) emit_block(inst.blocks[i]);
        if (ends) {  // nothing is handed on behind a raise
            b_.CreateUnreachable();
            continue;
        }
        assign_scalars(inst.results, i < inst.yields.size() ? inst.yields[i] : std::vector<PlanScalar>{});
        assign_buffers(inst.buffer_results, i < inst.buffer_yields.size() ? inst.buffer_yields[i] : std::vector<PlanBuffer>{});
        b_.CreateBr(done);
    }
    b_.SetInsertPoint(done);
}

void HostEmitter::emit_raise(const PlanInst& inst) {
    std::vector<std::pair<Type, Value*>> args;
    for (PlanScalar s : inst.scalars) args.emplace_back(type(s), scalar(s));
    raise(inst.attrs.get<std::string>("type"), format(inst.attrs.get_or<std::string>("text", ""), args, inst.location), inst.location);
    b_.CreateUnreachable();
    b_.SetInsertPoint(block("never"));
}

}  // namespace sifr::codegen
