// What clusters are made of: the instructions of a region as nodes, with their readers and effects, and the decision which of them
// are computed again in each kernel that reads them (step 1 of clusters.cpp).

#include "passes/fusion/clusters.h"

#include <algorithm>
#include <functional>

#include "ir/base/check.h"

namespace sifr {

namespace {

constexpr int cheap = 4;  ///< weighted scalar operations that are cheaper than a pass over memory

}  // namespace


Role role_of(const Function& f, const Inst& inst) {
    if (inst.op == "extract"_op) return Role::Extract;
    if (inst.op == "insert"_op) return Role::Insert;
    if (inst.op == "insert_add"_op || inst.op == "insert_seq"_op) return Role::Scatter;
    switch (def(inst.op).lower) {
        case Lower::Pointwise: return Role::Pointwise;
        case Lower::Fill: return inst.attrs.has("data") ? Role::Outside : Role::Fill;
        case Lower::Reduction: return Role::Reduce;
        case Lower::Contraction: return Role::Contraction;
        case Lower::Gather: return Role::Gather;
        case Lower::Scatter: return Role::Scatter;
        case Lower::Scan: return Role::Scan;
        case Lower::Concat: return Role::Concat;
        default: break;
    }
    (void)f;
    return Role::Outside;
}

int Clusters::node_of(ValueId v) const {
    if (f_[v].def != Value::Def::Result) return -1;
    auto it = node_by_inst_.find(f_[v].inst.index);
    return it == node_by_inst_.end() ? -1 : static_cast<int>(it->second);
}

void Clusters::collect() {
    for (InstId id : f_[region_].insts) {
        if (f_[id].erased) continue;
        node_by_inst_[id.index] = nodes.size();
        Node n;
        n.inst = id;
        n.role = role_of(f_, f_[id]);
        nodes.push_back(std::move(n));
    }
    auto add_use = [&](ValueId v, size_t user) {
        int p = node_of(v);
        if (p >= 0 && static_cast<size_t>(p) != user && (nodes[static_cast<size_t>(p)].users.empty() || nodes[static_cast<size_t>(p)].users.back() != user))
            nodes[static_cast<size_t>(p)].users.push_back(user);
    };
    std::function<void(InstId, size_t, bool)> uses_of = [&](InstId id, size_t user, bool nested) {
        auto use = [&](ValueId v) {
            add_use(v, user);
            if (int p = node_of(v); nested && p >= 0) nodes[static_cast<size_t>(p)].escapes = true;
        };
        for (ValueId v : f_[id].operands) use(v);
        for (ValueId v : f_[id].results) {
            for (const RunTimeSize& r : f_.type(v).run_time_sizes) use(r.size);
        }
        for (RegionId r : f_[id].regions) {
            for (InstId inner : f_[r].insts) {
                if (!f_[inner].erased) uses_of(inner, user, true);
            }
            for (ValueId v : f_[r].results) {
                add_use(v, user);
                if (int p = node_of(v); p >= 0) nodes[static_cast<size_t>(p)].escapes = true;
            }
        }
    };
    for (size_t i = 0; i < nodes.size(); ++i) uses_of(nodes[i].inst, i, false);
    for (ValueId v : f_[region_].results) {
        if (int p = node_of(v); p >= 0) nodes[static_cast<size_t>(p)].escapes = true;
    }
    // Effects keep their order among their kind; nothing passes a clock read.
    std::function<void(InstId, bool&, bool&, bool&)> effects = [&](InstId id, bool& host, bool& random, bool& clock) {
        Effect e = def(f_[id].op).effect;
        host |= e == Effect::Host || e == Effect::Check;
        random |= e == Effect::Random;
        clock |= f_[id].op == "clock"_op;
        for (RegionId r : f_[id].regions) {
            for (InstId inner : f_[r].insts) {
                if (!f_[inner].erased) effects(inner, host, random, clock);
            }
        }
    };
    int last_host = -1, last_random = -1, last_clock = -1, clocks = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
        bool host = false, random = false, clock = false;
        effects(nodes[i].inst, host, random, clock);
        auto behind = [&](int first) {
            if (first >= 0) nodes[static_cast<size_t>(first)].users.push_back(i);
        };
        if (host) behind(last_host), last_host = static_cast<int>(i);
        if (random) behind(last_random), last_random = static_cast<int>(i);
        if (clock) {
            for (size_t before = static_cast<size_t>(last_clock + 1); before < i; ++before) nodes[before].users.push_back(i);
            last_clock = static_cast<int>(i);
            ++clocks;
        } else behind(last_clock);
        clocks_before_.push_back(clocks);
    }
    producers_.resize(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
        for (size_t u : nodes[i].users) producers_[u].push_back(i);
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
        const Inst& inst = f_[nodes[i].inst];
        int c = 0;
        if (nodes[i].role == Role::Pointwise) {
            ScalarBody body = scalar_body(f_, inst);
            for (const Expr& e : body.arena.nodes) {
                if (arity(e.op) > 0 && e.op != ScalarOp::Cast) c += e.op >= ScalarOp::Exp ? 10 : e.op == ScalarOp::Div || e.op == ScalarOp::Sqrt ? 3 : 1;
            }
            for (ValueId v : inst.operands) {
                int p = node_of(v);
                if (p >= 0 && nodes[static_cast<size_t>(p)].role == Role::Pointwise) c += cost_[static_cast<size_t>(p)];
            }
        } else if (nodes[i].role == Role::Extract) {
            int p = node_of(inst.operands[0]);
            if (p >= 0) c = cost_[static_cast<size_t>(p)];
        }
        cost_.push_back(std::min(c, 1000));
    }
}

