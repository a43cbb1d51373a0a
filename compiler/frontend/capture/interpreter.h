#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compiler/frontend/capture/capture.h"
#include "compiler/frontend/capture/heap.h"
#include "compiler/frontend/capture/protocol.h"
#include "compiler/frontend/capture/value.h"
#include "compiler/frontend/syntax/ast.h"
#include "ir/analysis/autograd_state.h"
#include "ir/base/diagnostic.h"
#include "ir/func/builder.h"

namespace sifr::capture {

/// A Python exception on its way. ScriptError becomes one at the next `try`.
struct Raised {
    PyValue exception;  ///< an Instance of an exception class
    Span span;          ///< the user's innermost expression
    std::optional<Diagnostic> diagnostic;  ///< sifr's own words, where the raiser has some (hazards)
};

/// A run-time number stands where capture must know it: a shape, an index of a list of unlike things. Inside a trial of a
/// loop, the loop is unrolled instead.
class NeedStatic : public NotSupported {
public:
    using NotSupported::NotSupported;
};

class Evaluator;

class Interpreter {
public:
    Interpreter(SourceFiles& files, const CaptureOptions& options, DiagnosticSink sink);
    ~Interpreter();

    // ---- parts
    Heap& heap() { return heap_; }
    Function& function() { return function_; }
    /// Its location is the user's innermost expression; a binding that calls back must not keep it across.
    Builder& builder();
    AutogradState& autograd() { return autograd_; }
    [[nodiscard]] const CaptureOptions& options() const { return options_; }
    SourceFiles& files() { return files_; }
    /// The user's innermost expression that is being evaluated; for prelude code, the user's call of it.
    [[nodiscard]] Span span() const { return user_span_; }
    /// Says where the next operations stand, for a front end without a syntax tree.
    void set_span(Span span) { user_span_ = span; }
    void warn(Diagnostic d);  ///< kept until capture ends; undone with a trial
    /// Python's `warnings.warn` of PyTorch: a line on stderr when the program runs, and once per place.
    void script_warning(const char* category, const std::string& text);

    // ---- making values
    PyValue str(std::string text);
    PyValue integer(const BigInt& v);
    PyValue integer(int64_t v) { return PyValue::integer(v); }
    PyValue tuple(Values items);
    PyValue tuple_of(const ClassObject* cls, Values items);
    PyValue list(Values items);
    PyValue dict();
    void dict_set(PyValue dict, PyValue key, PyValue value);
    PyValue slice(PyValue start, PyValue stop, PyValue step);
    PyValue native(std::string name, NativeCode code);
    /// A function that `override_call` is asked about; `self`, if it is bound already.
    PyValue overridable(std::string name, NativeCode code, PyValue self = {});
    PyValue iterator(std::string type_name, Values items);

    // ---- errors
    /// Raises a Python exception: `raise_error("TypeError", "…")`. Same as throwing ScriptError.
    template <class... A>
    [[noreturn]] void raise_error(const char* type, fmt::format_string<A...> format, A&&... args) {
        throw ScriptError(type, fmt::format(format, std::forward<A>(args)...));
    }
    /// An instance of the exception class `type` (a builtin one) with one argument.
    PyValue make_exception(std::string_view type, const std::string& text);
    const ClassObject* exception_class(std::string_view name);
    /// A new exception class (`torch.OutOfMemoryError`), so that ScriptErrors of that name become its instances.
    const ClassObject* add_exception_class(const std::string& name, const ClassObject* base, const std::string& module);

    // ---- numbers and strings in the IR
    /// An IR value of a static or run-time scalar; bool and int widen to `as` where Python does.
    ValueId to_ir(PyValue v, Type::Kind as);
    ValueId to_ir(PyValue v);  ///< in its own kind
    [[nodiscard]] static Type::Kind scalar_kind(PyValue v);  ///< of a number or str, static or not
    PyValue from_ir(ValueId v);  ///< a scalar result as a Python value; constants become static
    PyValue emit_scalar(Op op, std::vector<ValueId> operands, Attrs attributes = {});

    // ---- asking for what must be known
    /// Throws NeedStatic for run-time values, TypeError for others; `what` names the use ("a list index").
    int64_t need_int(PyValue v, std::string_view what);
    double need_float(PyValue v, std::string_view what);
    bool need_bool(PyValue v, std::string_view what);
    std::string need_str(PyValue v, std::string_view what);
    [[noreturn]] void need_static(PyValue v, std::string_view what);

