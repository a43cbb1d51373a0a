// Which instructions of one region become one kernel.
//
// 1. Copies. A fill, an extract, and a cheap pointwise value whose readers stand in other spaces is written again into each kernel
//    that reads it, where that avoids a pass over memory. What something else than a kernel needs is kept besides. (cluster_nodes.cpp)
// 2. Clusters, in program order. An instruction joins the clusters of its producers when
//      - it has elements in their space: the full values of a pointwise or row cluster, or the row values of a reduction;
//      - every value of the cluster that it reads, it reads at the element that the cluster computes at that moment;
//      - no path leads from the cluster through something outside of it back into it.
//    A reduction along the innermost axis turns a pointwise cluster into a row cluster. A reduction along another axis takes its
//    producers in if nobody else reads them.
// 3. Order. Effects keep theirs, nothing passes a clock read, and everything stands behind what it reads.

#include "passes/fusion/clusters.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "ir/base/check.h"
#include "passes/fusion/reduce_axis.h"

namespace sifr {

namespace {

constexpr size_t most_members = 160; ///< of one cluster: kernels stay small enough for quick compilation
constexpr int deepest_copy = 64;

/// A symbolic coordinate: variables beyond those of any kernel.
Affine symbol(size_t axis) { return Affine::of(VarId(axis)); }

Coords space_coords(const Sizes& space) {
    Coords c;
    for (size_t d = 0; d < space.size(); ++d) c.at.push_back(space[d] == 1 ? Affine{} : symbol(d));
    return c;
}

Sizes without_axis(const Sizes& s, int axis) {
    Sizes out = s;
    out.erase(out.begin() + axis);
    return out;
}
Sizes kept_axis(const Sizes& s, int axis) {
    Sizes out = s;
    out[static_cast<size_t>(axis)] = 1;
    return out;
}

}  // namespace

Clusters::Clusters(const Function& f, RegionId region, const std::set<InstId>& separate) : f_(f), region_(region), separate_(separate) {
    collect();
    decide_copies();
    form();
}

/// Everything that `v` at these coordinates reads inside the cluster is read at the element that the cluster computes.
bool Clusters::coordinates_agree(const Cluster& c, ValueId v, const Coords& at, int depth) const {
    if (depth > deepest_copy) return false;
    if (!f_.type(v).is_tensor()) return true;
    int p = node_of(v);
    auto range = [&](VarId s) -> std::optional<std::pair<int64_t, int64_t>> { return std::pair<int64_t, int64_t>(0, c.space[s.index] - 1); };
    bool member = p >= 0 && std::find(c.members.begin(), c.members.end(), static_cast<size_t>(p)) != c.members.end();
    if (member && !nodes[static_cast<size_t>(p)].copied) {
        if (nodes[static_cast<size_t>(p)].role == Role::Insert) return false;  // nothing reads what an insert wrote inside of the kernel that writes it
        const Sizes& sizes = f_.type(v).sizes;
        Coords expected = space_coords(c.space);
        if (c.axis >= 0 && nodes[static_cast<size_t>(p)].role == Role::Reduce) {
            expected.at.erase(expected.at.begin() + c.axis);
            if (sizes.size() == c.space.size()) expected.at.insert(expected.at.begin() + c.axis, Affine{});
        } else if (c.axis >= 0 && sizes != c.space) {
            expected.at.erase(expected.at.begin() + c.axis);
            if (sizes.size() == c.space.size()) expected.at.insert(expected.at.begin() + c.axis, Affine{});
        }
        if (at.flat) return expected.at.size() == 1 ? expected.at[0] == at.at[0] : linear(expected, sizes) == at.at[0];
        return expected.at == at.at;
    }
    if (p < 0 || !nodes[static_cast<size_t>(p)].copied) return true;  // read from memory, anywhere
    const Inst& inst = f_[nodes[static_cast<size_t>(p)].inst];
    if (inst.op == "extract"_op) {
        // Run-time indices stand for themselves; what they reach is read from memory or not at all.
        std::vector<VarId> indices;
        size_t count = inst.attrs.get<Layout>("layout").index_scales.size();
        for (size_t k = 0; k < count; ++k) indices.push_back(VarId(1000 + k));
        auto open = [&](VarId s) { return s.index < c.space.size() ? range(s) : std::nullopt; };
        auto inner = frame_coords(inst.attrs.get<Layout>("layout"), f_.type(inst.operands[0]).sizes, at, indices, open);
        return inner && coordinates_agree(c, inst.operands[0], *inner, depth + 1);
    }
    if (nodes[static_cast<size_t>(p)].role == Role::Fill) return !(at.flat && inst.op == "eye"_op);  // a position on two axes
    for (ValueId o : inst.operands) {
        if (!f_.type(o).is_tensor()) continue;
        auto inner = broadcast_coords(f_.type(o).sizes, f_.type(v).sizes, at);
        if (!inner || !coordinates_agree(c, o, *inner, depth + 1)) return false;
    }
    return true;
}

/// Node `i` can be computed in cluster `c` (which has its space already).
bool Clusters::readable(const Cluster& c, size_t i) const {
    const Inst& inst = f_[nodes[i].inst];
    Coords full = space_coords(c.space);
    auto row = [&](const Sizes& sizes) {
        Coords at = full;
        at.at.erase(at.at.begin() + c.axis);
        if (sizes.size() == c.space.size()) at.at.insert(at.at.begin() + c.axis, Affine{});
        return at;
    };
    switch (nodes[i].role) {
        case Role::Reduce: return coordinates_agree(c, inst.operands[0], full, 0);
        case Role::Insert: {
            const Sizes& sizes = f_.type(inst.operands[1]).sizes;
            return coordinates_agree(c, inst.operands[1], sizes == c.space ? full : row(sizes), 0);
        }
        case Role::Fill: case Role::Contraction: return true;
        default: break;
    }
    const Sizes& sizes = f_.type(inst.results[0]).sizes;
    Coords at = sizes == c.space ? full : row(sizes);
    if (nodes[i].role == Role::Extract) {
        std::vector<VarId> indices;
        for (size_t k = 0; k < inst.attrs.get<Layout>("layout").index_scales.size(); ++k) indices.push_back(VarId(1000 + k));
        auto open = [&](VarId s) { return s.index < c.space.size() ? std::optional(std::pair<int64_t, int64_t>(0, c.space[s.index] - 1)) : std::nullopt; };
        auto inner = frame_coords(inst.attrs.get<Layout>("layout"), f_.type(inst.operands[0]).sizes, at, indices, open);
        return inner && coordinates_agree(c, inst.operands[0], *inner, 0);
    }
    for (ValueId o : inst.operands) {
        if (!f_.type(o).is_tensor()) continue;
        auto inner = broadcast_coords(f_.type(o).sizes, sizes, at);
        if (!inner || !coordinates_agree(c, o, *inner, 0)) return false;
    }
    return true;
}

/// What an insert goes into is copied around it, or is there already: the same kernel does not make it.
bool Clusters::inserts_into_member(const Cluster& c, size_t i) const {
    if (nodes[i].role != Role::Insert) return false;
    int base = node_of(f_[nodes[i].inst].operands[0]);
    return base >= 0 && std::find(c.members.begin(), c.members.end(), static_cast<size_t>(base)) != c.members.end();
}

bool Clusters::joins(Cluster c, size_t i, Cluster& out) const {
    const Node& n = nodes[i];
    const Inst& inst = f_[n.inst];
    if (c.shape == Shape::Single || c.members.size() >= most_members || separate_.count(n.inst)) return false;
    // A product reads its operands from memory, so it never stands behind what makes them; its readers join it.
    if (n.role == Role::Contraction) return false;
    for (size_t m : c.members) {
        if (separate_.count(nodes[m].inst)) return false;
        // Nothing reads what an insert wrote inside of the kernel that writes it.
        if (nodes[m].role == Role::Insert && std::find(nodes[m].users.begin(), nodes[m].users.end(), i) != nodes[m].users.end()) return false;
    }
    if (inserts_into_member(c, i)) return false;
    if (n.role == Role::Reduce) {
        const Sizes& sizes = f_.type(inst.operands[0]).sizes;
        int axis = reduced_axis(f_, inst);
        bool innermost = is_innermost(sizes, axis);
        if (sizes != c.space || (c.axis >= 0 && c.axis != axis)) return false;
        if (c.shape == Shape::Columns || c.shape == Shape::Contraction) return false;
        if (c.shape == Shape::Pointwise) {
            c.shape = innermost ? Shape::Rows : Shape::Columns;
            c.axis = axis;
            if (!innermost) {
                // Full values of a column reduction are never stored: nobody else may read them.
                for (size_t m : c.members) {
                    if (nodes[m].escapes || nodes[m].role == Role::Insert) return false;
                    for (size_t u : nodes[m].users) {
                        if (u != i && std::find(c.members.begin(), c.members.end(), u) == c.members.end()) return false;
                    }
                }
            }
        }
    } else {
        const Sizes& sizes = n.role == Role::Insert ? f_.type(inst.operands[1]).sizes : f_.type(inst.results[0]).sizes;
        if (sizes != c.space) {
            if (c.axis < 0 || (sizes != without_axis(c.space, c.axis) && sizes != kept_axis(c.space, c.axis))) return false;
        } else if (c.shape == Shape::Columns) return false;
    }
    c.members.push_back(i);
    if (!readable(c, i)) return false;
    out = std::move(c);
    return true;
}

bool Clusters::merges(const Cluster& a, const Cluster& b, Cluster& out) const {
    if (a.shape == Shape::Single || b.shape == Shape::Single || (a.shape == Shape::Columns) != (b.shape == Shape::Columns)) return false;
    if (a.shape == Shape::Columns) {
        // Side by side only: a second pass along columns would read them from far memory again.
        for (const auto& [reader, read] : {std::pair{&a, &b}, {&b, &a}}) {
            for (size_t m : reader->members) {
                std::set<size_t> real;
                reach(m, real);
                for (size_t r : real) {
                    if (std::binary_search(read->members.begin(), read->members.end(), r)) return false;
                }
            }
        }
    }
    if (a.space != b.space || (a.axis >= 0 && b.axis >= 0 && a.axis != b.axis)) return false;
    bool product = a.shape == Shape::Contraction || b.shape == Shape::Contraction;
    if (product && (a.shape == b.shape || a.axis >= 0 || b.axis >= 0)) return false;
    if (a.members.size() + b.members.size() > most_members) return false;
    out = a.axis >= 0 || a.shape == Shape::Contraction ? a : b;
    out.members.clear();
    std::merge(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), std::back_inserter(out.members));
    for (size_t m : out.members) {
        if (separate_.count(nodes[m].inst) || inserts_into_member(out, m) || !readable(out, m)) return false;
        for (size_t u : nodes[m].users) {
            if (nodes[m].role == Role::Insert && std::binary_search(out.members.begin(), out.members.end(), u)) return false;
        }
        // A product reads its operands from memory, whole: what makes them is another kernel.
        if (nodes[m].role == Role::Contraction) {
            std::set<size_t> operands;
            reach(m, operands);
            for (size_t r : operands) {
                if (std::binary_search(out.members.begin(), out.members.end(), r)) return false;
            }
        }
    }
    return true;
}

