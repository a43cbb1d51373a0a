#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/diagnostic.h"
#include "ir/base/ids.h"
#include "ir/base/source.h"
#include "ir/op/op_def.h"
#include "ir/type/type.h"

namespace sifr {

struct NodeTag { static constexpr const char* prefix = "node"; };
struct VariableTag { static constexpr const char* prefix = "var"; };
struct CounterTag { static constexpr const char* prefix = "counter"; };
using NodeId = Id<NodeTag>;          ///< a node of the backward graph
using VariableId = Id<VariableTag>;  ///< a tensor object, as autograd sees it
using CounterId = Id<CounterTag>;    ///< a version counter

/// What PyTorch's autograd engine knows about the tensors of a program while it runs: which require grad, who made them,
/// what was saved at which version, what was freed. The builder of the CAPTURED form drives it instruction by
/// instruction, so a hazard is known at the very instruction where PyTorch raises; check-inplace-autograd drives it over
/// finished text. It holds no values and emits nothing.
///
/// A *variable* is one tensor object. Views share the version counter of their base; `detach()` shares the counter and
/// cuts the history; `.data` has a counter of its own. After a tracked write through a view, the base's node is
/// `CopySlices`, and the node of each other view is made anew when it is next asked for, as PyTorch does.
///
/// All changes are journalled: `checkpoint` and `rollback` bracket a trial.
class AutogradState {
public:
    enum class CreationMeta : uint8_t { Default, MultiOutput, NoGradMode, InferenceMode, CustomFunction };

    struct Variable {
        Type type;
        CounterId counter;
        bool requires_grad = false;  ///< of a leaf, as set; ask `requires_grad(v)`
        bool retains_grad = false;
        NodeId node;                 ///< who made it; invalid for a leaf. Ask `grad_fn(v)`
        uint32_t output = 0;         ///< which output of `node`
        VariableId base;             ///< differentiable views: the root that is not a view
        CreationMeta creation = CreationMeta::Default;
        int64_t attribute_version = 0;  ///< views: the counter when `node` was set
        Span span;                      ///< where it was made
        bool inference = false;         ///< made under inference_mode
    };

    struct Saved {
        static constexpr int64_t detached = -1;  ///< `version` of an input that was detached in place after it was saved
        VariableId variable;
        CounterId counter;
        int64_t version = 0;
        bool is_output = false;
        std::string op;   ///< the operation that saved it, without `Backward0`
        int64_t contents = 0;  ///< of the storage, when it was saved
        int64_t uncertain = 0;  ///< of the counter, when it was saved
        bool unread = false;   ///< only its version matters
        int slot = 0;          ///< the operand that it is, or -1 - k for result k
    };

    /// Where the gradient of one operand goes: to a node's output, or into a leaf's `.grad`.
    struct Edge {
        NodeId node;
        uint32_t output = 0;
        VariableId leaf;
        [[nodiscard]] bool valid() const { return node.valid() || leaf.valid(); }
    };

    static constexpr double infinite = 1e300;
    struct Node {
        std::string name;  ///< `MulBackward0`, as printed
        std::vector<Edge> edges;
        std::vector<Saved> saved;
        bool freed = false;
        uint32_t outputs = 1;
        Span span;
        double degree = infinite;         ///< of its outputs as polynomials in the leaves that require grad
        std::vector<VariableId> through;  ///< of a gradient's own history: what that reads
        bool refuses = false;             ///< an operation that PyTorch has no derivative of: its name is `op`
        std::string op;
        bool holds_more = false;  ///< keeps something that is no variable, and that is freed with the rest: a number, a write's own node
        [[nodiscard]] bool holds() const { return holds_more || !saved.empty(); }
    };

    /// One write that moved a counter.
    struct Write {
        int64_t version;  ///< the counter behind it
        Span span;
        VariableId through;
    };
    struct Counter {
        int64_t version = 0;
        std::vector<Write> writes;
        CounterId storage;         ///< of `.data`: the counter that stands for the storage; invalid: this one
        int64_t contents = 0;      ///< writes into the storage, whichever counter they moved
        int64_t uncertain = 0;     ///< so many of the moves are made only if a run-time condition holds
        Span last_write;           ///< of the contents
    };

