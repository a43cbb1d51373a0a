// Loops: serial ones, vector ones in full vectors with a masked tail, and those that run on several threads.

#include <bit>

#include "compiler/backend/llvm/kernel_emitter.h"
#include "compiler/backend/llvm/kernel_symbol.h"
#include "ir/base/check.h"
#include "ir/loop/short_loops.h"

namespace sifr::codegen {

namespace {

/// A vector loop outside of every parallel one is dealt to threads from so many iterations on, in pieces of that size.
constexpr int64_t vector_loop_grain = 16 << 10;

/// Nodes of a kernel up to which a vector loop may take more registers.
constexpr size_t light_body = 24;

struct Contents {
    const Kernel& kernel;
    VarId loop;
    bool loops = false;         ///< a For, Reduce or Contract below
    bool serial_only = false;   ///< a Contract, a Lanes reduction, a Parallel loop, or a bound that differs by iteration
    int columns = 1;            ///< for a reduction that goes down the columns of the loop: how much wider rows pay
    std::vector<bool> varying;  ///< by VarId: differs between iterations of the loop that is asked about
};

bool varies(const Affine& a, const Contents& c) {
    for (const auto& t : a.terms)
        if (c.varying[t.var.index]) return true;
    return false;
}

/// A Lanes reduction is vectorised along its own variable, unless its loads lie side by side along the loop around it and not
/// along its own.
bool lies_across(const Reduce& r, const Contents& c) {
    bool any = false, all = r.body.empty();
    std::vector<ExprId> left;
    for (const auto& item : r.items) {
        if (item.combine == Combine::ArgMax || item.combine == Combine::ArgMin) return false;
        left.push_back(item.value);
        if (item.factor.valid()) left.push_back(item.factor);
    }
    while (!left.empty()) {
        const Expr& e = c.kernel.exprs[left.back()];
        left.pop_back();
        for (ExprId a : e.args)
            if (a.valid()) left.push_back(a);
        if (e.op != ScalarOp::Load) continue;
        const int64_t along_loop = e.index.scale_of(c.loop), along_own = e.index.scale_of(r.var);
        if (along_loop != 0 && along_loop != 1) all = false;
        if (along_loop == 1 && along_own != 0 && along_own != 1) any = true;
    }
    return all && any;
}

void look(const Block& block, Contents& c) {
    for (const Stmt& s : block) {
        if (const auto* f = std::get_if<For>(&s.node)) {
            if (!is_short(*f)) c.loops = true;
            if (varies(f->lo, c) || varies(f->hi, c)) c.serial_only = true;
            look(f->body, c);
        } else if (const auto* r = std::get_if<Reduce>(&s.node)) {
            const bool few = is_short(*r);
            if (!few) c.loops = true;
            if ((r->lanes && !few && !lies_across(*r, c)) || varies(r->extent, c)) c.serial_only = true;
            if (!r->lanes) c.columns = 2;
            else if (!few && lies_across(*r, c)) c.columns = 4;
            look(r->body, c);
            for (const auto& item : r->items) {
                c.varying[item.result.index] = true;
                if (item.result_value.valid()) c.varying[item.result_value.index] = true;
            }
        } else if (const auto* i = std::get_if<If>(&s.node)) {
            look(i->then_body, c);
            look(i->else_body, c);
        } else if (std::holds_alternative<Contract>(s.node)) {
            c.loops = c.serial_only = true;
        } else if (const auto* l = std::get_if<Let>(&s.node)) {
            c.varying[l->var.index] = true;
        } else if (const auto* a = std::get_if<Assign>(&s.node)) {
            if (!c.varying[a->var.index]) c.serial_only = true;  // carried from one iteration to the next
        }
    }
}

Contents contents_of(const For& s, const Kernel& kernel) {
    Contents c{kernel, s.var};
    c.varying.resize(kernel.vars.size());
    c.varying[s.var.index] = true;
    look(s.body, c);
    if (writes_scratch(kernel, s.body)) c.serial_only = true;
    return c;
}

}  // namespace

bool KernelEmitter::can_vectorise(const For& s) const { return width_ == 1 && !contents_of(s, k_).serial_only; }

int64_t KernelEmitter::widest_element(const Block& block) const {
    int64_t widest = 1;
    std::vector<bool> seen(k_.exprs.nodes.size());
    std::function<void(ExprId)> expr = [&](ExprId id) {
        if (!id.valid() || seen[id.index]) return;
        seen[id.index] = true;
        const Expr& e = k_.exprs[id];
        // Index arithmetic is I64 whatever the data is; it does not set the width.
        if (e.op != ScalarOp::Var && e.op != ScalarOp::Const) widest = std::max(widest, size_of(e.type));
        for (ExprId a : e.args) expr(a);
    };
    std::function<void(const Block&)> walk = [&](const Block& statements) {
        for (const Stmt& s : statements) {
            if (const auto* f = std::get_if<For>(&s.node)) walk(f->body);
            else if (const auto* l = std::get_if<Let>(&s.node)) expr(l->value);
            else if (const auto* a = std::get_if<Assign>(&s.node)) expr(a->value);
            else if (const auto* st = std::get_if<Store>(&s.node)) expr(st->value);
            else if (const auto* ac = std::get_if<Accumulate>(&s.node)) expr(ac->value);
            else if (const auto* i = std::get_if<If>(&s.node)) {
                expr(i->condition);
                walk(i->then_body);
                walk(i->else_body);
            } else if (const auto* r = std::get_if<Reduce>(&s.node)) {
                walk(r->body);
                for (const auto& item : r->items) expr(item.value);
            } else if (const auto* c = std::get_if<Contract>(&s.node)) {
                walk(c->epilogue);
            }
        }
    };
    walk(block);
    return widest;
}

void KernelEmitter::emit_for(const For& s) {
    if (s.kind == For::Kind::Parallel && !outlined_ && width_ == 1) return emit_parallel(s);
    if (s.kind == For::Kind::Vector && width_ == 1 && can_vectorise(s)) {
        const bool long_enough = !s.hi.is_constant() || !s.lo.is_constant() || s.hi.base - s.lo.base >= 4 * vector_loop_grain;
        if (!outlined_ && long_enough && s.lo.is_constant()) return emit_parallel(s);
        return emit_vector(s, affine(s.lo), affine(s.hi));
    }
    emit_serial(s, affine(s.lo), affine(s.hi));
}

void KernelEmitter::emit_serial(const For& s, Value* lo, Value* hi) {
    counted_loop(lo, hi, 1, false, k_.vars[s.var.index].name.c_str(), [&](Value* i) {
        bindings_[s.var.index] = {Binding::Kind::Plain, i, 1};
        emit_block(s.body);
    });
}

llvm::Value* KernelEmitter::constant_mask(int width, int prefix) {
    std::vector<llvm::Constant*> bits;
    for (int lane = 0; lane < width; ++lane) bits.push_back(b_.getInt1(lane < prefix));
    return llvm::ConstantVector::get(bits);
}

llvm::Value* KernelEmitter::lanes_below(int width, Value* first, Value* hi) {
    // The difference is below `width`; 32 bits compare in fewer registers than 64.
    Value* left = b_.CreateTrunc(b_.CreateNSWSub(hi, first), m_.i32());
    std::vector<llvm::Constant*> iota;
    for (int lane = 0; lane < width; ++lane) iota.push_back(b_.getInt32(static_cast<uint32_t>(lane)));
    return b_.CreateICmpSLT(llvm::ConstantVector::get(iota), splat(left, width));
}

void KernelEmitter::emit_lanes(const For& s, int width, Value* first, Mask mask) {
    SIFR_CHECK(width_ == 1, "kernel {}: a vector loop inside of another", k_.name);
    width_ = width;
    mask_ = mask;
    push_scope();
    bindings_[s.var.index] = {width == 1 ? Binding::Kind::Plain : Binding::Kind::Lanes, first, width};
    emit_block(s.body);
    pop_scope();
    width_ = 1;
    mask_ = {};
}

void KernelEmitter::emit_vector(const For& s, Value* lo, Value* hi) {
    int full = m_.machine.lanes_for(widest_element(s.body));
    // Down the columns: wider rows make better use of each line, and more chains hide the latency of the adds.
    if (k_.exprs.nodes.size() < light_body) full *= contents_of(s, k_).columns;
    const char* name = k_.vars[s.var.index].name.c_str();
    auto* clo = llvm::dyn_cast<llvm::ConstantInt>(lo);
    auto* chi = llvm::dyn_cast<llvm::ConstantInt>(hi);
    if (clo && chi) {
        const int64_t l = clo->getSExtValue(), n = chi->getSExtValue() - l;
        if (n <= 0) return;
        const int64_t whole = n / full * full;
        counted_loop(lo, m_.constant(l + whole), full, true, name, [&](Value* i) { emit_lanes(s, full, i, {}); });
        if (const int rest = static_cast<int>(n - whole)) {
            const int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(rest)));
            Mask mask;
            if (width != rest) mask = {constant_mask(width, rest), rest};
            emit_lanes(s, width, m_.constant(l + whole), mask);
        }
        return;
    }
    Value* n = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b_.CreateNSWSub(hi, lo), m_.constant(0));
    Value* stop = b_.CreateNSWAdd(lo, b_.CreateAnd(n, m_.constant(-static_cast<int64_t>(full))));
    counted_loop(lo, stop, full, false, name, [&](Value* i) { emit_lanes(s, full, i, {}); });
    llvm::BasicBlock* tail = block("tail");
    llvm::BasicBlock* done = block("tail.done");
    b_.CreateCondBr(b_.CreateICmpSLT(stop, hi), tail, done);
    enter(tail);
    emit_lanes(s, full, stop, {lanes_below(full, stop, hi), -1});
    b_.CreateBr(done);
    enter(done);
}

