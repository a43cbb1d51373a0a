#include "compiler/backend/llvm/kernel_emitter.h"

#include <algorithm>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/MDBuilder.h>

#include "compiler/backend/llvm/kernel_symbol.h"
#include "compiler/backend/thin_contract.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"

namespace sifr::codegen {

using llvm::BasicBlock;

namespace {

/// Scratch up to so many bytes lies on the stack; worker threads have small ones.
constexpr int64_t stack_scratch_limit = 16 << 10;

/// Statements that a run executes, eight iterations of a vector loop counting as one; loops over run-time sizes count as many.
int64_t statements_run(const Block& block) {
    constexpr int64_t many = 1 << 20;
    int64_t total = 0;
    for (const Stmt& s : block) {
        int64_t n = 1;
        if (const auto* f = std::get_if<For>(&s.node)) {
            if (!f->lo.is_constant() || !f->hi.is_constant() || f->kind == For::Kind::Parallel) return many;
            const int64_t trips = std::max<int64_t>(0, f->hi.base - f->lo.base);
            n = std::min(many, f->kind == For::Kind::Vector ? (trips + 7) / 8 : trips) * statements_run(f->body);
        } else if (std::holds_alternative<Reduce>(s.node) || std::holds_alternative<Contract>(s.node)) {
            return many;
        } else if (const auto* i = std::get_if<If>(&s.node)) {
            n = statements_run(i->then_body) + statements_run(i->else_body);
        }
        total = std::min(many, total + n);
    }
    return total;
}

}  // namespace

bool is_tiny(const Kernel& kernel) { return kernel.exprs.nodes.size() <= 24 && statements_run(kernel.body) <= 32; }

std::vector<llvm::Function*> emit_kernels(ModuleEmitter& module, const std::vector<Kernel>& kernels) {
    std::vector<llvm::Function*> out;
    for (const Kernel& k : kernels) {
        llvm::Function* f = has_thin_contraction(k) ? KernelEmitter(module, expand_thin_contractions(k)).emit() : KernelEmitter(module, k).emit();
        if (is_tiny(k)) f->addFnAttr(llvm::Attribute::AlwaysInline);
        out.push_back(f);
    }
    return out;
}

KernelEmitter::KernelEmitter(ModuleEmitter& module, const Kernel& kernel) : m_(module), k_(kernel), b_(module.context) {
    buffer_pointers_.resize(k_.buffers.size());
    bindings_.resize(k_.vars.size());
    cacheable_.resize(k_.exprs.nodes.size(), -1);
    assigned_ = assigned_variables(k_);
}

llvm::Function* KernelEmitter::emit() {
    auto* type = llvm::FunctionType::get(m_.void_type(), {m_.ptr(), m_.ptr(), m_.ptr()}, false);
    llvm::Function* f = m_.add_function(kernel_symbol(k_.name), type, false);
    for (unsigned i = 0; i < 3; ++i) f->addParamAttr(i, llvm::Attribute::NoAlias);
    begin_function(f);
    load_parameters(f->getArg(0), f->getArg(1), f->getArg(2));
    emit_block(k_.body);
    finish_function();
    return f;
}

void KernelEmitter::begin_function(llvm::Function* f) {
    function_ = f;
    entry_ = BasicBlock::Create(m_.context, "entry", f);
    BasicBlock* start = BasicBlock::Create(m_.context, "start", f);
    b_.SetInsertPoint(entry_);
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    scratch_taken_.clear();
    cache_.clear();
    scopes_.assign(1, {});
    width_ = 1;
    mask_ = {};
    set_location(k_.location);
}

void KernelEmitter::set_location(const Location& location) {
    if (llvm::DISubprogram* scope = function_->getSubprogram()) b_.SetCurrentDebugLocation(m_.debug_location(location, scope));
}

void KernelEmitter::finish_function() {
    while (!scratch_taken_.empty()) {
        b_.CreateCall(m_.runtime("sifr_scratch_give"), {scratch_taken_.back()});
        scratch_taken_.pop_back();
    }
    b_.CreateRetVoid();
}

void KernelEmitter::load_parameters(Value* buffers, Value* scalars, Value* status) {
    buffers_ = buffers;
    scalars_ = scalars;
    status_ = status;
    unsigned position = 0;
    for (size_t i = 0; i < k_.buffers.size(); ++i) {
        buffer_pointers_[i] = nullptr;
        if (k_.buffers[i].scratch) continue;
        auto* p = b_.CreateAlignedLoad(m_.ptr(), b_.CreateConstInBoundsGEP1_64(m_.ptr(), buffers_, position++), llvm::Align(8), k_.buffers[i].name);
        p->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_.context, {}));
        buffer_pointers_[i] = p;
    }
    for (size_t i = 0; i < k_.scalars.size(); ++i) {
        VarId v = k_.scalars[i];
        DType t = k_.vars[v.index].type;
        Value* p = b_.CreateConstInBoundsGEP1_64(m_.i64(), scalars_, i);
        Value* value = b_.CreateAlignedLoad(t == DType::F64 ? m_.f64() : static_cast<llvm::Type*>(m_.i64()), p, llvm::Align(8), k_.vars[v.index].name);
        if (t == DType::Bool) value = b_.CreateICmpNE(value, m_.constant(0));
        bind(v, value);
    }
}

