// fuse: tensor instructions become groups, one kernel each.
//
//   %a = exp %x; %b = mul %a, 2.0; %s = sum.dim %b, dim=[1]
//   =>  %s = group "rows" %x carrying %x1: f32[4,8] { %a = exp %x1  %b = mul %a, 2.0  %s1 = sum.dim %b, dim=[1]  yield %s1 }
//
// It stands behind all passes that look for single instructions (elide, cse, dce), and in front of plan-memory: which values
// exist in memory is decided here, where they lie is decided there. clusters.cpp says what goes together.
//
// An insert goes together with what makes its piece, unless the kernel then reads, at another element that it also writes, what
// the insert writes over: if the piece is a smaller part of the whole, it is made first, in memory of its own size ("temp");
// else the kernel writes a second copy of the whole, and the planner lets the two change places ("pingpong").

#include "passes/fusion/fuse.h"

#include <algorithm>
#include <set>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "passes/fusion/clusters.h"
#include "passes/fusion/lower.h"
#include "passes/fusion/prepare.h"

namespace sifr {

namespace {

class Fuser {
public:
    explicit Fuser(Function& f) : f_(f) {}

    void region(RegionId r) {
        for (size_t i = 0; i < f_[r].insts.size(); ++i) {
            InstId id = f_[r].insts[i];
            if (f_[id].erased) continue;
            for (size_t k = 0; k < f_[id].regions.size(); ++k) region(f_[id].regions[k]);
        }
        std::set<InstId> separate;
        for (;;) {
            Clusters clusters(f_, r, separate);
            size_t before = separate.size();
            std::vector<InstId> order = emit(clusters, r, separate);
            if (separate.size() != before) continue;  // an insert wants its piece made first
            commit(clusters, r, std::move(order));
            return;
        }
    }

    /// Uses outside of the groups read the groups' results.
    void substitute() {
        auto replace = [&](ValueId& v) {
            auto it = replaced_.find(v.index);
            if (it != replaced_.end()) v = it->second;
        };
        for (Inst& i : f_.insts) {
            if (i.erased) continue;
            for (ValueId& v : i.operands) replace(v);
        }
        for (Region& r : f_.regions) {
            for (ValueId& v : r.results) replace(v);
        }
        for (Value& v : f_.values) {
            for (RunTimeSize& s : v.type.run_time_sizes) replace(s.size);
        }
    }

private:
    /// Makes the groups (not yet in the region) and returns the region's new order.
    std::vector<InstId> emit(const Clusters& clusters, RegionId r, std::set<InstId>& separate) {
        made_.clear();
        std::vector<InstId> order;
        for (int64_t unit : clusters.order()) {
            if (unit < 0) {
                order.push_back(clusters.nodes[static_cast<size_t>(~unit)].inst);
                continue;
            }
            InstId g = group(clusters, clusters.clusters[static_cast<size_t>(unit)], r);
            order.push_back(g);
            wants_temporary(clusters.clusters[static_cast<size_t>(unit)], clusters, g, separate);
        }
        return order;
    }

    InstId group(const Clusters& clusters, const Clusters::Cluster& c, RegionId r) {
        std::set<size_t> members(c.members.begin(), c.members.end());
        Location location;
        std::vector<ClearId> clears;
        // Members and the copies that they read, in program order.
        std::set<size_t> inside = members;
        std::vector<size_t> stack(c.members);
        while (!stack.empty()) {
            size_t n = stack.back();
            stack.pop_back();
            const Inst& inst = f_[clusters.nodes[n].inst];
            for (size_t k = 0; k < inst.operands.size(); ++k) {
                int p = clusters.node_of(inst.operands[k]);
                if (c.kind == "alias" || p < 0 || !clusters.nodes[static_cast<size_t>(p)].copied || !copy_into(c, clusters, n, k, static_cast<size_t>(p))) continue;
                if (inside.insert(static_cast<size_t>(p)).second) stack.push_back(static_cast<size_t>(p));
            }
        }
        InstId id(f_.insts.size());
        Inst g;
        g.op = "group"_op;
        g.attrs.set("kind", c.kind);
        g.parent = r;
        f_.insts.push_back(std::move(g));
        RegionId body = f_.add_region(id);
        ValueMap map;
        std::vector<ValueId> operands;
        std::set<uint32_t> made;
        auto parameter = [&](ValueId v) {
            if (f_.is_constant(v) || made.count(v.index) || map.get(v).valid()) return;
            operands.push_back(v);
            map.set(v, f_.add_parameter(body, f_.type(v), f_[v].name));
        };
        for (size_t n : inside) {
            InstId from = clusters.nodes[n].inst;
            for (size_t k = 0; k < f_[from].operands.size(); ++k) {
                ValueId v = f_[from].operands[k];
                int p = clusters.node_of(v);
                if (p < 0 || !inside.count(static_cast<size_t>(p))) parameter(v);
            }
            InstId copy = clone_inst(f_, from, f_, body, map);
            (void)copy;
            for (ValueId v : f_[from].results) made.insert(v.index);
            if (members.count(n)) {
                location = fuse_locations(location, f_[from].location);
                clears.insert(clears.end(), f_[from].clears.begin(), f_[from].clears.end());
            }
        }
        // Results: what is read outside.
        std::vector<Type> types;
        std::vector<ValueId> outside;
        for (size_t n : c.members) {
            const Clusters::Node& node = clusters.nodes[n];
            // What may raise stays for that alone, and its kernel writes somewhere.
            bool needed = node.escapes || def(f_[node.inst].op).effect != Effect::Pure;
            for (size_t u : node.users) needed |= read_outside(clusters, n, u, members);
            for (ValueId v : f_[node.inst].results) {
                if (!needed) continue;
                outside.push_back(v);
                f_[body].results.push_back(map.get(v));
            }
        }
        Inst& made_group = f_[id];
        made_group.operands = operands;
        made_group.location = location;
        made_group.clears = clears;
        for (size_t k = 0; k < outside.size(); ++k) {
            Value v;
            v.type = f_.type(outside[k]);
            v.def = Value::Def::Result;
            v.inst = id;
            v.position = static_cast<uint32_t>(k);
            v.name = f_[outside[k]].name;
            ValueId result = f_.add_value(std::move(v));
            f_[id].results.push_back(result);
            made_.emplace_back(outside[k], result);
        }
        return id;
    }

