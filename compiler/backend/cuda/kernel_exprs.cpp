// Expressions of the loop IR as C++.

#include <bit>
#include <cmath>
#include <limits>

#include "compiler/backend/cuda/kernel_printer.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/loop/loop_names.h"
#include "ir/loop/reduce_value.h"
#include "ir/loop/scalar_value.h"

namespace sifr::cuda {

namespace {

bool is_half(DType t) { return t == DType::F16 || t == DType::BF16; }
bool is_leaf(ScalarOp op) { return op == ScalarOp::Const || op == ScalarOp::Var; }

}  // namespace

std::string KernelPrinter::float_text(double v, DType t) const {
    const bool wide = t == DType::F64;
    if (std::isnan(v)) return wide ? "nan_f64" : "nan_f32";
    if (std::isinf(v)) return std::string(v < 0 ? "-" : "") + (wide ? "infinity_f64" : "infinity_f32");
    std::string s = wide ? fmt::format("{}", v) : fmt::format("{}", static_cast<float>(v));
    if (s.find_first_of(".e") == std::string::npos) s += ".0";
    if (!wide) s += "f";
    return s;
}

std::string KernelPrinter::constant(const Expr& e) const {
    const ScalarValue v = constant_value(e.type, e.payload);
    if (e.type == DType::Bool) return v.i64 ? "true" : "false";
    if (e.type == DType::F64) return float_text(v.f64, e.type);
    if (is_float(e.type)) return float_text(static_cast<double>(v.f32), e.type);
    if (v.i64 == std::numeric_limits<int64_t>::min()) return "i64(0x8000000000000000ull)";
    if (v.i64 > std::numeric_limits<int32_t>::max() || v.i64 <= std::numeric_limits<int32_t>::min()) return fmt::format("{}ll", v.i64);
    return std::to_string(v.i64);
}

std::string KernelPrinter::affine(const Affine& a) const {
    std::string s;
    for (const Affine::Term& t : a.terms) {
        const int64_t magnitude = t.scale < 0 ? -t.scale : t.scale;
        s += s.empty() ? (t.scale < 0 ? "-" : "") : (t.scale < 0 ? " - " : " + ");
        if (magnitude != 1) s += fmt::format("{} * ", magnitude);
        s += name(t.var);
    }
    if (s.empty()) return std::to_string(a.base);
    if (a.base > 0) s += fmt::format(" + {}", a.base);
    if (a.base < 0) s += fmt::format(" - {}", -a.base);
    return s;
}

std::string KernelPrinter::access(BufferId b, const Affine& at) const { return fmt::format("{}[{}]", name(b), affine(at)); }

std::string KernelPrinter::load(const Expr& e) const {
    const std::string at = access(e.buffer, e.index);
    if (e.type == DType::F16) return fmt::format("from_f16({})", at);
    if (e.type == DType::BF16) return fmt::format("from_bf16({})", at);
    return at;
}

std::string KernelPrinter::stored(DType t, const std::string& value) const {
    if (t == DType::F16) return fmt::format("to_f16({})", value);
    if (t == DType::BF16) return fmt::format("to_bf16({})", value);
    return value;
}

std::string KernelPrinter::cast(const std::string& v, DType from, DType to) const {
    if (from == to) return v;
    if (is_complex(from) || is_complex(to)) throw NotSupported("arithmetic on complex numbers in compiled kernels");
    if (to == DType::Bool) return fmt::format("({} != {})", v, is_float(from) ? float_text(0.0, from) : "0");
    if (to == DType::F64) return fmt::format("double({})", v);
    if (is_float(to)) {
        const std::string f = from == DType::F32 || is_half(from) ? v : fmt::format("float({})", v);
        if (to == DType::F16) return fmt::format("from_f16(to_f16({}))", f);
        if (to == DType::BF16) return fmt::format("from_bf16(to_bf16({}))", f);
        return f;
    }
    if (!is_float(from)) return fmt::format("{}({})", value_type(to), v);
    if (to == DType::I64) return fmt::format("to_i64({})", v);
    return to == DType::I32 ? fmt::format("to_i32({})", v) : fmt::format("{}(to_i32({}))", value_type(to), v);
}

std::string KernelPrinter::call(ScalarOp op, DType t, const std::vector<std::string>& a) const {
    if (is_complex(t)) throw NotSupported("arithmetic on complex numbers in compiled kernels");
    const bool real = is_float(t), wide = t == DType::F64;
    auto infix = [&](const char* symbol) { return fmt::format("({} {} {})", a[0], symbol, a[1]); };
    auto integer = [&](const char* function) {
        return a.size() == 1 ? fmt::format("{}<{}>({})", function, value_type(t), a[0]) : fmt::format("{}<{}>({}, {})", function, value_type(t), a[0], a[1]);
    };
    auto unary_math = [&](const char* narrow, const char* broad) { return real ? fmt::format("{}({})", wide ? broad : narrow, a[0]) : a[0]; };
    switch (op) {
        case ScalarOp::Input: case ScalarOp::Const: case ScalarOp::Var: case ScalarOp::Load: case ScalarOp::Cast: case ScalarOp::Bitcast: break;
        case ScalarOp::Add: return real ? infix("+") : integer("add");
        case ScalarOp::Sub: return real ? infix("-") : integer("sub");
        case ScalarOp::Mul: return real ? infix("*") : integer("mul");
        case ScalarOp::Div: return real ? infix("/") : integer("quotient");
        case ScalarOp::Rem: return real ? fmt::format("remainder_of({}, {})", a[0], a[1]) : integer("remainder");
        case ScalarOp::FloorDiv: return real ? fmt::format("floor_quotient_of({}, {})", a[0], a[1]) : integer("floor_quotient");
        case ScalarOp::Mod: return real ? fmt::format("modulo_of({}, {})", a[0], a[1]) : integer("modulo");
        case ScalarOp::Fma:
            if (real) return fmt::format("{}({}, {}, {})", wide ? "fma" : "fmaf", a[0], a[1], a[2]);
            return call(ScalarOp::Add, t, {call(ScalarOp::Mul, t, {a[0], a[1]}), a[2]});
        case ScalarOp::Neg: return !real ? integer("negate") : "(-" + (a[0].starts_with("-") ? "(" + a[0] + ")" : a[0]) + ")";
        case ScalarOp::Abs: return real ? unary_math("fabsf", "fabs") : is_signed(t) ? integer("absolute") : a[0];
        case ScalarOp::Min: return integer("smaller");
        case ScalarOp::Max: return integer("larger");
        case ScalarOp::Sqrt: return unary_math("sqrtf", "sqrt");
        case ScalarOp::Floor: return unary_math("floorf", "floor");
        case ScalarOp::Ceil: return unary_math("ceilf", "ceil");
        case ScalarOp::Trunc: return unary_math("truncf", "trunc");
        case ScalarOp::Round: return unary_math("rintf", "rint");
        case ScalarOp::And: return t == DType::Bool ? infix("&&") : fmt::format("{}({} & {})", value_type(t), a[0], a[1]);
        case ScalarOp::Or: return t == DType::Bool ? infix("||") : fmt::format("{}({} | {})", value_type(t), a[0], a[1]);
        case ScalarOp::Xor: return t == DType::Bool ? infix("!=") : fmt::format("{}({} ^ {})", value_type(t), a[0], a[1]);
        case ScalarOp::Not: return t == DType::Bool ? fmt::format("!{}", a[0]) : fmt::format("{}(~{})", value_type(t), a[0]);
        case ScalarOp::Shl: return integer("shift_left");
        case ScalarOp::Shr: return integer("shift_right");
        case ScalarOp::Eq: return infix("==");
        case ScalarOp::Ne: return infix("!=");
        case ScalarOp::Lt: return infix("<");
        case ScalarOp::Le: return infix("<=");
        case ScalarOp::Gt: return infix(">");
        case ScalarOp::Ge: return infix(">=");
        case ScalarOp::Select: return fmt::format("({} ? {} : {})", a[0], a[1], a[2]);
        case ScalarOp::Exp: case ScalarOp::Exp2: case ScalarOp::Expm1: case ScalarOp::Log: case ScalarOp::Log2: case ScalarOp::Log10:
        case ScalarOp::Log1p: case ScalarOp::Sin: case ScalarOp::Cos: case ScalarOp::Tan: case ScalarOp::Asin: case ScalarOp::Acos:
        case ScalarOp::Atan: case ScalarOp::Sinh: case ScalarOp::Cosh: case ScalarOp::Tanh: case ScalarOp::Asinh: case ScalarOp::Acosh:
        case ScalarOp::Atanh: case ScalarOp::Erf: case ScalarOp::Erfc: case ScalarOp::Erfinv: case ScalarOp::Lgamma: case ScalarOp::Digamma:
            return fmt::format("{}({})", math_function_name(op, wide ? DType::F64 : DType::F32), a[0]);
        case ScalarOp::Pow: case ScalarOp::Atan2:
            return fmt::format("{}({}, {})", math_function_name(op, wide ? DType::F64 : DType::F32), a[0], a[1]);
    }
    SIFR_UNREACHABLE("scalar operation {}", static_cast<int>(op));
}

std::string KernelPrinter::node(ExprId id) {
    const Expr& e = k_.exprs[id];
    switch (e.op) {
        case ScalarOp::Input: SIFR_UNREACHABLE("kernel {}: an input of a scalar body is left", k_.name);
        case ScalarOp::Const: return constant(e);
        case ScalarOp::Var: return name(e.var);
        case ScalarOp::Load: return load(e);
        case ScalarOp::Cast: return cast(expr(e.args[0]), k_.exprs.type(e.args[0]), e.type);
        case ScalarOp::Bitcast: {
            const DType from = k_.exprs.type(e.args[0]);
            std::string v = expr(e.args[0]);
            if (e.type == DType::Bool || from == DType::Bool) return cast(v, from, e.type);
            if (is_half(from)) v = stored(from, v);
            else if (is_float(from)) v = fmt::format("to_bits({})", v);
            if (e.type == DType::F32) return fmt::format("__int_as_float({})", v);
            if (e.type == DType::F64) return fmt::format("__longlong_as_double({})", v);
            if (is_half(e.type)) return fmt::format("{}(u16({}))", e.type == DType::F16 ? "from_f16" : "from_bf16", v);
            return fmt::format("{}({})", value_type(e.type), v);
        }
        default: break;
    }
    std::vector<std::string> args;
    for (int i = 0; i < arity(e.op); ++i) args.push_back(expr(e.args[static_cast<size_t>(i)]));
    // Both arms of a choice between literals of C++ need the type of the result.
    if (e.op == ScalarOp::Select && k_.exprs[e.args[1]].op == ScalarOp::Const && is_integral(e.type)) args[1] = fmt::format("{}({})", value_type(e.type), args[1]);
    if (e.op == ScalarOp::Select && is_complex(e.type)) return fmt::format("({} ? {} : {})", args[0], args[1], args[2]);
    const DType operands = e.op == ScalarOp::Select ? e.type : k_.exprs.type(e.args[0]);
    return call(e.op, operands, args);
}

std::string KernelPrinter::expr(ExprId id) {
    if (auto known = pinned_.find(id.index); known != pinned_.end()) return known->second;
    if (auto known = shared_.find(id.index); known != shared_.end()) return known->second;
    return node(id);
}

void KernelPrinter::share(const std::vector<ExprId>& roots) {
    std::map<uint32_t, int> uses;
    std::vector<ExprId> order;  // operands before what uses them
    auto visit = [&](auto& self, ExprId id) -> void {
        if (!id.valid()) return;
        if (++uses[id.index] > 1) return;
        for (ExprId a : k_.exprs[id].args) self(self, a);
        order.push_back(id);
    };
    for (ExprId r : roots) visit(visit, r);
    for (ExprId id : order) {
        const Expr& e = k_.exprs[id];
        if (uses[id.index] < 2 || is_leaf(e.op) || shared_.contains(id.index) || pinned_.contains(id.index)) continue;
        if (e.op == ScalarOp::Cast && is_leaf(k_.exprs[e.args[0]].op)) continue;
        const std::string value = expr(id), temporary = unique("t");
        line(fmt::format("const {} {} = {};", value_type(e.type), temporary, value));
        shared_[id.index] = temporary;
    }
}

std::string KernelPrinter::combine(Combine c, DType t, const std::string& older, const std::string& newer) const {
    switch (c) {
        case Combine::Sum: return call(ScalarOp::Add, t, {older, newer});
        case Combine::Prod: return call(ScalarOp::Mul, t, {older, newer});
        case Combine::Max: return call(ScalarOp::Max, t, {older, newer});
        case Combine::Min: return call(ScalarOp::Min, t, {older, newer});
        case Combine::Any: return call(ScalarOp::Or, t, {older, newer});
        case Combine::All: return call(ScalarOp::And, t, {older, newer});
        case Combine::ArgMax: case Combine::ArgMin: break;
    }
    SIFR_UNREACHABLE("positions are compared where they are known");
}

std::string KernelPrinter::neutral(Combine c, DType t) const {
    const ScalarValue v = identity_value(c, t);
    if (t == DType::F64) return float_text(v.f64, t);
    if (is_float(t)) return float_text(static_cast<double>(v.f32), t);
    Expr e;
    e.type = t;
    e.payload = static_cast<uint64_t>(v.i64);
    return constant(e);
}

}  // namespace sifr::cuda
