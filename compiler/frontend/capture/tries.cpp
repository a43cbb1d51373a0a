// `try` and `with`. An exception that is known while compiling is one of C++ on its way to the handler. One that depends on the run
// is *noted* in the `try` around it, and the rest of the block runs where nothing was noted:
//
//   before:  try: if c: raise E        after:  if c {noted = 1} else {}
//                 rest                         if noted == 0 {rest} else {handler}
//            except E: handler
//
// The second `if` is opened when the first one is done, and closed at the end of the block (`delimited`): of the `try` itself, of an arm of
// a run-time condition, or of a loop's pass, which it leaves like `break`.
#include <algorithm>

#include "compiler/frontend/capture/generators.h"
#include "compiler/frontend/capture/protocol.h"

namespace sifr::capture {

using namespace syntax;

namespace {

const Symbol raised_symbol = symbol("<raised>");
Symbol exception_symbol(int64_t number) { return symbol("<exception " + std::to_string(number) + ">"); }

/// Lists that grow on some paths of a `try` only: they are made run-time lists in front of it.
class ListsGrew : public NotSupported {
public:
    explicit ListsGrew(std::vector<std::pair<const ListObject*, Type>> l)
        : NotSupported("a list that grows on some paths of a block that may raise"), lists(std::move(l)) {}
    std::vector<std::pair<const ListObject*, Type>> lists;
};

/// Makes a Try the innermost one until `leave`.
class TryScope {
public:
    TryScope(Heap& heap, TryState*& innermost, std::function<bool(PyValue)> catches) : innermost_(innermost) {
        auto* state = heap.make<NamespaceObject>();
        state->what = "try";
        state->globals = state;
        state->variables.set(raised_symbol, PyValue::integer(0));
        try_.state = state;
        try_.catches = std::move(catches);
        try_.outer = innermost;
        innermost = &try_;
    }
    ~TryScope() { leave(); }
    TryScope(const TryScope&) = delete;
    TryScope& operator=(const TryScope&) = delete;
    void leave() {
        if (inside_) innermost_ = try_.outer;
        inside_ = false;
    }
    [[nodiscard]] const TryState& get() const { return try_; }

private:
    TryState*& innermost_;
    TryState try_;
    bool inside_ = true;
};

}  // namespace

// ------------------------------------------------------------------------------------- exceptions that depend on the run

bool Evaluator::may_be_caught(PyValue exception) {
    for (const TryState* t = try_; t; t = t->outer)
        if (t->catches(exception)) return true;
    for (const TryState* t = around_; t; t = t->outer)
        if (t->catches(exception))
            throw NotSupported("an exception in a generator under a run-time condition, inside of `try`",
                               "test the condition where the generator is used");
    return false;
}

void Evaluator::note(const Exception& e) {
    const std::string place = fmt::format("{} {}:{}:{}", in_.class_of(e.value)->qualname, e.span.file, e.span.line, e.span.column);
    const int64_t number = noted_places_.emplace(place, static_cast<int64_t>(noted_places_.size()) + 1).first->second;
    Variables& state = in_.heap_.change(try_->state).variables;
    state.set(raised_symbol, PyValue::integer(number));
    state.set(exception_symbol(number), e.value);
}

PyValue Evaluator::for_each_noted(const TryState& t, const std::function<PyValue(const Exception&)>& handle) {
    std::vector<std::pair<int64_t, Exception>> noted;
    const PyValue raised = t.state->variables.get(raised_symbol);
    for (const auto& [place, number] : noted_places_) {
        PyValue e = t.state->variables.get(exception_symbol(number));
        if (e.is_unbound() || (raised.is(Kind::Int) && raised.as_int() != number)) continue;
        if (e.is(Kind::Unusable)) unusable(e);
        if (const auto* o = e.get_if<OptionalObject>()) e = o->value;
        noted.emplace_back(number, Exception{e, in_.user_span_, std::nullopt});
    }
    SIFR_CHECK(!noted.empty(), "no exception was noted");
    std::sort(noted.begin(), noted.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::function<PyValue(size_t)> from = [&](size_t k) {
        if (k + 1 == noted.size()) return handle(noted[k].second);
        ValueId this_one = in_.builder().emit("ieq"_op, {in_.to_ir(raised), in_.function_.add_constant(noted[k].first)});
        return fork(this_one, [&] { return handle(noted[k].second); }, [&] { return from(k + 1); });
    };
    return from(0);
}

void Evaluator::go_on_unless_raised() {
    if (!try_) return;
    const PyValue raised = try_->state->variables.get(raised_symbol);
    if (raised.is(Kind::Int) && raised.as_int() == 0) return;
    if (raised.is(Kind::Int)) throw Noted{};
    if (raised.is(Kind::Unusable)) unusable(raised);
    auto g = std::make_unique<Guard>();
    g->ok = in_.builder().emit("ieq"_op, {in_.to_ir(raised), in_.function_.add_constant(int64_t{0})});
    in_.heap_.begin_fork();
    g->start = {in_.builder_->region(), static_cast<uint32_t>(in_.heap_.object_count()),
                static_cast<uint32_t>(in_.function_.storages.size()), in_.user_span_};
    g->rest = open_arm();
    in_.heap_.set_variable(try_->state, raised_symbol, PyValue::integer(0));
    guards_.push_back(std::move(g));
}

PyValue Evaluator::whole(const std::function<PyValue()>& run, const char* what) {
    const size_t guards = guards_.size();
    PyValue v = run();
    if (guards_.size() > guards) throw NotSupported(fmt::format("{} that may raise, inside of `try`", what), "compute it in front");
    return v;
}

PyValue Evaluator::delimited(const std::function<PyValue()>& run, const std::function<PyValue()>& raised) {
    const size_t base = guards_.size();
    Arm end;  // how the innermost open arm ends
    try {
        end.result = run();
    } catch (const Diverged&) {
        if (guards_.size() == base) throw;
        end.diverged = true;
    } catch (const Raised& r) {
        if (guards_.size() == base) throw;
        raised_in_arm(end, caught(r));
    } catch (const ScriptError& e) {
        if (guards_.size() == base) throw;
        raised_in_arm(end, caught(e));
    } catch (const Noted&) {
        end.noted = true;
    }
    if (end.noted) {
        if (guards_.size() == base) return raised();
        end = Arm();
        run_in_arm(end, raised);
    }
    while (guards_.size() > base) {
        std::unique_ptr<Guard> g = std::move(guards_.back());
        guards_.pop_back();
        g->rest.result = end.result;
        g->rest.diverged = end.diverged;
        g->rest.noted = end.noted;
        close_arm(g->rest);
        in_.user_span_ = g->start.span;
        Arm other = run_arm(raised);
        in_.user_span_ = g->start.span;
        end = Arm();
        end.result = join(g->ok, g->start, g->rest, other);
        if (!g->start.grown.empty()) throw ListsGrew(std::move(g->start.grown));
        in_.heap_.commit();
        end.diverged = g->rest.diverged && other.diverged;
        end.noted = !end.diverged && g->rest.ended() && other.ended();
    }
    if (end.noted) throw Noted{};
    if (end.diverged) throw Diverged{};
    return end.result;
}

// ---------------------------------------------------------------------------------------------------------------- try

Evaluator::Exception Evaluator::caught(const ScriptError& e) {
    const ClassObject* cls = in_.exception_class(e.type);
    PyValue v;
    if (!cls) {
        v = in_.make_exception("RuntimeError", e.text);
    } else {
        auto* i = in_.heap_.make<InstanceObject>(cls);
        i->attributes.set(symbol("args"), in_.tuple(e.text.empty() ? Values{} : Values{in_.str(e.text)}));
        v = i;
    }
    return {v, in_.user_span_, std::nullopt};
}

Completion Evaluator::exec_try(const syntax::Try& s) {
    if (s.is_star) throw NotSupported("`except*`");
    Function& f = in_.function_;
    const RegionId region = in_.builder_->region();
    const size_t depth = in_.heap_.depth(), guards = guards_.size(), old_reports = reports.size();
    const int conditional = conditional_;
    const Standpoint start = standpoint();
    TryState* const outer = try_;
    size_t place = f[region].insts.size();
    // On a fork, so that it can begin again when a list turns out to grow on some paths only.
    auto undo = [&] {
        while (in_.heap_.depth() > depth) in_.heap_.rollback();
        f[region].insts.resize(place);
        in_.builder_->into(region);
        guards_.resize(guards);
        reports.resize(old_reports);
        conditional_ = conditional;
        try_ = outer;
        stand(start);
    };
    Completion c = Completion::Normal;
    const bool yields = contains_yield(s);  // then others run in between
    if (yields) c = s.finalbody.empty() ? exec_except(s) : exec_finally(s);
    for (int attempt = 0; !yields; ++attempt) {
        in_.heap_.begin_fork();
        try {
            c = s.finalbody.empty() ? exec_except(s) : exec_finally(s);
            in_.heap_.commit();
            break;
        } catch (const Raised&) {
            in_.heap_.commit();
            throw;
        } catch (const ScriptError&) {
            in_.heap_.commit();
            throw;
        } catch (const Noted&) {
            in_.heap_.commit();
            throw;
        } catch (const Diverged&) {
            in_.heap_.commit();
            throw;
        } catch (const ListsGrew& grew) {
            undo();
            if (attempt > 8) throw;
            for (const auto& [l, element] : grew.lists) make_run_time(l, element);
            place = f[region].insts.size();
        } catch (const GeneratorInTrial&) {
            undo();  // without a fork
            c = s.finalbody.empty() ? exec_except(s) : exec_finally(s);
            break;
        } catch (...) {
            while (in_.heap_.depth() > depth) in_.heap_.rollback();
            throw;
        }
    }
    go_on_unless_raised();
    return c;
}

/// Runs the first handler that takes the exception; raises it again where there is none.
Completion Evaluator::handle(const syntax::Try& s, const Exception& e) {
    const size_t handled = handled_.size();
    for (const ExceptHandler& h : s.handlers) {
        if (h.type) {
            PyValue type = eval(*h.type);
            here(*h.type);
            if (!matches(e.value, type)) continue;
        }
        handled_.push_back(e.value);
        if (!h.name.empty()) store(h.name, e.value);
        auto forget = [&] {
            handled_.resize(handled);
            if (!h.name.empty() && owner(h.name, true)->variables.bound(symbol(h.name)))
                in_.heap_.set_variable(owner(h.name, true), symbol(h.name), {});
        };
        try {
            Completion c = exec(h.body);
            forget();
            return c;
        } catch (...) {
            handled_.resize(handled);
            throw;
        }
    }
    rethrow(e);
}

Completion Evaluator::exec_except(const syntax::Try& s) {
    TryScope scope(in_.heap_, try_, [&](PyValue exception) {
        return std::any_of(s.handlers.begin(), s.handlers.end(),
                           [&](const ExceptHandler& h) { return !h.type || matches(exception, eval(*h.type)); });
    });
    uint8_t mask = 0;
    auto as_value = [&](Completion c) {
        PyValue v = completion_value(c);
        mask |= mask_of(v);
        return v;
    };
    auto body = [&]() -> PyValue {
        std::optional<Exception> pending;
        Completion c = Completion::Normal;
        try {
            c = exec(s.body);
        } catch (const Raised& r) {
            pending = caught(r);
        } catch (const ScriptError& e) {
            pending = caught(e);
        }
        scope.leave();
        if (pending) return as_value(handle(s, *pending));
        if (s.orelse.empty()) return as_value(c);
        if (c == Completion::Normal) return as_value(exec(s.orelse));
        if (c == Completion::Mixed) return as_value(guarded([&] { return exec(s.orelse); }));
        return as_value(c);
    };
    PyValue how = delimited(body, [&] {
        scope.leave();
        return for_each_noted(scope.get(), [&](const Exception& e) { return as_value(handle(s, e)); });
    });
    return completion_of(how, mask);
}

Completion Evaluator::exec_finally(const syntax::Try& s) {
    TryScope scope(in_.heap_, try_, [](PyValue) { return true; });
    uint8_t mask = 0;
    auto as_value = [&](Completion c) {
        PyValue v = completion_value(c);
        mask |= mask_of(v);
        return v;
    };
    std::optional<Exception> pending;
    PyValue how = PyValue::integer(0);
    try {
        how = delimited([&] { return as_value(s.handlers.empty() ? exec(s.body) : exec_except(s)); },
                        [&] { return as_value(Completion::Normal); });
    } catch (const Raised& r) {
        pending = caught(r);
    } catch (const ScriptError& e) {
        pending = caught(e);
    }
    scope.leave();
    PyValue result = frame_->variables->variables.get(result_symbol);
    const Span span = in_.user_span_;
    Completion last = exec(s.finalbody);
    if (last == Completion::Mixed) throw NotSupported("leaving a `finally` block under a run-time condition");
    if (last != Completion::Normal) return last;  // it swallows the exception and replaces the jump
    in_.user_span_ = span;
    if (!result.is_unbound()) in_.heap_.set_variable(frame_->variables, result_symbol, result);
    if (pending) rethrow(*pending);
    Completion c = completion_of(how, static_cast<uint8_t>(mask | (how.is(Kind::Int) ? 1 << how.as_int() : 0)));
    const PyValue raised = scope.get().state->variables.get(raised_symbol);
    if (raised.is(Kind::Int) && raised.as_int() == 0) return c;
    auto again = [&] { return for_each_noted(scope.get(), [&](const Exception& e) -> PyValue { rethrow(e); }); };
    if (raised.is(Kind::Int)) again();
    ValueId none = in_.builder().emit("ieq"_op, {in_.to_ir(raised), in_.function_.add_constant(int64_t{0})});
    fork(none, [] { return PyValue::none(); }, again);
    return c;
}

// --------------------------------------------------------------------------------------------------------------- with

Completion Evaluator::exec_with(const With& s, size_t item) {
    if (s.is_async) throw NotSupported("`async with`");
    if (item == s.items.size()) return exec(s.body);
    const WithItem& w = s.items[item];
    PyValue manager = eval(*w.manager);
    here(*w.manager);
    Protocol* native = manager.is(Kind::Instance) ? nullptr : in_.protocol_of(manager);
    PyValue entered;
    PyValue exit_method;
    if (native) entered = native->enter(in_, manager);
    if (entered.is_unbound()) {
        native = nullptr;
        PyValue enter_method = in_.find_attr(manager, symbol("__enter__"));
        exit_method = in_.find_attr(manager, symbol("__exit__"));
        if (enter_method.is_unbound() || exit_method.is_unbound())
            in_.raise_error("TypeError", "'{}' object does not support the context manager protocol", in_.type_name(manager));
        entered = in_.call(enter_method);
    }
    if (w.target) assign(*w.target, entered);
    auto leave = [&](PyValue exception) {
        if (native) return native->exit(in_, manager, exception);
        PyValue type = exception.is_none() ? PyValue::none() : PyValue(in_.class_of(exception));
        return in_.is_true(in_.call(exit_method, Values{type, exception, PyValue::none()}), "what __exit__ returns");
    };
    // A mode of PyTorch does nothing that shows when an exception ends the program.
    const bool plain = native && !inside_try();
    std::optional<TryScope> scope;
    if (!plain) scope.emplace(in_.heap_, try_, [](PyValue) { return true; });
    uint8_t mask = 0;
    auto as_value = [&](Completion c) {
        PyValue v = completion_value(c);
        mask |= mask_of(v);
        return v;
    };
    auto out = [&](const Exception& e) {
        const Span span = in_.user_span_;
        const bool swallowed = leave(e.value);
        in_.user_span_ = span;
        if (!swallowed) rethrow(e);
        return as_value(Completion::Normal);
    };
    auto body = [&]() -> PyValue {
        std::optional<Exception> pending;
        Completion c = Completion::Normal;
        try {
            c = exec_with(s, item + 1);
        } catch (const Raised& r) {
            pending = caught(r);
        } catch (const ScriptError& e) {
            pending = caught(e);
        }
        if (scope) scope->leave();
        if (pending) return out(*pending);
        here(*w.manager);
        PyValue how = as_value(c);
        leave(PyValue::none());
        return how;
    };
    PyValue how = plain ? body() : delimited(body, [&] {
        scope->leave();
        return for_each_noted(scope->get(), out);
    });
    Completion c = completion_of(how, mask);
    go_on_unless_raised();
    return c;
}

}  // namespace sifr::capture
