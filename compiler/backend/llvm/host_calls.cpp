// Rows that call the runtime. Most are data: the signature in runtime_calls.cpp says which operand, attribute or buffer each
// parameter of the C function takes. The rows in the table here need more than one call, or a choice.

#include <algorithm>
#include <cstring>

#include "compiler/backend/llvm/host_emitter.h"
#include "compiler/backend/llvm/host_memory.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/op/op_def.h"
#include "runtime/sifr_runtime.h"

namespace sifr::codegen {

using llvm::Value;

namespace {

int32_t list_kind(const Type& element) {
    switch (element.kind) {
        case Type::Kind::I64: return SIFR_LIST_I64;
        case Type::Kind::F64: return SIFR_LIST_F64;
        case Type::Kind::Bool: return SIFR_LIST_BOOL;
        case Type::Kind::Str: return SIFR_LIST_STR;
        case Type::Kind::Tensor: return SIFR_LIST_TENSOR;
        default: throw NotSupported(fmt::format("a run-time list of {} in compiled code", element.text()));
    }
}

/// What a trailing `*` of a runtime name stands for.
std::string with_kind(std::string function, const Type& element) {
    static const char* const names[] = {"i64", "f64", "bool", "str", "tensor"};
    const int32_t kind = list_kind(element);
    if (kind == SIFR_LIST_TENSOR) throw NotSupported("a run-time list of tensors in compiled code");
    function.pop_back();
    return function + names[kind];
}

/// A scalar in memory as an element of a list.
Value* element_in_memory(HostEmitter& h, PlanScalar s) {
    Value* v = h.scalar(s);
    if (h.type(s).kind == Type::Kind::Bool) v = h.b_.CreateZExt(v, h.m_.i8());
    Value* p = h.slot(v->getType(), "element");
    h.b_.CreateStore(v, p);
    return p;
}

/// Fills the parameters of a C function from an instruction, as its signature says.
class Caller {
public:
    Caller(HostEmitter& h, const PlanInst& inst, std::string function) : h_(h), inst_(inst), function_(std::move(function)) {
        const RuntimeFunction* f = runtime_function(function_);
        if (!f) throw NotSupported(fmt::format("'{}' in compiled host code", name_of(inst.op)));
        signature_ = f->signature;
        no_return_ = f->no_return;
        size_t results = 0;
        for (const char* p = signature_ + 2; *p; ++p) {
            if (*p == '{') p = std::strchr(p, '}');
            results += *p == 'R' || *p == 'E' || *p == 'K';
        }
        next_result_buffer_ = inst.buffers.size() - std::min(results, inst.buffers.size());
    }

    void run() {
        const char* p = signature_ + 2;
        while (*p != ')') parameter(p);
        Value* returned = h_.call(function_, args_);
        const char kind = signature_[0];
        if (no_return_) {
            h_.b_.CreateUnreachable();
            h_.b_.SetInsertPoint(h_.block("never"));
            return;
        }
        if (kind == 'e') h_.require(returned, inst_.location);
        else if (kind != 'v') h_.set(inst_.results.at(next_result_++), returned);
        for (const auto& [type, place, result] : outs_) {
            Value* v = h_.b_.CreateLoad(type, place);
            if (h_.type(result).kind == Type::Kind::Bool) v = h_.b_.CreateICmpNE(v, h_.b_.getInt8(0));
            h_.set(result, v);
        }
    }

private:
    struct Out {
        llvm::Type* type;
        Value* place;
        PlanScalar result;
    };

    PlanScalar operand(const char*& p) {
        if (*p >= '0' && *p <= '9') return inst_.scalars.at(static_cast<size_t>(*p++ - '0'));
        return inst_.scalars.at(next_scalar_++);
    }
    static std::string braced(const char*& p) {
        std::string name;
        for (++p; *p != '}'; ++p) name += *p;
        ++p;
        return name;
    }

