#include "passes/fusion/emitter.h"

#include <bit>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/loop/scalar_value.h"

namespace sifr {

namespace {

std::string as_identifier(std::string s) {
    for (char& c : s) {
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
    }
    if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0]))) s = "t" + s;
    return s;
}

DType element_type(const Type& t) { return t.is_tensor() ? t.dtype : dtype_of_number(t.kind); }

}  // namespace

std::string kernel_name_of(const Function& f, ValueId v) {
    if (!f[v].name.empty()) return as_identifier(f[v].name);
    // What a group reads is called as outside of it, and what it makes as inside.
    if (f[v].def == Value::Def::Parameter && f[f[v].region].parent.valid()) {
        const Inst& around = f[f[f[v].region].parent];
        if (around.op == "group"_op && f[v].position < around.operands.size()) return kernel_name_of(f, around.operands[f[v].position]);
    }
    if (const Inst* p = f.producer(v)) {
        if (p->op == "group"_op) return kernel_name_of(f, f[p->regions[0]].results.at(f[v].position));
        std::string_view n = name_of(p->op);
        return as_identifier(std::string(n.substr(0, n.find('.'))));
    }
    return "x";
}

Emitter::Emitter(const Function& f, const Inst& group, Kernel& k) : kernel(k), f_(f), group_(group) {
    const Region& body = f[group.regions.at(0)];
    for (InstId id : body.insts) {
        if (f[id].erased) continue;
        for (ValueId v : f[id].operands) ++uses_[v.index];
    }
    for (ValueId v : body.results) ++uses_[v.index];
    stores_ = static_cast<int>(body.results.size());
    open();
}

void Emitter::open() { scopes_.emplace_back(); }

Block Emitter::close() {
    Block b = std::move(scopes_.back().block);
    scopes_.pop_back();
    return b;
}

void Emitter::append(Stmt s) {
    if (s.location.empty()) s.location = group_.location;
    scopes_.back().block.push_back(std::move(s));
}

VarId Emitter::loop_var(const std::string& name, int64_t extent) {
    VarId v = kernel.add_var(name);
    var_level_[v.index] = depth();
    var_range_[v.index] = {0, extent - 1};
    return v;
}

VarId Emitter::declare(const std::string& name, DType type) {
    VarId v = kernel.add_var(name, type);
    var_level_[v.index] = depth();
    return v;
}

VarRange Emitter::ranges() const {
    return [this](VarId v) -> std::optional<std::pair<int64_t, int64_t>> {
        auto it = var_range_.find(v.index);
        if (it == var_range_.end()) return std::nullopt;
        return it->second;
    };
}

int Emitter::uses(ValueId v) const {
    auto it = uses_.find(v.index);
    return it == uses_.end() ? 0 : it->second;
}

BufferId Emitter::buffer_of(ValueId v) {
    auto it = buffers_.find(v.index);
    if (it != buffers_.end()) return it->second;
    const Type& t = f_.type(v);
    if (is_complex(t.dtype)) throw NotSupported(fmt::format("kernels on {}", torch_name(t.dtype)));
    BufferId b = kernel.add_buffer({.name = kernel_name_of(f_, v), .type = t.dtype, .extent = t.numel()});
    buffers_.emplace(v.index, b);
    return b;
}

VarId Emitter::scalar_of(ValueId v) {
    auto it = scalars_.find(v.index);
    if (it != scalars_.end()) return it->second;
    VarId s = kernel.add_var(kernel_name_of(f_, v), dtype_of_number(f_.type(v).kind));
    var_level_[s.index] = 0;
    kernel.scalars.push_back(s);
    scalars_.emplace(v.index, s);
    return s;
}

const Inst& Emitter::producer(ValueId v) const {
    const Inst* p = f_.producer(v);
    SIFR_CHECK(p, "{} has no producer in its group", v.str());
    return *p;
}

int Emitter::level_of(const Affine& a) const {
    int l = 0;
    for (const Affine::Term& t : a.terms) l = std::max(l, var_level_.at(t.var.index));
    return l;
}