    // ---- modes
    [[nodiscard]] bool grad_enabled() const { return grad_enabled_; }
    void set_grad_enabled(bool on);
    [[nodiscard]] bool inference_mode() const { return inference_mode_; }
    void set_inference_mode(bool on);

    // ---- queries
    [[nodiscard]] const Variable& variable(VariableId v) const { return variables_[v.index]; }
    [[nodiscard]] const Node& node(NodeId n) const { return nodes_[n.index]; }
    [[nodiscard]] size_t variable_count() const { return variables_.size(); }
    [[nodiscard]] int64_t version(VariableId v) const { return counters_[variables_[v.index].counter.index].version; }
    /// The version as a number that a script sees: what a loop's body was told must be the same on every pass. Not supported where a
    /// run-time condition decides about it.
    int64_t told_version(VariableId v);
    /// The node behind a variable, made anew for a view whose base has a new history.
    NodeId grad_fn(VariableId v);
    bool requires_grad(VariableId v);
    bool is_leaf(VariableId v) { return !grad_fn(v).valid(); }
    [[nodiscard]] bool is_view(VariableId v) const { return variables_[v.index].base.valid(); }
    /// The printed name, `MulBackward0`; empty for a leaf; `Invalid` where PyTorch cannot say (a view whose base was
    /// written in a way that it forbids).
    std::string grad_fn_name(VariableId v);

    // ---- events
    /// A tensor without history. `requires_grad` makes it a leaf that requires grad (throws for integer dtypes).
    VariableId fresh(const Type& type, bool requires_grad, Span span);

    /// One executed operation. `operands` are those of the call, invalid for numbers.
    struct Event {
        const OpCall& call;
        std::vector<VariableId> operands;
        Span span;
    };
    /// Fresh results. A node is made when grad mode is on, some operand requires grad, and the row is differentiable.
    std::vector<VariableId> record(const Event& event, const std::vector<Type>& results);
    /// Results that are views of operand 0.
    std::vector<VariableId> record_view(const Event& event, const std::vector<Type>& results, bool multi_output);
    /// `dest <- op operands`. Throws ScriptError, before anything changes, where PyTorch refuses the write.
    /// `counted` is false for writes through `.data` (dest then has a counter of its own anyway).
    void record_write(VariableId dest, const Event& event);
    /// Refuses what PyTorch refuses about writing `dest` when the operation is tracked or not (no change of state).
    void check_write(VariableId dest, bool operands_require_grad);

    VariableId detach(VariableId v, Span span);      ///< same counter, no history
    VariableId data(VariableId v, Span span);        ///< `.data`: own counter at 0, no history
    void detach_in_place(VariableId v, Span span);   ///< `detach_()`; throws on a view
    void set_requires_grad(VariableId v, bool on);   ///< `requires_grad_()`; throws PyTorch's texts
    void set_retains_grad(VariableId v);
    void bump(VariableId v, Span span);              ///< a metadata or empty write: the counter only
    void set_type(VariableId v, const Type& type);   ///< `resize_`: sizes for messages
    /// `t_`, `squeeze_`: the variable becomes another view of its own memory, `node` in its history (where it has one).
    void reshape_in_place(VariableId v, const Type& type, const std::string& node, Span span);
    /// Makes `dest` the same tensor as `source` (`dest.data = source`, `set_`): keeps dest's own counter.
    void rebind(VariableId dest, const Type& type);
    /// A node made by hand (custom functions): `name`, edges to the operands, saved variables; gives its outputs.
    std::vector<VariableId> record_node(std::string name, const std::vector<VariableId>& operands, const std::vector<VariableId>& saved,
                                        const std::vector<Type>& results, Span span);

    /// Gives `v`, written by a custom function, the history of `made`, an output of its node.
    void take_history(VariableId v, VariableId made, Span span);
    /// Whether some variable is a differentiable view of `v`.
    [[nodiscard]] bool has_views(VariableId v) const;

