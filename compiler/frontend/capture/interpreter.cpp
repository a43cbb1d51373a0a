#include "compiler/frontend/capture/interpreter.h"

#include <pthread.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"
#include "compiler/frontend/capture/tables.h"

namespace sifr::capture {

namespace {

class AutogradJournal : public Journalled {
public:
    explicit AutogradJournal(AutogradState& s) : state_(s) {}
    size_t mark() override { return state_.checkpoint(); }
    void rollback(size_t to) override { state_.rollback(to); }

private:
    AutogradState& state_;
};

class StorageJournal : public Journalled {
public:
    explicit StorageJournal(std::vector<StorageId>& s) : storages_(s) {}
    size_t mark() override { return storages_.size(); }
    void rollback(size_t to) override { storages_.resize(to); }

private:
    std::vector<StorageId>& storages_;
};

class WarningJournal : public Journalled {
public:
    explicit WarningJournal(std::vector<Diagnostic>& w) : warnings_(w) {}
    size_t mark() override { return warnings_.size(); }
    void rollback(size_t to) override { warnings_.resize(to); }

private:
    std::vector<Diagnostic>& warnings_;
};

}  // namespace

Interpreter::Interpreter(SourceFiles& files, const CaptureOptions& options, DiagnosticSink sink)
    : files_(files), options_(options), sink_(std::move(sink)), tables_(std::make_unique<Tables>()) {
    builder_ = std::make_unique<Builder>(function_, function_.body, Location{});
    participants_.push_back(std::make_unique<AutogradJournal>(autograd_));
    participants_.push_back(std::make_unique<WarningJournal>(warnings_));
    participants_.push_back(std::make_unique<StorageJournal>(shared_storages_));
    for (auto& p : participants_) heap_.add_participant(p.get());
    evaluator_ = std::make_unique<Evaluator>(*this);
    auto* builtins = heap_.make<NamespaceObject>();
    builtins->what = "builtins";
    builtins->globals = builtins;
    tables_->builtins = builtins;
    bind_builtins(*this);
    bind_math(*this);
    bind_standard_modules(*this);
}

Interpreter::~Interpreter() = default;

bool Interpreter::is_shared(StorageId s) const { return std::find(shared_storages_.begin(), shared_storages_.end(), s) != shared_storages_.end(); }

void Interpreter::unshare_storage(StorageId s, size_t count) {
    shared_storages_.erase(std::remove(shared_storages_.begin() + static_cast<std::ptrdiff_t>(count), shared_storages_.end(), s), shared_storages_.end());
}

void Interpreter::check_writable(StorageId s) {
    if (is_shared(s))
        throw NotSupported("writing into a tensor that a run-time branch or loop, or a view as another dtype, may have made the same as another one",
                           "write into a copy: `x = x.clone()` before the branch, loop or view");
    for (auto [base, copy] : copies_) {
        StorageId other = s == base ? copy : s == copy ? base : StorageId();
        if (other.valid() && evaluator_->storage_holders().objects.contains(other))
            throw NotSupported("writing into a tensor, or into a slice of it that begins at a run-time number, while the other one is in use", "write into a copy: `x = x[i:j].clone()`");
    }
}

void Interpreter::leave_copy(StorageId s) {
    for (auto [base, copy] : copies_) {
        if (copy != s && base != s) continue;
        share_storage(base);
        share_storage(copy);
    }
}

std::optional<Interpreter::IndexRange> Interpreter::index_range(ValueId v) const {
    if (auto it = index_ranges_.find(v); it != index_ranges_.end()) return it->second;
    if (std::optional<int64_t> k = function_.constant_int(v)) return IndexRange{*k, *k, 0};
    const Inst* p = function_.producer(v);
    if (!p || p->operands.size() != 2) return std::nullopt;
    std::string_view name = name_of(p->op);
    if (name != "iadd" && name != "isub" && name != "imul") return std::nullopt;
    std::optional<IndexRange> a = index_range(p->operands[0]), b = index_range(p->operands[1]);
    if (!a || !b || (a->step != 0 && b->step != 0)) return std::nullopt;
    if (name == "iadd") return IndexRange{a->first + b->first, a->last + b->last, a->step + b->step};
    if (name == "isub") return IndexRange{a->first - b->first, a->last - b->last, a->step - b->step};
    int64_t k = a->step == 0 ? a->first : b->first;
    const IndexRange& r = a->step == 0 ? *b : *a;
    return IndexRange{r.first * k, r.last * k, r.step * k};
}

Builder& Interpreter::builder() {
    builder_->at(user_span_.known() ? Location{user_span_} : Location{});
    return *builder_;
}

void Interpreter::warn(Diagnostic d) { warnings_.push_back(std::move(d)); }

void Interpreter::script_warning(const char* category, const std::string& text) {
    // Filters of the module `warnings`, if the script has imported it.
    if (auto it = tables_->modules.find("warnings"); it != tables_->modules.end() && it->second.made) {
        PyValue heard = it->second.made->variables->variables.get(symbol("_heard"));
        const ClassObject* cls = exception_class(category);
        if (!heard.is_unbound() && cls && !is_true(call(heard, Values{PyValue(cls), make_exception(category, text)}))) return;
    }
    builder().emit_typed("warn"_op, {function_.add_constant(text)}, attrs({{"category", std::string(category)}}), {});
}

// ------------------------------------------------------------------------------------------------ making

PyValue Interpreter::str(std::string text) {
    if (text.size() > 32) return heap_.make<StrObject>(std::move(text));
    auto it = tables_->strings.find(text);
    if (it != tables_->strings.end()) return it->second;
    PyValue v = heap_.make<StrObject>(text);
    tables_->strings.emplace(std::move(text), v);
    return v;
}

PyValue Interpreter::integer(const BigInt& v) { return v.fits_int64() ? PyValue::integer(v.to_int64()) : PyValue(heap_.make<BigIntObject>(v)); }
PyValue Interpreter::tuple(Values items) { return heap_.make<TupleObject>(std::move(items), builtin_class("tuple")); }
PyValue Interpreter::tuple_of(const ClassObject* cls, Values items) { return heap_.make<TupleObject>(std::move(items), cls); }
PyValue Interpreter::list(Values items) { return heap_.make<ListObject>(std::move(items)); }
PyValue Interpreter::dict() { return heap_.make<DictObject>(); }
void Interpreter::dict_set(PyValue dict, PyValue key, PyValue value) {
    std::string hash = hash_key(*this, key);
    heap_.set_item(dict.as<DictObject>(), hash, key, value);
}
PyValue Interpreter::slice(PyValue start, PyValue stop, PyValue step) { return heap_.make<SliceObject>(start, stop, step); }
PyValue Interpreter::native(std::string name, NativeCode code) { return heap_.make<NativeFunctionObject>(std::move(name), std::move(code)); }
PyValue Interpreter::overridable(std::string name, NativeCode code, PyValue self) {
    auto* made = heap_.make<NativeFunctionObject>(std::move(name), std::move(code));
    made->overridable = true;
    made->self = self;
    return made;
}
PyValue Interpreter::iterator(std::string type_name, Values items) {
    auto* it = heap_.make<IteratorObject>();
    it->type_name = std::move(type_name);
    it->items = std::move(items);
    return it;
}

// ------------------------------------------------------------------------------------------------ errors

const ClassObject* Interpreter::exception_class(std::string_view name) {
    auto it = tables_->exceptions.find(name);
    return it == tables_->exceptions.end() ? nullptr : it->second;
}

PyValue Interpreter::make_exception(std::string_view type, const std::string& text) {
    const ClassObject* cls = exception_class(type);
    if (!cls) cls = exception_class("RuntimeError");
    auto* e = heap_.make<InstanceObject>(cls);
    e->attributes.set(symbol("args"), tuple(text.empty() ? Values{} : Values{str(text)}));
    return e;
}

const ClassObject* Interpreter::add_exception_class(const std::string& name, const ClassObject* base, const std::string& module) {
    ClassObject* c = add_class(name, module, base ? base : exception_class("Exception"), nullptr);
    c->is_exception = true;
    tables_->exceptions.emplace(name, c);
    return c;
}

// ------------------------------------------------------------------------------------- scalars in the IR

Type::Kind Interpreter::scalar_kind(PyValue v) {
    switch (v.kind()) {
        case Kind::Dynamic: return v.scalar();
        case Kind::Bool: return Type::Kind::Bool;
        case Kind::Int:
        case Kind::BigInt: return Type::Kind::I64;
        case Kind::Float: return Type::Kind::F64;
        case Kind::Str: return Type::Kind::Str;
        default: SIFR_UNREACHABLE("a value of kind {} is not a scalar", static_cast<int>(v.kind()));
    }
}

ValueId Interpreter::to_ir(PyValue v) { return to_ir(v, scalar_kind(v)); }

ValueId Interpreter::to_ir(PyValue v, Type::Kind as) {
    if (v.is(Kind::BigInt)) {
        if (as == Type::Kind::F64) {
            std::optional<double> d = to_double(v);
            if (!d) raise_error("OverflowError", "int too large to convert to float");
            return function_.add_constant(*d);
        }
        throw NotSupported("an int of more than 64 bits in run-time arithmetic");
    }
    Type::Kind from = scalar_kind(v);
    if (!v.is_dynamic()) {
        switch (as) {
            case Type::Kind::Bool:
                SIFR_CHECK(from == Type::Kind::Bool, "a static number as run-time bool");
                return function_.add_constant(v.as_bool());
            case Type::Kind::I64: return function_.add_constant(v.as_int());
            case Type::Kind::F64: return function_.add_constant(*to_double(v));
            default: return function_.add_constant(v.as<StrObject>()->text);
        }
    }
    ValueId id = v.as_value();
    if (from == as) return id;
    if (as == Type::Kind::F64) return builder().emit(from == Type::Kind::I64 ? "itof"_op : "btof"_op, {id});
    SIFR_CHECK(as == Type::Kind::I64 && from == Type::Kind::Bool, "a run-time value of another kind");
    return builder().emit("btoi"_op, {id});
}

PyValue Interpreter::from_ir(ValueId v) {
    const Value& value = function_[v];
    if (value.def == Value::Def::Constant) {
        if (const bool* b = std::get_if<bool>(&value.constant)) return PyValue::boolean(*b);
        if (const int64_t* i = std::get_if<int64_t>(&value.constant)) return PyValue::integer(*i);
        if (const double* d = std::get_if<double>(&value.constant)) return PyValue::real(*d);
        if (const std::string* s = std::get_if<std::string>(&value.constant)) return str(*s);
        return PyValue::none();
    }
    return PyValue::dynamic(v, value.type.kind);
}

PyValue Interpreter::emit_scalar(Op op, std::vector<ValueId> operands, Attrs attributes) {
    return from_ir(builder().emit(op, std::move(operands), std::move(attributes)));
}

void Interpreter::need_static(PyValue v, std::string_view what) {
    throw NeedStatic(fmt::format("{} that is known only at run time", what),
                     fmt::format("'{}' must be known while compiling here: make it from literals, shapes or static arguments",
                                 v.is_dynamic(Type::Kind::Str) ? "str" : v.is_dynamic(Type::Kind::F64) ? "float" : "int"));
}

int64_t Interpreter::need_int(PyValue v, std::string_view what) {
    if (v.is(Kind::Int) || v.is(Kind::Bool)) return v.as_int();
    if (v.is_dynamic(Type::Kind::I64) || v.is_dynamic(Type::Kind::Bool)) need_static(v, what);
    if (v.is(Kind::BigInt)) raise_error("OverflowError", "Python int too large to convert to C long");
    if (Protocol* p = protocol_of(v))
        if (PyValue i = p->index(*this, v); !i.is_unbound()) return need_int(i, what);
    if (v.is(Kind::Instance))
        if (PyValue m = class_of(v)->lookup(symbol("__index__")); !m.is_unbound()) return need_int(call(m, Values{v}), what);
    raise_error("TypeError", "'{}' object cannot be interpreted as an integer", type_name(v));
}

double Interpreter::need_float(PyValue v, std::string_view what) {
    if (v.is_static_number()) {
        std::optional<double> d = to_double(v);
        if (!d) raise_error("OverflowError", "int too large to convert to float");
        return *d;
    }
    if (v.is_number()) need_static(v, what);
    raise_error("TypeError", "must be real number, not {}", type_name(v));
}

bool Interpreter::need_bool(PyValue v, std::string_view what) {
    PyValue t = truth(v);
    if (t.is_dynamic()) need_static(t, what);
    return t.as_bool();
}

std::string Interpreter::need_str(PyValue v, std::string_view what) {
    if (const auto* s = v.get_if<StrObject>()) return s->text;
    if (v.is_dynamic(Type::Kind::Str)) need_static(v, what);
    raise_error("TypeError", "{} must be str, not {}", what, type_name(v));
}

bool Interpreter::is_true(PyValue v, std::string_view what) { return need_bool(v, what); }

namespace {

/// Code of the script runs, not of a module of the library.
bool is_of_script(const Frame* f) {
    while (f && !f->function) f = f->caller;
    return !f || (f->function->def ? f->function->def->span.file : f->function->lambda->span.file) == 0;
}

}  // namespace

void Interpreter::check(PyValue ok, const char* type, const std::string& text, Values args) {
    if (ok.is(Kind::Bool)) {
        if (ok.as_bool()) return;
        std::string message = text;
        for (PyValue a : args) {
            size_t at = message.find("{}");
            if (at != std::string::npos) message.replace(at, 2, need_str(str_of(a), "a message"));
        }
        throw ScriptError(type, message);
    }
    // The library's own checks do not fail, and each one that may be caught puts what follows under a condition.
    constexpr size_t most_conditions = 40;
    if (evaluator_->inside_try() && is_of_script(evaluator_->frame()) && evaluator_->guards_.size() < most_conditions) {
        if (evaluator_->may_be_caught(make_exception(type, text))) {
            evaluator_->fork(ok.as_value(), [] { return PyValue::none(); }, [&]() -> PyValue {
                Values pieces;
                size_t from = 0;
                for (PyValue a : args) {
                    size_t at = text.find("{}", from);
                    if (at == std::string::npos) break;
                    pieces.push_back(str(text.substr(from, at - from)));
                    pieces.push_back(str_of(a));
                    from = at + 2;
                }
                pieces.push_back(str(text.substr(from)));
                const bool key = std::string_view(type) == "KeyError" && args.size() == 1 && text == "{}";
                PyValue e = make_exception(type, "");
                heap_.change(e.as<InstanceObject>()).attributes.set(symbol("args"), tuple({key ? args[0] : concat(pieces)}));
                throw Raised{e, user_span_, std::nullopt};
            });
            return;
        }
    }
    std::vector<ValueId> operands{ok.as_value()};
    for (PyValue a : args) operands.push_back(to_ir(a));
    builder().emit_typed("check"_op, std::move(operands), attrs({{"type", std::string(type)}, {"text", text}}), {});
}

void Interpreter::print(PyValue text) {
    ValueId v = to_ir(text);
    builder().emit_typed("print"_op, {v}, {}, {});
}

// ------------------------------------------------------------------------------------------------ running

PyValue Interpreter::fork_if(ValueId condition, const std::function<PyValue()>& then, const std::function<PyValue()>& otherwise) {
    return evaluator_->fork(condition, then, otherwise);
}

namespace {

Diagnostic uncaught(Interpreter& in, const Raised& r) {
    Diagnostic d;
    if (r.diagnostic) d = *r.diagnostic;
    d.severity = Severity::Error;
    if (!d.span.known()) d.span = r.span;
    if (d.exception.empty()) {
        const auto* e = r.exception.as<InstanceObject>();
        d.exception = e->cls->module == "builtins" || e->cls->module == "__main__" ? e->cls->qualname : e->cls->module + "." + e->cls->qualname;
        PyValue text = in.str_of(r.exception);
        d.exception_text = text.is(Kind::Str) ? text.as<StrObject>()->text : "";
    }
    return d;
}

}  // namespace

void Interpreter::run_main(const syntax::Module& script) {
    Source& source = evaluator_->add_source(script);
    auto* main = heap_.make<NamespaceObject>();
    main->what = "__main__";
    main->globals = main;
    main->scope = &source.scopes->module();
    main->variables.set(symbol("__name__"), str("__main__"));
    main->variables.set(symbol("__file__"), str(options_.script_path));
    main->variables.set(symbol("__doc__"), PyValue::none());
    const ModuleObject* module = heap_.make<ModuleObject>("__main__", main);
    tables_->modules["__main__"] = {{}, {}, {}, false, module};
    at_top_level([&] {
        evaluator_->run_module(source, main);
        if (at_end) at_end(main);
    });
}

void Interpreter::at_top_level(const std::function<void()>& f) {
    Diagnostic fatal;
    int exit_code = 1;
    bool failed = true;
    try {
        f();
        failed = false;
    } catch (const Diverged&) {
        failed = false;
    } catch (const Raised& r) {
        if (r.exception.as<InstanceObject>()->cls->name == "SystemExit") {
            evaluator_->emit_exit(r.exception);
            failed = false;
        } else if (r.diagnostic && options_.hazards != HazardMode::Error) {
            // The program does what comes before, and raises there.
            if (options_.hazards != HazardMode::Trap) {
                warn(*r.diagnostic);
                warnings_.back().severity = Severity::Warning;
            }
            evaluator_->emit_raise(evaluator_->caught(r));
            failed = false;
        } else {
            fatal = uncaught(*this, r);
        }
    } catch (const ScriptError& e) {
        fatal.span = user_span_;
        fatal.exception = e.type;
        fatal.exception_text = e.text;
    } catch (const NotSupported& e) {
        fatal.span = user_span_;
        fatal.code = "not-supported";
        fatal.text = "not supported: " + e.text;
        fatal.help = e.help;
    } catch (CompileError& e) {
        fatal = e.diagnostic;
        exit_code = e.exit_code;
        if (!fatal.span.known()) fatal.span = user_span_;
    }
    for (const Diagnostic& d : warnings_)
        if (sink_) sink_(d);
    if (failed) {
        if (fatal.help.empty() && !help_.empty() && !fatal.exception.empty()) fatal.help = help_;
        throw CompileError(fatal, exit_code);
    }
}

void Interpreter::start_function(const std::string& name) {
    function_ = Function();
    function_.name = name;
    builder_ = std::make_unique<Builder>(function_, function_.body, Location{});
    autograd_ = AutogradState();
    warnings_.clear();
    index_ranges_.clear();
    shared_storages_.clear();
}

CaptureResult Interpreter::run(const syntax::Module& script) {
    run_main(script);
    return CaptureResult{Captured(compact(function_)), std::move(warnings_), std::move(evaluator_->reports)};
}

void on_large_stack(const std::function<void()>& work) {
    std::exception_ptr failure;
    const std::function<void()> f = [&] {
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
    };
    constexpr size_t bytes = size_t{1} << 30;  // reserved, not used
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    pthread_t thread{};
    auto start = [](void* p) -> void* {
        (*static_cast<const std::function<void()>*>(p))();
        return nullptr;
    };
    int error = pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&f));
    pthread_attr_destroy(&attributes);
    SIFR_CHECK(error == 0, "no thread for capture: error {}", error);
    pthread_join(thread, nullptr);
    if (failure) std::rethrow_exception(failure);
}