/// Does a path lead from `from` through something outside of both sets to `to`? Looked for backwards, so that only what lies
/// between the two is visited.
bool Clusters::path_outside(const std::set<size_t>& from, const std::set<size_t>& to) const {
    if (from.empty() || to.empty()) return false;
    size_t first = *from.begin();
    visited_.resize(nodes.size(), {0, 0});
    ++stamp_;
    std::vector<std::pair<size_t, bool>> stack;
    auto visit = [&](size_t n, bool outside) {
        // A node in front of all of `from` depends on none of it.
        if (n <= first && !from.count(n)) return;
        int& seen = outside ? visited_[n].second : visited_[n].first;
        if (seen == stamp_) return;
        seen = stamp_;
        stack.emplace_back(n, outside);
    };
    for (size_t n : to) stack.emplace_back(n, false);
    while (!stack.empty()) {
        auto [n, outside] = stack.back();
        stack.pop_back();
        for (size_t p : producers_[n]) {
            if (from.count(p)) {
                if (outside) return true;
                continue;
            }
            if (to.count(p)) continue;
            // A node that is only copied is part of whatever reads it; the other members of a cluster on the path lead on, too.
            visit(p, outside || nodes[p].real);
            if (nodes[p].real && nodes[p].cluster >= 0) {
                for (size_t m : clusters[static_cast<size_t>(nodes[p].cluster)].members) visit(m, true);
            }
        }
    }
    return false;
}

