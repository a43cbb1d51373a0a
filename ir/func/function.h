#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/base/ids.h"
#include "ir/base/source.h"
#include "ir/func/attr.h"
#include "ir/op/op.h"
#include "ir/type/type.h"

namespace sifr {

/// CAPTURED only: where a tensor value lies. The value denotes the *current* contents of its place whenever it is read.
struct View {
    StorageId storage;
    Layout layout;
    std::vector<ValueId> indices;  ///< the run-time i64s of layout.index_scales
};

/// A Python number or string that is known: what a literal operand is in memory.
using ScalarConstant = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct Value {
    enum class Def : uint8_t { Result, Parameter, Constant };
    Type type;
    Def def = Def::Result;
    InstId inst;              ///< Result: the instruction that makes it
    RegionId region;          ///< Parameter: the region whose parameter it is
    uint32_t position = 0;    ///< Result, Parameter: which one
    ScalarConstant constant;  ///< Constant: its value. Constants stand in no region; text writes them in place
    std::string name;         ///< a hint for printing, the script's own name; the printer makes names unique
    View view;                ///< CAPTURED tensors only
    bool leaf = false;        ///< CAPTURED parameters: a leaf that requires grad
};

/// One instruction: `results = op operands {attrs} regions`, or `dest <- op operands`, which writes through a tensor.
struct Inst {
    Op op;
    std::vector<ValueId> operands;
    std::vector<ValueId> results;
    ValueId dest;  ///< CAPTURED only: the tensor that is written; then `results` is empty
    Attrs attrs;
    std::vector<RegionId> regions;
    Location location;
    RegionId parent;
    bool untracked = false;       ///< CAPTURED: made under no_grad, or a write through `.data`: no history
    bool uncounted = false;       ///< CAPTURED: a write that does not move the version counter (`.data`)
    std::vector<ClearId> clears;  ///< rows of the clear ledger that this instruction carries out
    bool erased = false;          ///< taken out; the entry stays so that ids stay valid
};

/// One block: parameters, instructions in order, and the values that it hands to the instruction around it.
struct Region {
    InstId parent;  ///< invalid for the function's body
    std::vector<ValueId> params;
    std::vector<InstId> insts;
    std::vector<ValueId> results;
};

/// CAPTURED: memory that tensors are views of. A *region storage* stands for whatever storage a carried or merged
/// tensor has on entry and, later, on the back edge.
struct Storage {
    std::string name;
    DType dtype = DType::F32;
    Sizes frame;  ///< the sizes that it was created with, row-major
    bool is_region = false;
};

/// A row of the clear ledger: one place where bytes are made zero, and what became of it.
struct Clear {
    enum class Verdict : uint8_t { Open, Kept, Removed, Shrunk, Folded, Merged, Lazy };
    enum class Origin : uint8_t { Script, Autograd };
    Location location;
    Origin origin = Origin::Script;
    int64_t bytes = 0;       ///< per execution, as captured
    int64_t kept_bytes = 0;  ///< per execution, what the compiled program still clears
    Verdict verdict = Verdict::Open;
    std::string reason;  ///< in words, for remarks: what covered it, who reads it
    std::string pass;    ///< who decided
};

std::string_view name_of(Clear::Verdict verdict);  ///< `kept`, as texts and reports have it
std::optional<Clear::Verdict> verdict_named(std::string_view name);

/// Facts that a pass establishes and later passes rely on; the verifier checks the ones that are set.
struct Facts {
    bool differentiated = false;  ///< no backward, grad, leaf, detach, untracked, node, reading
    bool decomposed = false;      ///< no composite rows: each tensor op has a lowering of its own
};

/// A function at any stage. Tables are indexed by the ids; entries never move, so ids stay valid while a pass works.
/// References into the tables do not survive an `add_…`.
class Function {
public:
    std::string name = "main";
    std::vector<Value> values;
    std::vector<Inst> insts;
    std::vector<Region> regions;
    std::vector<Storage> storages;
    std::vector<Clear> ledger;
    RegionId body;
    /// FUNCTIONAL, FUSED: parameters (by position) whose memory the function writes. The last results of the body, one each and in this
    /// order, are their new contents; the caller sees them in its own memory.
    std::vector<uint32_t> updates;
    Facts facts;

