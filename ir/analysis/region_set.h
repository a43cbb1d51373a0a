#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/type/layout.h"

namespace sifr {

/// A set of elements of a frame, exact, as disjoint products of index sets per axis. Made for coverage proofs: start with
/// the whole frame, subtract what is written, and see what is left.
///
/// An index set is a sorted list of disjoint intervals; a box with steps is a list of single places. Every operation gives up
/// (returns false) rather than grow past `limit` intervals or products, and then the set is unchanged.
class RegionSet {
public:
    struct Interval {
        int64_t begin, end;  ///< end exclusive
        bool operator==(const Interval&) const = default;
    };
    using IndexSet = std::vector<Interval>;
    using Product = std::vector<IndexSet>;  ///< one per axis; an empty index set makes it empty
    static constexpr size_t limit = 4096;

    static RegionSet whole(const Sizes& frame);
    [[nodiscard]] bool empty() const { return products_.empty(); }
    [[nodiscard]] int64_t count() const;  ///< elements
    [[nodiscard]] const std::vector<Product>& products() const { return products_; }
    bool subtract(const Product& region);
    bool subtract(const RegionSet& other);
    bool intersect(const Product& region);
    /// Afterwards the set has the elements of both.
    bool add(const Product& region);
    bool add(const RegionSet& other);

    /// The places of a box without run-time indices. Nothing when it has more than `limit` of them on a stepped axis.
    static std::optional<Product> of_box(const Box& box);
    /// The union of a box over a run-time index k = lo, lo + step, … < hi, where the index moves it along one axis only:
    /// exact when the moved pieces meet or overlap, or when the number of trips is small.
    static std::optional<Product> swept(const Box& box, int index, int64_t lo, int64_t hi, int64_t step);
    /// The same as a box, which other run-time indices may still move; nothing where it would be no box with steps.
    static std::optional<Box> swept_box(const Box& box, int index, int64_t lo, int64_t hi, int64_t step);
    /// As boxes with steps of 1; nothing when there are more than `most`.
    [[nodiscard]] std::optional<std::vector<Layout>> layouts(const Sizes& frame, size_t most) const;

private:
    bool take(std::vector<Product> products);  ///< unless they are too many
    std::vector<Product> products_;
};

}  // namespace sifr