/// Each operand of a product is memory that is walked by constant strides. If one is not: the value, on the way from the operand to memory,
/// that has to be memory itself for that.
std::optional<ValueId> Clusters::not_walkable(size_t i) const {
    const Inst& inst = f_[nodes[i].inst];
    for (ValueId v : inst.operands) {
        Coords at = space_coords(f_.type(v).sizes);
        Sizes extents = f_.type(v).sizes;
        auto range = [&](VarId s) -> std::optional<std::pair<int64_t, int64_t>> {
            if (s.index >= extents.size()) return std::nullopt;
            return std::pair<int64_t, int64_t>(0, extents[s.index] - 1);
        };
        for (int p = node_of(v); p >= 0 && nodes[static_cast<size_t>(p)].copied; p = node_of(v)) {
            const Inst& made = f_[nodes[static_cast<size_t>(p)].inst];
            if (made.op != "extract"_op) break;
            std::vector<VarId> indices;
            for (size_t k = 0; k < made.attrs.get<Layout>("layout").index_scales.size(); ++k) indices.push_back(VarId(1000 + k));
            auto inner = frame_coords(made.attrs.get<Layout>("layout"), f_.type(made.operands[0]).sizes, at, indices, range);
            if (!inner) return v;
            at = *inner;
            v = made.operands[0];
        }
    }
    return std::nullopt;
}