/// The user reads `v` element by element in the same space.
bool Clusters::same_space_use(size_t user, ValueId v) const {
    const Inst& u = f_[nodes[user].inst];
    switch (nodes[user].role) {
        case Role::Pointwise: return f_.type(u.results[0]).sizes == f_.type(v).sizes;
        case Role::Reduce: return true;
        case Role::Insert: return u.operands[1] == v && u.operands[0] != v;
        default: return false;
    }
}

/// The user's kernel could compute `v` itself.
bool Clusters::soft_use(size_t user, ValueId v) const {
    const Inst& u = f_[nodes[user].inst];
    Role made = nodes[static_cast<size_t>(node_of(v))].role;
    switch (nodes[user].role) {
        case Role::Pointwise: case Role::Extract: case Role::Reduce: case Role::Concat: return true;
        case Role::Fill: return true;
        case Role::Insert: return u.operands[1] == v || made == Role::Fill;
        case Role::Contraction: return made == Role::Extract;
        case Role::Scatter: return made == Role::Extract && u.op == "insert_add"_op && u.operands[1] == v && u.operands[0] != v;
        default: return false;
    }
}

void Clusters::decide_copies() {
    for (size_t i = nodes.size(); i-- > 0;) {
        Node& n = nodes[i];
        const Inst& inst = f_[n.inst];
        if (n.role != Role::Pointwise && n.role != Role::Fill && n.role != Role::Extract) continue;
        if (inst.results.empty() || !f_.type(inst.results[0]).run_time_sizes.empty()) continue;
        ValueId v = inst.results[0];
        bool hard = n.escapes, crosses = false, clock_between = false, any_soft = false, for_product = false;
        int copies = 0;
        bool repeats = false;  // a copy would compute elements again along an outer axis
        for (size_t u : n.users) {
            const auto& operands = f_[nodes[u].inst].operands;
            if (std::find(operands.begin(), operands.end(), v) == operands.end()) continue;  // an order, no use
            if (!soft_use(u, v)) {
                hard = true;
                for_product |= n.role == Role::Fill && nodes[u].role == Role::Contraction;
                continue;
            }
            if (n.role == Role::Extract) n.feeds_product |= nodes[u].role == Role::Contraction || nodes[u].feeds_product;
            else if (nodes[u].feeds_product) hard = for_product = true;
            any_soft = true;
            ++copies;
            clock_between |= clocks_before_[u] != clocks_before_[i];
            if (same_space_use(u, v)) continue;
            crosses = true;
            const Sizes& from = f_.type(v).sizes;
            const Sizes& to = f_.type(f_[nodes[u].inst].results[0]).sizes;
            if (nodes[u].role == Role::Extract) {
                const Layout& l = f_[nodes[u].inst].attrs.get<Layout>("layout");
                for (size_t d = 0; d + 1 < l.sizes.size(); ++d) repeats |= l.sizes[d] > 1 && l.strides[d] == 0;
            } else {
                // Broadcast along the last axis only is computed once in front of the inner loop.
                Sizes rows = to;
                if (!rows.empty()) rows.back() = 1;
                Sizes squeezed = from;
                while (squeezed.size() < rows.size()) squeezed.insert(squeezed.begin(), 1);
                repeats |= squeezed != rows && element_count(from) != element_count(to) && element_count(from) > 1;
            }
        }
        if (n.role == Role::Fill || n.role == Role::Extract) {
            // An extract of something dear is a reason to keep that, not to compute it again: its producer decides.
            n.copied = any_soft && !for_product;
            n.real = hard || !n.copied;
            continue;
        }
        bool in_part = inst.attrs.has("separate");
        if (hard || clock_between || in_part || !any_soft || !crosses) {
            // Row values of a reduction are read across spaces by their own row cluster: form() joins them.
            continue;
        }
        bool once = copies == 1 && !repeats;
        if (once || cost_[i] <= cheap || element_count(f_.type(v).sizes) == 1) {
            n.copied = true;
            n.real = false;
        }
    }
}

void Clusters::reach(size_t i, std::set<size_t>& real) const {
    std::vector<size_t> stack{i};
    std::set<size_t> seen;
    while (!stack.empty()) {
        size_t n = stack.back();
        stack.pop_back();
        for (ValueId v : f_[nodes[n].inst].operands) {
            int p = node_of(v);
            if (p < 0 || !seen.insert(static_cast<size_t>(p)).second) continue;
            const Node& producer = nodes[static_cast<size_t>(p)];
            if (producer.copied) stack.push_back(static_cast<size_t>(p));
            if (!producer.copied && producer.real) real.insert(static_cast<size_t>(p));
        }
    }
}

}  // namespace sifr
