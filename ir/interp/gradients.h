#pragma once

#include "ir/interp/machine.h"

namespace sifr {

// Gradients of a captured function while it is executed, as PyTorch's engine computes them: a graph of what was done, and at
// `backward` the rows' VJP rules over it, the latest node first. It shares nothing with functionalize and expand-grad, whose
// results are compared with it.
//
// A view group (a base and its views; see History) has a value, the contents of its whole frame, and a write through one of
// its views is an `insert` into that value. Memory that two groups share (`detach`, `.data`) keeps a value for each.

struct GradNode;

/// A tensor in the graph.
struct GradValue {
    RunTensor contents;              ///< as they were. Of a group's value without memory until somebody reads it
    std::shared_ptr<GradNode> node;  ///< what made it; null: a leaf, or a value without history
    size_t result = 0;               ///< which result of the node
    bool tracked = false;            ///< has a history, or is a leaf that requires grad
};
using GradRef = std::shared_ptr<GradValue>;

/// One executed instruction, of a FUNCTIONAL row.
struct GradNode {
    struct Operand {
        GradRef tensor;           ///< or, when null,
        ScalarConstant constant;  ///< a number, a text or None
    };
    uint64_t sequence = 0;  ///< in order of execution
    Op op;
    Attrs attrs;
    Location location;
    std::vector<Operand> operands;
    std::vector<RunTensor> results;
    std::map<size_t, RunTensor> read_instead;  ///< by operand: contents that its rule sees
};

/// The history of a view group.
struct History {
    DType dtype;
    Sizes frame;
    GradRef base;                      ///< the contents of the frame; null: no history
    GradRef leaf;                      ///< the leaf that this group is, if it is one
    std::map<ValueId, GradRef> reads;  ///< what was read through views since the last write
};

class GradientRecorder {
public:
    explicit GradientRecorder(Generators& generators) : generators_(generators) {}

    /// Makes `t`, of fresh memory, a group of its own.
    static void group(RunTensor& t, const Sizes& frame, bool leaf = false);
    /// Makes `t` another group over its memory: `detach`, `leaf`, a view made without history.
    static void regroup(RunTensor& t, bool leaf);
    static bool tracked(const RunTensor& t) { return t.history && t.history->base && t.history->base->tracked; }

    /// What the operands are in the graph; empty when none of them has a history.
    std::vector<GradNode::Operand> read(const Inst& inst, const std::vector<RunValue>& in);
    /// What one tensor, the value `id` of the captured function, is in the graph.
    GradRef read(ValueId id, const RunTensor& t);
    /// `inst` computed `results` from operands that were read before.
    std::vector<GradRef> computed(const Inst& inst, std::vector<GradNode::Operand> operands, const std::vector<RunTensor>& results);
    /// `piece`, which has the destination's sizes and dtype, was written. `source` is it before cast and broadcast, null when it has
    /// no history.
    void written(const RunTensor& to, const GradRef& source, const RunTensor& piece, bool untracked, const Location& location);

    /// The gradients of the losses with respect to the targets; zeros where nothing flows. With `create` they have a history.
    std::vector<GradRef> backward(const std::vector<GradRef>& losses, const std::vector<GradRef>& seeds,
                                  const std::vector<GradRef>& targets, bool create, const Location& location);
    /// What a view of `frame`, with this layout, shows of `whole`.
    GradRef part(const GradRef& whole, const Layout& layout, const Sizes& frame, bool keep, const Location& location);
    static GradRef constant(RunTensor t);

private:
    std::vector<GradRef> node(Op op, Attrs attrs, Location location, std::vector<GradNode::Operand> operands, std::vector<RunTensor> results);
    std::vector<GradRef> replay(Function& scratch, const std::vector<GradRef>& arguments, bool keep);
    std::vector<GradRef> pull_back(const std::shared_ptr<GradNode>& node, const std::vector<GradRef>& grads, bool keep);
    GradRef emit(Op op, const std::vector<GradRef>& operands, Attrs attrs, const Location& location, bool keep);

    Generators& generators_;
    uint64_t sequence_ = 0;
};

}  // namespace sifr