/// Each part of a concatenation is computed where it is written, over its own sizes.
bool Clusters::parts_readable(size_t i) const {
    return std::ranges::all_of(f_[nodes[i].inst].operands, [&](ValueId v) {
        Cluster part;
        part.space = f_.type(v).sizes;
        return coordinates_agree(part, v, space_coords(part.space), 0);
    });
}

/// False if what the node reads cannot be computed in a kernel together with it.
bool Clusters::place(size_t i) {
    Node& n = nodes[i];
    const Inst& inst = f_[n.inst];
    // A reading of all of a value under other sizes moves nothing.
    bool alias = false;
    if (n.role == Role::Extract) {
        const Layout& l = inst.attrs.get<Layout>("layout");
        int p = node_of(inst.operands[0]);
        bool in_memory = p < 0 || nodes[static_cast<size_t>(p)].real;
        alias = in_memory && l.is_static() && l.offset == 0 && l.is_contiguous() && l.numel() == f_.type(inst.operands[0]).numel();
    }
    Cluster own;
    own.members = {i};
    bool nest = (n.role == Role::Pointwise || n.role == Role::Fill || n.role == Role::Extract || n.role == Role::Insert || n.role == Role::Reduce) && !alias;
    if (nest) {
        own.shape = Shape::Pointwise;
        if (n.role == Role::Reduce) {
            own.space = f_.type(inst.operands[0]).sizes;
            own.axis = reduced_axis(f_, inst);
            own.shape = is_innermost(own.space, own.axis) ? Shape::Rows : Shape::Columns;
        } else {
            own.space = n.role == Role::Insert ? f_.type(inst.operands[1]).sizes : f_.type(inst.results[0]).sizes;
        }
        if (!readable(own, i)) return false;
    } else if (n.role == Role::Contraction) {
        own.shape = Shape::Contraction;
        own.space = f_.type(inst.results[0]).sizes;
        if (not_walkable(i)) return false;
    } else {
        if ((n.role == Role::Concat || inst.op == "insert_add"_op) && !parts_readable(i)) return false;
        own.kind = alias ? "alias" : n.role == Role::Gather ? "gather" : n.role == Role::Scatter ? "scatter"
                   : n.role == Role::Scan ? "scan" : "concat";
    }
    n.cluster = static_cast<int>(clusters.size());
    clusters.push_back(own);
    if (!nest && own.shape != Shape::Contraction) return true;

    std::set<size_t> producers;
    reach(i, producers);
    std::vector<int> candidates;
    for (auto p = producers.rbegin(); p != producers.rend(); ++p) {
        int c = nodes[*p].cluster;
        if (c >= 0 && std::find(candidates.begin(), candidates.end(), c) == candidates.end()) candidates.push_back(c);
    }
    // Row clusters first: what could join a pointwise and a row cluster stays with the row.
    std::stable_sort(candidates.begin(), candidates.end(), [&](int a, int b) {
        return clusters[static_cast<size_t>(a)].axis >= 0 && clusters[static_cast<size_t>(b)].axis < 0;
    });
    for (int candidate : candidates) {
        Cluster& mine = clusters[static_cast<size_t>(n.cluster)];
        Cluster& other = clusters[static_cast<size_t>(candidate)];
        if (candidate == n.cluster || other.members.empty()) continue;
        std::set<size_t> a(other.members.begin(), other.members.end()), b(mine.members.begin(), mine.members.end());
        Cluster merged;
        bool fits = b.size() == 1 ? joins(other, i, merged) : merges(other, mine, merged);
        if (!fits || path_outside(a, b) || path_outside(b, a)) continue;
        std::sort(merged.members.begin(), merged.members.end());
        mine.members.clear();  // they are in `merged`
        clusters[static_cast<size_t>(candidate)] = std::move(merged);
        for (size_t m : clusters[static_cast<size_t>(candidate)].members) nodes[m].cluster = candidate;
    }
    return true;
}