llvm::Value* KernelEmitter::at_entry(const std::function<Value*()>& make) {
    llvm::IRBuilder<>::InsertPointGuard guard(b_);
    b_.SetInsertPoint(entry_->getTerminator());
    return make();
}

llvm::Value* KernelEmitter::slot(llvm::Type* type, const char* name, uint64_t count) {
    return at_entry([&]() -> Value* {
        auto* a = b_.CreateAlloca(type, count == 1 ? nullptr : m_.constant(static_cast<int64_t>(count)), name);
        a->setAlignment(llvm::Align(64));
        return a;
    });
}

llvm::Value* KernelEmitter::scratch_bytes(int64_t bytes, const char* name) {
    if (bytes <= stack_scratch_limit) return slot(m_.i8(), name, static_cast<uint64_t>(bytes < 1 ? 1 : bytes));
    Value* p = at_entry([&]() -> Value* { return b_.CreateCall(m_.runtime("sifr_scratch_take"), {m_.constant(bytes)}, name); });
    scratch_taken_.push_back(p);
    return p;
}

llvm::BasicBlock* KernelEmitter::block(const char* name) { return BasicBlock::Create(m_.context, name, function_); }

void KernelEmitter::push_scope() { scopes_.emplace_back(); }

void KernelEmitter::pop_scope() {
    for (uint32_t id : scopes_.back()) cache_.erase(id);
    scopes_.pop_back();
}

void KernelEmitter::bind(VarId var, Value* value) {
    if (assigned_[var.index]) {
        DType t = k_.vars[var.index].type;
        llvm::Type* type = m_.value_type(t);
        if (width_ > 1) type = m_.vector_of(type, width_);
        Value* p = slot(type, "v");
        b_.CreateStore(width_ > 1 ? splat(value, width_) : value, p);
        bindings_[var.index] = {Binding::Kind::Slot, p, width_};
    } else {
        bindings_[var.index] = {Binding::Kind::Plain, value, width_};
    }
}

void KernelEmitter::when(Value* condition, const std::function<void()>& body) {
    if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
        if (c->isOne()) body();
        return;
    }
    llvm::BasicBlock* then = block("then");
    llvm::BasicBlock* done = block("done");
    b_.CreateCondBr(condition, then, done);
    enter(then);
    push_scope();
    body();
    pop_scope();
    b_.CreateBr(done);
    enter(done);
}

void KernelEmitter::counted_loop(Value* lo, Value* hi, int64_t step, bool nonempty, const char* name, const std::function<void(Value*)>& body) {
    auto* clo = llvm::dyn_cast<llvm::ConstantInt>(lo);
    auto* chi = llvm::dyn_cast<llvm::ConstantInt>(hi);
    if (clo && chi) {
        int64_t l = clo->getSExtValue(), h = chi->getSExtValue();
        if (l >= h) return;
        nonempty = true;
        if (h - l <= step) {
            push_scope();
            body(lo);
            pop_scope();
            return;
        }
    }
    BasicBlock* loop = block(name);
    BasicBlock* done = block("done");
    BasicBlock* before = b_.GetInsertBlock();
    if (nonempty) {
        b_.CreateBr(loop);
    } else {
        BasicBlock* pre = block("pre");
        b_.CreateCondBr(b_.CreateICmpSLT(lo, hi), pre, done);
        enter(pre);
        before = pre;
        b_.CreateBr(loop);
    }
    enter(loop);
    llvm::PHINode* i = b_.CreatePHI(m_.i64(), 2, "i");
    i->addIncoming(lo, before);
    push_scope();
    body(i);
    pop_scope();
    Value* next = b_.CreateNSWAdd(i, m_.constant(step));
    i->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, hi), loop, done);
    enter(done);
}

void KernelEmitter::for_each_lane(const std::function<void(Value*)>& body) {
    if (width_ == 1) {
        body(b_.getInt32(0));
        return;
    }
    if (!mask_.bits) {
        for (int lane = 0; lane < width_; ++lane) body(b_.getInt32(static_cast<uint32_t>(lane)));
        return;
    }
    if (mask_.prefix >= 0) {
        for (int lane = 0; lane < mask_.prefix; ++lane) body(b_.getInt32(static_cast<uint32_t>(lane)));
        return;
    }
    llvm::Type* word = b_.getIntNTy(static_cast<unsigned>(width_));
    Value* bits = b_.CreateBitCast(mask_.bits, word);
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* loop = block("lane");
    BasicBlock* done = block("lanes.done");
    llvm::Constant* zero = llvm::ConstantInt::get(word, 0);
    b_.CreateCondBr(b_.CreateICmpNE(bits, zero), loop, done);
    enter(loop);
    llvm::PHINode* left = b_.CreatePHI(word, 2);
    left->addIncoming(bits, before);
    Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b_.getTrue());
    push_scope();
    body(b_.CreateZExtOrTrunc(lane, m_.i32()));
    pop_scope();
    Value* rest = b_.CreateAnd(left, b_.CreateSub(left, llvm::ConstantInt::get(word, 1)));
    left->addIncoming(rest, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpNE(rest, zero), loop, done);
    enter(done);
}

