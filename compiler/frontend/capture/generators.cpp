// Generators: functions with `yield` run piece by piece, as their items are asked for; send(), throw() and close().
#include "compiler/frontend/capture/generators.h"

#include <algorithm>

#include "compiler/frontend/syntax/walk.h"

namespace sifr::capture {

using namespace syntax;

namespace {

bool yields(const syntax::Expr& e) {
    if (e.kind == ExprKind::Yield || e.kind == ExprKind::YieldFrom) return true;
    if (e.kind == ExprKind::Lambda) return false;
    bool found = false;
    for_each_child(e, [&](const syntax::Expr& child) { found = found || yields(child); });
    return found;
}

constexpr size_t stack_bytes = size_t{256} << 20;  // reserved, not used
constexpr size_t most_alive = 1000;

}  // namespace

bool contains_yield(const Stmt& s) {
    bool found = false;
    for_each_expression(s, [&](const syntax::Expr& e) { found = found || yields(e); });
    for_each_body(s, [&](const Body& inner) { found = found || contains_yield(inner); });
    return found;
}

bool contains_yield(const Body& body) {
    return std::any_of(body.begin(), body.end(), [](const StmtPtr& s) { return contains_yield(*s); });
}

GeneratorCall::GeneratorCall(Evaluator& evaluator, Code code) : evaluator_(evaluator), code_(std::move(code)) {}

GeneratorCall::~GeneratorCall() { abandon(); }

void GeneratorCall::switch_to(bool inside) {
    std::unique_lock lock(mutex_);
    inside_ = inside;
    turn_.notify_all();
    turn_.wait(lock, [&] { return inside_ != inside; });
}

void GeneratorCall::start() {
    started_ = true;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    auto body = [](void* p) -> void* {
        static_cast<GeneratorCall*>(p)->run();
        return nullptr;
    };
    int error = pthread_create(&thread_, &attributes, body, this);
    pthread_attr_destroy(&attributes);
    SIFR_CHECK(error == 0, "no thread for a generator: error {}", error);
}

void GeneratorCall::run() {
    {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return inside_; });
    }
    if (!abandoned_ && !raise_) {
        try {
            returned_ = code_(*this);
        } catch (const Abandoned&) {
        } catch (...) {
            failure_ = std::current_exception();
        }
    } else if (raise_) {
        failure_ = std::make_exception_ptr(*raise_);
    }
    std::unique_lock lock(mutex_);
    finished_ = true;
    inside_ = false;
    turn_.notify_all();
}