void KernelEmitter::emit_piece(const For& s, Value* lo, Value* hi) {
    // A Parallel loop without loops in it has independent iterations too: it is vectorised within each piece.
    const Contents c = contents_of(s, k_);
    if (!c.serial_only && (s.kind == For::Kind::Vector || !c.loops)) emit_vector(s, lo, hi);
    else emit_serial(s, lo, hi);
}

void KernelEmitter::emit_parallel(const For& s) {
    Value* lo = affine(s.lo);
    Value* hi = affine(s.hi);
    const int64_t grain = s.kind == For::Kind::Vector ? vector_loop_grain : std::max<int64_t>(s.grain, 1);
    Value* n = b_.CreateNSWSub(hi, lo);
    if (auto* cn = llvm::dyn_cast<llvm::ConstantInt>(n); cn && cn->getSExtValue() <= grain) {
        outlined_ = true;  // nothing to deal out further down either: what is below is smaller
        emit_piece(s, lo, hi);
        outlined_ = false;
        return;
    }
    parallel_range(n, grain, [&](Value* begin, Value* end) { emit_piece(s, b_.CreateNSWAdd(begin, lo_in_body_), b_.CreateNSWAdd(end, lo_in_body_)); }, lo);
}

void KernelEmitter::parallel_range(Value* n, int64_t grain, const std::function<void(Value*, Value*)>& body, Value* lo) {
    // The context holds the kernel's own parameters, the range's start, scratch of the outer function, and the variables so far.
    std::vector<Value*> captured{buffers_, scalars_, status_, lo};
    std::vector<size_t> captured_vars;
    for (size_t v = 0; v < bindings_.size(); ++v) {
        const Binding& b = bindings_[v];
        if (b.kind == Binding::Kind::None || llvm::isa<llvm::Constant>(b.value) || b.lanes != 1) continue;
        captured_vars.push_back(v);
        captured.push_back(b.value);
    }
    const size_t extra_from = captured.size();
    captured.insert(captured.end(), shared_values_.begin(), shared_values_.end());
    std::vector<llvm::Type*> types;
    for (Value* v : captured) types.push_back(v->getType()->isIntegerTy(1) ? m_.i8() : v->getType());
    auto* context_type = llvm::StructType::get(m_.context, types);
    Value* context = slot(context_type, "context");
    for (size_t i = 0; i < captured.size(); ++i) {
        Value* v = captured[i];
        if (v->getType()->isIntegerTy(1)) v = b_.CreateZExt(v, m_.i8());
        b_.CreateStore(v, b_.CreateStructGEP(context_type, context, static_cast<unsigned>(i)));
    }

    auto* type = llvm::FunctionType::get(m_.void_type(), {m_.ptr(), m_.i64(), m_.i64()}, false);
    llvm::Function* f = m_.add_function(kernel_symbol(k_.name) + ".part", type, true);
    b_.CreateCall(m_.runtime("sifr_parallel_for"), {f, context, n, m_.constant(grain)});

    // Everything that belongs to the function under construction is put aside while the body's is written.
    auto saved = std::tuple(function_, entry_, buffers_, scalars_, status_, buffer_pointers_, bindings_, scratch_taken_, cache_, scopes_,
                            shared_values_, lo_in_body_, b_.saveIP(), b_.getCurrentDebugLocation());
    begin_function(f);
    outlined_ = true;
    auto captured_value = [&](size_t i) {
        Value* v = b_.CreateLoad(types[i], b_.CreateStructGEP(context_type, f->getArg(0), static_cast<unsigned>(i)));
        return captured[i]->getType()->isIntegerTy(1) ? b_.CreateTrunc(v, m_.i1()) : v;
    };
    for (auto& b : bindings_)
        if (b.kind != Binding::Kind::None && !llvm::isa<llvm::Constant>(b.value)) b.kind = Binding::Kind::None;
    load_parameters(captured_value(0), captured_value(1), captured_value(2));
    lo_in_body_ = llvm::isa<llvm::Constant>(lo) ? lo : captured_value(3);
    for (size_t i = 0; i < captured_vars.size(); ++i) {
        Binding b = std::get<6>(saved)[captured_vars[i]];
        b.value = captured_value(4 + i);
        bindings_[captured_vars[i]] = b;
    }
    for (size_t i = 0; i < shared_values_.size(); ++i)
        if (!llvm::isa<llvm::Constant>(shared_values_[i])) shared_values_[i] = captured_value(extra_from + i);
    body(f->getArg(1), f->getArg(2));
    finish_function();
    outlined_ = false;
    llvm::IRBuilderBase::InsertPoint ip;
    llvm::DebugLoc location;
    std::tie(function_, entry_, buffers_, scalars_, status_, buffer_pointers_, bindings_, scratch_taken_, cache_, scopes_, shared_values_,
             lo_in_body_, ip, location) = saved;
    b_.restoreIP(ip);
    b_.SetCurrentDebugLocation(location);
}

}  // namespace sifr::codegen
