#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "ir/func/function.h"
#include "ir/op/op_def.h"

namespace sifr {

/// Appends instructions to a Function at an insertion point. Result types come from the rows. The location has no
/// default: every builder is made with one, and `at()` changes it.
class Builder {
public:
    Builder(Function& f, RegionId region, Location location);
    Function& function() { return f_; }
    [[nodiscard]] RegionId region() const { return region_; }
    [[nodiscard]] const Location& location() const { return location_; }

    void at(Location location) { location_ = std::move(location); }
    /// Appends to the end of `region` from now on.
    void into(RegionId region);
    /// Inserts in front of `inst` from now on (in order: each new one stands behind the one before).
    void before(InstId inst);

    ValueId constant(ScalarConstant c) { return f_.add_constant(std::move(c)); }
    ValueId constant(double v) { return f_.add_constant(v); }
    ValueId constant_int(int64_t v) { return f_.add_constant(v); }
    ValueId constant_bool(bool v) { return f_.add_constant(v); }

    /// `results = op operands {attrs}`, types by the row's rule. Missing attributes get the signature's defaults.
    std::vector<ValueId> emit_all(Op op, std::vector<ValueId> operands, Attrs attrs = {});
    /// The same, for rows with one result.
    ValueId emit(Op op, std::vector<ValueId> operands, Attrs attrs = {});
    /// With result types given (structural rows).
    InstId emit_typed(Op op, std::vector<ValueId> operands, Attrs attrs, const std::vector<Type>& types);

    // Shorthands that passes and rules use; FUNCTIONAL.
    ValueId full(DType dtype, Sizes sizes, double value);
    ValueId full(DType dtype, Sizes sizes, ValueId value);
    ValueId cast(ValueId v, DType to);  ///< the value itself when it has the dtype
    ValueId extract(ValueId v, const Layout& layout, std::span<const ValueId> indices = {});  ///< the value itself when whole
    ValueId insert(ValueId v, const Layout& layout, ValueId piece, std::span<const ValueId> indices = {});
    ValueId reshape(ValueId v, Sizes sizes);         ///< extract with a contiguous layout
    ValueId permute(ValueId v, std::vector<int> axes);
    ValueId expand(ValueId v, Sizes sizes);          ///< broadcast to `sizes`
    /// Sums `v` down to `sizes` (undoes a broadcast).
    ValueId sum_to(ValueId v, const Sizes& sizes);

    /// An instruction with regions: make it, then fill the regions with builders of their own.
    RegionId add_region(InstId inst) { return f_.add_region(inst); }

private:
    Function& f_;
    RegionId region_;
    Location location_;
    size_t position_ = SIZE_MAX;
};

/// Attributes in one expression: `attrs({{"dim", int64_t{0}}, {"keepdim", true}})`.
Attrs attrs(std::initializer_list<std::pair<std::string_view, AttrValue>> list);

}  // namespace sifr
