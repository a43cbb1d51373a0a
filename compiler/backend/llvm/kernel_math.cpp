#include "compiler/backend/llvm/kernel_emitter.h"
#include "ir/base/check.h"
#include "ir/math/transcendental.h"

// Transcendental functions: the formulas of ir/math, written as vector code. The bits are those of the interpreters.

namespace sifr::codegen {
namespace {

using llvm::Value;

/// ir/math/arithmetic.h's Ops over LLVM values; `like` gives the float type and the number of lanes.
class LlvmOps {
public:
    using V = Value*;
    using I = Value*;
    using M = Value*;

    LlvmOps(llvm::IRBuilder<>& b, Value* like, int bits) : b_(b), bits_(bits), float_(like->getType()) {
        llvm::Type* integer = b.getIntNTy(static_cast<unsigned>(bits));
        if (auto* v = llvm::dyn_cast<llvm::FixedVectorType>(float_)) lanes_ = v->getNumElements();
        int_ = lanes_ ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(integer, lanes_)) : integer;
        llvm::Type* twice = b.getIntNTy(static_cast<unsigned>(2 * bits));
        wide_ = lanes_ ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(twice, lanes_)) : twice;
    }

    V constant(double c) { return llvm::ConstantFP::get(float_, c); }
    I integer(int64_t c) { return llvm::ConstantInt::get(int_, static_cast<uint64_t>(c), true, true); }
    V add(V a, V b) { return b_.CreateFAdd(a, b); }
    V sub(V a, V b) { return b_.CreateFSub(a, b); }
    V mul(V a, V b) { return b_.CreateFMul(a, b); }
    V div(V a, V b) { return b_.CreateFDiv(a, b); }
    V fma(V a, V b, V c) { return b_.CreateIntrinsic(llvm::Intrinsic::fma, {float_}, {a, b, c}); }
    V sqrt(V a) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a); }
    V neg(V a) { return b_.CreateFNeg(a); }
    V abs(V a) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a); }
    V floor(V a) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a); }
    V to_float(I a) { return b_.CreateSIToFP(a, float_); }
    I bits(V a) { return b_.CreateBitCast(a, int_); }
    V from_bits(I a) { return b_.CreateBitCast(a, float_); }
    I iadd(I a, I b) { return b_.CreateAdd(a, b); }
    I isub(I a, I b) { return b_.CreateSub(a, b); }
    I imul(I a, I b) { return b_.CreateMul(a, b); }
    I iand(I a, I b) { return b_.CreateAnd(a, b); }
    I ior(I a, I b) { return b_.CreateOr(a, b); }
    I ixor(I a, I b) { return b_.CreateXor(a, b); }
    I imulh(I a, I b) {
        Value* p = b_.CreateMul(b_.CreateZExt(a, wide_), b_.CreateZExt(b, wide_));
        return b_.CreateTrunc(b_.CreateLShr(p, llvm::ConstantInt::get(wide_, static_cast<uint64_t>(bits_))), int_);
    }
    I shl(I a, I n) { return b_.CreateShl(a, n); }
    I shr(I a, I n) { return b_.CreateAShr(a, n); }
    I ushr(I a, I n) { return b_.CreateLShr(a, n); }
    M lt(V a, V b) { return b_.CreateFCmpOLT(a, b); }
    M le(V a, V b) { return b_.CreateFCmpOLE(a, b); }
    M eq(V a, V b) { return b_.CreateFCmpOEQ(a, b); }
    M ilt(I a, I b) { return b_.CreateICmpSLT(a, b); }
    M ieq(I a, I b) { return b_.CreateICmpEQ(a, b); }
    M mand(M a, M b) { return b_.CreateAnd(a, b); }
    M mor(M a, M b) { return b_.CreateOr(a, b); }
    M mnot(M a) { return b_.CreateNot(a); }
    V select(M m, V a, V b) { return b_.CreateSelect(m, a, b); }
    I iselect(M m, I a, I b) { return b_.CreateSelect(m, a, b); }

    /// One load per lane: only rare arguments look anything up.
    I lookup(const uint64_t* table, int count, I index) {
        llvm::Type* element = b_.getIntNTy(static_cast<unsigned>(bits_));
        std::vector<llvm::Constant*> words;
        for (int k = 0; k < count; ++k) words.push_back(llvm::ConstantInt::get(element, table[k]));
        auto* type = llvm::ArrayType::get(element, static_cast<uint64_t>(count));
        llvm::Module& module = *b_.GetInsertBlock()->getModule();
        std::string name = fmt::format("sifr.words.{}.{}", bits_, count);
        llvm::GlobalVariable* global = module.getNamedGlobal(name);
        if (!global) {
            global = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage, llvm::ConstantArray::get(type, words), name);
            global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
        }
        auto word = [&](Value* i) { return b_.CreateLoad(element, b_.CreateInBoundsGEP(element, global, i)); };
        if (!lanes_) return word(index);
        Value* out = llvm::PoisonValue::get(int_);
        for (unsigned l = 0; l < lanes_; ++l) out = b_.CreateInsertElement(out, word(b_.CreateExtractElement(index, l)), l);
        return out;
    }

    template <class F>
    V rarely(M m, V usual, F&& unusual) {
        Value* any = lanes_ ? b_.CreateOrReduce(m) : m;
        llvm::BasicBlock* before = b_.GetInsertBlock();
        llvm::Function* function = before->getParent();
        auto* rare = llvm::BasicBlock::Create(b_.getContext(), "rare", function);
        auto* after = llvm::BasicBlock::Create(b_.getContext(), "usual", function);
        b_.CreateCondBr(any, rare, after);
        b_.SetInsertPoint(rare);
        Value* chosen = b_.CreateSelect(m, unusual(), usual);
        llvm::BasicBlock* end = b_.GetInsertBlock();
        b_.CreateBr(after);
        b_.SetInsertPoint(after);
        llvm::PHINode* phi = b_.CreatePHI(float_, 2);
        phi->addIncoming(usual, before);
        phi->addIncoming(chosen, end);
        return phi;
    }

private:
    llvm::IRBuilder<>& b_;
    int bits_;
    llvm::Type* float_;
    llvm::Type* int_ = nullptr;
    llvm::Type* wide_ = nullptr;
    unsigned lanes_ = 0;
};

struct Ops32 : LlvmOps {
    static constexpr bool is_double = false;
    Ops32(llvm::IRBuilder<>& b, Value* like) : LlvmOps(b, like, 32) {}
};
struct Ops64 : LlvmOps {
    static constexpr bool is_double = true;
    Ops64(llvm::IRBuilder<>& b, Value* like) : LlvmOps(b, like, 64) {}
};

}  // namespace

llvm::Value* KernelEmitter::emit_math(ScalarOp op, DType t, Value* a, Value* b) {
    if (!b) b = a;
    if (t == DType::F64) {
        Ops64 ops(b_, a);
        return math::transcendental(ops, op, a, b);
    }
    SIFR_CHECK(t == DType::F32, "'{}' of {}", name_of(op), name_of(t));
    Ops32 ops(b_, a);
    return math::transcendental(ops, op, a, b);
}

}  // namespace sifr::codegen
