#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/func/function.h"
#include "ir/op/op_def.h"
#include "passes/fusion/coords.h"

namespace sifr {

/// What fusion can do with an instruction.
enum class Role : uint8_t { Outside, Pointwise, Fill, Extract, Insert, Reduce, Contraction, Gather, Scatter, Scan, Concat };
Role role_of(const Function& f, const Inst& inst);

/// The clusters of one region: which instructions become one kernel, which are written again into each that reads them.
class Clusters {
public:
    enum class Shape : uint8_t { Pointwise, Rows, Columns, Contraction, Single };
    struct Cluster {
        Shape shape = Shape::Single;
        Sizes space;
        int axis = -1;
        std::vector<size_t> members;  ///< node numbers, in program order
        std::string kind;
    };
    struct Node {
        InstId inst;
        Role role = Role::Outside;
        bool copied = false;  ///< written again into each kernel that reads it
        bool real = true;     ///< stands in a cluster (or alone, outside of groups)
        int cluster = -1;
        std::vector<size_t> users;  ///< nodes of this region that use a result, or must come behind
        bool escapes = false;       ///< used by a nested region or handed on by this one
        bool feeds_product = false; ///< an extract that a product reads through: what it reads must be in memory
    };

    Clusters(const Function& f, RegionId region, const std::set<InstId>& separate);
    std::vector<Node> nodes;
    std::vector<Cluster> clusters;
    /// Clusters (>= 0) and outside nodes (~number) in an order that respects every dependence.
    [[nodiscard]] std::vector<int64_t> order() const;
    [[nodiscard]] int node_of(ValueId v) const;  ///< the node that makes it in this region, or -1

private:
    void collect();
    void decide_copies();
    void form();
    void join_siblings();
    bool place(size_t i);
    [[nodiscard]] std::optional<ValueId> not_walkable(size_t i) const;
    bool parts_readable(size_t i) const;
    bool inserts_into_member(const Cluster& c, size_t i) const;
    bool joins(Cluster c, size_t i, Cluster& out) const;
    bool merges(const Cluster& a, const Cluster& b, Cluster& out) const;
    bool coordinates_agree(const Cluster& c, ValueId v, const Coords& at, int depth) const;
    bool readable(const Cluster& c, size_t i) const;
    [[nodiscard]] bool path_outside(const std::set<size_t>& from, const std::set<size_t>& to) const;
    void reach(size_t i, std::set<size_t>& real) const;
    [[nodiscard]] int cost(size_t i) const;
    [[nodiscard]] bool same_space_use(size_t user, ValueId v) const;
    [[nodiscard]] bool soft_use(size_t user, ValueId v) const;

    const Function& f_;
    RegionId region_;
    const std::set<InstId>& separate_;
    std::map<uint32_t, size_t> node_by_inst_;
    std::vector<int> cost_;
    std::vector<int> clocks_before_;  ///< per node: clock reads in front of it
    std::vector<std::vector<size_t>> producers_;  ///< per node: the inverse of `users`
    mutable std::vector<std::pair<int, int>> visited_;
    mutable int stamp_ = 0;
};

}  // namespace sifr
