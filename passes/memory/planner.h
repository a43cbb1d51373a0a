#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/func/function.h"
#include "ir/plan/plan.h"
#include "passes/fusion/lower.h"

namespace sifr {

/// Where tensor values are read for the last time, in program order: an instruction has a number when it begins, one with
/// regions another one when it ends. What a loop reads from outside is read until the loop ends.
class ValueLife {
public:
    explicit ValueLife(const Function& f);
    [[nodiscard]] int64_t begin(InstId id) const { return begin_[id.index]; }
    [[nodiscard]] int64_t end(InstId id) const { return end_[id.index]; }
    /// The last use of `v` or of another name of its memory.
    [[nodiscard]] int64_t last(ValueId v) const { return last_[root(v).index]; }
    /// The value whose memory `v` is: what a chain of aliases leads to.
    [[nodiscard]] ValueId root(ValueId v) const;

private:
    void region(RegionId r, std::vector<std::pair<InstId, int64_t>>& loops);
    void use(ValueId v, int64_t at);
    const Function& f_;
    std::vector<int64_t> begin_, end_, last_;
    std::vector<int> depth_;              ///< per value: loops around its definition
    std::vector<InstId> open_loops_;
    std::vector<std::pair<ValueId, InstId>> until_loop_end_;
    int64_t next_ = 0;
};

class Planner {
public:
    explicit Planner(const Function& f) : f_(f), life_(f) {}
    Plan run();

private:
    // planner.cpp: values and places
    PlanBuffer add_buffer(BufferDef::Kind kind, const Type& type, const std::string& name);
    PlanBuffer buffer(ValueId v);                ///< the memory of a value
    PlanBuffer sized_buffer(ValueId v);          ///< the same with the value's own sizes and type, for calls and prints
    PlanScalar scalar(ValueId v);
    PlanScalar new_scalar(ValueId v);
    [[nodiscard]] bool owned(PlanBuffer b) const;  ///< arena memory, or a pointer to it
    // planner.cpp: the caller's memory
    void parameters();
    void results();
    void set_home(ValueId v, PlanBuffer argument);
    /// The argument whose memory is to hold `v` in the end; invalid if none.
    [[nodiscard]] PlanBuffer home(ValueId v) const;
    void hold(ValueId v, PlanBuffer b);
    /// Memory for a value that is made at `now`: that of its argument where nothing that lies there is needed any more, else new.
    PlanBuffer place(ValueId v, int64_t now);
    /// The value's memory may be written from `at` on, because nothing reads it later.
    [[nodiscard]] bool dead_after(ValueId v, int64_t at) const;
    void emit(PlanInst i);
    void copy(PlanBuffer to, PlanBuffer from, const Location& location);
    void block(RegionId r, PlanBlock& into);
    void instruction(InstId id);
    void call(const Inst& inst);
    void scalar_inst(const Inst& inst);
    void check(const Inst& inst);

    // plan_groups.cpp
    void group(InstId id);
    bool fill(const Inst& group);
    bool fill_part(const Inst& group, int64_t now);
    [[nodiscard]] std::optional<uint64_t> fill_pattern(const Inst* full) const;
    void emit_fill(PlanBuffer b, int64_t begin, int64_t size, uint64_t pattern, const Inst& group, const std::vector<ClearId>& clears);
    KernelId add_kernel(Kernel kernel);

    // plan_clears.cpp: the clear ledger
    void note_cleared(std::vector<ClearId>& clears, int64_t bytes, const Location& location);
    std::vector<ClearId> note_group_clears(const Inst& group, const std::vector<bool>& in_place);
    void close_ledger();

    // plan_control.cpp
    void for_loop(InstId id);
    void while_loop(InstId id);
    void loop_results(const Inst& inst, PlanInst& loop);
    void branch(InstId id);
    struct Carry {
        std::vector<PlanBuffer> params;   ///< of the tensor values that are carried
        std::vector<PlanBuffer> initial;
    };
    PlanBuffer initial_buffer(ValueId v, int64_t at, std::set<PlanBuffer>& taken, const Location& location);
    void carried_yields(const std::vector<ValueId>& yielded, PlanInst& loop, PlanBlock& body, PlanBlock& before, const Location& location);

    const Function& f_;
    ValueLife life_;
    Plan plan_;
    std::map<uint32_t, PlanBuffer> buffers_;
    std::map<uint32_t, PlanScalar> scalars_;
    std::map<uint32_t, PlanBuffer> homes_;        ///< by value
    std::map<PlanBuffer, ValueId> holders_;       ///< by Argument: the value that lies there now
    std::vector<PlanBuffer> result_buffers_;      ///< of the tensors that the body yields, in order
    std::map<std::string, KernelId> kernels_;
    std::set<std::string> kernel_names_;
    std::vector<PlanBlock*> blocks_;
    std::map<uint32_t, int64_t> cleared_;  ///< per row of the ledger: bytes that the plan makes zero for it
    std::vector<size_t> made_in_;  ///< per buffer: how many loop bodies stood around when it was made
    size_t loop_depth_ = 0;
};

}  // namespace sifr
