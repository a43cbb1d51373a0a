#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "compiler/frontend/capture/interpreter.h"
#include "compiler/frontend/syntax/liveness.h"
#include "compiler/frontend/syntax/scopes.h"

/// The tree walk behind Interpreter: expressions, statements, frames, control flow. Internal to this folder.
namespace sifr::capture {

class GeneratorCall;

/// How a statement ended. Mixed: it depends on the run; then the frame's variable `completion_symbol` says how, as a
/// run-time i64 of the other enumerators' values.
enum class Completion : uint8_t { Normal, Break, Continue, Return, Mixed };

/// A place that may change while a loop runs.
struct Place {
    const Object* object = nullptr;
    Symbol name = nullptr;  ///< of a variable or attribute; null: `index`
    int64_t index = 0;      ///< of a list or dict; or one of the two below
    static constexpr int64_t grad = -1, value = -2;  ///< of a tensor object
    bool operator==(const Place&) const = default;
    [[nodiscard]] bool is_value() const { return !name && index == value; }
};

/// Nothing behind this point runs: a run-time raise was emitted. Caught by the nearest fork, loop or the program's end.
struct Diverged {};

/// Nothing behind this point runs inside of the innermost `try`: an exception was noted there.
struct Noted {};

/// One call of a Python function, or a module, a class body, a comprehension.
struct Frame {
    const NamespaceObject* variables = nullptr;
    const syntax::Scope* scope = nullptr;
    const FunctionObject* function = nullptr;
    const syntax::Liveness* liveness = nullptr;  ///< made when the first loop asks
    PyValue self;                 ///< the first argument, for super()
    GeneratorCall* generator = nullptr;  ///< that this is the body of
    Frame* caller = nullptr;
};

/// Runs what follows in another frame, for a scope.
class FrameScope {
public:
    FrameScope(Frame*& slot, Frame* inside) : slot_(slot), outer_(slot) { slot_ = inside; }
    ~FrameScope() { slot_ = outer_; }
    FrameScope(const FrameScope&) = delete;
    FrameScope& operator=(const FrameScope&) = delete;

private:
    Frame*& slot_;
    Frame* outer_;
};

/// A script or a prelude module, with what the analyses say about it. Outlives everything.
struct Source {
    std::unique_ptr<syntax::Module> owned;
    const syntax::Module* module = nullptr;
    std::unique_ptr<syntax::ScopeTable> scopes;
    std::unordered_map<const void*, std::unique_ptr<syntax::Liveness>> liveness;
};

/// A `try`, a `finally` or a `with` whose inside is being captured (tries.cpp).
struct TryState {
    const NamespaceObject* state = nullptr;  ///< `<raised>`: the number of the exception that was raised, 0 for none; and the exceptions
    std::function<bool(PyValue exception)> catches;
    TryState* outer = nullptr;
};

class Evaluator {
public:
    explicit Evaluator(Interpreter& in);
    ~Evaluator();
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    // ---- sources
    Source& add_source(std::unique_ptr<syntax::Module> owned);
    Source& add_source(const syntax::Module& module);
    void run_module(Source& source, const NamespaceObject* variables);

    // ---- calls
    PyValue call_function(const FunctionObject* f, Args& args);
    Frame* frame() { return frame_; }
    [[nodiscard]] const Values& handled() const { return handled_; }

    // ---- expressions (expressions.cpp)
    PyValue eval(const syntax::Expr& e);
    /// Where only the truth is asked: the arms of `and` and `or` may be of any kinds.
    PyValue eval_truth(const syntax::Expr& e);
    /// The script's name for a value becomes its printed name, if it has none yet.
    void hint_name(PyValue value, const std::string& name);
    void assign(const syntax::Expr& target, PyValue value);
    void unpack(const std::vector<syntax::ExprPtr>& targets, PyValue value);

    /// A method of the class's metaclass, if it has one of its own: `__iter__` for `for member in Color`; unbound otherwise.
    static PyValue metaclass_method(const ClassObject* cls, std::string_view name);

    // ---- statements (statements.cpp)
    Completion exec(const syntax::Body& body, size_t from = 0);

    // ---- run-time control flow (branches.cpp, merge.cpp, loops.cpp)
    struct Arm {
        RegionId region, outer;
        size_t depth = 0;  ///< of the heap's forks in front of it
        PyValue result;
        bool diverged = false, noted = false;
        Heap::Delta delta;
        [[nodiscard]] bool ended() const { return diverged || noted; }
    };
    struct Exception {  // what a handler sees
        PyValue value;
        Span span;
        std::optional<Diagnostic> diagnostic;
    };
    /// See Interpreter::fork_if.
    PyValue fork(ValueId condition, const std::function<PyValue()>& then, const std::function<PyValue()>& otherwise);
    /// The same, where what follows does not depend on whether an exception was noted.
    PyValue branch(ValueId condition, const std::function<PyValue()>& then, const std::function<PyValue()>& otherwise);