CaptureResult capture(const syntax::Module& script, SourceFiles& files, const CaptureOptions& options, const DiagnosticSink& sink) {
    std::optional<CaptureResult> result;
    on_large_stack([&] {
        Interpreter in(files, options, sink);
        for (auto* bind : options.bindings) bind(in);
        result.emplace(in.run(script));
    });
    return std::move(*result);
}

std::string loop_report_text(const std::vector<LoopReport>& loops, const SourceFiles& files) {
    std::string r;
    for (const LoopReport& l : loops) {
        if (l.span.file != 0) continue;  // loops of the prelude are not the script's
        r += fmt::format("{}:{}:{}: ", files.file(l.span.file).path(), l.span.line, l.span.column);
        if (l.verdict == LoopReport::Verdict::Rolled) {
            r += l.peeled ? fmt::format("rolled after {} peeled iteration{}", l.peeled, l.peeled == 1 ? "" : "s") : "rolled";
            r += l.trip_count < 0 ? ", trip count known at run time" : fmt::format(", {} iterations", l.trip_count);
            if (l.rounds > 0) r += fmt::format(", {} round{}", l.rounds, l.rounds == 1 ? "" : "s");
        } else {
            r += "unrolled";
            if (l.trip_count >= 0) r += fmt::format(", {} iteration{}", l.trip_count, l.trip_count == 1 ? "" : "s");
        }
        if (!l.reason.empty()) r += ": " + l.reason;
        r += "\n";
    }
    return r;
}

}  // namespace sifr::capture