    void parameter(const char*& p) {
        const char kind = *p++;
        if (*p == '=') {  // a constant
            std::string digits;
            for (++p; *p == '-' || (*p >= '0' && *p <= '9'); ++p) digits += *p;
            const int64_t v = std::stoll("0" + (digits[0] == '-' ? digits.substr(1) : digits)) * (digits[0] == '-' ? -1 : 1);
            args_.push_back(kind == 'i' ? static_cast<Value*>(h_.b_.getInt32(static_cast<uint32_t>(v))) : h_.m_.constant(v));
            return;
        }
        if (*p == '{') return attribute(kind, braced(p));
        switch (kind) {
            case 's': args_.push_back(h_.scalar(operand(p))); return;
            case 'l': args_.push_back(h_.as_i64(operand(p))); return;
            case 'd': args_.push_back(h_.as_f64(operand(p))); return;
            case 'b': case 'p': args_.push_back(h_.scalar(operand(p))); return;
            case 'V': args_.push_back(element_in_memory(h_, operand(p))); return;
            case 'T': args_.push_back(h_.tensor(inst_.buffers.at(next_buffer_++))); return;
            case 'R': args_.push_back(h_.result_tensor(inst_.buffers.at(next_result_buffer_++))); return;
            case 'D': args_.push_back(h_.operand_memory(inst_.buffers.at(next_buffer_++))); return;
            case 'E': args_.push_back(h_.result_memory(inst_.buffers.at(next_result_buffer_++))); return;
            case 'K': args_.push_back(kept_axis(inst_.buffers.at(next_result_buffer_++))); return;
            case 'G': args_.push_back(h_.generator(inst_.attrs.get_or<int64_t>("generator", 0))); return;
            case 'N': {
                const AttrValue* order = inst_.attrs.find("order");
                const auto* strides = order ? std::get_if<std::vector<int64_t>>(order) : nullptr;
                args_.push_back(h_.sizes_array(strides ? *strides : std::vector<int64_t>{}));
                return;
            }
            case 'F': args_.push_back(h_.file_pointer(inst_.location)); return;
            case 'W': args_.push_back(h_.line_number(inst_.location)); return;
            case 'A': return rest_as_array();
            case 'O': {
                const PlanScalar result = inst_.results.at(next_result_++);
                llvm::Type* type = h_.type(result).kind == Type::Kind::Bool ? h_.m_.i8() : h_.type_of(h_.type(result));
                outs_.push_back({type, h_.slot(type, "out"), result});
                args_.push_back(outs_.back().place);
                return;
            }
            default: SIFR_UNREACHABLE("signature of {}: '{}'", function_, kind);
        }
    }

    const Sizes& sizes(size_t buffer) const { return h_.plan().buffers.at(inst_.buffers.at(buffer).index).sizes; }
    /// The axis that the attribute `dim` names; 0 of a 0-d tensor.
    int64_t axis() const {
        const auto rank = static_cast<int64_t>(sizes(0).size()), dim = inst_.attrs.get_or<int64_t>("dim", -1);
        return rank == 0 ? 0 : dim < 0 ? dim + rank : dim;
    }
    /// A result under the first operand's sizes with one element along the axis.
    Value* kept_axis(PlanBuffer b) {
        Sizes kept = sizes(0);
        if (!kept.empty()) kept[static_cast<size_t>(axis())] = 1;
        return h_.result_tensor(b, kept);
    }
    /// The last two axes are the matrix, those in front the batch.
    int64_t fact(const std::string& name) const {
        const Sizes& s = sizes(0);
        if (name == ".dtype") return static_cast<int64_t>(h_.plan().buffers.at(inst_.buffers.at(0).index).type);
        if (name == ".dim") return axis();
        if (name == ".upper") return inst_.attrs.get_or<std::string>("UPLO", "L") == "U";
        if (name == ".complete") return inst_.attrs.get_or<std::string>("mode", "reduced") == "complete";
        if (name == ".batched") return s.size() > 2;
        if (name == ".bytes") return h_.plan().buffers.at(inst_.buffers.at(0).index).bytes;
        const int64_t rows = s.at(s.size() - 2), columns = s.back();
        int64_t batch = 1;
        for (size_t d = 0; d + 2 < s.size(); ++d) batch *= s[d];
        if (name == ".batch") return batch;
        if (name == ".rows") return rows;
        if (name == ".columns") return columns;
        SIFR_CHECK(name == ".other", "signature of {}: '{}'", function_, name);
        return batch * rows == 0 ? 0 : element_count(sizes(1)) / (batch * rows);
    }

