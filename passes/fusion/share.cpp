// May a kernel's result lie where an operand lies? Yes, if every element is read, in program order, before it is written:
//  - the load stands in front of the store, and
//  - in each iteration of the loops around both, the elements that are loaded are the ones that are stored (the same affine
//    form over those loops, and loops of the same steps and extents inside), and two iterations have none in common; or
//  - the elements loaded and the elements stored are disjoint.
// Anything else (run-time indices, matrix operands of a contraction, other types) is answered No.

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/base/check.h"
#include "passes/fusion/loop_walk.h"
#include "passes/fusion/lower.h"

namespace sifr {

namespace {

struct Around {
    VarId var;
    int64_t lo, extent;
    int id;
};

struct Access {
    bool store;
    int order;
    Affine index;
    std::vector<Around> loops;
    bool known;  ///< every term is a loop variable with constant bounds, or a scalar parameter
};

class Collector {
public:
    Collector(const Kernel& k, BufferId in, BufferId out) : k_(k), in_(in), out_(out) { block(k.body); }
    std::vector<Access> loads, stores;
    bool refused = false;

private:
    void block(const Block& b) {
        for (const Stmt& s : b) std::visit([&](const auto& node) { stmt(node); }, s.node);
    }
    void access(bool store, const Affine& index) {
        Access a{store, order_++, index, around_, true};
        for (const Affine::Term& t : index.terms) {
            bool loop = std::any_of(around_.begin(), around_.end(), [&](const Around& r) { return r.var == t.var && r.extent >= 0; });
            bool scalar = std::find(k_.scalars.begin(), k_.scalars.end(), t.var) != k_.scalars.end();
            if (!loop && !scalar) a.known = false;
        }
        (store ? stores : loads).push_back(std::move(a));
    }
    void value(ExprId id) {
        if (!id.valid()) return;
        const Expr& e = k_.exprs[id];
        if (e.op == ScalarOp::Load && e.buffer == in_) access(false, e.index);
        if (e.op == ScalarOp::Load && e.buffer == out_) refused = true;
        for (ExprId a : e.args) value(a);
    }
    void enter(VarId v, std::optional<int64_t> lo, std::optional<int64_t> extent, const std::function<void()>& body) {
        around_.push_back({v, lo.value_or(0), lo ? extent.value_or(-1) : -1, next_loop_++});
        body();
        around_.pop_back();
    }
    static std::optional<int64_t> constant(const Affine& a) { return a.is_constant() ? std::optional(a.base) : std::nullopt; }
    void stmt(const For& f) {
        auto lo = constant(f.lo), hi = constant(f.hi);
        // A piece of a longer loop: `block*size .. block*size + size` walks the whole.
        if (!lo && f.lo.terms.size() == 1 && !around_.empty() && around_.back().var == f.lo.terms[0].var && around_.back().extent >= 0) {
            int64_t size = f.lo.terms[0].scale;
            Around piece = around_.back();
            around_.back() = {f.var, f.lo.base, piece.extent * size, piece.id};
            block(f.body);
            around_.back() = piece;
            return;
        }
        enter(f.var, lo, lo && hi ? std::optional(*hi - *lo) : std::nullopt, [&] { block(f.body); });
    }
    void stmt(const Let& l) { value(l.value); }
    void stmt(const Assign& a) { value(a.value); }
    void stmt(const Store& s) {
        value(s.value);
        if (s.buffer == out_) access(true, s.index);
        if (s.buffer == in_) refused = true;
    }
    void stmt(const Accumulate& a) {
        value(a.value);
        if (a.buffer == out_ || a.buffer == in_) refused = true;
    }
    void stmt(const If& i) {
        value(i.condition);
        block(i.then_body);
        block(i.else_body);
    }
    void stmt(const Reduce& r) {
        enter(r.var, 0, constant(r.extent), [&] {
            block(r.body);
            for (const Reduce::Item& i : r.items) {
                value(i.value);
                value(i.factor);
            }
        });
    }
    void stmt(const Check& c) {
        value(c.ok);
        value(c.value);
    }
    void stmt(const Contract& c) {
        if (c.a == in_ || c.b == in_ || c.a == out_ || c.b == out_) refused = true;
        enter(c.batch_var, 0, c.batch, [&] { enter(c.m_var, 0, c.m, [&] { enter(c.n_var, 0, c.n, [&] { block(c.epilogue); }); }); });
    }

