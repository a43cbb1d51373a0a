#pragma once

#include <map>
#include <set>
#include <vector>

#include "ir/analysis/region_set.h"
#include "ir/func/function.h"

namespace sifr {

/// Which elements of a value anybody may look at, for every value of a functional program. Backwards from the readers:
///
///   - `insert %v L, %p` looks at what is wanted of its result, but for L; at %p only if some of L is wanted;
///   - `extract %v L` looks at L; every other row at all;
///   - what an `if` or a loop hands on is looked at where its result is; a loop's parameter also by the trips that follow.
///
/// Of the value that a loop starts from, what the loop writes on all of its trips together is not wanted, if it does write
/// there before it reads there. That needs a trip count that is known, and boxes that the loop's index moves along one axis:
/// `x[i] = f(x[i - 1])` for i in 1..n wants row 0 alone.
///
/// Sets are supersets of the truth: where boxes are not exact, or the search grows too long, everything is wanted.
class Demand {
public:
    explicit Demand(const Function& f);

    struct Wanted {
        RegionSet elements;  ///< in the value's frame
        InstId reader;       ///< one that looks at some of them; invalid where there is none, or the function hands them out
    };
    /// Of a tensor value.
    Wanted of(ValueId v);

private:
    /// A read or a write of a carried value in a loop's body, at a box that `indices` move.
    struct Access {
        bool write = false;
        bool whole = false;  ///< a read of everything
        Box box;
        std::vector<ValueId> indices;
        InstId by;
    };
    struct Trips {
        int64_t first, count, step;  ///< the index is first + k · step
    };

    void all(Wanted& w, ValueId v, InstId reader) const;
    void unite(Wanted& w, ValueId v, const Wanted& more) const;
    void use(Wanted& w, ValueId v, const Use& u);
    void parameters(Wanted& w, const Inst& loop, size_t slot);
    void initial(Wanted& w, ValueId v, const Inst& loop, size_t slot);
    bool accesses(RegionId body, ValueId v, size_t slot, std::vector<Access>& out);
    bool inner_loop(InstId id, size_t slot, std::vector<Access>& out);
    [[nodiscard]] bool access(Access& a, const Layout& layout, const Sizes& frame, const Inst& inst, size_t first_index) const;
    [[nodiscard]] std::optional<Trips> trips(const Inst& loop) const;
    [[nodiscard]] std::optional<Box> swept(const Access& a, ValueId index, const Trips& t) const;
    [[nodiscard]] bool written_before(const Access& read, const std::vector<Access>& all, ValueId index, const Trips& t, RegionSet& unwritten) const;
    [[nodiscard]] bool made_inside(ValueId v, RegionId body) const;

    const Function& f_;
    std::vector<std::vector<Use>> uses_;
    std::map<ValueId, Wanted> known_;
    std::set<ValueId> open_;  ///< parameters whose readers are being collected: what comes round again adds nothing
    int steps_ = 0;
};

}  // namespace sifr
