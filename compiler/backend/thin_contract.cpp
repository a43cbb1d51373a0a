#include "compiler/backend/thin_contract.h"

#include <algorithm>

#include "ir/op/reduce_order.h"

namespace sifr {

namespace {

/// Multiply-adds that are worth a thread.
constexpr int64_t thread_work = 1 << 16;

/// Integers give the same sum in any order, so they take the plain way too.
bool thin(const Contract& c) { return std::min(c.m, c.n) < contract_thin || !is_float(c.type); }

bool any_thin(const Block& block) {
    return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
        if (const auto* c = std::get_if<Contract>(&s.node)) return thin(*c);
        if (const auto* f = std::get_if<For>(&s.node)) return any_thin(f->body);
        if (const auto* i = std::get_if<If>(&s.node)) return any_thin(i->then_body) || any_thin(i->else_body);
        return false;
    });
}

Stmt expanded(Kernel& k, const Contract& c, const Location& location, bool independent) {
    VarId kv = k.add_var("k");
    auto load = [&](BufferId buffer, const Affine& base, VarId row, int64_t row_scale, int64_t k_scale) {
        Affine at = base;
        at.add(Affine::of(row, row_scale));
        at.add(Affine::of(kv, k_scale));
        return k.exprs.load(buffer, c.type, at);
    };
    Reduce dot{.var = kv, .extent = Affine::constant(c.k), .lanes = true, .body = {}, .items = {}};
    Reduce::Item item;
    item.result = c.acc;
    item.combine = Combine::Sum;
    item.value = load(c.a, c.a_base, c.m_var, c.a_m, c.a_k);
    item.factor = load(c.b, c.b_base, c.n_var, c.b_n, c.b_k);
    dot.items.push_back(item);

    Block body{Stmt{std::move(dot), location}};
    body.insert(body.end(), c.epilogue.begin(), c.epilogue.end());
    auto loop = [&](VarId var, int64_t extent, For::Kind kind, Block inner) {
        For f{.var = var, .lo = Affine::constant(0), .hi = Affine::constant(extent), .kind = kind, .body = std::move(inner)};
        if (kind == For::Kind::Parallel) f.grain = std::max<int64_t>(1, thread_work * extent / std::max<int64_t>(1, c.batch * c.m * c.n * c.k));
        return Stmt{std::move(f), location};
    };
    // The long one of m and n is the inner loop. Where the matrix lies along it and not along k, it is the vector.
    const bool n_inner = c.n >= c.m;
    const bool across = n_inner ? c.b_n == 1 && c.b_k != 1 : c.a_m == 1 && c.a_k != 1 && c.n == 1;
    using Kind = For::Kind;
    const Kind outer_kind = c.batch > 1 ? Kind::Parallel : Kind::Serial;
    const Kind inner_kind = across ? Kind::Vector : c.batch > 1 ? Kind::Serial : Kind::Parallel;
    if (independent) {
        Stmt element = loop(c.n_var, c.n, Kind::Parallel, std::move(body));
        return loop(c.batch_var, c.batch, Kind::Parallel, Block{loop(c.m_var, c.m, Kind::Parallel, Block{std::move(element)})});
    }
    Stmt inner = n_inner ? loop(c.n_var, c.n, inner_kind, std::move(body)) : loop(c.m_var, c.m, inner_kind, std::move(body));
    Stmt middle = n_inner ? loop(c.m_var, c.m, Kind::Serial, Block{std::move(inner)}) : loop(c.n_var, c.n, Kind::Serial, Block{std::move(inner)});
    return loop(c.batch_var, c.batch, outer_kind, Block{std::move(middle)});
}

void expand(Kernel& k, Block& block, bool independent) {
    for (Stmt& s : block) {
        if (auto* c = std::get_if<Contract>(&s.node); c && thin(*c)) {
            const Contract contract = *c;
            const Location location = s.location;
            s = expanded(k, contract, location, independent);
        } else if (auto* f = std::get_if<For>(&s.node)) {
            expand(k, f->body, independent);
        } else if (auto* i = std::get_if<If>(&s.node)) {
            expand(k, i->then_body, independent);
            expand(k, i->else_body, independent);
        }
    }
}

}  // namespace

bool has_thin_contraction(const Kernel& kernel) { return any_thin(kernel.body); }

Kernel expand_thin_contractions(const Kernel& kernel, bool independent) {
    Kernel k = kernel;
    expand(k, k.body, independent);
    return k;
}

}  // namespace sifr