    void attribute(char kind, const std::string& name) {
        if (!name.empty() && name[0] == '.') {
            const int64_t v = fact(name);
            args_.push_back(kind == 'b' ? static_cast<Value*>(h_.b_.getInt1(v != 0)) : kind == 'i' ? h_.b_.getInt32(static_cast<uint32_t>(v)) : h_.m_.constant(v));
            return;
        }
        switch (kind) {
            case 's': args_.push_back(name.empty() ? static_cast<Value*>(h_.make_str(llvm::ConstantPointerNull::get(h_.m_.ptr()), h_.m_.constant(0)))
                                                   : h_.text(inst_.attrs.get<std::string>(name)));
                return;
            case 'c': args_.push_back(h_.m_.text(inst_.attrs.get<std::string>(name))); return;
            case 'b': args_.push_back(h_.b_.getInt1(inst_.attrs.get_or<bool>(name, default_of(name)))); return;
            case 'd': args_.push_back(llvm::ConstantFP::get(h_.m_.f64(), inst_.attrs.get_or<double>(name, 0.0))); return;
            case 'i': args_.push_back(h_.b_.getInt32(static_cast<uint32_t>(inst_.attrs.get<int64_t>(name)))); return;
            case 'l': args_.push_back(h_.m_.constant(inst_.attrs.get<int64_t>(name))); return;
            default: SIFR_UNREACHABLE("signature of {}: '{}' from attribute {}", function_, kind, name);
        }
    }

    /// The default of a bool in the row's signature.
    bool default_of(const std::string& name) const {
        for (const Param& p : signature(inst_.op).params) {
            if (p.name != name) continue;
            if (const bool* b = std::get_if<bool>(&p.default_value)) return *b;
        }
        return false;
    }

    void rest_as_array() {
        const size_t count = inst_.scalars.size() - next_scalar_;
        auto* array = llvm::ArrayType::get(h_.str_type(), std::max<size_t>(1, count));
        Value* parts = h_.slot(array, "parts");
        for (size_t i = 0; i < count; ++i) h_.b_.CreateStore(h_.scalar(inst_.scalars[next_scalar_++]), h_.b_.CreateConstInBoundsGEP2_64(array, parts, 0, i));
        args_.push_back(parts);
        args_.push_back(h_.m_.constant(static_cast<int64_t>(count)));
    }

