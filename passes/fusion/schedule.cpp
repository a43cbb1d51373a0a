// From loops that are independent (all marked Vector by lowering) to a schedule: perfectly nested loops that walk memory as one
// are merged; innermost loops are vectors, outermost ones parallel; one long loop is cut into pieces for the threads.
//
//   for i in 0..64 { for j in 0..1024 { y[1024*i + j] = x[1024*i + j] } }
//   =>  parallel block in 0..16 { vector j in 4096*block..4096*block + 4096 { y[j] = x[j] } }

#include <algorithm>
#include <functional>
#include <set>

#include "ir/base/check.h"
#include "ir/loop/short_loops.h"
#include "passes/fusion/loop_walk.h"
#include "passes/fusion/lower.h"

namespace sifr {

namespace {

constexpr int64_t work_per_thread = 32768;  ///< weighted scalar operations that are worth a thread
constexpr int64_t piece = 8192;             ///< elements of a piece of one long loop

bool independent(const For& f) { return f.kind == For::Kind::Vector; }

/// Merges `outer` with the loop that is all of its body, if every access walks the two as one.
bool merge(Kernel& k, For& outer) {
    if (outer.body.size() != 1 || !independent(outer)) return false;
    For* inner = std::get_if<For>(&outer.body[0].node);
    if (!inner || !independent(*inner) || !inner->lo.is_constant() || !inner->hi.is_constant() || inner->lo.base != 0) return false;
    if (!outer.lo.is_constant() || outer.lo.base != 0 || !outer.hi.is_constant()) return false;
    int64_t extent = inner->hi.base;
    std::vector<Affine*> forms;
    for_each_affine(k, inner->body, [&](Affine& a) { forms.push_back(&a); });
    for (const Affine* a : forms) {
        if (a->scale_of(outer.var) != extent * a->scale_of(inner->var)) return false;
    }
    bool named = false;
    for_each_expr(k, inner->body, [&](Expr& e) { named |= e.op == ScalarOp::Var && (e.var == outer.var || e.var == inner->var); });
    if (named) return false;
    for (Affine* a : forms) std::erase_if(a->terms, [&](const Affine::Term& t) { return t.var == outer.var; });
    For merged = std::move(*inner);
    merged.hi.base = outer.hi.base * extent;
    outer = std::move(merged);
    return true;
}

int64_t work_of(Kernel& k, Block& block) {
    int64_t work = 1;
    for (Stmt& s : block) {
        if (For* f = std::get_if<For>(&s.node)) {
            int64_t n = f->lo.is_constant() && f->hi.is_constant() ? std::max<int64_t>(0, f->hi.base - f->lo.base) : 16;
            work += n * work_of(k, f->body);
        } else if (Reduce* r = std::get_if<Reduce>(&s.node)) {
            int64_t n = r->extent.is_constant() ? r->extent.base : 16;
            work += n * (work_of(k, r->body) + static_cast<int64_t>(r->items.size()) * 2);
        } else if (Contract* c = std::get_if<Contract>(&s.node)) {
            work += c->batch * c->m * c->n * c->k;
        } else {
            Block one{s};
            for_each_expr(k, one, [&](Expr& e) { work += e.op >= ScalarOp::Exp ? 10 : 1; });
        }
    }
    return work;
}

bool holds(const Block& b, const std::function<bool(const Stmt&)>& what) {
    for (const Stmt& s : b) {
        if (what(s)) return true;
        if (const For* f = std::get_if<For>(&s.node)) {
            if (holds(f->body, what)) return true;
        }
    }
    return false;
}

class Scheduler {
public:
    explicit Scheduler(Kernel& k) : k_(k) {}

    void top(Block& block) {
        for (Stmt& s : block) {
            For* f = std::get_if<For>(&s.node);
            if (!f) continue;
            merge_all(*f);
            if (!independent(*f)) {
                inside(f->body);
                continue;
            }
            int64_t n = f->hi.is_constant() ? f->hi.base : 0;
            int64_t each = work_of(k_, f->body);
            bool vector = innermost(*f);
            if (!vector) {
                f->kind = For::Kind::Parallel;
                f->grain = std::max<int64_t>(1, work_per_thread / std::max<int64_t>(1, each));
                inside(f->body);
            } else if (n * each > 2 * work_per_thread && n > 64) {
                cut(s, n, each);
            }
        }
    }

private:
    void merge_all(For& f) {
        while (merge(k_, f)) {}
        for (Stmt& s : f.body) {
            if (For* inner = std::get_if<For>(&s.node)) merge_all(*inner);
        }
    }
    /// Nothing below it needs a loop of its own, or a reduction that runs along lanes; short ones (a window of a pool) run across.
    [[nodiscard]] bool innermost(const For& f) const {
        if (has_short_reductions_alone(k_, f.body)) return true;
        return !holds(f.body, [](const Stmt& s) {
            if (std::holds_alternative<For>(s.node) || std::holds_alternative<Contract>(s.node)) return true;
            const Reduce* r = std::get_if<Reduce>(&s.node);
            return r && r->lanes;
        });
    }
    void inside(Block& block) {
        for (Stmt& s : block) {
            For* f = std::get_if<For>(&s.node);
            if (!f) continue;
            if (independent(*f) && !innermost(*f)) f->kind = For::Kind::Serial;
            inside(f->body);
        }
    }
    /// One long vector loop becomes pieces that threads share.
    void cut(Stmt& s, int64_t n, int64_t each) {
        For inner = std::move(std::get<For>(s.node));
        bool rows = !has_short_reductions_alone(k_, inner.body) && holds(inner.body, [](const Stmt& t) { return std::holds_alternative<Reduce>(t.node); });
        int64_t size = rows ? 64 : piece;  // a column reduction reads whole cache lines of each row
        for (int64_t d = size; !rows && d >= size / 4; d -= 16) {
            if (n % d == 0) {
                size = d;
                break;
            }
        }
        For outer{.var = k_.add_var("block"), .lo = Affine::constant(0), .hi = Affine::constant((n + size - 1) / size), .kind = For::Kind::Parallel, .body = {}};
        outer.grain = std::max<int64_t>(1, work_per_thread / std::max<int64_t>(1, size * each));
        inner.lo = Affine::of(outer.var, size);
        inner.hi = inner.lo;
        inner.hi.base += size;
        if (n % size != 0) {
            VarId end = k_.add_var("end");
            ExprId b = k_.exprs.binary(ScalarOp::Mul, k_.exprs.var(outer.var), k_.exprs.constant_int(DType::I64, size));
            ExprId last = k_.exprs.binary(ScalarOp::Add, b, k_.exprs.constant_int(DType::I64, size));
            outer.body.push_back(Stmt{Let{end, k_.exprs.binary(ScalarOp::Min, last, k_.exprs.constant_int(DType::I64, n))}, s.location});
            inner.hi = Affine::of(end);
        }
        outer.body.push_back(Stmt{std::move(inner), s.location});
        s.node = std::move(outer);
    }
    Kernel& k_;
};

}  // namespace

void schedule(Kernel& kernel) { Scheduler(kernel).top(kernel.body); }

}  // namespace sifr
