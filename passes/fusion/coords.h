#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/loop/loop_ir.h"
#include "ir/type/layout.h"

namespace sifr {

/// Which element of a value is meant: one affine form per axis, or (flat) its row-major number. Frame coordinates keep inner
/// loops free of division; a value whose coordinates cannot be affine has only the flat form.
struct Coords {
    bool flat = false;
    std::vector<Affine> at;  ///< one per axis; flat: one in all
    bool operator==(const Coords&) const = default;
    [[nodiscard]] std::string key() const;
};

/// The inclusive range of a variable, for proofs that coordinates stay inside; nothing: not known.
using VarRange = std::function<std::optional<std::pair<int64_t, int64_t>>(VarId)>;

/// The row-major number of an element of a tensor of these sizes.
Affine linear(const Coords& c, const Sizes& sizes);
/// Where element `c` of an extract (or a piece) lies in its frame, as one affine form. `indices`: the layout's run-time indices.
/// Nothing if `c` is flat and the layout is not contiguous.
std::optional<Affine> place_in_frame(const Layout& layout, const Coords& c, const std::vector<VarId>& indices);
/// The frame coordinates of that element: split by axis where that is exact, else flat.
std::optional<Coords> frame_coords(const Layout& layout, const Sizes& frame, const Coords& c, const std::vector<VarId>& indices,
                                   const VarRange& range);
/// Splits a row-major number into coordinates, where each term belongs to one axis and no axis overflows.
std::optional<Coords> split(const Affine& place, const Sizes& frame, const VarRange& range);
/// Coordinates of an operand of `sizes` that is broadcast against a result at `c` of `result` sizes. Nothing if `c` is flat and
/// the operand is neither of the result's sizes nor a single element.
std::optional<Coords> broadcast_coords(const Sizes& sizes, const Sizes& result, const Coords& c);

}  // namespace sifr
