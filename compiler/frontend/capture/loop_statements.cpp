// `for` and `while`: which are rolled and which are unrolled, and unrolling itself.
#include <algorithm>

#include "compiler/frontend/capture/generators.h"
#include "compiler/frontend/capture/loops.h"

namespace sifr::capture {

using namespace syntax;

namespace {

/// `--loops=roll` asks for the loops that the user wrote: those of the prelude walk over shapes and lists that must be known.
LoopMode mode_for(LoopMode asked, const syntax::Stmt& loop) { return asked == LoopMode::Roll && loop.span.file != 0 ? LoopMode::Auto : asked; }

template <class F>
bool any_statement(const Body& body, bool into_loops, const F& f) {
    for (const StmtPtr& p : body) {
        const Stmt& s = *p;
        if (f(s)) return true;
        switch (s.kind) {
            case StmtKind::If:
                if (any_statement(as<If>(s).body, into_loops, f) || any_statement(as<If>(s).orelse, into_loops, f)) return true;
                break;
            case StmtKind::With:
                if (any_statement(as<With>(s).body, into_loops, f)) return true;
                break;
            case StmtKind::Try: {
                const auto& t = as<Try>(s);
                if (any_statement(t.body, into_loops, f) || any_statement(t.orelse, into_loops, f) || any_statement(t.finalbody, into_loops, f)) return true;
                for (const ExceptHandler& h : t.handlers)
                    if (any_statement(h.body, into_loops, f)) return true;
                break;
            }
            case StmtKind::Match:
                for (const MatchCase& c : as<Match>(s).cases)
                    if (any_statement(c.body, into_loops, f)) return true;
                break;
            case StmtKind::For:
                // a jump in the `else` of a loop belongs to the loop around
                if ((into_loops && any_statement(as<For>(s).body, into_loops, f)) || any_statement(as<For>(s).orelse, into_loops, f)) return true;
                break;
            case StmtKind::While:
                if ((into_loops && any_statement(as<While>(s).body, into_loops, f)) || any_statement(as<While>(s).orelse, into_loops, f)) return true;
                break;
            default: break;
        }
    }
    return false;
}

}  // namespace

bool contains_break(const Body& body) {
    return any_statement(body, false, [](const Stmt& s) { return s.kind == StmtKind::Break; });
}
bool contains_return(const Body& body) {
    return any_statement(body, true, [](const Stmt& s) { return s.kind == StmtKind::Return; });
}

const Liveness* Evaluator::liveness() {
    if (frame_->liveness) return frame_->liveness;
    const FunctionObject* f = frame_->function;
    const void* key = f ? static_cast<const void*>(f->def) : static_cast<const void*>(frame_->scope);
    Source* source = nullptr;
    if (f && f->def) source = source_of_file_.at(f->def->span.file);
    else
        for (auto& [file, s] : source_of_file_)
            if (&s->scopes->module() == frame_->scope) source = s;
    if (!source) return nullptr;  // the body of a class
    auto& slot = source->liveness[key];
    if (!slot) slot = f ? std::make_unique<Liveness>(*f->def) : std::make_unique<Liveness>(*source->module);
    frame_->liveness = slot.get();
    return frame_->liveness;
}

/// One pass of a body: `continue` ends it normally.
Completion Evaluator::loop_body(const Body& body) {
    Completion c = exec(body);
    if (c == Completion::Continue) return Completion::Normal;
    if (c != Completion::Mixed) return c;
    PyValue how = completion_value(c);
    if (!(mask_of(how) & 4)) return c;
    Builder& b = in_.builder();
    ValueId continues = b.emit("ieq"_op, {in_.to_ir(how), b.constant_int(static_cast<int64_t>(Completion::Continue))});
    auto mask = static_cast<uint8_t>((mask_of(how) & ~4) | 1);
    return completion_of(in_.emit_scalar("sel"_op, {continues, b.constant_int(0), in_.to_ir(how)}), mask);
}

/// A pass that raises under a run-time condition inside of a `try` leaves the loop.
Completion Evaluator::loop_pass(const std::function<Completion()>& pass) {
    if (!inside_try()) return pass();
    uint8_t mask = 0;
    auto as_value = [&](Completion c) {
        PyValue v = completion_value(c);
        mask |= mask_of(v);
        return v;
    };
    PyValue how = delimited([&] { return as_value(pass()); }, [&] { return as_value(Completion::Break); });
    return completion_of(how, mask);
}

/// Behind a loop: its `else` where it was not left, and a break is then nothing special.
Completion Evaluator::after_loop(Completion c, const Body& orelse, bool returns) {
    go_on_unless_raised();
    if (c == Completion::Normal) return exec(orelse);
    if (c == Completion::Break) return Completion::Normal;
    if (c == Completion::Return) return c;
    if (!orelse.empty()) {
        // A jump out of the `else` itself is rare and told apart from the loop's own break by running it first.
        PyValue how = completion_value(c);
        Builder& b = in_.builder();
        ValueId normal = b.emit("ieq"_op, {in_.to_ir(how), b.constant_int(0)});
        auto mask = static_cast<uint8_t>(mask_of(how) & ~1);
        PyValue done = fork(normal,
                            [&] {
                                Completion e = exec(orelse);
                                if (e == Completion::Break || e == Completion::Continue) throw NotSupported("a jump out of a loop's `else`");
                                PyValue v = completion_value(e);
                                mask |= mask_of(v);
                                return v;
                            },
                            [&] { return how; });
        c = completion_of(done, mask);
        if (c != Completion::Mixed) return c == Completion::Break ? Completion::Normal : c;
    }
    if (!returns) return Completion::Normal;
    PyValue how = completion_value(c);
    if (!(mask_of(how) & 2)) return c;
    Builder& b = in_.builder();
    ValueId broken = b.emit("ieq"_op, {in_.to_ir(how), b.constant_int(static_cast<int64_t>(Completion::Break))});
    auto mask = static_cast<uint8_t>((mask_of(how) & ~2) | 1);
    return completion_of(in_.emit_scalar("sel"_op, {broken, b.constant_int(0), in_.to_ir(how)}), mask);
}

Completion Evaluator::exec_for(const For& s) {
    if (s.is_async) throw NotSupported("`async for`");
    LoopReport report;
    report.span = s.span;
    report.span.end_line = s.iter->span.end_line;
    report.span.end_column = s.iter->span.end_column;
    PyValue iterable;
    const auto* call = get_if<Call>(s.iter);
    const auto* name = call && call->keywords.empty() ? get_if<Name>(call->function) : nullptr;
    if (name && (name->id == "enumerate" || name->id == "zip")) {
        // `enumerate` and `zip` of lists whose length is known only at run time: by index.
        PyValue callee = eval(*call->function);
        Args args;
        args.positional = elements(call->args);
        here(*s.iter);
        const auto* native = callee.get_if<NativeFunctionObject>();
        const bool counts = native && native->name == "enumerate" && args.size() >= 1 && args.size() <= 2, zips = native && native->name == "zip";
        const size_t lists = counts ? 1 : zips ? args.size() : 0;
        auto is_run_time = [](PyValue v) { return v.is(Kind::RunTimeList) && v.as<RunTimeListObject>()->static_length < 0; };
        if (std::any_of(args.positional.begin(), args.positional.begin() + static_cast<std::ptrdiff_t>(lists), is_run_time)) {
            Values of(args.positional.begin(), args.positional.begin() + static_cast<std::ptrdiff_t>(lists));
            PyValue length;
            for (PyValue& v : of) {
                if (!v.is(Kind::RunTimeList) && !v.is(Kind::Tensor)) v = in_.list(in_.iterate(v));
                PyValue n = in_.length(v);
                if (length.is_unbound()) {
                    length = n;
                    continue;
                }
                PyValue shorter = in_.compare(CompareOp::Lt, n, length);
                if (shorter.is(Kind::Bool)) length = shorter.as_bool() ? n : length;
                else length = in_.emit_scalar("sel"_op, {shorter.as_value(), in_.to_ir(n), in_.to_ir(length)});
            }
            auto item = [&](PyValue index) {
                Values items;
                if (counts) items.push_back(args.size() > 1 ? in_.binary(BinaryOp::Add, index, args[1]) : index);
                for (PyValue v : of) items.push_back(in_.get_item(v, index));
                return in_.tuple(std::move(items));
            };
            LoopCapture loop(*this, s, LoopCapture::Range{PyValue::integer(0), length, PyValue::integer(1), -1, item}, 0, report);
            if (loop.run() != LoopCapture::Outcome::Rolled) {
                if (loop.failure()) std::rethrow_exception(loop.failure());
                throw NotSupported(fmt::format("this loop, whose trip count is known only at run time: {}", loop.reason()));
            }
            report.verdict = LoopReport::Verdict::Rolled;
            report.trip_count = -1;
            reports.push_back(report);
            return after_loop(loop.completion(), s.orelse, contains_return(s.body));
        }
        iterable = in_.call(callee, std::move(args));
    } else {
        iterable = eval(*s.iter);
    }
    here(*s.iter);
    if (const auto* r = iterable.get_if<RangeObject>()) return for_range(s, *r, report);
    if (const auto* l = iterable.get_if<RunTimeListObject>(); l && l->static_length < 0) return for_items(s, iterable, report);
    if (iterable.is(Kind::Tensor)) {
        const Type& type = in_.function_.type(iterable.as<TensorObject>()->value);
        if (std::any_of(type.run_time_sizes.begin(), type.run_time_sizes.end(), [](const RunTimeSize& r) { return r.axis == 0; })) return for_items(s, iterable, report);
    }
    PyValue it = in_.iter(iterable);
    Completion c = Completion::Normal;
    report.trip_count = 0;
    for (;;) {
        here(*s.iter);
        PyValue item = in_.next(it);
        if (item.is_unbound()) break;
        if (++report.trip_count > in_.options_.unroll_limit) throw NotSupported(fmt::format("a loop of more than {} iterations that is not over a range", in_.options_.unroll_limit));
        auto pass = [&] {
            return loop_pass([&] {
                assign(*s.target, item);
                return loop_body(s.body);
            });
        };
        c = c == Completion::Mixed ? guarded(pass) : pass();
        if (c == Completion::Break || c == Completion::Return) break;
    }
    report.reason = "it is not over a range";
    reports.push_back(report);
    return after_loop(c, s.orelse, contains_return(s.body));
}

namespace {

int64_t count_instructions(const Function& f, size_t from, bool& backward) {
    for (size_t i = from; i < f.insts.size(); ++i) backward = backward || f.insts[i].op == "backward"_op;
    return static_cast<int64_t>(f.insts.size() - from);
}

}  // namespace

Completion Evaluator::for_range(const For& s, const RangeObject& range, LoopReport report) {
    bool is_static = range.is_static();
    int64_t n = is_static ? range.length() : -1;
    report.trip_count = n;
    LoopMode mode = mode_for(in_.options_.loops, s);
    bool returns = contains_return(s.body);
    int64_t done = 0;
    auto item = [&](int64_t k) { return PyValue::integer(range.start.as_int() + k * range.step.as_int()); };
    auto report_as = [&](LoopReport::Verdict v, std::string reason) {
        report.verdict = v;
        report.peeled = v == LoopReport::Verdict::Rolled ? done : 0;
        report.reason = std::move(reason);
        reports.push_back(report);
    };
    std::string reason = contains_yield(s.body) ? "it yields" : mode == LoopMode::Unroll ? "--loops=unroll" : n <= 1 ? "it has at most one iteration" : "";
    Completion c = Completion::Normal;
    auto pass = [&](int64_t k) {
        PyValue v = item(k);
        auto body = [&] {
            return loop_pass([&] {
                assign(*s.target, v);
                return loop_body(s.body);
            });
        };
        here(s.target->span);
        c = c == Completion::Mixed ? guarded(body) : body();
        ++done;
    };
    if (!is_static) {
        LoopCapture loop(*this, s, LoopCapture::Range{range.start, range.stop, range.step, -1}, 0, report);
        LoopCapture::Outcome outcome = loop.run();
        if (outcome == LoopCapture::Outcome::Rolled) {
            report_as(LoopReport::Verdict::Rolled, "");
            return after_loop(loop.completion(), s.orelse, returns);
        }
        if (loop.failure()) std::rethrow_exception(loop.failure());
        throw NotSupported(fmt::format("this loop, whose trip count is known only at run time: {}", loop.reason()));
    }
    if (reason.empty() && mode == LoopMode::Auto) {
        // The first iteration tells how long the body is, and whether it is worth a loop.
        in_.heap_.begin_fork();
        Function& f = in_.function_;
        RegionId region = in_.builder_->region();
        size_t insts = f.insts.size(), place = f[region].insts.size(), old_reports = reports.size();
        bool backward = false;
        Frame* frame = frame_;
        int64_t depth = in_.depth_;
        const size_t forks = in_.heap_.depth(), guards = guards_.size();
        auto abandon = [&] {
            while (in_.heap_.depth() >= forks) in_.heap_.rollback();
            guards_.resize(guards);
            f[region].insts.resize(place);
            in_.builder_->into(region);
            frame_ = frame;
            in_.depth_ = depth;
            reports.resize(old_reports);
        };
        bool again = false;
        try {
            pass(0);
        } catch (const GeneratorInTrial& e) {
            again = true;  // without a fork
            reason = e.text;
        } catch (...) {
            // It will be raised again where it belongs.
            in_.heap_.commit();
            throw;
        }
        int64_t size = again ? 0 : count_instructions(f, insts, backward);
        if (!again && size == 0) reason = "its body makes no instructions";
        else if (!again && size * n < in_.options_.roll_threshold && !backward) reason = fmt::format("it is short: {} iterations of {} instruction{}", n, size, size == 1 ? "" : "s");
        else if (c == Completion::Break || c == Completion::Return) reason = "it is left in its first iteration";
        if (!reason.empty() && !again) {
            in_.heap_.commit();
        } else {
            abandon();
            done = 0;
            c = Completion::Normal;
        }
    }
    while (reason.empty() && c == Completion::Normal && n - done >= 2) {
        here(*s.iter);
        LoopCapture loop(*this, s, LoopCapture::Range{item(done), range.stop, range.step, n - done}, n - done, report);
        LoopCapture::Outcome outcome = loop.run();
        if (outcome == LoopCapture::Outcome::Rolled) {
            report_as(LoopReport::Verdict::Rolled, report.reason);
            return after_loop(loop.completion(), s.orelse, returns);
        }
        reason = loop.reason();
        if (outcome == LoopCapture::Outcome::Peel && done < 3) {
            report.reason = "peeled: " + reason;
            reason.clear();
            pass(done);
        }
    }
    if (reason.empty()) reason = c == Completion::Normal ? "nothing is left after peeling" : "a peeled iteration may leave it";
    if (n > in_.options_.unroll_limit) throw NotSupported(fmt::format("a loop of {} iterations that cannot be rolled: {}", n, reason));
    while (done < n && c != Completion::Break && c != Completion::Return) pass(done);
    report_as(LoopReport::Verdict::Unrolled, reason);
    return after_loop(c, s.orelse, returns);
}

/// Over what has a length at run time only: by index, over the length that it has now.
Completion Evaluator::for_items(const For& s, PyValue of, LoopReport report) {
    PyValue length = in_.length(of);
    auto item = [&](PyValue index) { return in_.get_item(of, index); };
    LoopCapture loop(*this, s, LoopCapture::Range{PyValue::integer(0), length, PyValue::integer(1), -1, item}, 0, report);
    if (loop.run() != LoopCapture::Outcome::Rolled) {
        if (loop.failure()) std::rethrow_exception(loop.failure());
        throw NotSupported(fmt::format("this loop, whose trip count is known only at run time: {}", loop.reason()));
    }
    if (of.is(Kind::RunTimeList))
        in_.check(in_.compare(CompareOp::Eq, in_.length(of), length), "NotImplementedError", "not supported: a list that changes its length while a loop walks over it");
    report.verdict = LoopReport::Verdict::Rolled;
    report.trip_count = -1;
    reports.push_back(report);
    return after_loop(loop.completion(), s.orelse, contains_return(s.body));
}

Completion Evaluator::exec_while(const While& s) {
    LoopReport report;
    report.span = s.span;
    report.span.end_line = s.test->span.end_line;
    report.span.end_column = s.test->span.end_column;
    LoopMode mode = mode_for(in_.options_.loops, s);
    bool returns = contains_return(s.body);
    Completion c = Completion::Normal;
    int64_t done = 0;
    bool backward = false, tried = false;
    const bool yields = contains_yield(s.body);
    size_t first = in_.function_.insts.size();
    std::string reason;
    auto roll = [&](int64_t at_least) -> std::optional<Completion> {
        here(*s.test);
        LoopCapture loop(*this, s, std::nullopt, at_least, report);
        LoopCapture::Outcome outcome = loop.run();
        reason = loop.reason();
        if (outcome == LoopCapture::Outcome::Rolled) {
            report.verdict = LoopReport::Verdict::Rolled;
            report.peeled = done;
            reports.push_back(report);
            return after_loop(loop.completion(), s.orelse, returns);
        }
        if (at_least == 0) {
            if (loop.failure()) std::rethrow_exception(loop.failure());
            throw NotSupported(fmt::format("this loop, whose trip count is known only at run time: {}", reason));
        }
        return std::nullopt;
    };
    for (;;) {
        auto test = [&] { return whole([&] { return eval_truth(*s.test); }, "the condition of a loop"); };
        if (c == Completion::Mixed) {
            // An iteration may have left the loop: the rest of it is a loop of its own, under that condition.
            c = guarded([&] { return exec_while_rest(s); });
            break;
        }
        // Evaluated on a fork: a run-time test becomes part of the rolled loop.
        in_.heap_.begin_fork();
        Function& f = in_.function_;
        RegionId region = in_.builder_->region();
        size_t place = f[region].insts.size();
        PyValue t;
        try {
            t = test();
        } catch (...) {
            in_.heap_.commit();
            throw;
        }
        if (!t.is(Kind::Bool)) {
            in_.heap_.rollback();
            f[region].insts.resize(place);
            if (auto r = roll(0)) return *r;
        }
        if (!t.as_bool()) {
            in_.heap_.commit();
            break;
        }
        in_.heap_.rollback();
        f[region].insts.resize(place);
        bool roll_now = !yields && (mode == LoopMode::Roll || (mode == LoopMode::Auto && done > 0 && (backward || count_instructions(f, first, backward) >= in_.options_.roll_threshold || backward)));
        if (roll_now && !tried && done < 4) {
            if (auto r = roll(1)) return *r;
            tried = done > 1;
        }
        test();
        c = loop_pass([&] { return loop_body(s.body); });
        ++done;
        if (done > in_.options_.unroll_limit)
            throw NotSupported(fmt::format("a `while` that has not ended after {} iterations", done), reason.empty() ? "" : "it could not be rolled: " + reason);
        if (c == Completion::Break || c == Completion::Return) break;
    }
    report.verdict = LoopReport::Verdict::Unrolled;
    report.trip_count = done;
    report.reason = mode == LoopMode::Unroll ? "--loops=unroll" : reason.empty() ? "its condition is known while compiling" : reason;
    reports.push_back(report);
    return after_loop(c, s.orelse, returns);
}

/// What is left of a `while` behind an iteration that may have left it, without its `else`.
Completion Evaluator::exec_while_rest(const While& s) {
    LoopReport report;
    report.span = s.span;
    PyValue v = eval(*s.test);
    here(*s.test);
    PyValue t = in_.truth(v);
    if (t.is(Kind::Bool) && !t.as_bool()) return Completion::Normal;
    LoopCapture loop(*this, s, std::nullopt, 0, report);
    if (loop.run() == LoopCapture::Outcome::Rolled) {
        report.verdict = LoopReport::Verdict::Rolled;
        reports.push_back(report);
        return loop.completion();
    }
    if (loop.failure()) std::rethrow_exception(loop.failure());
    throw NotSupported(fmt::format("this loop, which may end under a run-time condition: {}", loop.reason()));
}

}  // namespace sifr::capture