    HostEmitter& h_;
    const PlanInst& inst_;
    std::string function_;
    const char* signature_;
    bool no_return_ = false;
    std::vector<Value*> args_;
    std::vector<Out> outs_;
    size_t next_scalar_ = 0, next_buffer_ = 0, next_result_buffer_ = 0, next_result_ = 0;
};

const Type& element_of(HostEmitter& h, const PlanInst& inst) { return h.type(inst.scalars.at(0)).members.at(0); }

void emit_format(HostEmitter& h, const PlanInst& inst) {
    std::vector<std::pair<Type, Value*>> args;
    for (PlanScalar s : inst.scalars) args.emplace_back(h.type(s), h.scalar(s));
    h.set(inst.results.at(0), h.format(inst.attrs.get<std::string>("spec"), args, inst.location));
}

void emit_check(HostEmitter& h, const PlanInst& inst) {
    h.require(h.scalar(inst.scalars.at(0)), [&] {
        std::vector<std::pair<Type, Value*>> args;
        for (size_t i = 1; i < inst.scalars.size(); ++i) args.emplace_back(h.type(inst.scalars[i]), h.scalar(inst.scalars[i]));
        h.raise(inst.attrs.get<std::string>("type"), h.format(inst.attrs.get<std::string>("text"), args, inst.location), inst.location);
    });
}

void emit_tensor_str(HostEmitter& h, const PlanInst& inst) {
    Value* t = h.tensor(inst.buffers.at(0));
    const Attrs& a = inst.attrs;
    Value* shown = nullptr;
    if (a.get_or<std::string>("kind", "str") == "tolist") {
        shown = h.call("sifr_tensor_tolist_str", {t});
    } else {
        const sifr_print_options d = sifr_default_print_options();
        auto* type = llvm::StructType::get(h.m_.context, {h.m_.i32(), h.m_.i32(), h.m_.i64(), h.m_.i32(), h.m_.i32(), h.m_.i32(), h.m_.i32()});
        auto word = [&](int64_t v) { return llvm::ConstantInt::getSigned(h.m_.i32(), v); };
        const DType default_dtype = a.get_or<DType>("default_dtype", static_cast<DType>(d.default_dtype));
        auto* options = llvm::ConstantStruct::get(type, {word(a.get_or<int64_t>("precision", d.precision)), word(a.get_or<int64_t>("edgeitems", d.edgeitems)),
                                                         h.m_.constant(a.get_or<int64_t>("threshold", d.threshold)), word(a.get_or<int64_t>("linewidth", d.linewidth)),
                                                         word(a.get_or<int64_t>("sci_mode", d.sci_mode)), word(static_cast<int64_t>(default_dtype)), word(a.get_or<std::string>("kind", "str") == "complex" ? 1 : 0)});
        auto* global = new llvm::GlobalVariable(h.m_.module(), type, true, llvm::GlobalValue::PrivateLinkage, options, "print.options");
        shown = h.call("sifr_tensor_str", {t, global, h.text(a.get_or<std::string>("device", "")), h.text(a.get_or<std::string>("suffix", ""))});
    }
    // Lines behind the first stand under the column where the text begins.
    if (const auto indent = a.get_or<int64_t>("indent", 0); indent > 0)
        shown = h.call("sifr_str_replace", {shown, h.text("\n"), h.text("\n" + std::string(static_cast<size_t>(indent), ' ')), h.m_.constant(-1)});
    h.set(inst.results.at(0), shown);
}

void emit_clock(HostEmitter& h, const PlanInst& inst) {
    const auto which = inst.attrs.get_or<std::string>("which", "time");
    h.memory().synchronize();
    h.set(inst.results.at(0), h.call("sifr_" + which, {}));
}

void emit_env(HostEmitter& h, const PlanInst& inst) {
    Value* out = h.slot(h.str_type(), "out");
    h.b_.CreateStore(h.text(""), out);
    Value* known = h.call("sifr_getenv", {h.scalar(inst.scalars.at(0)), out});
    Value* o = llvm::PoisonValue::get(h.type_of(h.type(inst.results.at(0))));
    o = h.b_.CreateInsertValue(o, known, 0);
    h.set(inst.results.at(0), h.b_.CreateInsertValue(o, h.b_.CreateLoad(h.str_type(), out), 1));
}

void emit_none(HostEmitter& h, const PlanInst& inst) {
    h.set(inst.results.at(0), llvm::Constant::getNullValue(h.type_of(h.type(inst.results.at(0)))));
}

void emit_some(HostEmitter& h, const PlanInst& inst) {
    Value* o = llvm::PoisonValue::get(h.type_of(h.type(inst.results.at(0))));
    o = h.b_.CreateInsertValue(o, h.b_.getTrue(), 0);
    for (size_t i = 0; i < inst.scalars.size(); ++i) o = h.b_.CreateInsertValue(o, h.scalar(inst.scalars[i]), static_cast<unsigned>(i + 1));
    h.set(inst.results.at(0), o);
}

void emit_is_none(HostEmitter& h, const PlanInst& inst) {
    h.set(inst.results.at(0), h.b_.CreateNot(h.b_.CreateExtractValue(h.scalar(inst.scalars.at(0)), 0)));
}

void emit_unwrap(HostEmitter& h, const PlanInst& inst) {
    Value* o = h.scalar(inst.scalars.at(0));
    h.require(h.b_.CreateExtractValue(o, 0), [&] {
        const auto& error = inst.attrs.get<std::string>("error");
        const size_t colon = error.find(": ");
        h.raise(error.substr(0, colon), h.text(colon == std::string::npos ? "" : error.substr(colon + 2)), inst.location);
    });
    for (size_t i = 0; i < inst.results.size(); ++i) h.set(inst.results[i], h.b_.CreateExtractValue(o, static_cast<unsigned>(i + 1)));
}

void emit_str_lt(HostEmitter& h, const PlanInst& inst) {
    Value* order = h.call("sifr_str_compare", {h.scalar(inst.scalars.at(0)), h.scalar(inst.scalars.at(1))});
    h.set(inst.results.at(0), h.b_.CreateICmpSLT(order, h.b_.getInt32(0)));
}

void emit_list_new(HostEmitter& h, const PlanInst& inst) {
    const Type& element = h.type(inst.results.at(0)).members.at(0);
    h.set(inst.results.at(0), h.call("sifr_list_new", {h.b_.getInt32(static_cast<uint32_t>(list_kind(element))),
                                                        h.m_.constant(element.is_tensor() ? element.bytes() : 0)}));
}

void emit_list_extremum(HostEmitter& h, const PlanInst& inst) {
    Value* list = h.scalar(inst.scalars.at(0));
    Value* position = h.slot(h.m_.i64(), "position");
    h.require(h.call(def(inst.op).runtime, {list, position}), inst.location);
    const Type& element = element_of(h, inst);
    llvm::Type* type = element.kind == Type::Kind::Bool ? h.m_.i8() : h.type_of(element);
    Value* out = h.slot(type, "out");
    h.require(h.call(with_kind("sifr_list_get_*", element), {list, h.b_.CreateLoad(h.m_.i64(), position), out}), inst.location);
    Value* v = h.b_.CreateLoad(type, out);
    h.set(inst.results.at(0), element.kind == Type::Kind::Bool ? h.b_.CreateICmpNE(v, h.b_.getInt8(0)) : v);
}

void emit_list_sorted(HostEmitter& h, const PlanInst& inst) {
    Value* copy = h.call("sifr_list_copy", {h.scalar(inst.scalars.at(0))});
    h.call("sifr_list_sort", {copy, h.b_.getInt1(inst.attrs.get_or<bool>("reverse", false))});
    h.set(inst.results.at(0), copy);
}

/// torch.tensor(list) of numbers: the elements of the list as a tensor of its own dtype, converted into the result.
void emit_list_to_tensor(HostEmitter& h, const PlanInst& inst) {
    const Type& element = element_of(h, inst);
    if (element.is_tensor() || element.kind == Type::Kind::Str) throw NotSupported("a tensor made of a run-time list of tensors, in compiled code");
    Value* list = h.scalar(inst.scalars.at(0));
    auto* type = llvm::StructType::get(h.m_.context, {h.m_.ptr(), h.m_.i32(), h.m_.i32(), h.m_.ptr(), h.m_.ptr()});
    Value* size = h.slot(h.m_.i64(), "size");
    h.b_.CreateStore(h.call("sifr_list_length", {list}), size);
    Value* from = h.slot(type, "tensor");
    Value* null = llvm::ConstantPointerNull::get(h.m_.ptr());
    Value* members[] = {h.call("sifr_list_data", {list}), h.b_.getInt32(static_cast<uint32_t>(dtype_of_number(element.kind))), h.b_.getInt32(1), size, null};
    for (unsigned i = 0; i < 5; ++i) h.b_.CreateStore(members[i], h.b_.CreateStructGEP(type, from, i));
    // A result of run-time size has room for its bound; what the list has is written.
    Value* to = h.result_tensor(inst.buffers.at(0));
    h.b_.CreateStore(size, h.b_.CreateStructGEP(type, to, 3));
    h.call("sifr_tensor_copy", {from, to});
    if (!inst.results.empty()) h.set(inst.results[0], h.b_.CreateLoad(h.m_.i64(), size));
}

void emit_rng_skip(HostEmitter& h, const PlanInst& inst) {
    const auto& kind = inst.attrs.get<std::string>("kind");
    const auto dtype = inst.attrs.get<DType>("dtype");
    const int64_t n = element_count(inst.attrs.get<std::vector<int64_t>>("sizes"));
    Value* g = h.generator(inst.attrs.get_or<int64_t>("generator", 0));
    if (kind == "normal") {
        h.call("sifr_random_skip_normal", {g, h.b_.getInt32(static_cast<uint32_t>(dtype)), h.m_.constant(n), h.b_.getTrue()});
    } else if (kind == "uniform") {
        h.call("sifr_random_skip", {g, h.m_.constant(dtype == DType::F64 ? 2 * n : n)});
    } else {
        throw NotSupported(fmt::format("skipping a draw of '{}' in compiled code", kind));
    }
}

void emit_normal_tensors(HostEmitter& h, const PlanInst& inst) {
    // Tensor operands come first among the buffers, numbers among the scalars; which of the two is which, the signature's order says.
    if (inst.buffers.size() != 3) throw NotSupported("torch.normal of a tensor and a number in compiled code");
    Value* g = h.generator(inst.attrs.get_or<int64_t>("generator", 0));
    Value* zero = llvm::ConstantFP::get(h.m_.f64(), 0.0);
    h.call("sifr_random_normal_tensors", {g, h.result_tensor(inst.buffers[2]), h.tensor(inst.buffers[0]), zero, h.tensor(inst.buffers[1]), zero});
}

template <bool two>
void emit_math(HostEmitter& h, const PlanInst& inst) {
    struct Function {
        const char* name;
        int32_t code;
    };
    static const Function functions[] = {
        {"fsqrt", SIFR_MATH_SQRT}, {"fexp", SIFR_MATH_EXP}, {"fexpm1", SIFR_MATH_EXPM1}, {"flog", SIFR_MATH_LOG}, {"flog2", SIFR_MATH_LOG2},
        {"flog10", SIFR_MATH_LOG10}, {"flog1p", SIFR_MATH_LOG1P}, {"fsin", SIFR_MATH_SIN}, {"fcos", SIFR_MATH_COS}, {"ftan", SIFR_MATH_TAN},
        {"fasin", SIFR_MATH_ASIN}, {"facos", SIFR_MATH_ACOS}, {"fatan", SIFR_MATH_ATAN}, {"fsinh", SIFR_MATH_SINH}, {"fcosh", SIFR_MATH_COSH},
        {"ftanh", SIFR_MATH_TANH}, {"fasinh", SIFR_MATH_ASINH}, {"facosh", SIFR_MATH_ACOSH}, {"fatanh", SIFR_MATH_ATANH}, {"ferf", SIFR_MATH_ERF},
        {"ferfc", SIFR_MATH_ERFC}, {"fgamma", SIFR_MATH_GAMMA}, {"flgamma", SIFR_MATH_LGAMMA}, {"fcbrt", SIFR_MATH_CBRT}, {"fexp2", SIFR_MATH_EXP2},
        {"fatan2", SIFR_MATH_ATAN2}, {"fhypot", SIFR_MATH_HYPOT}, {"fcopysign", SIFR_MATH_COPYSIGN},
    };
    const auto* f = std::find_if(std::begin(functions), std::end(functions), [&](const Function& x) { return x.name == name_of(inst.op); });
    SIFR_CHECK(f != std::end(functions), "no function of the math module for '{}'", name_of(inst.op));
    Value* out = h.slot(h.m_.f64(), "out");
    std::vector<Value*> args{h.b_.getInt32(static_cast<uint32_t>(f->code)), h.as_f64(inst.scalars.at(0))};
    if (two) args.push_back(h.as_f64(inst.scalars.at(1)));
    args.push_back(out);
    h.require(h.call(def(inst.op).runtime, args), inst.location);
    h.set(inst.results.at(0), h.b_.CreateLoad(h.m_.f64(), out));
}

struct Row {
    const char* name;
    void (*emit)(HostEmitter& h, const PlanInst& inst);
};
const Row rows[] = {
    {"format", emit_format},
    {"check", emit_check},
    {"tensor_str", emit_tensor_str},
    {"clock", emit_clock},
    {"env", emit_env},
    {"none", emit_none},
    {"some", emit_some},
    {"is_none", emit_is_none},
    {"unwrap", emit_unwrap},
    {"str_lt", emit_str_lt},
    {"list_new", emit_list_new},
    {"list_min", emit_list_extremum},
    {"list_max", emit_list_extremum},
    {"list_sorted", emit_list_sorted},
    {"list_to_tensor", emit_list_to_tensor},
    {"rng_skip", emit_rng_skip},
    {"normal.tensors", emit_normal_tensors},
};

}  // namespace

bool emit_call_row(HostEmitter& h, const PlanInst& inst) {
    const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == name_of(inst.op); });
    if (row != std::end(rows)) {
        row->emit(h, inst);
        return true;
    }
    const char* function = def(inst.op).runtime;
    if (!function) return false;
    std::string name = function;
    if (name == "sifr_math_call1") emit_math<false>(h, inst);
    else if (name == "sifr_math_call2") emit_math<true>(h, inst);
    else Caller(h, inst, name.back() == '*' ? with_kind(name, element_of(h, inst)) : name).run();
    return true;
}