    // ---- backward
    struct Request {
        std::vector<VariableId> roots;
        std::vector<VariableId> inputs;  ///< of `grad` or `backward(inputs=…)`; empty: all leaves
        bool only_inputs = false;        ///< `grad`: results for `inputs` exactly
        bool retain_graph = false;
        bool create_graph = false;
        bool allow_unused = false;
        bool keep_saved = false;         ///< what was overwritten since it was saved is read as it was (`--hazards=repair`)
        Span span;
    };
    struct Hazard {
        ScriptError error;
        Diagnostic diagnostic;  ///< sifr's own words: three places and a fix
    };
    struct Outcome {
        /// Leaves (and retaining variables) that get a gradient, in the engine's order. With a hazard: those reached before it.
        std::vector<VariableId> reached;
        std::vector<bool> used;          ///< per input: does a gradient flow into it
        std::vector<int> contributions;  ///< per reached variable: how many gradients were summed for it
        std::vector<NodeId> ran;         ///< the nodes that ran, in the engine's order
        std::optional<Hazard> hazard;
        /// What was written past its version counter since a node that ran saved it.
        struct Overwritten {
            NodeId node;
            Saved saved;
            Span write;
        };
        std::vector<Overwritten> overwritten;
        std::vector<Diagnostic> kept;  ///< a remark for each value that `keep_saved` keeps
    };
    /// Walks the graph in the engine's order (latest node first, among those whose successors are done), checks what
    /// each node saved, and frees it unless the graph is retained. Throws ScriptError for what is wrong before any node
    /// runs ("element 0 of tensors does not require grad …").
    Outcome backward(const Request& request);
    /// What is wrong when node `at` reads a saved value that has moved on; `span` is the backward's place.
    Hazard version_hazard(Span span, NodeId at, const Saved& saved);
    /// The degree of a variable as a polynomial in the leaves that require grad; 0 without a history.
    double degree(VariableId v);
    /// The result of a `create_graph` gradient, of a degree: with a history that leads to what it reads, or without one.
    VariableId gradient_result(const std::vector<VariableId>& through, const std::string& name, const Type& type, double degree, Span span);
    /// Gives a gradient's history another name.
    void rename_history(VariableId v, const std::string& name);

    // ---- run-time control flow
    struct Moves {
        int64_t version = 0, uncertain = 0;
    };
    /// Of every counter.
    [[nodiscard]] std::vector<Moves> moves() const;
    /// Whether the counters moved since `before` is known only at run time.
    void make_uncertain(const std::vector<Moves>& before);
    /// What happened since `before` happens `trips` times.
    void repeat(const std::vector<Moves>& before, int64_t trips, Span span);
    /// The counters whose number a script was told, one for each time.
    [[nodiscard]] const std::vector<CounterId>& told() const { return told_; }
    /// How many nodes there are, and the oldest that a backward ran since it was last set.
    [[nodiscard]] size_t node_count() const { return nodes_.size(); }
    size_t oldest_ran = SIZE_MAX;

    // ---- trials
    using Checkpoint = size_t;
    [[nodiscard]] Checkpoint checkpoint() const { return journal_.size(); }
    void rollback(Checkpoint to);

private:
    struct Modes { bool grad_enabled, inference_mode; };
    struct Sizes3 { size_t variables, nodes, counters; };
    using Undo = std::variant<std::pair<VariableId, Variable>, std::pair<NodeId, Node>, std::pair<CounterId, Counter>, Modes, Sizes3>;

    Variable& change(VariableId v);
    Node& change(NodeId n);
    Counter& change(CounterId c);
    VariableId add(Variable v);
    NodeId add(Node n);
    CounterId add_counter();
    Edge edge_to(VariableId v);
    Saved save(VariableId v, bool is_output, const std::string& op);
    void move_counter(VariableId v, Span span);
    [[nodiscard]] CounterId storage_of(CounterId c) const { return counters_[c.index].storage.valid() ? counters_[c.index].storage : c; }
    bool keeps_number(const Event& event, const Save& s) const;
    double degree_at(const Edge& e) const { return e.node.valid() ? nodes_[e.node.index].degree : e.leaf.valid() ? 1.0 : 0.0; }
    double degree_of(const Event& event, const Node& n);
    NodeId add_passing(std::string name, Edge from, uint32_t outputs, Span span);
    std::string forbidden_view(VariableId v, bool indirect);
    bool tracks(const Event& event, const char*& name);

    std::vector<Variable> variables_;
    std::vector<Node> nodes_;
    std::vector<Counter> counters_;
    std::vector<CounterId> told_;
    std::vector<Undo> journal_;
    bool grad_enabled_ = true;
    bool inference_mode_ = false;
};

/// `MulBackward0` -> `Mul`, as PyTorch's messages say it.
std::string without_backward(const std::string& node_name);

}  // namespace sifr
