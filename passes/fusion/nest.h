#pragma once

#include <optional>
#include <vector>

#include "ir/func/function.h"
#include "passes/fusion/emitter.h"
#include "passes/fusion/lower.h"

namespace sifr {

/// The parts of lowering that kinds of groups share.
class GroupLowering {
public:
    GroupLowering(const Function& f, const Inst& group, const std::vector<bool>& in_place);
    LoweredGroup run();

private:
    struct Output {
        uint32_t result;
        ValueId value;      ///< whose elements are stored
        BufferId buffer;
        Layout layout;      ///< where they go in the result's frame
        std::vector<VarId> indices;
        const Inst* insert = nullptr;
    };
    struct Nest {
        Sizes space;               ///< of full values
        int axis = -1;             ///< the reduced one; -1: none
        std::vector<ValueId> reductions;
    };

    // lower_nest.cpp
    void nest();
    void copy_rest(const Output& o);
    void loops(const Sizes& sizes, const std::vector<bool>& walked, std::vector<Affine>& at, const std::function<void()>& body);
    void row(const Nest& n, std::vector<Affine>& at);
    void store(const Output& o, const Coords& c);
    [[nodiscard]] int phase_of(const Nest& n, ValueId v);
    [[nodiscard]] bool is_full(const Nest& n, ValueId v) const;
    // lower_contraction.cpp, lower_indexed.cpp
    void contraction();
    void gather();
    void scatter();
    void scan();
    void concat();

    void outputs();
    void name_kernel();
    const Function& f_;
    const Inst& group_;
    const std::vector<bool>& in_place_;
    LoweredGroup out_;
    Emitter e_;
    std::vector<Output> outputs_;
    std::map<uint32_t, int> phases_;
};

/// The attribute `dim` of an instruction, counted from the front.
size_t dim_attribute(const Inst& inst, size_t rank);

/// Opens a loop over `extent` and calls `body` with its variable; the loop is appended behind.
VarId loop(Emitter& e, const std::string& name, int64_t extent, const std::function<void(VarId)>& body);

}  // namespace sifr
