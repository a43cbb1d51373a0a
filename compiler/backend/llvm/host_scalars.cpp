// Rows on run-time numbers: Python's arithmetic as LLVM instructions where no error is possible or the check is one flag; every
// other row of numbers calls the runtime (host_calls.cpp).

#include <algorithm>

#include "compiler/backend/llvm/host_emitter.h"
#include "ir/op/op_def.h"

namespace sifr::codegen {

using llvm::Value;
using P = llvm::CmpInst::Predicate;

namespace {

struct Row {
    const char* name;
    Value* (*make)(HostEmitter& h, const PlanInst& inst);
};

Value* in(HostEmitter& h, const PlanInst& inst, size_t k) { return h.scalar(inst.scalars.at(k)); }

template <P predicate>
Value* compare_int(HostEmitter& h, const PlanInst& inst) { return h.b_.CreateICmp(predicate, h.as_i64(inst.scalars.at(0)), h.as_i64(inst.scalars.at(1))); }
template <P predicate>
Value* compare_float(HostEmitter& h, const PlanInst& inst) { return h.b_.CreateFCmp(predicate, h.as_f64(inst.scalars.at(0)), h.as_f64(inst.scalars.at(1))); }
template <llvm::Instruction::BinaryOps op>
Value* int_op(HostEmitter& h, const PlanInst& inst) { return h.b_.CreateBinOp(op, h.as_i64(inst.scalars.at(0)), h.as_i64(inst.scalars.at(1))); }
template <llvm::Instruction::BinaryOps op>
Value* float_op(HostEmitter& h, const PlanInst& inst) { return h.b_.CreateBinOp(op, h.as_f64(inst.scalars.at(0)), h.as_f64(inst.scalars.at(1))); }
template <llvm::Instruction::BinaryOps op>
Value* bool_op(HostEmitter& h, const PlanInst& inst) { return h.b_.CreateBinOp(op, in(h, inst, 0), in(h, inst, 1)); }

/// The overflow flag in front; the runtime's function says what Python says.
template <llvm::Intrinsic::ID id>
Value* checked(HostEmitter& h, const PlanInst& inst) {
    Value *a = h.as_i64(inst.scalars.at(0)), *b = h.as_i64(inst.scalars.at(1));
    Value* pair = h.b_.CreateBinaryIntrinsic(id, a, b);
    h.require(h.b_.CreateNot(h.b_.CreateExtractValue(pair, 1)), [&] {
        h.call(def(inst.op).runtime, {a, b, h.slot(h.m_.i64(), "unused")});
        h.raise_pending(inst.location);
    });
    return h.b_.CreateExtractValue(pair, 0);
}

/// Python's min and max keep the first operand unless the second is strictly beyond it.
template <P predicate>
Value* pick_float(HostEmitter& h, const PlanInst& inst) {
    Value *a = h.as_f64(inst.scalars.at(0)), *b = h.as_f64(inst.scalars.at(1));
    return h.b_.CreateSelect(h.b_.CreateFCmp(predicate, b, a), b, a);
}
template <llvm::Intrinsic::ID id>
Value* pick_int(HostEmitter& h, const PlanInst& inst) {
    return h.b_.CreateBinaryIntrinsic(id, h.as_i64(inst.scalars.at(0)), h.as_i64(inst.scalars.at(1)));
}

using I = llvm::Instruction;
const Row rows[] = {
    {"iadd", checked<llvm::Intrinsic::sadd_with_overflow>},
    {"isub", checked<llvm::Intrinsic::ssub_with_overflow>},
    {"imul", checked<llvm::Intrinsic::smul_with_overflow>},
    {"imin", pick_int<llvm::Intrinsic::smin>},
    {"imax", pick_int<llvm::Intrinsic::smax>},
    {"iand", int_op<I::And>},
    {"ior", int_op<I::Or>},
    {"ixor", int_op<I::Xor>},
    {"inot", [](HostEmitter& h, const PlanInst& inst) { return h.b_.CreateNot(h.as_i64(inst.scalars.at(0))); }},
    {"ieq", compare_int<P::ICMP_EQ>},
    {"ine", compare_int<P::ICMP_NE>},
    {"ilt", compare_int<P::ICMP_SLT>},
    {"ile", compare_int<P::ICMP_SLE>},
    {"igt", compare_int<P::ICMP_SGT>},
    {"ige", compare_int<P::ICMP_SGE>},
    {"fadd", float_op<I::FAdd>},
    {"fsub", float_op<I::FSub>},
    {"fmul", float_op<I::FMul>},
    {"fneg", [](HostEmitter& h, const PlanInst& inst) { return h.b_.CreateFNeg(h.as_f64(inst.scalars.at(0))); }},
    {"fabs", [](HostEmitter& h, const PlanInst& inst) -> Value* { return h.b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, h.as_f64(inst.scalars.at(0))); }},
    {"fminimum", pick_float<P::FCMP_OLT>},
    {"fmaximum", pick_float<P::FCMP_OGT>},
    {"feq", compare_float<P::FCMP_OEQ>},
    {"fne", compare_float<P::FCMP_UNE>},
    {"flt", compare_float<P::FCMP_OLT>},
    {"fle", compare_float<P::FCMP_OLE>},
    {"fgt", compare_float<P::FCMP_OGT>},
    {"fge", compare_float<P::FCMP_OGE>},
    {"itof", [](HostEmitter& h, const PlanInst& inst) { return h.as_f64(inst.scalars.at(0)); }},
    {"btof", [](HostEmitter& h, const PlanInst& inst) { return h.as_f64(inst.scalars.at(0)); }},
    {"btoi", [](HostEmitter& h, const PlanInst& inst) { return h.as_i64(inst.scalars.at(0)); }},
    {"itob", [](HostEmitter& h, const PlanInst& inst) { return h.b_.CreateICmpNE(h.as_i64(inst.scalars.at(0)), h.m_.constant(0)); }},
    {"ftob", [](HostEmitter& h, const PlanInst& inst) { return h.b_.CreateFCmpUNE(h.as_f64(inst.scalars.at(0)), llvm::ConstantFP::get(h.m_.f64(), 0.0)); }},
    {"band", bool_op<I::And>},
    {"bor", bool_op<I::Or>},
    {"beq", [](HostEmitter& h, const PlanInst& inst) { return h.b_.CreateICmpEQ(in(h, inst, 0), in(h, inst, 1)); }},
    {"bnot", [](HostEmitter& h, const PlanInst& inst) { return h.b_.CreateNot(in(h, inst, 0)); }},
    {"sel", [](HostEmitter& h, const PlanInst& inst) { return h.b_.CreateSelect(in(h, inst, 0), in(h, inst, 1), in(h, inst, 2)); }},
};

}  // namespace

bool emit_scalar_row(HostEmitter& h, const PlanInst& inst) {
    const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == name_of(inst.op); });
    if (row == std::end(rows)) return false;
    h.set(inst.results.at(0), row->make(h, inst));
    return true;
}

}  // namespace sifr::codegen