Value* HostEmitter::format(const std::string& text, const std::vector<std::pair<Type, Value*>>& args, const Location& location) {
    std::vector<Value*> parts;
    std::string literal;
    auto flush = [&] {
        if (!literal.empty()) parts.push_back(this->text(literal));
        literal.clear();
    };
    auto checked = [&](const char* function, Value* v, Value* spec) {
        Value* out = slot(str_type(), "out");
        require(call(function, {v, spec, out}), location);
        return b_.CreateLoad(str_type(), out);
    };
    auto field = [&](const Type& type, Value* v, const std::string& conversion, const std::string& spec) -> Value* {
        const bool converted = !conversion.empty();
        Value* s = this->text(spec);
        switch (type.kind) {
            case Type::Kind::I64: if (!spec.empty() && !converted) return checked("sifr_format_i64", v, s); v = call("sifr_i64_str", {v}); break;
            case Type::Kind::F64: if (!spec.empty() && !converted) return checked("sifr_format_f64", v, s); v = call("sifr_f64_str", {v}); break;
            case Type::Kind::Bool: if (!spec.empty() && !converted) return checked("sifr_format_bool", v, s); v = call("sifr_bool_str", {v}); break;
            case Type::Kind::Str: if (conversion == "r") v = call("sifr_str_repr", {v}); break;
            case Type::Kind::List: v = call("sifr_list_str", {v}); break;
            default: throw NotSupported(fmt::format("a value of type {} in a format, in compiled code", type.text()));
        }
        return spec.empty() ? v : static_cast<Value*>(checked("sifr_format_str", v, s));
    };
    size_t operand = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
            literal += c;
            ++i;
        } else if (c == '{') {
            const size_t close = text.find('}', i);
            SIFR_CHECK(close != std::string::npos, "a field without an end in '{}'", text);
            const std::string body = text.substr(i + 1, close - i - 1);
            const size_t colon = body.find(':');
            const std::string head = body.substr(0, colon);
            SIFR_CHECK(operand < args.size(), "'{}' has more fields than operands", text);
            flush();
            parts.push_back(field(args[operand].first, args[operand].second, head.empty() || head[0] != '!' ? "" : head.substr(1),
                                  colon == std::string::npos ? "" : body.substr(colon + 1)));
            ++operand;
            i = close;
        } else {
            literal += c;
        }
    }
    flush();
    if (parts.empty()) return this->text("");
    if (parts.size() == 1) return parts[0];
    auto* array = llvm::ArrayType::get(str_type(), parts.size());
    Value* list = slot(array, "parts");
    for (size_t i = 0; i < parts.size(); ++i) b_.CreateStore(parts[i], b_.CreateConstInBoundsGEP2_64(array, list, 0, i));
    return call("sifr_str_concat_n", {list, m_.constant(static_cast<int64_t>(parts.size()))});
}

}  // namespace sifr::codegen