int Emitter::level(ExprId id) const {
    const Expr& e = kernel.exprs[id];
    if (e.op == ScalarOp::Var) return var_level_.at(e.var.index);
    if (e.op == ScalarOp::Load) return level_of(e.index);
    int l = 0;
    for (ExprId a : e.args) {
        if (a.valid()) l = std::max(l, level(a));
    }
    return l;
}

ExprId Emitter::cast(ExprId e, DType to) {
    const Expr& node = kernel.exprs[e];
    if (node.type == to) return e;
    if (node.op != ScalarOp::Const) return kernel.exprs.cast(e, to);
    ScalarValue v = cast_value(constant_value(node.type, node.payload), node.type, to);
    if (to == DType::F64) return kernel.exprs.constant_bits(to, std::bit_cast<uint64_t>(v.f64));
    if (is_float(to)) return kernel.exprs.constant_bits(to, std::bit_cast<uint64_t>(static_cast<double>(v.f32)));
    return kernel.exprs.constant_bits(to, static_cast<uint64_t>(v.i64));
}

ExprId Emitter::bind(ExprId e, const std::string& name) { return bind_at(e, name, depth()); }

ExprId Emitter::bind_at(ExprId e, const std::string& name, int level) {
    const Expr& node = kernel.exprs[e];
    if (node.op == ScalarOp::Var || node.op == ScalarOp::Const) return e;
    VarId v = kernel.add_var(name, node.type);
    var_level_[v.index] = level;
    DType type = node.type;
    scopes_[static_cast<size_t>(level)].block.push_back(Stmt{Let{v, e}, {}});
    return kernel.exprs.var(v, type);
}

void Emitter::name_value(ValueId v, VarId var) {
    scopes_.back().named[v.index] = var;
    var_level_[var.index] = depth();
}

void Emitter::save_value(ValueId v, Saved where) { scopes_.back().saved[v.index] = std::move(where); }

std::vector<VarId> Emitter::index_vars(const Inst& inst) {
    std::vector<VarId> out;
    for (size_t k = operand_index(inst.op, "indices", inst.operands.size()); k < inst.operands.size(); ++k) {
        ValueId v = inst.operands[k];
        if (is_parameter(v)) {
            out.push_back(scalar_of(v));
            continue;
        }
        auto c = f_.constant_int(v);
        SIFR_CHECK(c, "a run-time index that is no scalar");
        ExprId e = kernel.exprs.constant_int(DType::I64, *c);
        VarId var = kernel.add_var("index");
        var_level_[var.index] = 0;
        scopes_[0].block.push_back(Stmt{Let{var, e}, {}});
        out.push_back(var);
    }
    return out;
}

ExprId Emitter::element(ValueId v, const Coords& c) {
    std::string key = fmt::format("{}{}", v.index, c.key());
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s) {
        if (auto it = s->named.find(v.index); it != s->named.end()) return kernel.exprs.var(it->second, kernel.vars[it->second.index].type);
        if (auto it = s->memo.find(key); it != s->memo.end()) return it->second;
        if (auto it = s->saved.find(v.index); it != s->saved.end())
            return kernel.exprs.load(it->second.buffer, kernel.buffers[it->second.buffer.index].type, it->second.index);
    }
    ExprId e = compute(v, c);
    int l = level(e);
    // A name for what is used again, for what belongs into an outer block, and for loads in front of several stores (a store
    // may go to the memory that another store's value was to be loaded from).
    bool load = kernel.exprs[e].op == ScalarOp::Load;
    if (uses(v) > 1 || l < depth() || (load && stores_ > 1)) e = bind_at(e, kernel_name_of(f_, v), l);
    scopes_[static_cast<size_t>(l)].memo[key] = e;
    return e;
}