void KernelEmitter::emit_block(const Block& statements) {
    for (const Stmt& s : statements) emit_stmt(s);
}

void KernelEmitter::emit_stmt(const Stmt& stmt) {
    if (!stmt.location.empty()) set_location(stmt.location);
    std::visit(
        [&](const auto& s) {
            using T = std::decay_t<decltype(s)>;
            if constexpr (std::is_same_v<T, For>) emit_for(s);
            else if constexpr (std::is_same_v<T, Let>) bind(s.var, emit(s.value));
            else if constexpr (std::is_same_v<T, Assign>) emit_assign(s);
            else if constexpr (std::is_same_v<T, Store>) emit_store(s);
            else if constexpr (std::is_same_v<T, Accumulate>) emit_accumulate(s);
            else if constexpr (std::is_same_v<T, If>) emit_if(s);
            else if constexpr (std::is_same_v<T, Reduce>) emit_reduce(s);
            else if constexpr (std::is_same_v<T, Check>) emit_check(s);
            else emit_contract(s);
        },
        stmt.node);
}

void KernelEmitter::emit_assign(const Assign& s) {
    const Binding& to = bindings_[s.var.index];
    SIFR_CHECK(to.kind == Binding::Kind::Slot, "kernel {}: {} is assigned before its let", k_.name, k_.vars[s.var.index].name);
    Value* value = emit(s.value);
    if (to.lanes == 1) {
        SIFR_CHECK(width_ == 1, "kernel {}: a vector loop assigns {}, which lives outside of it", k_.name, k_.vars[s.var.index].name);
        b_.CreateStore(value, to.value);
        return;
    }
    value = splat(value, to.lanes);
    if (mask_.bits) value = b_.CreateSelect(mask_.bits, value, b_.CreateLoad(value->getType(), to.value));
    b_.CreateStore(value, to.value);
}

void KernelEmitter::emit_if(const If& s) {
    Value* condition = emit(s.condition);
    if (!condition->getType()->isVectorTy()) {
        BasicBlock* then = block("then");
        BasicBlock* otherwise = s.else_body.empty() ? nullptr : block("else");
        BasicBlock* done = block("endif");
        b_.CreateCondBr(condition, then, otherwise ? otherwise : done);
        enter(then);
        push_scope();
        emit_block(s.then_body);
        pop_scope();
        b_.CreateBr(done);
        if (otherwise) {
            enter(otherwise);
            push_scope();
            emit_block(s.else_body);
            pop_scope();
            b_.CreateBr(done);
        }
        enter(done);
        return;
    }
    Mask outer = mask_;
    auto arm = [&](const Block& body, Value* lanes) {
        if (body.empty()) return;
        mask_ = {outer.bits ? b_.CreateAnd(outer.bits, lanes) : lanes, -1};
        push_scope();
        emit_block(body);
        pop_scope();
        mask_ = outer;
    };
    arm(s.then_body, condition);
    if (!s.else_body.empty()) arm(s.else_body, b_.CreateNot(condition));
}

void KernelEmitter::emit_check(const Check& s) {
    Value* ok = emit(s.ok);
    Value* bad = b_.CreateNot(ok);
    BasicBlock* cold = block("offence");
    BasicBlock* done = block("checked");
    llvm::MDNode* unlikely = llvm::MDBuilder(m_.context).createBranchWeights(1, 2000);
    if (!bad->getType()->isVectorTy()) {
        Value* any = bad;
        if (mask_.bits) any = b_.CreateAnd(bad, b_.CreateOrReduce(mask_.bits));
        b_.CreateCondBr(any, cold, done, unlikely);
    } else {
        if (mask_.bits) bad = b_.CreateAnd(bad, mask_.bits);
        b_.CreateCondBr(b_.CreateOrReduce(bad), cold, done, unlikely);
    }
    enter(cold);
    push_scope();
    Mask outer = mask_;
    if (bad->getType()->isVectorTy()) mask_ = {bad, -1};
    Address position = address(s.position);
    Value* value = emit(s.value);
    auto note = [&](Value* at, Value* shown) {
        b_.CreateCall(m_.note_offence(), {status_, m_.constant(s.site), at, shown});
    };
    if (width_ == 1 || (position.uniform() && !value->getType()->isVectorTy())) {
        note(position.base, value);
    } else {
        Value* positions = lane_indices(position);
        Value* values = splat(value, width_);
        for_each_lane([&](Value* lane) { note(b_.CreateExtractElement(positions, lane), b_.CreateExtractElement(values, lane)); });
    }
    mask_ = outer;
    pop_scope();
    b_.CreateBr(done);
    enter(done);
}

}  // namespace sifr::codegen