/// Clusters over one space that read the same memory read it once.
void Clusters::join_siblings() {
    std::map<uint32_t, std::vector<int>> readers;  // by value
    for (size_t c = 0; c < clusters.size(); ++c) {
        const Cluster& cluster = clusters[c];
        if (cluster.members.empty() || cluster.shape == Shape::Single || cluster.shape == Shape::Contraction) continue;
        std::vector<size_t> stack(cluster.members);
        std::set<size_t> seen(stack.begin(), stack.end());
        std::set<uint32_t> values;
        while (!stack.empty()) {
            size_t n = stack.back();
            stack.pop_back();
            for (ValueId v : f_[nodes[n].inst].operands) {
                if (!f_.type(v).is_tensor()) continue;
                int p = node_of(v);
                if (p >= 0 && nodes[static_cast<size_t>(p)].copied) {
                    if (seen.insert(static_cast<size_t>(p)).second) stack.push_back(static_cast<size_t>(p));
                } else if (element_count(f_.type(v).sizes) == element_count(cluster.space)) values.insert(v.index);
            }
        }
        for (uint32_t v : values) readers[v].push_back(static_cast<int>(c));
    }
    for (auto& [value, list] : readers) {
        for (size_t i = 0; i < list.size(); ++i) {
            for (size_t j = i + 1; j < list.size(); ++j) {
                Cluster &a = clusters[static_cast<size_t>(list[i])], &b = clusters[static_cast<size_t>(list[j])];
                if (list[i] == list[j] || a.members.empty() || b.members.empty()) continue;
                std::set<size_t> in_a(a.members.begin(), a.members.end()), in_b(b.members.begin(), b.members.end());
                Cluster merged;
                if (!merges(a, b, merged) || path_outside(in_a, in_b) || path_outside(in_b, in_a)) continue;
                b.members.clear();
                a = std::move(merged);
                for (size_t m : a.members) nodes[m].cluster = list[i];
                list[j] = list[i];
            }
        }
    }
}