    // ---- types
    const ClassObject* class_of(PyValue v);
    [[nodiscard]] std::string type_name(PyValue v);  ///< `int`, `Tensor`, `Linear`: for messages
    bool isinstance(PyValue v, const ClassObject* cls);
    Protocol* protocol_of(PyValue v) { return class_of(v)->protocol; }
    /// A new native class. Add methods with `add_method`; `self` is the first positional argument.
    ClassObject* add_class(const std::string& name, const std::string& module, const ClassObject* base, Protocol* protocol);
    void add_method(const ClassObject* cls, const std::string& name, NativeCode code);
    void add_static_method(const ClassObject* cls, const std::string& name, NativeCode code);
    void add_property(const ClassObject* cls, const std::string& name, NativeCode getter, NativeCode setter = {});
    const ClassObject* builtin_class(std::string_view name);  ///< object, int, tuple, …; null if unknown
    /// The class of `Kind::Tensor`, `DType`, `Device`: the binding registers its own.
    void set_kind_class(Kind kind, const ClassObject* cls) { kind_classes_[static_cast<size_t>(kind)] = cls; }

    // ---- attributes and items
    PyValue get_attr(PyValue object, Symbol name);
    PyValue get_attr(PyValue object, std::string_view name) { return get_attr(object, symbol(name)); }
    PyValue find_attr(PyValue object, Symbol name);  ///< unbound instead of AttributeError
    void set_attr(PyValue object, Symbol name, PyValue value);
    void del_attr(PyValue object, Symbol name);
    std::vector<std::string> attribute_names(PyValue object);
    /// AttributeError in Python's words; the diagnostic's help names the nearest attribute.
    [[noreturn]] void no_attribute(PyValue object, Symbol name);
    void suggest(const std::string& name, const std::vector<std::string>& candidates);
    PyValue get_item(PyValue object, PyValue index);
    void set_item(PyValue object, PyValue index, PyValue value);
    void del_item(PyValue object, PyValue index);

    // ---- operations
    PyValue binary(syntax::BinaryOp op, PyValue a, PyValue b, bool in_place = false);
    PyValue unary(syntax::UnaryOperator op, PyValue a);
    PyValue compare(syntax::CompareOp op, PyValue a, PyValue b);
    PyValue contains(PyValue container, PyValue item);
    /// Bool, or a run-time bool.
    PyValue truth(PyValue v);
    bool is_true(PyValue v, std::string_view what = "a condition");  ///< NeedStatic when it is known at run time only
    PyValue equal(PyValue a, PyValue b) { return compare(syntax::CompareOp::Eq, a, b); }
    PyValue length(PyValue v);
    PyValue iter(PyValue v);
    PyValue next(PyValue iterator);  ///< unbound at the end
    Values iterate(PyValue v);       ///< all items
    PyValue key_error(PyValue key);  ///< the exception
    /// `dict[key]` for a run-time key, run-time strings and lists (scalars.cpp).
    PyValue dict_at_run_time(const DictObject* d, PyValue key);
    void set_list_at_run_time(const ListObject* l, PyValue index, PyValue value);
    PyValue str_slice(PyValue text, const SliceObject& s);
    PyValue run_time_list_item(const RunTimeListObject* l, PyValue index);
    void set_run_time_list_item(const RunTimeListObject* l, PyValue index, PyValue value);
    PyValue run_time_list_length(const RunTimeListObject* l);
    PyValue call(PyValue callee, Args args = {});
    PyValue call(PyValue callee, Values positional);
    PyValue call_method(PyValue object, std::string_view name, Values positional = {});
    bool callable(PyValue v);

    // ---- text: Str, or run-time str
    PyValue str_of(PyValue v);
    PyValue repr_of(PyValue v);
    PyValue format_of(PyValue v, PyValue spec);
    std::string static_repr(PyValue v);  ///< for messages; run-time parts as `<…>`
    PyValue concat(const Values& texts);
    void print(PyValue text);            ///< writes a string as it is

    // ---- control
    /// A run-time branch: runs both on forks and merges the heap and what they give. Unbound results merge too.
    PyValue fork_if(ValueId condition, const std::function<PyValue()>& then, const std::function<PyValue()>& otherwise);
    /// `check ok`: raises at run time when `ok` is false; `{}` in the text are the arguments.
    void check(PyValue ok, const char* type, const std::string& text, Values args = {});

    // ---- modules
    /// Fills a module when it is first imported: `add_module("torch.nn.init", fill)`.
    using FillModule = std::function<void(Interpreter&, const ModuleObject*)>;
    void add_module(const std::string& name, FillModule fill);
    /// A module written in the language. `fill`, if any, runs before it.
    void add_prelude(const std::string& name, std::string path, std::string text, FillModule fill = {});
    const ModuleObject* import(const std::string& name);  ///< ModuleNotFoundError / not supported
    void set_global(const ModuleObject* m, std::string_view name, PyValue v) { heap_.set_variable(m->variables, symbol(name), v); }
    void add_function(const ModuleObject* m, const std::string& name, NativeCode code) {
        set_global(m, name, m->variables->overridable ? overridable(name, std::move(code)) : native(name, std::move(code)));
    }
    void add_builtin(const std::string& name, PyValue v);