    const Kernel& k_;
    BufferId in_, out_;
    std::vector<Around> around_;
    int order_ = 0, next_loop_ = 0;
};

struct Digit {
    int64_t scale, extent;
    auto operator<=>(const Digit&) const = default;
};

std::vector<Digit> digits(const Affine& a, const std::vector<Around>& loops) {
    std::vector<Digit> out;
    for (const Around& l : loops) {
        int64_t s = a.scale_of(l.var);
        if (l.extent != 1) out.push_back({s, l.extent});
    }
    std::sort(out.begin(), out.end(), [](const Digit& x, const Digit& y) { return std::abs(x.scale) > std::abs(y.scale); });
    return out;
}

/// Different values of the loops walk different elements.
bool injective(std::vector<Digit> d) {
    int64_t reach = 0;
    for (size_t i = d.size(); i-- > 0;) {
        if (d[i].extent <= 1) continue;
        if (std::abs(d[i].scale) <= reach) return false;
        reach += std::abs(d[i].scale) * (d[i].extent - 1);
    }
    return true;
}

/// Is there a Σ scale·e = `distance` with |e| < extent?
bool reachable(const std::vector<Digit>& d, size_t from, int64_t distance) {
    int64_t reach = 0;
    for (size_t i = from; i < d.size(); ++i) reach += std::abs(d[i].scale) * std::max<int64_t>(0, d[i].extent - 1);
    if (std::abs(distance) > reach) return false;
    if (from == d.size()) return distance == 0;
    int64_t s = d[from].scale;
    if (s == 0) return reachable(d, from + 1, distance);
    int64_t rest = reach - std::abs(s) * (d[from].extent - 1);
    int64_t middle = distance / s, spread = rest / std::abs(s) + 1;
    for (int64_t e = std::max(middle - spread, 1 - d[from].extent); e <= std::min(middle + spread, d[from].extent - 1); ++e) {
        if (reachable(d, from + 1, distance - e * s)) return true;
    }
    return false;
}

/// The same run-time terms on both sides; then only bases and loops count.
bool same_parameters(const Access& a, const Access& b) {
    auto terms = [](const Access& x) {
        std::vector<Affine::Term> out;
        for (const Affine::Term& t : x.index.terms) {
            if (std::none_of(x.loops.begin(), x.loops.end(), [&](const Around& l) { return l.var == t.var; })) out.push_back(t);
        }
        return out;
    };
    return terms(a) == terms(b);
}

int64_t base_of(const Access& a) {
    int64_t b = a.index.base;
    for (const Around& l : a.loops) b += a.index.scale_of(l.var) * l.lo;
    return b;
}

bool disjoint(const Access& load, const Access& store) {
    if (!same_parameters(load, store)) return false;
    std::vector<Digit> all = digits(load.index, load.loops), other = digits(store.index, store.loops);
    if (all == other && all.size() <= 8) return !reachable(all, 0, base_of(load) - base_of(store));
    auto interval = [](const Access& a, const std::vector<Digit>& d) {
        int64_t lo = base_of(a), hi = lo;
        for (const Digit& x : d) (x.scale > 0 ? hi : lo) += x.scale * (x.extent - 1);
        return std::pair(lo, hi);
    };
    auto [a, b] = interval(load, all);
    auto [c, d] = interval(store, other);
    return b < c || d < a;
}

bool safe(const Access& load, const Access& store) {
    if (!load.known || !store.known) return false;
    if (disjoint(load, store)) return true;
    if (load.order > store.order || !same_parameters(load, store) || base_of(load) != base_of(store)) return false;
    size_t common = 0;
    while (common < load.loops.size() && common < store.loops.size() && load.loops[common].id == store.loops[common].id) ++common;
    for (size_t i = 0; i < common; ++i) {
        if (load.index.scale_of(load.loops[i].var) != store.index.scale_of(store.loops[i].var)) return false;
    }
    auto inner = [&](const Access& a) { return digits(a.index, {a.loops.begin() + static_cast<std::ptrdiff_t>(common), a.loops.end()}); };
    if (inner(load) != inner(store)) return false;
    return injective(digits(store.index, store.loops));
}

}  // namespace

bool may_share(const Kernel& kernel, BufferId in, BufferId out) {
    const Buffer &a = kernel.buffers[in.index], &b = kernel.buffers[out.index];
    if (a.type != b.type || a.extent != b.extent || a.scratch || b.scratch || a.access != Buffer::Access::Read) return false;
    Collector c(kernel, in, out);
    if (c.refused) return false;
    for (const Access& load : c.loads) {
        for (const Access& store : c.stores) {
            if (!safe(load, store)) return false;
        }
    }
    return true;
}

void share(LoweredGroup& lowered, BufferId in, BufferId out) {
    Kernel& k = lowered.kernel;
    // Parameter numbers count buffers without scratch ones.
    size_t parameter = 0;
    for (size_t b = 0; b < in.index; ++b) parameter += !k.buffers[b].scratch;
    lowered.buffers.erase(lowered.buffers.begin() + static_cast<std::ptrdiff_t>(parameter));
    auto renamed = [&](BufferId b) {
        BufferId to = b == in ? out : b;
        return BufferId(to.index > in.index ? to.index - 1 : to.index);
    };
    for (Expr& e : k.exprs.nodes) {
        if (e.op == ScalarOp::Load) e.buffer = renamed(e.buffer);
    }
    std::function<void(Block&)> walk = [&](Block& block) {
        for (Stmt& s : block) {
            if (For* f = std::get_if<For>(&s.node)) walk(f->body);
            if (Store* t = std::get_if<Store>(&s.node)) t->buffer = renamed(t->buffer);
            if (Accumulate* a = std::get_if<Accumulate>(&s.node)) a->buffer = renamed(a->buffer);
            if (If* i = std::get_if<If>(&s.node)) {
                walk(i->then_body);
                walk(i->else_body);
            }
            if (Reduce* r = std::get_if<Reduce>(&s.node)) walk(r->body);
            if (Contract* c = std::get_if<Contract>(&s.node)) {
                c->a = renamed(c->a);
                c->b = renamed(c->b);
                walk(c->epilogue);
            }
        }
    };
    walk(k.body);
    k.buffers[out.index].access = Buffer::Access::ReadWrite;
    k.buffers.erase(k.buffers.begin() + in.index);
}

}  // namespace sifr