PyValue GeneratorCall::resume(PyValue sent, std::optional<Raised> raised) {
    Interpreter& in = evaluator_.in_;
    if (running_) in.raise_error("ValueError", "generator already executing");
    if (finished_) {
        if (raised) throw Raised(*raised);
        return {};
    }
    if (in.heap().is_older(object)) throw GeneratorInTrial();
    if (!started_) {
        auto& all = evaluator_.generators_;
        std::erase_if(all, [](const auto& g) { return g.expired() || g.lock()->finished_; });
        if (all.size() > most_alive) throw NotSupported(fmt::format("more than {} generators that have begun and not ended", most_alive));
        start();
    }
    sent_ = sent;
    raise_ = std::move(raised);
    given_ = {};
    const Evaluator::Standpoint mine = evaluator_.standpoint();
    if (own_) {
        for (Frame* f = own_->frame; f; f = f->caller)
            if (f->generator == this) {
                f->caller = mine.frame;
                break;
            }
        Evaluator::Standpoint inside = *own_;
        inside.depth += mine.depth - base_depth_;
        inside.around = mine.inside ? mine.inside : mine.around;
        inside.handled.insert(inside.handled.begin(), mine.handled.begin(), mine.handled.end());
        evaluator_.stand(inside);
    } else {
        evaluator_.around_ = mine.inside ? mine.inside : mine.around;
        evaluator_.try_ = nullptr;
    }
    base_depth_ = mine.depth;
    conditional_ = evaluator_.conditional_;
    running_ = true;
    switch_to(true);
    running_ = false;
    Evaluator::Standpoint now = evaluator_.standpoint();
    if (finished_) {
        pthread_join(thread_, nullptr);
        thread_ = {};
        now.frame = nullptr;
    }
    now.handled.erase(now.handled.begin(),
                      now.handled.begin() + static_cast<std::ptrdiff_t>(std::min(now.handled.size(), mine.handled.size())));
    own_ = now;
    evaluator_.stand(mine);
    if (failure_) {
        evaluator_.here(now.span);
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    return given_;
}

PyValue GeneratorCall::yield(PyValue value) {
    if (evaluator_.conditional_ != conditional_) throw NotSupported("`yield` under a run-time condition or in a run-time loop");
    given_ = value;
    switch_to(false);
    if (abandoned_) throw Abandoned{};
    if (raise_) {
        Raised r = *std::exchange(raise_, std::nullopt);
        throw r;
    }
    return sent_;
}

void GeneratorCall::abandon() {
    if (thread_ == pthread_t{}) return;
    if (!finished_) {
        abandoned_ = true;
        const Evaluator::Standpoint mine = evaluator_.standpoint();
        switch_to(true);
        evaluator_.stand(mine);
    }
    pthread_join(thread_, nullptr);
    thread_ = {};
}

// ------------------------------------------------------------------------------------------------ in scripts

void Evaluator::stand(const Standpoint& s) {
    frame_ = s.frame;
    in_.depth_ = s.depth;
    in_.user_span_ = s.span;
    handled_ = s.handled;
    try_ = s.inside;
    around_ = s.around;
}

Evaluator::~Evaluator() {
    for (auto& g : generators_)
        if (auto alive = g.lock()) alive->abandon();
}

PyValue Evaluator::make_generator(std::function<PyValue(GeneratorCall&)> code) {
    auto g = std::make_shared<GeneratorCall>(*this, std::move(code));
    generators_.push_back(g);
    auto* it = in_.heap_.make<IteratorObject>();
    it->type_name = "generator";
    it->next = [g](Interpreter& in, IteratorObject&) { return in.evaluator().resume(*g, PyValue::none()); };
    g->object = it;
    by_object_[it] = g;
    return it;
}

/// StopIteration that leaves the body is an error of the generator.
PyValue Evaluator::resume(GeneratorCall& g, PyValue sent, std::optional<Raised> raised) {
    const bool thrown_in = raised && in_.class_of(raised->exception)->name == "StopIteration";
    try {
        return g.resume(sent, std::move(raised));
    } catch (const ScriptError& e) {
        if (e.type != "StopIteration") throw;
    } catch (const Raised& r) {
        if (in_.class_of(r.exception)->name != "StopIteration" || (thrown_in && !g.started())) throw;
    }
    in_.raise_error("RuntimeError", "generator raised StopIteration");
}

PyValue Evaluator::yield_from(PyValue iterable) {
    PyValue it = in_.iter(iterable);
    auto own = by_object_.find(it.object());
    std::shared_ptr<GeneratorCall> inner = own == by_object_.end() ? nullptr : own->second.lock();
    PyValue sent = PyValue::none();
    for (;;) {
        PyValue item = inner ? resume(*inner, sent) : in_.next(it);
        if (item.is_unbound()) return inner ? inner->returned() : PyValue::none();
        sent = frame_->generator->yield(item);
    }
}

namespace {

/// The exception that `throw(type_or_value, value)` asks for.
PyValue exception_of(Interpreter& in, const Args& args) {
    PyValue e = args.size() > 1 ? args[1] : PyValue();
    if (e.is(Kind::Class)) {
        PyValue value = args.size() > 2 ? args[2] : PyValue::none();
        e = value.is(Kind::Instance) ? value : in.call(e, value.is_none() ? Values{} : Values{value});
    }
    if (!e.is(Kind::Instance) || !in.class_of(e)->is_exception)
        in.raise_error("TypeError", "exceptions must be classes or instances deriving from BaseException, not {}",
                       e.is_unbound() ? "nothing" : in.type_name(e));
    return e;
}

}  // namespace

void Evaluator::add_generator_methods(const ClassObject* cls) {
    auto generator = [](Interpreter& in, const Args& args) {
        auto& known = in.evaluator().by_object_;
        auto it = known.find(args[0].object());
        return it == known.end() ? nullptr : it->second.lock();
    };
    auto stop = [](Interpreter& in, const GeneratorCall& g) {
        PyValue e = in.make_exception("StopIteration", "");
        if (!g.returned().is_none()) in.set_attr(e, symbol("args"), in.tuple({g.returned()}));
        return Raised{e, in.span(), std::nullopt};
    };
    in_.add_method(cls, "__next__", [generator, stop](Interpreter& in, Args& args) {
        PyValue item = in.next(args[0]);
        if (!item.is_unbound()) return item;
        if (auto g = generator(in, args)) throw stop(in, *g);
        in.raise_error("StopIteration", "");
    });
    in_.add_method(cls, "send", [generator, stop](Interpreter& in, Args& args) {
        ArgReader a(in, args, "send(self, value, /)");
        auto g = generator(in, args);
        if (!g || (!g->started() && !a["value"].is_none()))
            in.raise_error("TypeError", "can't send non-None value to a just-started generator");
        PyValue item = in.evaluator().resume(*g, a["value"]);
        if (item.is_unbound()) throw stop(in, *g);
        return item;
    });
    in_.add_method(cls, "throw", [generator, stop](Interpreter& in, Args& args) {
        Raised raised{exception_of(in, args), in.span(), std::nullopt};
        auto g = generator(in, args);
        if (!g) throw raised;
        PyValue item = in.evaluator().resume(*g, PyValue::none(), raised);
        if (item.is_unbound()) throw stop(in, *g);
        return item;
    });
    in_.add_method(cls, "close", [generator](Interpreter& in, Args& args) {
        auto g = generator(in, args);
        if (!g || g->finished()) return PyValue::none();
        PyValue item;
        try {
            item = in.evaluator().resume(*g, PyValue::none(), Raised{in.make_exception("GeneratorExit", ""), in.span(), std::nullopt});
        } catch (const Raised& r) {
            const std::string& name = in.class_of(r.exception)->name;
            if (name != "GeneratorExit" && name != "StopIteration") throw;
        }
        if (!item.is_unbound()) in.raise_error("RuntimeError", "generator ignored GeneratorExit");
        return PyValue::none();
    });
}

}  // namespace sifr::capture