ExprId Emitter::compute(ValueId v, const Coords& c) {
    const Value& value = f_[v];
    if (value.def == Value::Def::Constant) {
        if (const bool* b = std::get_if<bool>(&value.constant)) return kernel.exprs.constant_bits(DType::Bool, *b);
        if (const int64_t* i = std::get_if<int64_t>(&value.constant)) return kernel.exprs.constant_int(DType::I64, *i);
        if (const double* d = std::get_if<double>(&value.constant))
            return kernel.exprs.constant_bits(DType::F64, std::bit_cast<uint64_t>(*d));
        SIFR_UNREACHABLE("a constant that is no number in a kernel");
    }
    if (value.def == Value::Def::Parameter) {
        if (!value.type.is_tensor()) return kernel.exprs.var(scalar_of(v), element_type(value.type));
        return kernel.exprs.load(buffer_of(v), value.type.dtype, linear(c, value.type.sizes));
    }
    const Inst& inst = producer(v);
    if (inst.op == "extract"_op) {
        const Sizes& frame = f_.type(inst.operands[0]).sizes;
        auto at = frame_coords(inst.attrs.get<Layout>("layout"), frame, c, index_vars(inst), ranges());
        SIFR_CHECK(at, "an extract without affine coordinates in a kernel");
        return element(inst.operands[0], *at);
    }
    switch (def(inst.op).lower) {
        case Lower::Pointwise: return pointwise(inst, c);
        case Lower::Fill: return fill(inst, c);
        default: SIFR_UNREACHABLE("'{}' has no elements in this kernel", name_of(inst.op));
    }
}

ExprId Emitter::pointwise(const Inst& inst, const Coords& c) {
    const Sizes& result = f_.type(inst.results[0]).sizes;
    std::vector<ExprId> inputs;
    for (ValueId v : inst.operands) {
        const Type& t = f_.type(v);
        if (!t.is_tensor() && !t.is_number()) {
            inputs.emplace_back();
            continue;
        }
        if (!t.is_tensor()) {
            inputs.push_back(element(v, {}));
            continue;
        }
        auto at = broadcast_coords(t.sizes, result, c);
        SIFR_CHECK(at, "a broadcast operand without affine coordinates in a kernel");
        inputs.push_back(element(v, *at));
    }
    return copy_body(scalar_body(f_, inst), inputs, kernel_name_of(f_, inst.results[0]));
}

ExprId Emitter::copy_body(const ScalarBody& body, const std::vector<ExprId>& inputs, const std::string& name) {
    const auto& nodes = body.arena.nodes;
    std::vector<int> used(nodes.size());
    used[body.root.index] = 1;
    for (size_t i = body.root.index + 1; i-- > 0;) {
        if (!used[i]) continue;
        for (ExprId a : nodes[i].args) {
            if (a.valid()) ++used[a.index];
        }
    }
    std::vector<ExprId> here(nodes.size());
    for (size_t i = 0; i <= body.root.index; ++i) {
        if (!used[i]) continue;
        const Expr& e = nodes[i];
        auto arg = [&](size_t k) { return here[e.args[k].index]; };
        ExprId made;
        switch (e.op) {
            case ScalarOp::Input:
                made = inputs.at(e.payload);
                SIFR_CHECK(made.valid() && kernel.exprs.type(made) == e.type, "input {} of a scalar body has another type", e.payload);
                // An expression that the body reads twice gets a name.
                if (used[i] > 1) made = bind_at(made, "a", level(made));
                here[i] = made;
                continue;
            case ScalarOp::Const: here[i] = kernel.exprs.constant_bits(e.type, e.payload); continue;
            case ScalarOp::Cast: made = cast(arg(0), e.type); break;
            case ScalarOp::Bitcast: made = kernel.exprs.bitcast(arg(0), e.type); break;
            case ScalarOp::Var:
            case ScalarOp::Load: SIFR_UNREACHABLE("a scalar body reads its inputs only");
            default:
                switch (arity(e.op)) {
                    case 1: made = kernel.exprs.unary(e.op, arg(0)); break;
                    case 2: made = kernel.exprs.binary(e.op, arg(0), arg(1)); break;
                    default: made = kernel.exprs.ternary(e.op, arg(0), arg(1), arg(2)); break;
                }
        }
        if (used[i] > 1) made = bind_at(made, name, level(made));
        here[i] = made;
    }
    return here[body.root.index];
}