    /// Evaluates with a location: instructions and errors point at `span` (in prelude code, at the user's call).
    void here(const syntax::Expr& e) { here(e.span); }
    void here(const Span& span) {
        if (span.file == 0) in_.user_span_ = span;
    }

    std::vector<LoopReport> reports;

    // ---- generators (generators.cpp)
    /// Where the evaluation stands, but for the instructions.
    struct Standpoint {
        Frame* frame;
        int64_t depth;
        Span span;
        Values handled;
        TryState *inside, *around;
    };
    [[nodiscard]] Standpoint standpoint() const { return {frame_, in_.depth_, in_.user_span_, handled_, try_, around_}; }
    void stand(const Standpoint& s);
    PyValue make_generator(std::function<PyValue(GeneratorCall&)> code);
    PyValue resume(GeneratorCall& g, PyValue sent, std::optional<Raised> raised = std::nullopt);
    void add_generator_methods(const ClassObject* cls);

    // ---- merged values
    /// Raises for a value that two paths could not agree on.
    [[noreturn]] void unusable(PyValue v);
    /// A value read from `place` of `object`: raises when it is unusable, tells a loop's trial that it was read.
    PyValue usable_slot(PyValue v, PyValue object, Symbol place);
    /// The value of an optional, after a run-time check; `error` is `Type: text`.
    PyValue present(PyValue v, const std::string& error);
    void emit_exit(PyValue system_exit);

    // ---- exceptions that depend on the run (tries.cpp)
    /// An exception of this class, raised here, may be caught by the script.
    bool may_be_caught(PyValue exception);
    [[nodiscard]] bool inside_try() const { return try_ != nullptr; }
    /// An exception may have been noted: what follows runs where there is none.
    void go_on_unless_raised();
    /// Runs a block whose rest may come to stand under `go_on_unless_raised`, to its end. `raised` runs where an exception was noted.
    PyValue delimited(const std::function<PyValue()>& run, const std::function<PyValue()>& raised);
    /// What can be evaluated only as a whole, with nothing behind it put under a condition.
    PyValue whole(const std::function<PyValue()>& run, const char* what);
    Exception caught(const Raised& r) { return {r.exception, r.span, r.diagnostic}; }
    Exception caught(const ScriptError& e);
    void run_prelude(const std::string& path, const std::string& text, const NamespaceObject* variables);

private:
    friend class Interpreter;
    friend class LoopCapture;
    friend class Merger;
    friend class GeneratorCall;

    // names
    PyValue load(const syntax::Name& name);
    PyValue load(const std::string& id, const syntax::Scope* scope);
    const NamespaceObject* owner(const std::string& id, bool store);
    void store(const std::string& id, PyValue value);
    void remove(const std::string& id);
    [[noreturn]] void unbound_name(const std::string& id, syntax::Binding binding);
    PyValue usable(PyValue v, const std::string& id, const NamespaceObject* n);

    // expressions
    PyValue constant(const syntax::Constant& c);
    PyValue joined(const syntax::JoinedStr& e);
    PyValue bool_op(const syntax::BoolOp& e, size_t from);
    PyValue truth_of_bool_op(const syntax::BoolOp& e, size_t from);
    PyValue compare_chain(const syntax::Compare& e, PyValue left, size_t from);
    PyValue call_expr(const syntax::Call& e);
    PyValue comprehension(const syntax::Comprehension& e);
    void comprehend(const syntax::Comprehension& e, size_t generator, const std::function<void()>& emit);
    PyValue make_function(const syntax::FunctionDef* def, const syntax::Lambda* lambda, const std::string& name, const syntax::Parameters& params);
    PyValue super_call();
    Values elements(const std::vector<syntax::ExprPtr>& list);