    // ---- loop indices
    /// Values that an index of a rolled loop takes: first, first + step, …, last.
    struct IndexRange {
        int64_t first, last, step;
    };
    void set_index_range(ValueId v, IndexRange r) { index_ranges_[v] = r; }
    /// The range of a run-time i64 that is made of a loop's index and known ints by +, - and *; nothing if it is not.
    [[nodiscard]] std::optional<IndexRange> index_range(ValueId v) const;
    /// A loop is being captured that can be unrolled instead: what it carries may become known then.
    [[nodiscard]] bool in_unrollable_loop() const { return unrollable_loops_ > 0; }

    // ---- items
    /// The item that is read is written back: `x[i] += v`. It may be a copy.
    bool item_is_written_back = false;

    // ---- storages
    /// Where a merged or carried tensor may lie in one of several storages, none of them may be written from then on.
    void share_storage(StorageId s) { shared_storages_.push_back(s); }
    [[nodiscard]] bool is_shared(StorageId s) const;
    [[nodiscard]] size_t shared_count() const { return shared_storages_.size(); }
    /// Takes back what `share_storage` said of it since there were `count` of them.
    void unshare_storage(StorageId s, size_t count);
    /// NotSupported for a write to such a storage. A binding calls it before it emits a write.
    void check_writable(StorageId s);
    /// `copy` stands for places of `base` that no layout names. It may be written as long as nothing holds the other one.
    void note_copy(StorageId base, StorageId copy) { copies_.emplace_back(base, copy); }
    /// A tensor of this storage is handed on to where nobody follows it: to the next pass of a loop, out of a branch.
    void leave_copy(StorageId s);
    [[nodiscard]] bool is_copy(StorageId s) const {
        return std::any_of(copies_.begin(), copies_.end(), [&](const auto& c) { return c.second == s; });
    }

    // ---- hooks of the tensor binding
    /// Makes the object of a tensor that merging or loop carrying gives: `value` has its view already.
    std::function<PyValue(ValueId value, const TensorObject& like)> make_tensor;
    /// A call of an overridable function: what a class among the arguments' does instead, or unbound.
    std::function<PyValue(PyValue callee, const Args& args)> override_call;
    /// Runs behind the script's last statement, if that is reached.
    std::function<void(const NamespaceObject* main)> at_end;
    /// What the binding remembers; an object of the heap, so that trials undo its changes.
    const NativeObject* binding_state = nullptr;

    CaptureResult run(const syntax::Module& script);
    /// Runs the script's module `__main__` and keeps the interpreter as it is then.
    void run_main(const syntax::Module& script);
    /// Runs `f` as the end of a program would: what nothing has caught becomes a CompileError with its place.
    void at_top_level(const std::function<void()>& f);
    /// Begins another function on the same heap. Values of the one before mean nothing any more: whoever calls this gives every tensor that
    /// can be reached a new one.
    void start_function(const std::string& name);
    void make_object_class();  ///< `object` and `type`: before all others
    Evaluator& evaluator() { return *evaluator_; }

private:
    friend class Evaluator;
    friend class LoopCapture;
    friend class Merger;
    struct Tables;  // classes, modules, builtins

    SourceFiles& files_;
    CaptureOptions options_;
    DiagnosticSink sink_;
    Heap heap_;
    Function function_;
    std::unique_ptr<Builder> builder_;
    AutogradState autograd_;
    Span user_span_;
    std::vector<Diagnostic> warnings_;
    std::array<const ClassObject*, 64> kind_classes_{};
    std::unique_ptr<Tables> tables_;
    std::unique_ptr<Evaluator> evaluator_;
    std::vector<std::unique_ptr<Journalled>> participants_;
    std::unordered_map<ValueId, IndexRange> index_ranges_;
    std::vector<StorageId> shared_storages_;
    std::vector<std::pair<StorageId, StorageId>> copies_;
    int unrollable_loops_ = 0;
    int64_t depth_ = 0;  ///< of Python calls
    std::vector<const Object*> repr_stack_;  ///< lists and dicts whose repr is being made
    std::string help_;   ///< for the exception that was raised last: the nearest known name
};

/// Runs `f` on a thread with room for Python's recursion limit (a call of a script is some ten calls of ours); what it throws comes out.
void on_large_stack(const std::function<void()>& f);

/// Reads the arguments of a native function by its Python signature, with Python's TypeErrors:
/// `ArgReader a(in, args, "sorted(iterable, /, *, key=None, reverse=False)")`, then `a["key"]` (unbound where left out).
class ArgReader {
public:
    ArgReader(Interpreter& in, Args& args, std::string_view signature);
    PyValue operator[](std::string_view name) const;
    [[nodiscard]] const Values& rest() const { return rest_; }  ///< of `*args`
    [[nodiscard]] bool has(std::string_view name) const { return !(*this)[name].is_unbound(); }

private:
    std::vector<std::pair<std::string_view, PyValue>> values_;
    Values rest_;
};

}  // namespace sifr::capture