    Function();
    Value& operator[](ValueId id) { return values[id.index]; }
    const Value& operator[](ValueId id) const { return values[id.index]; }
    Inst& operator[](InstId id) { return insts[id.index]; }
    const Inst& operator[](InstId id) const { return insts[id.index]; }
    Region& operator[](RegionId id) { return regions[id.index]; }
    const Region& operator[](RegionId id) const { return regions[id.index]; }
    Storage& operator[](StorageId id) { return storages[id.index]; }
    const Storage& operator[](StorageId id) const { return storages[id.index]; }
    Clear& operator[](ClearId id) { return ledger[id.index]; }
    const Clear& operator[](ClearId id) const { return ledger[id.index]; }

    const Type& type(ValueId id) const { return values[id.index].type; }
    bool is_constant(ValueId id) const { return values[id.index].def == Value::Def::Constant; }
    /// The instruction that makes a value; null for parameters and constants.
    const Inst* producer(ValueId id) const;
    std::optional<int64_t> constant_int(ValueId id) const;   ///< of an i64 or bool constant
    std::optional<double> constant_float(ValueId id) const;  ///< of any number constant

    ValueId add_value(Value v);
    ValueId add_constant(ScalarConstant c);  ///< equal constants share a value (0.0 and -0.0 differ; NaNs by bits)
    ValueId add_parameter(RegionId region, Type type, std::string name = {});
    RegionId add_region(InstId parent);
    StorageId add_storage(Storage s);
    ClearId add_clear(Clear c);
    /// Appends `inst` to the table and to the end of region `at` (or before instruction number `position` of it), and
    /// makes one result value per entry of `result_types`. A run-time size without a value in a result type stands for the
    /// first result (`%n, %r = masked_select …: i64, f32[%n<=21]`).
    InstId add_inst(RegionId at, Inst inst, const std::vector<Type>& result_types, size_t position = SIZE_MAX);
    /// Marks an instruction, and all inside its regions, as taken out; `compact` drops it. Whoever walks `Region::insts` skips
    /// erased ones. Its results must have no uses left.
    void erase(InstId id);

private:
    std::vector<std::pair<std::string, ValueId>> constants_;  ///< by bit-exact key, sorted
};

/// A use of a value. `operand` is the position in Inst::operands, or in Region::results when `inst` is invalid.
struct Use {
    InstId inst;
    RegionId region;
    uint32_t operand;
    static constexpr uint32_t dest_operand = UINT32_MAX;      ///< the destination of a write
    static constexpr uint32_t view_operand = UINT32_MAX - 1;  ///< an index of a CAPTURED view, or a run-time size
};
/// All uses of all values, indexed by value. A pass that changes uses recomputes or maintains them.
std::vector<std::vector<Use>> compute_uses(const Function& f);

/// Puts `to` in place of every use of `from` (operands, region results, destinations, view indices, run-time sizes).
void replace_uses(Function& f, ValueId from, ValueId to);

/// Deletes erased instructions and unreachable values, regions and storages, and renumbers them in program order; the
/// ledger stays whole.
Function compact(const Function& f);

/// Calls `visit(InstId)` for every instruction below `region`, outer before inner, in program order. Instructions that
/// `visit` adds behind the current one are visited too; erased ones are skipped.
template <class F, class Visit>
void walk(F& f, RegionId region, Visit&& visit) {
    for (size_t i = 0; i < f[region].insts.size(); ++i) {
        InstId id = f[region].insts[i];
        if (f[id].erased) continue;
        visit(id);
        if (f[id].erased) continue;
        for (size_t r = 0; r < f[id].regions.size(); ++r) walk(f, f[id].regions[r], visit);
    }
}

/// Old value -> new value (and storage, between functions), for copying.
class ValueMap {
public:
    void set(ValueId from, ValueId to);
    [[nodiscard]] ValueId get(ValueId from) const;  ///< invalid where unmapped
    void set(StorageId from, StorageId to);
    [[nodiscard]] StorageId get(StorageId from) const;  ///< invalid where unmapped

private:
    std::vector<ValueId> to_;
    std::vector<StorageId> storage_to_;
};
/// Copies instruction `id` of `from`, with its regions, to the end of region `at` of `to`. Operands go through `map`;
/// constants are remade. New results and parameters are added to `map`. `from` and `to` may be the same function: then
/// unmapped values and storages stand for themselves; else unmapped storages are copied, and unmapped values are a fault.
/// Ledger ids are copied as they are.
InstId clone_inst(const Function& from, InstId id, Function& to, RegionId at, ValueMap& map);

}  // namespace sifr
