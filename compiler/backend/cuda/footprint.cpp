#include "compiler/backend/cuda/footprint.h"

#include <algorithm>
#include <variant>

namespace sifr::cuda {

namespace {

constexpr int64_t unknown_extent = 1 << 20;
constexpr int64_t most_work = int64_t{1} << 50;

class Walker {
public:
    Walker(const Kernel& k, Footprint& f) : k_(k), f_(f) {}
    void block(const Block& b, int64_t runs) {
        for (const Stmt& s : b) stmt(s, runs);
    }
    void stmt(const Stmt& s, int64_t runs) {
        std::visit([&](const auto& n) { visit(n, runs); }, s.node);
    }

private:
    void affine(const Affine& a) {
        for (const auto& t : a.terms) f_.uses.insert(t.var.index);
    }
    void read(BufferId b) {
        f_.reads.insert(b.index);
        f_.scratch |= k_.buffers[b.index].scratch;
    }
    void write(BufferId b) {
        f_.writes.insert(b.index);
        f_.scratch |= k_.buffers[b.index].scratch;
    }
    void expr(ExprId id) {
        if (!id.valid()) return;
        const Expr& e = k_.exprs[id];
        if (e.op == ScalarOp::Var) f_.uses.insert(e.var.index);
        if (e.op == ScalarOp::Load) {
            read(e.buffer);
            affine(e.index);
        }
        for (ExprId a : e.args) expr(a);
    }
    void done(int64_t runs) { f_.work = std::min(most_work, f_.work + runs); }

    void visit(const For& f, int64_t runs) {
        affine(f.lo);
        affine(f.hi);
        f_.defines.insert(f.var.index);
        block(f.body, times(runs, trips_of(f.lo, f.hi)));
    }
    void visit(const Let& l, int64_t runs) {
        expr(l.value);
        f_.defines.insert(l.var.index);
        done(runs);
    }
    void visit(const Assign& a, int64_t runs) {
        expr(a.value);
        f_.uses.insert(a.var.index);
        f_.assigns = true;
        done(runs);
    }
    void visit(const Store& s, int64_t runs) {
        affine(s.index);
        expr(s.value);
        write(s.buffer);
        done(runs);
    }
    void visit(const Accumulate& a, int64_t runs) {
        affine(a.index);
        expr(a.value);
        read(a.buffer);
        write(a.buffer);
        done(runs);
    }
    void visit(const If& i, int64_t runs) {
        expr(i.condition);
        block(i.then_body, runs);
        block(i.else_body, runs);
        done(runs);
    }
    void visit(const Reduce& r, int64_t runs) {
        affine(r.extent);
        const int64_t all = times(runs, trips_of(Affine::constant(0), r.extent));
        f_.defines.insert(r.var.index);
        block(r.body, all);
        for (const auto& item : r.items) {
            expr(item.value);
            expr(item.factor);
            f_.defines.insert(item.result.index);
            if (item.result_value.valid()) f_.defines.insert(item.result_value.index);
        }
        f_.reduces = true;
        done(all);
    }
    void visit(const Check& c, int64_t runs) {
        expr(c.ok);
        expr(c.value);
        affine(c.position);
        done(runs);
    }
    void visit(const Contract& c, int64_t runs) {
        affine(c.a_base);
        affine(c.b_base);
        read(c.a);
        read(c.b);
        for (VarId v : {c.batch_var, c.m_var, c.n_var, c.acc}) f_.defines.insert(v.index);
        const int64_t elements = times(runs, c.batch * c.m * c.n);
        block(c.epilogue, elements);
        f_.contracts = true;
        done(times(elements, c.k));
    }

    const Kernel& k_;
    Footprint& f_;
};

}  // namespace

bool intersect(const std::set<uint32_t>& a, const std::set<uint32_t>& b) {
    return std::any_of(a.begin(), a.end(), [&](uint32_t x) { return b.contains(x); });
}

int64_t trips_of(const Affine& lo, const Affine& hi) {
    Affine n = hi;
    n.add(lo, -1);
    return n.is_constant() ? std::max<int64_t>(0, n.base) : unknown_extent;
}

int64_t times(int64_t a, int64_t b) { return a != 0 && b > most_work / a ? most_work : a * b; }

Footprint footprint(const Kernel& kernel, const Block& block) {
    Footprint f;
    Walker(kernel, f).block(block, 1);
    return f;
}

Footprint footprint(const Kernel& kernel, const Stmt& stmt) {
    Footprint f;
    Walker(kernel, f).stmt(stmt, 1);
    return f;
}

}  // namespace sifr::cuda
