#include <algorithm>

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

namespace {

/// LLVM instructions from which a function is called instead of written out at each use: its work then hides the call.
constexpr size_t inline_limit = 110;

Value* formula(llvm::IRBuilder<>& b, ScalarOp op, DType t, Value* x, Value* y) {
    if (t == DType::F64) {
        Ops64 ops(b, x);
        return math::transcendental(ops, op, x, y);
    }
    Ops32 ops(b, x);
    return math::transcendental(ops, op, x, y);
}

/// The formula as a function over one vector register (or one number); null when it is written out where it is used.
llvm::Function* math_function(ModuleEmitter& m, ScalarOp op, DType t, llvm::Type* type) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    const std::string name = fmt::format("math.{}.{}x{}", name_of(op), name_of(t), vector ? vector->getNumElements() : 1);
    auto [known, is_new] = m.math_functions.try_emplace(name, nullptr);
    if (!is_new) return known->second;
    llvm::Function* f = m.add_function(name, llvm::FunctionType::get(type, {type, type}, false), true);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m.context, "entry", f));
    if (llvm::DISubprogram* scope = f->getSubprogram()) b.SetCurrentDebugLocation(m.debug_location({}, scope));
    b.CreateRet(formula(b, op, t, f->getArg(0), f->getArg(1)));
    if (f->getInstructionCount() <= inline_limit) {
        f->eraseFromParent();
        return nullptr;
    }
    f->addFnAttr(llvm::Attribute::NoInline);
    f->setDoesNotAccessMemory();  // but for constants
    f->setDoesNotThrow();
    f->setWillReturn();
    return known->second = f;
}

}  // namespace

llvm::Value* KernelEmitter::emit_math(ScalarOp op, DType t, Value* a, Value* b) {
    SIFR_CHECK(t == DType::F32 || t == DType::F64, "'{}' of {}", name_of(op), name_of(t));
    if (!b) b = a;
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
    const int lanes = vector ? static_cast<int>(vector->getNumElements()) : 1;
    const int piece = std::min(lanes, static_cast<int>(m_.machine.vector_bytes() / size_of(t)));
    llvm::Function* f = math_function(m_, op, t, vector ? m_.vector_of(vector->getElementType(), piece) : a->getType());
    if (!f) return formula(b_, op, t, a, b);
    if (piece == lanes) return b_.CreateCall(f, {a, b});
    // Wider than a register: part by part.
    Value* all = llvm::PoisonValue::get(a->getType());
    for (int first = 0; first < lanes; first += piece) {
        std::vector<int> which, place;
        for (int l = 0; l < piece; ++l) which.push_back(first + l);
        for (int l = 0; l < lanes; ++l) place.push_back(l >= first && l < first + piece ? lanes + l - first : l);
        auto part = [&](Value* v) { return b_.CreateShuffleVector(v, which); };
        Value* done = b_.CreateCall(f, {part(a), part(b)});
        std::vector<int> widen;
        for (int l = 0; l < lanes; ++l) widen.push_back(l < piece ? l : -1);
        all = b_.CreateShuffleVector(all, b_.CreateShuffleVector(done, widen), place);
    }
    return all;
}

}  // namespace sifr::codegen
