#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/func/function.h"
#include "ir/loop/loop_ir.h"
#include "ir/op/op_def.h"
#include "passes/fusion/coords.h"

namespace sifr {

/// Writes the elements of a group's values as expressions of a kernel. Blocks are opened and closed like a stack; a value that
/// depends on outer loops only is computed in the block where its last variable is known, once.
class Emitter {
public:
    Emitter(const Function& f, const Inst& group, Kernel& kernel);

    Kernel& kernel;
    /// Result values that statements have made names for (reductions), and values that were saved in a buffer.
    struct Saved {
        BufferId buffer;
        Affine index;  ///< over the variables of the place where it is read
    };

    // Blocks.
    void open();
    Block close();
    void append(Stmt s);
    [[nodiscard]] int depth() const { return static_cast<int>(scopes_.size()) - 1; }
    VarId loop_var(const std::string& name, int64_t extent);  ///< declared in the innermost block: of the loop that it is the body of
    VarId declare(const std::string& name, DType type);        ///< a variable of the innermost block, without a range
    [[nodiscard]] VarRange ranges() const;

    // Values.
    BufferId buffer_of(ValueId parameter);  ///< a tensor parameter of the group
    VarId scalar_of(ValueId parameter);     ///< a scalar parameter of the group
    [[nodiscard]] bool has_buffer(ValueId parameter) const { return buffers_.count(parameter.index) != 0; }  ///< it was read
    [[nodiscard]] bool has_scalar(ValueId parameter) const { return scalars_.count(parameter.index) != 0; }
    /// One element of `v`, of its own dtype (numbers: I64, F64, Bool).
    ExprId element(ValueId v, const Coords& c);
    /// From now on, in the innermost block, `v` is the variable `var`, whatever the coordinates.
    void name_value(ValueId v, VarId var);
    /// From now on, in the innermost block, elements of `v` are read from a buffer at `index`.
    void save_value(ValueId v, Saved where);
    /// A variable for an expression; the variable itself if it is one.
    ExprId bind(ExprId e, const std::string& name);
    /// The run-time indices behind an instruction's tensor operands, as variables.
    std::vector<VarId> index_vars(const Inst& inst);
    [[nodiscard]] const Inst& producer(ValueId v) const;  ///< inside the group
    [[nodiscard]] bool is_parameter(ValueId v) const { return f_[v].def == Value::Def::Parameter; }
    [[nodiscard]] const Function& function() const { return f_; }
    [[nodiscard]] const Location& location() const { return group_.location; }
    /// Uses of a value inside the group.
    [[nodiscard]] int uses(ValueId v) const;
    ExprId cast(ExprId e, DType to);  ///< constants are converted here
    [[nodiscard]] int level(ExprId e) const;

private:
    struct Scope {
        Block block;
        std::map<std::string, ExprId> memo;
        std::map<uint32_t, VarId> named;
        std::map<uint32_t, Saved> saved;
    };
    ExprId compute(ValueId v, const Coords& c);
    ExprId pointwise(const Inst& inst, const Coords& c);
    ExprId fill(const Inst& inst, const Coords& c);
    ExprId bind_at(ExprId e, const std::string& name, int level);
    ExprId copy_body(const ScalarBody& body, const std::vector<ExprId>& inputs, const std::string& name);
    [[nodiscard]] int level_of(const Affine& a) const;

    const Function& f_;
    const Inst& group_;
    std::vector<Scope> scopes_;
    std::map<uint32_t, BufferId> buffers_;
    std::map<uint32_t, VarId> scalars_;
    std::map<uint32_t, int> uses_;
    std::map<uint32_t, int> var_level_;
    std::map<uint32_t, std::pair<int64_t, int64_t>> var_range_;
    int stores_ = 0;
};

/// A name for the value that reads well in a kernel: the script's own, or the row's.
std::string kernel_name_of(const Function& f, ValueId v);

}  // namespace sifr