ExprId Emitter::fill(const Inst& inst, const Coords& c) {
    const Type& t = f_.type(inst.results[0]);
    if (inst.op == "full"_op || inst.op == "scalar_tensor"_op) {
        const Type& from = f_.type(inst.operands[0]);
        Coords zero;
        if (from.is_tensor()) zero.at.resize(from.sizes.size());
        ExprId e = element(inst.operands[0], zero);
        return cast(e, t.dtype);
    }
    // The row number of an element, as a value.
    auto number = [&](const Affine& a) {
        ExprId e = kernel.exprs.constant_int(DType::I64, a.base);
        for (const Affine::Term& term : a.terms) {
            ExprId v = kernel.exprs.var(term.var, DType::I64);
            if (term.scale != 1) v = kernel.exprs.binary(ScalarOp::Mul, v, kernel.exprs.constant_int(DType::I64, term.scale));
            const Expr& so_far = kernel.exprs[e];
            e = so_far.op == ScalarOp::Const && so_far.payload == 0 ? v : kernel.exprs.binary(ScalarOp::Add, e, v);
        }
        return e;
    };
    if (inst.op == "arange"_op) {
        // start + i · step: in 64-bit integers where the result is integral, else in F64 as PyTorch, then rounded.
        DType wide = is_integral(t.dtype) ? DType::I64 : DType::F64;
        ExprId i = number(linear(c, t.sizes));
        ExprId start = cast(element(inst.operands[0], {}), wide), step = cast(element(inst.operands[2], {}), wide);
        ExprId product = kernel.exprs.binary(ScalarOp::Mul, cast(i, wide), step);
        return cast(kernel.exprs.binary(ScalarOp::Add, start, product), t.dtype);
    }
    if (inst.op == "eye"_op) {
        SIFR_CHECK(!c.flat, "an identity matrix at flat coordinates");
        ExprId same = kernel.exprs.binary(ScalarOp::Eq, number(c.at[0]), number(c.at[1]));
        return cast(same, t.dtype);
    }
    // What nobody may read: any value will do.
    if (inst.op == "empty"_op) return cast(kernel.exprs.constant_int(DType::I64, 0), t.dtype);
    ExprArena& x = kernel.exprs;
    if (inst.op == "from_scalars"_op) {
        Affine at = linear(c, t.sizes);
        auto value = [&](size_t k) { return cast(element(inst.operands.at(k), {}), t.dtype); };
        if (at.is_constant()) return value(static_cast<size_t>(at.base));
        ExprId i = bind_at(number(at), "number", level_of(at)), chosen = value(inst.operands.size() - 1);
        for (size_t k = inst.operands.size() - 1; k-- > 0;)
            chosen = x.ternary(ScalarOp::Select, x.binary(ScalarOp::Eq, i, x.constant_int(DType::I64, static_cast<int64_t>(k))), value(k),
                               chosen);
        return chosen;
    }
    if (inst.op == "linspace"_op) {
        // The first half from the start, the second from the end, in the result's own dtype, as PyTorch.
        DType wide = t.dtype == DType::F16 || t.dtype == DType::BF16 ? DType::F32 : is_float(t.dtype) ? t.dtype : DType::F64;
        int64_t steps = t.sizes.at(0);
        ExprId start = cast(element(inst.operands[0], {}), wide), end = cast(element(inst.operands[1], {}), wide);
        if (steps == 1) return cast(start, t.dtype);
        ExprId count = cast(x.constant_int(DType::I64, steps - 1), wide);
        ExprId step = bind_at(x.binary(ScalarOp::Div, x.binary(ScalarOp::Sub, end, start), count), "step", 0);
        Affine at = linear(c, t.sizes);
        ExprId i = bind_at(number(at), "number", level_of(at));
        ExprId back = x.binary(ScalarOp::Sub, x.constant_int(DType::I64, steps - 1), i);
        ExprId front = x.binary(ScalarOp::Add, start, x.binary(ScalarOp::Mul, step, cast(i, wide)));
        ExprId rear = x.binary(ScalarOp::Sub, end, x.binary(ScalarOp::Mul, step, cast(back, wide)));
        ExprId first = x.binary(ScalarOp::Lt, i, x.constant_int(DType::I64, steps / 2));
        return cast(x.ternary(ScalarOp::Select, first, front, rear), t.dtype);
    }
    throw NotSupported(fmt::format("'{}' in a kernel", name_of(inst.op)));
}

}  // namespace sifr
