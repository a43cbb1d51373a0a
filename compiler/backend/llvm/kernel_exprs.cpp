// Scalar operations. Each does in LLVM's words exactly what ir/loop/expr.h says, for single values and for vectors alike. Nothing
// here carries fast-math flags, and the target machine is told not to fuse, so each operation rounds once.

#include <bit>

#include "compiler/backend/llvm/kernel_emitter.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"

namespace sifr::codegen {

using llvm::Intrinsic::ID;

namespace {

bool is_half(DType t) { return t == DType::F16 || t == DType::BF16; }

}  // namespace

bool KernelEmitter::is_cacheable(ExprId id) {
    int8_t& known = cacheable_[id.index];
    if (known >= 0) return known == 1;
    const Expr& e = k_.exprs[id];
    bool ok = true;
    if (e.op == ScalarOp::Var) ok = !assigned_[e.var.index];
    if (e.op == ScalarOp::Load) {
        // What the kernel never writes reads the same wherever it stands.
        ok = k_.buffers[e.buffer.index].access == Buffer::Access::Read && !k_.buffers[e.buffer.index].scratch;
        for (const auto& t : e.index.terms) ok = ok && !assigned_[t.var.index];
    }
    for (ExprId a : e.args)
        if (a.valid() && !is_cacheable(a)) ok = false;
    cacheable_[id.index] = ok;
    return ok;
}

llvm::Value* KernelEmitter::emit(ExprId id) {
    if (auto found = cache_.find(id.index); found != cache_.end()) return found->second;
    Value* v = emit_node(k_.exprs[id]);
    if (is_cacheable(id)) {
        cache_[id.index] = v;
        scopes_.back().push_back(id.index);
    }
    return v;
}

llvm::Value* KernelEmitter::emit_var(VarId var) {
    const Binding& b = bindings_[var.index];
    switch (b.kind) {
        case Binding::Kind::None: break;
        case Binding::Kind::Plain: return b.value;
        case Binding::Kind::Lanes: return lane_indices({b.value, 1, nullptr});
        case Binding::Kind::Slot: {
            llvm::Type* type = m_.value_type(k_.vars[var.index].type);
            return b_.CreateLoad(b.lanes > 1 ? m_.vector_of(type, b.lanes) : type, b.value);
        }
    }
    SIFR_UNREACHABLE("kernel {}: {} is used outside of its scope", k_.name, k_.vars[var.index].name);
}

llvm::Value* KernelEmitter::emit_const(const Expr& e) {
    llvm::Type* type = m_.value_type(e.type);
    switch (e.type) {
        case DType::F64: return llvm::ConstantFP::get(type, std::bit_cast<double>(e.payload));
        case DType::F32: return llvm::ConstantFP::get(type, llvm::APFloat(static_cast<float>(std::bit_cast<double>(e.payload))));
        case DType::F16: case DType::BF16: {
            llvm::APFloat v(static_cast<float>(std::bit_cast<double>(e.payload)));
            bool inexact = false;
            v.convert(e.type == DType::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven, &inexact);
            return llvm::ConstantInt::get(type, v.bitcastToAPInt());
        }
        default: return llvm::ConstantInt::get(type, e.type == DType::Bool ? (e.payload != 0) : e.payload, false, true);
    }
}

llvm::Value* KernelEmitter::float_constant(llvm::Type* type, double v) { return llvm::ConstantFP::get(type, v); }
llvm::Value* KernelEmitter::int_constant(llvm::Type* type, int64_t v) { return llvm::ConstantInt::get(type, static_cast<uint64_t>(v), true, true); }

void KernelEmitter::match(Value*& a, Value*& b) {
    if (a->getType()->isVectorTy() == b->getType()->isVectorTy()) return;
    a = splat(a, width_);
    b = splat(b, width_);
}

llvm::Value* KernelEmitter::intrinsic(ID id, std::initializer_list<Value*> args) {
    return b_.CreateIntrinsic(id, {(*args.begin())->getType()}, llvm::ArrayRef<Value*>(args.begin(), args.size()));
}

llvm::Value* KernelEmitter::fma(Value* a, Value* b, Value* c) {
    if (a->getType()->isVectorTy() || b->getType()->isVectorTy() || c->getType()->isVectorTy()) {
        a = splat(a, width_);
        b = splat(b, width_);
        c = splat(c, width_);
    }
    return intrinsic(llvm::Intrinsic::fma, {a, b, c});
}

llvm::Value* KernelEmitter::emit_node(const Expr& e) {
    auto arg = [&](size_t i) { return emit(e.args[i]); };
    auto arg_type = [&](size_t i) { return k_.exprs.type(e.args[i]); };
    if (is_complex(e.type) && e.op != ScalarOp::Load && e.op != ScalarOp::Select)
        throw NotSupported("arithmetic on complex numbers in compiled kernels");
    switch (e.op) {
        case ScalarOp::Input: SIFR_UNREACHABLE("kernel {}: an input of a scalar body is left", k_.name);
        case ScalarOp::Const: return emit_const(e);
        case ScalarOp::Var: return emit_var(e.var);
        case ScalarOp::Load: return emit_load(e.buffer, e.type, e.index);
        case ScalarOp::Add: case ScalarOp::Sub: case ScalarOp::Mul: case ScalarOp::Div: case ScalarOp::Rem: case ScalarOp::FloorDiv:
        case ScalarOp::Mod: case ScalarOp::Min: case ScalarOp::Max: case ScalarOp::And: case ScalarOp::Or: case ScalarOp::Xor:
        case ScalarOp::Shl: case ScalarOp::Shr: {
            Value *a = arg(0), *b = arg(1);
            match(a, b);
            return emit_arithmetic(e.op, e.type, a, b);
        }
        case ScalarOp::Fma: {
            Value *a = arg(0), *b = arg(1), *c = arg(2);
            if (is_float(e.type)) return fma(a, b, c);
            match(a, b);
            Value* product = b_.CreateMul(a, b);
            match(product, c);
            return b_.CreateAdd(product, c);
        }
        case ScalarOp::Neg: case ScalarOp::Abs: case ScalarOp::Sqrt: case ScalarOp::Floor: case ScalarOp::Ceil: case ScalarOp::Trunc:
        case ScalarOp::Round: case ScalarOp::Not:
            return emit_unary(e.op, e.type, arg(0));
        case ScalarOp::Eq: case ScalarOp::Ne: case ScalarOp::Lt: case ScalarOp::Le: case ScalarOp::Gt: case ScalarOp::Ge: {
            Value *a = arg(0), *b = arg(1);
            match(a, b);
            return emit_compare(e.op, arg_type(0), a, b);
        }
        case ScalarOp::Select: {
            Value *c = arg(0), *a = arg(1), *b = arg(2);
            match(a, b);
            if (c->getType()->isVectorTy()) {
                a = splat(a, width_);
                b = splat(b, width_);
            }
            return b_.CreateSelect(c, a, b);
        }
        case ScalarOp::Cast: return emit_cast(arg(0), arg_type(0), e.type);
        case ScalarOp::Bitcast: {
            Value* a = arg(0);
            llvm::Type* to = m_.value_type(e.type);
            if (e.type == DType::Bool || arg_type(0) == DType::Bool) return emit_cast(a, arg_type(0), e.type);
            return b_.CreateBitCast(a, a->getType()->isVectorTy() ? m_.vector_of(to, width_) : to);
        }
        case ScalarOp::Exp: case ScalarOp::Exp2: case ScalarOp::Expm1: case ScalarOp::Log: case ScalarOp::Log2: case ScalarOp::Log10:
        case ScalarOp::Log1p: case ScalarOp::Sin: case ScalarOp::Cos: case ScalarOp::Tan: case ScalarOp::Asin: case ScalarOp::Acos:
        case ScalarOp::Atan: case ScalarOp::Sinh: case ScalarOp::Cosh: case ScalarOp::Tanh: case ScalarOp::Asinh: case ScalarOp::Acosh:
        case ScalarOp::Atanh: case ScalarOp::Erf: case ScalarOp::Erfc: case ScalarOp::Erfinv: case ScalarOp::Lgamma:
        case ScalarOp::Digamma:
            return emit_math(e.op, e.type, arg(0), nullptr);
        case ScalarOp::Pow: case ScalarOp::Atan2: {
            Value *a = arg(0), *b = arg(1);
            match(a, b);
            return emit_math(e.op, e.type, a, b);
        }
    }
    SIFR_UNREACHABLE("scalar operation {}", static_cast<int>(e.op));
}

llvm::Value* KernelEmitter::emit_arithmetic(ScalarOp op, DType t, Value* a, Value* b) {
    if (is_half(t)) {
        Value* r = emit_float(op, DType::F32, emit_cast(a, t, DType::F32), emit_cast(b, t, DType::F32));
        return emit_cast(r, DType::F32, t);
    }
    return is_float(t) ? emit_float(op, t, a, b) : emit_integer(op, t, a, b);
}

llvm::Value* KernelEmitter::emit_compare(ScalarOp op, DType t, Value* a, Value* b) {
    using P = llvm::CmpInst::Predicate;
    if (is_half(t)) {
        a = emit_cast(a, t, DType::F32);
        b = emit_cast(b, t, DType::F32);
        t = DType::F32;
    }
    if (is_float(t)) {
        P p = P::FCMP_OEQ;
        if (op == ScalarOp::Ne) p = P::FCMP_UNE;
        if (op == ScalarOp::Lt) p = P::FCMP_OLT;
        if (op == ScalarOp::Le) p = P::FCMP_OLE;
        if (op == ScalarOp::Gt) p = P::FCMP_OGT;
        if (op == ScalarOp::Ge) p = P::FCMP_OGE;
        return b_.CreateFCmp(p, a, b);
    }
    const bool s = is_signed(t);
    P p = P::ICMP_EQ;
    if (op == ScalarOp::Ne) p = P::ICMP_NE;
    if (op == ScalarOp::Lt) p = s ? P::ICMP_SLT : P::ICMP_ULT;
    if (op == ScalarOp::Le) p = s ? P::ICMP_SLE : P::ICMP_ULE;
    if (op == ScalarOp::Gt) p = s ? P::ICMP_SGT : P::ICMP_UGT;
    if (op == ScalarOp::Ge) p = s ? P::ICMP_SGE : P::ICMP_UGE;
    return b_.CreateICmp(p, a, b);
}

llvm::Value* KernelEmitter::emit_extremum(bool max, DType t, Value* a, Value* b) {
    if (is_float(t)) {
        // The first operand when neither is greater (zeros of two signs too); a NaN on either side stays.
        Value* pick = b_.CreateSelect(max ? b_.CreateFCmpOGT(b, a) : b_.CreateFCmpOLT(b, a), b, a);
        return b_.CreateSelect(b_.CreateFCmpUNO(b, b), b, pick);
    }
    if (t == DType::Bool) return max ? b_.CreateOr(a, b) : b_.CreateAnd(a, b);
    return b_.CreateSelect(emit_compare(max ? ScalarOp::Gt : ScalarOp::Lt, t, a, b), a, b);
}

llvm::Value* KernelEmitter::emit_float(ScalarOp op, DType t, Value* a, Value* b) {
    llvm::Type* type = a->getType();
    Value* zero = llvm::Constant::getNullValue(type);
    switch (op) {
        case ScalarOp::Add: return b_.CreateFAdd(a, b);
        case ScalarOp::Sub: return b_.CreateFSub(a, b);
        case ScalarOp::Mul: return b_.CreateFMul(a, b);
        case ScalarOp::Div: return b_.CreateFDiv(a, b);
        case ScalarOp::Rem: return b_.CreateFRem(a, b);
        case ScalarOp::Min: return emit_extremum(false, t, a, b);
        case ScalarOp::Max: return emit_extremum(true, t, a, b);
        case ScalarOp::Mod: case ScalarOp::FloorDiv: {
            Value* mod = b_.CreateFRem(a, b);
            Value* other_sign = b_.CreateAnd(b_.CreateFCmpUNE(mod, zero), b_.CreateXor(b_.CreateFCmpOLT(b, zero), b_.CreateFCmpOLT(mod, zero)));
            if (op == ScalarOp::Mod) return b_.CreateSelect(other_sign, b_.CreateFAdd(mod, b), mod);
            Value* div = b_.CreateFDiv(b_.CreateFSub(a, mod), b);
            div = b_.CreateSelect(other_sign, b_.CreateFSub(div, float_constant(type, 1)), div);
            Value* floor = intrinsic(llvm::Intrinsic::floor, {div});
            Value* up = b_.CreateFCmpOGT(b_.CreateFSub(div, floor), float_constant(type, 0.5));
            floor = b_.CreateSelect(up, b_.CreateFAdd(floor, float_constant(type, 1)), floor);
            Value* quotient = b_.CreateFDiv(a, b);
            Value* small = intrinsic(llvm::Intrinsic::copysign, {zero, quotient});
            Value* result = b_.CreateSelect(b_.CreateFCmpUNE(div, zero), floor, small);
            return b_.CreateSelect(b_.CreateFCmpOEQ(b, zero), quotient, result);
        }
        default: throw NotSupported("bit operations on floating point numbers");
    }
}

llvm::Value* KernelEmitter::emit_integer(ScalarOp op, DType t, Value* a, Value* b) {
    llvm::Type* type = a->getType();
    const bool is_sign = is_signed(t);
    Value* zero = llvm::Constant::getNullValue(type);
    Value* one = int_constant(type, 1);
    switch (op) {
        case ScalarOp::Add: return t == DType::Bool ? b_.CreateOr(a, b) : b_.CreateAdd(a, b);
        case ScalarOp::Sub: return t == DType::Bool ? b_.CreateXor(a, b) : b_.CreateSub(a, b);
        case ScalarOp::Mul: return t == DType::Bool ? b_.CreateAnd(a, b) : b_.CreateMul(a, b);
        case ScalarOp::Min: return emit_extremum(false, t, a, b);
        case ScalarOp::Max: return emit_extremum(true, t, a, b);
        case ScalarOp::And: return b_.CreateAnd(a, b);
        case ScalarOp::Or: return b_.CreateOr(a, b);
        case ScalarOp::Xor: return b_.CreateXor(a, b);
        case ScalarOp::Div: case ScalarOp::Rem: case ScalarOp::FloorDiv: case ScalarOp::Mod: {
            const bool quotient = op == ScalarOp::Div || op == ScalarOp::FloorDiv;
            Value* by_zero = b_.CreateICmpEQ(b, zero);
            if (!is_sign) {
                Value* safe = b_.CreateSelect(by_zero, one, b);
                return b_.CreateSelect(by_zero, zero, quotient ? b_.CreateUDiv(a, safe) : b_.CreateURem(a, safe));
            }
            // By -1 the quotient is the wrapped negation; the machine's division would trap on the least number.
            Value* by_minus_one = b_.CreateICmpEQ(b, int_constant(type, -1));
            Value* safe = b_.CreateSelect(b_.CreateOr(by_zero, by_minus_one), one, b);
            Value* rem = b_.CreateSRem(a, safe);
            Value* adjust = b_.CreateAnd(b_.CreateICmpNE(rem, zero), b_.CreateICmpSLT(b_.CreateXor(rem, safe), zero));
            Value* result = nullptr;
            if (op == ScalarOp::Div || op == ScalarOp::FloorDiv) {
                result = b_.CreateSDiv(a, safe);
                if (op == ScalarOp::FloorDiv) result = b_.CreateSelect(adjust, b_.CreateSub(result, one), result);
                result = b_.CreateSelect(by_minus_one, b_.CreateNeg(a), result);
            } else {
                result = op == ScalarOp::Mod ? b_.CreateSelect(adjust, b_.CreateAdd(rem, b), rem) : rem;
            }
            return b_.CreateSelect(by_zero, zero, result);
        }
        case ScalarOp::Shl: case ScalarOp::Shr: {
            const int64_t bits = type->getScalarSizeInBits();
            Value* last = int_constant(type, bits - 1);
            // A negative count is a large unsigned one.
            Value* outside = b_.CreateICmpUGT(b, last);
            if (op == ScalarOp::Shl) return b_.CreateSelect(outside, zero, b_.CreateShl(a, b_.CreateSelect(outside, zero, b)));
            if (is_sign) return b_.CreateAShr(a, b_.CreateSelect(outside, last, b));
            return b_.CreateSelect(outside, zero, b_.CreateLShr(a, b_.CreateSelect(outside, zero, b)));
        }
        default: SIFR_UNREACHABLE("integer operation {}", static_cast<int>(op));
    }
}

llvm::Value* KernelEmitter::emit_unary(ScalarOp op, DType t, Value* a) {
    if (is_half(t)) return emit_cast(emit_unary(op, DType::F32, emit_cast(a, t, DType::F32)), DType::F32, t);
    const bool f = is_float(t);
    switch (op) {
        case ScalarOp::Neg: return f ? b_.CreateFNeg(a) : t == DType::Bool ? a : b_.CreateNeg(a);
        case ScalarOp::Abs:
            if (f) return intrinsic(llvm::Intrinsic::fabs, {a});
            if (!is_signed(t)) return a;
            return b_.CreateSelect(b_.CreateICmpSLT(a, llvm::Constant::getNullValue(a->getType())), b_.CreateNeg(a), a);
        case ScalarOp::Not: return b_.CreateNot(a);
        case ScalarOp::Sqrt: return intrinsic(llvm::Intrinsic::sqrt, {a});
        case ScalarOp::Floor: return f ? intrinsic(llvm::Intrinsic::floor, {a}) : a;
        case ScalarOp::Ceil: return f ? intrinsic(llvm::Intrinsic::ceil, {a}) : a;
        case ScalarOp::Trunc: return f ? intrinsic(llvm::Intrinsic::trunc, {a}) : a;
        case ScalarOp::Round: return f ? intrinsic(llvm::Intrinsic::roundeven, {a}) : a;
        default: SIFR_UNREACHABLE("unary operation {}", static_cast<int>(op));
    }
}

llvm::Value* KernelEmitter::emit_cast(Value* v, DType from, DType to) {
    if (from == to) return v;
    auto shaped = [&](llvm::Type* element) -> llvm::Type* { return v->getType()->isVectorTy() ? m_.vector_of(element, width_) : element; };
    llvm::Type* target = shaped(m_.value_type(to));
    if (from == DType::F16) {
        v = b_.CreateFPExt(b_.CreateBitCast(v, shaped(llvm::Type::getHalfTy(m_.context))), shaped(m_.f32()));
        return emit_cast(v, DType::F32, to);
    }
    if (from == DType::BF16) {
        v = b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(v, shaped(m_.i32())), int_constant(shaped(m_.i32()), 16)), shaped(m_.f32()));
        return emit_cast(v, DType::F32, to);
    }
    if (to == DType::F16) {
        v = b_.CreateFPTrunc(emit_cast(v, from, DType::F32), shaped(llvm::Type::getHalfTy(m_.context)));
        return b_.CreateBitCast(v, target);
    }
    if (to == DType::BF16) {
        v = emit_cast(v, from, DType::F32);
        llvm::Type* word = shaped(m_.i32());
        Value* bits = b_.CreateBitCast(v, word);
        Value* odd = b_.CreateAnd(b_.CreateLShr(bits, int_constant(word, 16)), int_constant(word, 1));
        Value* rounded = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(bits, odd), int_constant(word, 0x7FFF)), int_constant(word, 16));
        return b_.CreateTrunc(b_.CreateSelect(b_.CreateFCmpUNO(v, v), int_constant(word, 0x7FC0), rounded), target);
    }
    const bool from_float = is_float(from);
    if (to == DType::Bool) {
        Value* zero = llvm::Constant::getNullValue(v->getType());
        return from_float ? b_.CreateFCmpUNE(v, zero) : b_.CreateICmpNE(v, zero);
    }
    if (from_float && is_float(to)) return b_.CreateFPCast(v, target);
    if (is_float(to)) return is_signed(from) ? b_.CreateSIToFP(v, target) : b_.CreateUIToFP(v, target);
    if (!from_float) return is_signed(from) ? b_.CreateSExtOrTrunc(v, target) : b_.CreateZExtOrTrunc(v, target);
    // Truncation as the machine does it: what 32 bits (64 for I64) cannot hold, NaN included, becomes the least number; the
    // narrow types take its low bits.
    const bool wide = to == DType::I64;
    llvm::Type* word = shaped(wide ? static_cast<llvm::Type*>(m_.i64()) : m_.i32());
    const double limit = wide ? 0x1p63 : 0x1p31;
    // Below the least number by less than one still truncates to it, but only F64 has such values for 32 bits.
    Value* above = from == DType::F64 && !wide ? b_.CreateFCmpOGT(v, float_constant(v->getType(), -limit - 1))
                                               : b_.CreateFCmpOGE(v, float_constant(v->getType(), -limit));
    Value* inside = b_.CreateAnd(above, b_.CreateFCmpOLT(v, float_constant(v->getType(), limit)));
    Value* safe = b_.CreateSelect(inside, v, llvm::Constant::getNullValue(v->getType()));
    Value* least = int_constant(word, wide ? INT64_MIN : INT32_MIN);
    Value* result = b_.CreateSelect(inside, b_.CreateFPToSI(safe, word), least);
    return b_.CreateSExtOrTrunc(result, target);
}

llvm::Value* KernelEmitter::combine_values(Combine c, DType t, Value* older, Value* newer) {
    switch (c) {
        case Combine::Sum: return emit_arithmetic(ScalarOp::Add, t, older, newer);
        case Combine::Prod: return emit_arithmetic(ScalarOp::Mul, t, older, newer);
        case Combine::Max: case Combine::ArgMax: return emit_arithmetic(ScalarOp::Max, t, older, newer);
        case Combine::Min: case Combine::ArgMin: return emit_arithmetic(ScalarOp::Min, t, older, newer);
        case Combine::Any: return b_.CreateOr(older, newer);
        case Combine::All: return b_.CreateAnd(older, newer);
    }
    SIFR_UNREACHABLE("combiner {}", static_cast<int>(c));
}

}  // namespace sifr::codegen