    // statements
    struct Step {
        Completion completion;
        bool took_rest = false;  ///< the statements behind were run, too
    };
    Step exec_statement(const syntax::Stmt& s, const syntax::Body& body, size_t next);
    Step exec_if(const syntax::If& s, const syntax::Body& body, size_t next);
    Completion guarded(const std::function<Completion()>& rest);
    /// `mask`: the completions that it can be, a bit for each.
    Completion completion_of(PyValue merged, uint8_t mask);
    uint8_t mask_of(PyValue how) const;
    PyValue completion_value(Completion c);
    Completion exec_for(const syntax::For& s);
    Completion exec_while(const syntax::While& s);
    Completion exec_with(const syntax::With& s, size_t item);
    Completion exec_try(const syntax::Try& s);
    Completion exec_except(const syntax::Try& s);
    Completion exec_finally(const syntax::Try& s);
    Completion handle(const syntax::Try& s, const Exception& e);
    Completion exec_match(const syntax::Match& s);
    bool match_pattern(const syntax::Pattern& p, PyValue subject);
    void exec_import(const syntax::Import& s);
    void exec_import_from(const syntax::ImportFrom& s);
    void exec_function(const syntax::FunctionDef& s);
    void exec_class(const syntax::ClassDef& s);
    void exec_raise(const syntax::Raise& s);
    void exec_assert(const syntax::Assert& s);
    void exec_delete(const syntax::Expr& target);
    void augmented(const syntax::AugAssign& s);

    // exceptions
    bool matches(PyValue exception, PyValue type);
    [[noreturn]] void rethrow(const Exception& e);
    Arm run_arm(const std::function<PyValue()>& run);
    Arm open_arm();
    void close_arm(Arm& arm);
    void run_in_arm(Arm& arm, const std::function<PyValue()>& run);
    void raised_in_arm(Arm& arm, const Exception& e);
    /// Where a run-time branch begins.
    struct Fork {
        RegionId outer;
        uint32_t watermark, storage_watermark;
        Span span;
        std::vector<std::pair<const ListObject*, Type>> grown = {};
    };
    struct Guard {
        ValueId ok;
        Fork start;
        Arm rest;
    };
    PyValue join(ValueId condition, Fork& start, Arm& a, Arm& b);
    void note(const Exception& e);
    PyValue for_each_noted(const TryState& t, const std::function<PyValue(const Exception&)>& handle);
    void make_run_time(const ListObject* l, const Type& element);
    Type common_element(const std::vector<const Values*>& lists);
    void emit_raise(const Exception& e);

    // loops
    /// By storage: the tensor objects in it that can be reached from the variables, and the slots that hold one of them.
    struct StorageHolders {
        std::unordered_map<StorageId, int64_t> objects, slots;
        /// Is there another holder than the one at `place`, and `twins` slots that are known to hold the same object? A tensor object
        /// that keeps its identity has many names; a slot that gets another object is one of its names.
        [[nodiscard]] bool other_than(const Place& place, StorageId s, int64_t twins = 0) const {
            const auto& counts = place.is_value() ? objects : slots;
            auto at = counts.find(s);
            return at != counts.end() && at->second > 1 + twins;
        }
    };
    StorageHolders storage_holders();
    std::vector<std::pair<const ListObject*, Type>> grown_lists_;  ///< what a pass of a loop made longer
    int shape_depth_ = 0;
    const syntax::Liveness* liveness();
    std::unordered_map<ValueId, uint8_t> completion_masks_;
    std::unordered_map<const Object*, Place> marks_;  ///< marks of a loop's trial, and the places they stand in
    [[noreturn]] void observed(const Object* mark);
    Completion loop_body(const syntax::Body& body);
    Completion loop_pass(const std::function<Completion()>& pass);
    Completion after_loop(Completion c, const syntax::Body& orelse, bool returns);
    Completion for_range(const syntax::For& s, const RangeObject& range, LoopReport report);
    Completion for_items(const syntax::For& s, PyValue of, LoopReport report);
    Completion exec_while_rest(const syntax::While& s);

    PyValue yield_from(PyValue iterable);
    std::vector<std::weak_ptr<GeneratorCall>> generators_;  ///< that may still have a thread
    std::unordered_map<const Object*, std::weak_ptr<GeneratorCall>> by_object_;

    Interpreter& in_;
    Frame* frame_ = nullptr;
    std::deque<Source> sources_;
    std::unordered_map<const syntax::Scope*, Source*> source_of_scope_;
    std::unordered_map<uint32_t, Source*> source_of_file_;
    Values handled_;  ///< exceptions being handled, innermost last
    int conditional_ = 0;  ///< depth of run-time conditions around this point
    TryState* try_ = nullptr;     ///< the innermost
    TryState* around_ = nullptr;  ///< in a generator: the innermost of the one who waits for it
    std::vector<std::unique_ptr<Guard>> guards_;  ///< arms that stand open for the rest of a block, innermost last
    std::map<std::string, int64_t> noted_places_;  ///< of raises, by class and place: their numbers
};

extern const Symbol completion_symbol;  ///< how a frame's block ended; see Completion::Mixed
extern const Symbol result_symbol;      ///< what a frame returns

}  // namespace sifr::capture