void Clusters::form() {
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].role == Role::Outside || !nodes[i].real || place(i)) continue;
        // A value that is read under sizes which do not follow its axes is kept in memory, and all begins again.
        bool changed = false;
        if (nodes[i].role == Role::Contraction) {
            if (std::optional<ValueId> v = not_walkable(i)) {
                Node& far = nodes[static_cast<size_t>(node_of(*v))];
                far.copied = false;
                far.real = changed = true;
            }
        }
        std::vector<size_t> stack;
        if (!changed) stack.push_back(i);
        std::set<size_t> seen;
        while (!stack.empty()) {
            size_t n = stack.back();
            stack.pop_back();
            for (ValueId v : f_[nodes[n].inst].operands) {
                int p = node_of(v);
                if (p < 0 || !seen.insert(static_cast<size_t>(p)).second || !nodes[static_cast<size_t>(p)].copied) continue;
                Node& producer = nodes[static_cast<size_t>(p)];
                if (producer.role == Role::Pointwise || producer.role == Role::Fill) {
                    producer.copied = false;
                    producer.real = true;
                    changed = true;
                } else stack.push_back(static_cast<size_t>(p));
            }
        }
        for (ValueId v : f_[nodes[i].inst].operands) {
            int p = node_of(v);
            if (changed || p < 0 || !nodes[static_cast<size_t>(p)].copied) continue;
            nodes[static_cast<size_t>(p)].copied = false;
            nodes[static_cast<size_t>(p)].real = changed = true;
        }
        SIFR_CHECK(changed, "'{}' cannot stand in a kernel of its own", name_of(f_[nodes[i].inst].op));
        clusters.clear();
        for (Node& n : nodes) n.cluster = -1;
        i = static_cast<size_t>(-1);
    }
    join_siblings();
    for (Cluster& c : clusters) {
        if (!c.kind.empty()) continue;
        c.kind = c.shape == Shape::Contraction ? "contraction" : c.shape == Shape::Rows ? "rows" : c.shape == Shape::Columns ? "columns" : "pointwise";
        if (c.members.size() == 1 && nodes[c.members[0]].role == Role::Fill) c.kind = "fill";
        if (c.members.size() == 1 && nodes[c.members[0]].role == Role::Extract) c.kind = "copy";
    }
}

std::vector<int64_t> Clusters::order() const {
    // Units: clusters, and outside nodes. A copied node that nobody needs for itself is in no unit; its edges pass through.
    auto unit = [&](size_t i) -> std::optional<int64_t> {
        if (!nodes[i].real) return std::nullopt;
        return nodes[i].cluster >= 0 ? nodes[i].cluster : ~static_cast<int64_t>(i);
    };
    std::map<int64_t, std::set<int64_t>> next;
    std::map<int64_t, int> waits;
    std::map<int64_t, size_t> key;
    for (size_t i = 0; i < nodes.size(); ++i) {
        auto u = unit(i);
        if (!u) continue;
        waits.try_emplace(*u, 0);
        key[*u] = i;  // the last member's place
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
        auto from = unit(i);
        if (!from) continue;
        std::vector<size_t> stack(nodes[i].users);
        std::set<size_t> seen(stack.begin(), stack.end());
        while (!stack.empty()) {
            size_t u = stack.back();
            stack.pop_back();
            if (auto to = unit(u); to && *to != *from && next[*from].insert(*to).second) ++waits[*to];
            if (!nodes[u].copied) continue;
            for (size_t w : nodes[u].users) {
                if (seen.insert(w).second) stack.push_back(w);
            }
        }
    }
    using Entry = std::pair<size_t, int64_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (auto& [u, n] : waits) {
        if (n == 0) ready.emplace(key[u], u);
    }
    std::vector<int64_t> out;
    while (!ready.empty()) {
        int64_t u = ready.top().second;
        ready.pop();
        out.push_back(u);
        for (int64_t to : next[u]) {
            if (--waits[to] == 0) ready.emplace(key[to], to);
        }
    }
    SIFR_CHECK(out.size() == waits.size(), "clusters depend on each other in a circle");
    return out;
}

}  // namespace sifr