    /// Whether operand k of node n, made by a copied node, is made again here or read from memory.
    bool copy_into(const Clusters::Cluster& c, const Clusters& clusters, size_t n, size_t k, size_t producer) const {
        (void)c;
        const Inst& inst = f_[clusters.nodes[n].inst];
        Role role = clusters.nodes[producer].role;
        switch (clusters.nodes[n].role) {
            case Role::Pointwise: case Role::Extract: case Role::Reduce: case Role::Concat: case Role::Fill: return true;
            case Role::Insert: return k == 1 || (k == 0 && role == Role::Fill);
            case Role::Contraction: return role == Role::Extract;
            case Role::Scatter: return role == Role::Extract && inst.op == "insert_add"_op && k == 1;
            default: return false;
        }
    }

    /// Node u, or what copies lead to it, reads node n from outside of `members`.
    bool read_outside(const Clusters& clusters, size_t n, size_t u, const std::set<size_t>& members) const {
        const Clusters::Node& user = clusters.nodes[u];
        auto reads = [&](size_t by) {
            for (ValueId v : f_[clusters.nodes[by].inst].operands) {
                if (clusters.node_of(v) == static_cast<int>(n)) return true;
            }
            return false;
        };
        if (user.real && !members.count(u)) return reads(u) || !f_[user.inst].regions.empty();
        if (!user.copied) return false;
        if (!reads(u)) return false;
        for (size_t w : user.users) {
            if (read_through(clusters, u, w, members)) return true;
        }
        return false;
    }
    bool read_through(const Clusters& clusters, size_t n, size_t u, const std::set<size_t>& members) const { return read_outside(clusters, n, u, members); }

    /// Inserts whose kernel reads what it writes over, elsewhere, and which write only a smaller part.
    void wants_temporary(const Clusters::Cluster& c, const Clusters& clusters, InstId g, std::set<InstId>& separate) const {
        const Inst& group = f_[g];
        if (c.members.size() < 2 && !reads_base(group)) return;
        for (size_t r = 0; r < group.results.size(); ++r) {
            int base = inserted_operand(f_, group, r);
            if (base < 0 || c.shape == Clusters::Shape::Single) continue;
            const Inst* insert = f_.producer(f_[group.regions[0]].results[r]);
            if (2 * f_.type(insert->operands[1]).numel() > f_.type(group.results[r]).numel()) continue;
            LoweredGroup lowered = lower_group(f_, group, std::vector<bool>(group.results.size(), true));
            BufferId in, out;
            uint32_t parameter = 0;
            for (size_t b = 0; b < lowered.kernel.buffers.size(); ++b) {
                if (lowered.kernel.buffers[b].scratch) continue;
                const auto& binding = lowered.buffers[parameter++];
                if (binding.kind == LoweredGroup::Binding::Kind::Operand && binding.index == static_cast<uint32_t>(base)) in = BufferId(b);
                if (binding.kind == LoweredGroup::Binding::Kind::Result && binding.index == r) out = BufferId(b);
            }
            if (!in.valid() || may_share(lowered.kernel, in, out)) continue;
            for (size_t m : c.members) {
                if (clusters.nodes[m].role == Role::Insert && f_[clusters.nodes[m].inst].results[0].valid() && f_[clusters.nodes[m].inst].attrs == insert->attrs)
                    separate.insert(clusters.nodes[m].inst);
            }
        }
    }
    bool reads_base(const Inst& group) const { return f_[group.regions[0]].insts.size() > 1; }

    void commit(const Clusters& clusters, RegionId r, std::vector<InstId> order) {
        std::set<InstId> kept(order.begin(), order.end());
        for (const Clusters::Node& n : clusters.nodes) {
            if (kept.count(n.inst)) continue;
            f_.erase(n.inst);
        }
        f_[r].insts = std::move(order);
        for (auto& [from, to] : made_) replaced_[from.index] = to;
    }

    Function& f_;
    std::vector<std::pair<ValueId, ValueId>> made_;
    std::map<uint32_t, ValueId> replaced_;
};

}  // namespace

Fused fuse(const Functional& functional, PassContext&) {
    SIFR_CHECK(functional.function.facts.differentiated, "fuse needs a differentiated function");
    Function f = functional.function;
    prepare_for_fusion(f);
    f = compact(f);
    Fuser fuser(f);
    fuser.region(f.body);
    fuser.substitute();
    return Fused(compact(f));
}

}  // namespace sifr
