#include "compiler/frontend/syntax/liveness.h"

#include <algorithm>

#include "compiler/frontend/syntax/walk.h"

namespace sifr::syntax {
namespace {

void add(NameSet& to, const NameSet& from) { to.insert(from.begin(), from.end()); }

/// Context managers that let exceptions pass. Any other may swallow one, so that what follows its `with` may run after any
/// statement in it.
constexpr std::string_view transparent_managers[] = {"no_grad", "enable_grad",    "inference_mode", "set_grad_enabled", "autocast", "device", "stream",
                                                     "open",    "detect_anomaly", "record_function", "profile",         "fork_rng", "catch_warnings"};

bool may_swallow(const With& w) {
    for (const WithItem& i : w.items) {
        const Expr* e = i.manager.get();
        if (const Call* c = get_if<Call>(e)) e = c->function.get();
        const Name* name = get_if<Name>(e);
        const Attribute* attribute = get_if<Attribute>(e);
        std::string_view called = name ? std::string_view(name->id) : attribute ? std::string_view(attribute->name) : std::string_view();
        if (std::find(std::begin(transparent_managers), std::end(transparent_managers), called) == std::end(transparent_managers)) return true;
    }
    return false;
}

}  // namespace

/// A backward walk: `flow(s, live)` turns the names live behind `s` into those live in front of it. A loop is walked until the set at
/// its head no longer grows; sets only grow, so a loop in a loop starts from what it had found before.
///
/// What closures read is added by program point: a first, forward walk notes for each statement what the closures read that may
/// exist in front of it and behind it; in a loop, also those that a later statement of the loop makes.
///
/// An exception that nothing here catches ends the scope: at module level nothing is read any more.
class LivenessBuilder {
public:
    LivenessBuilder(Liveness& out, const Body& body, NameSet at_exit) : out_(out), at_exit_(std::move(at_exit)) {
        NameSet closures;
        note_closures(body, closures);
        raised_ = at_exit_;
        NameSet live = at_exit_;
        flow(body, live);
    }

private:
    struct Loop {
        NameSet on_break, on_continue;
        size_t finals;  // of finals_, those that stand around the loop
    };

    // ------------------------------------------------------------------------------------------- closures

    void note_closures(const Body& body, NameSet& closures) {
        for (const StmtPtr& s : body) {
            if (s->kind == StmtKind::For || s->kind == StmtKind::While) add(closures, name_use(*s).deferred);
            before_[s.get()] = closures;
            add(closures, own_use(*s).use.deferred);
            for_each_body(*s, [&](const Body& b) { note_closures(b, closures); });
            behind_[s.get()] = closures;
        }
    }

    // ----------------------------------------------------------------------------------------------- uses

    struct Own {
        NameUse use;
        NameSet kills;  // certainly assigned, by plain names
    };

    static void kill(const Expr& target, NameSet& kills) {
        switch (target.kind) {
            case ExprKind::Name: kills.insert(as<Name>(target).id); break;
            case ExprKind::Starred: kill(*as<Starred>(target).value, kills); break;
            case ExprKind::Tuple:
                for (const ExprPtr& e : as<Tuple>(target).elements) kill(*e, kills);
                break;
            case ExprKind::List:
                for (const ExprPtr& e : as<List>(target).elements) kill(*e, kills);
                break;
            default: break;
        }
    }

    /// What the statement itself uses, the bodies in it not.
    static Own own_use(const Stmt& s) {
        Own own;
        switch (s.kind) {
            case StmtKind::If:
            case StmtKind::For:
            case StmtKind::While:
            case StmtKind::With:
            case StmtKind::Try:
            case StmtKind::Match:
                for_each_expression(s, [&](const Expr& e) { merge(own.use, name_use(e)); });
                break;
            default:
                own.use = name_use(s);
                break;
        }
        switch (s.kind) {
            case StmtKind::Assign:
                for (const ExprPtr& t : as<Assign>(s).targets) kill(*t, own.kills);
                break;
            case StmtKind::AnnAssign:
                if (as<AnnAssign>(s).value) kill(*as<AnnAssign>(s).target, own.kills);
                break;
            case StmtKind::FunctionDef: own.kills.insert(as<FunctionDef>(s).name); break;
            case StmtKind::ClassDef: own.kills.insert(as<ClassDef>(s).name); break;
            case StmtKind::Import:
            case StmtKind::ImportFrom: own.kills = own.use.assigned; break;
            case StmtKind::Delete:  // `del x` needs x
                for (const ExprPtr& t : as<Delete>(s).targets) kill(*t, own.use.read);
                break;
            default: break;
        }
        return own;
    }

    static void merge(NameUse& to, const NameUse& from) {
        add(to.assigned, from.assigned);
        add(to.read, from.read);
        add(to.deferred, from.deferred);
    }

    static void evaluate(const Expr* e, NameSet& live) {
        if (!e) return;
        NameUse use = name_use(*e);
        // A name that `:=` binds for certain is not told from one that it may bind: it stays live.
        add(live, use.read);
        add(live, use.deferred);
    }

    // ----------------------------------------------------------------------------------------------- flow

    void flow(const Body& body, NameSet& live) {
        for (size_t i = body.size(); i-- > 0;) flow(*body[i], live);
    }

    void flow(const Stmt& s, NameSet& live) {
        add(live, behind_[&s]);
        add(out_.after_[&s], live);
        switch (s.kind) {
            case StmtKind::If: {
                const auto& i = as<If>(s);
                NameSet other = live;
                flow(i.body, live);
                flow(i.orelse, other);
                add(live, other);
                evaluate(i.test.get(), live);
                break;
            }
            case StmtKind::For: {
                const auto& f = as<For>(s);
                loop(s, live, f.body, f.orelse, [&](NameSet& in_body) {
                    NameSet kills;
                    kill(*f.target, kills);
                    for (const std::string& n : kills) in_body.erase(n);
                    evaluate(f.target.get(), in_body);
                });
                evaluate(f.iter.get(), live);
                break;
            }
            case StmtKind::While: {
                const auto& w = as<While>(s);
                loop(s, live, w.body, w.orelse, [](NameSet&) {}, w.test.get());
                break;
            }
            case StmtKind::With: {
                const auto& w = as<With>(s);
                NameSet outer = raised_;
                if (may_swallow(w)) add(raised_, live);
                flow(w.body, live);
                if (may_swallow(w)) add(live, raised_);
                raised_ = std::move(outer);
                for (size_t i = w.items.size(); i-- > 0;) {
                    if (w.items[i].target) {
                        NameSet kills;
                        kill(*w.items[i].target, kills);
                        for (const std::string& n : kills) live.erase(n);
                        evaluate(w.items[i].target.get(), live);
                    }
                    evaluate(w.items[i].manager.get(), live);
                }
                break;
            }
            case StmtKind::Try: try_statement(as<Try>(s), live); break;
            case StmtKind::Match: {
                const auto& m = as<Match>(s);
                NameSet all = live;  // no case may match
                for (size_t i = m.cases.size(); i-- > 0;) {
                    const MatchCase& c = m.cases[i];
                    NameSet in_case = live;
                    flow(c.body, in_case);
                    evaluate(c.guard.get(), in_case);
                    for_each_in_pattern(*c.pattern, [&](const Expr& e) { evaluate(&e, in_case); }, [](const std::string&) {});
                    add(all, in_case);
                }
                live = std::move(all);
                evaluate(m.subject.get(), live);
                break;
            }
            case StmtKind::Return:
                live = at_exit_;
                through_finals(0, live);
                evaluate(as<Return>(s).value.get(), live);
                break;
            case StmtKind::Raise:
                live = raised_;
                evaluate(as<Raise>(s).exception.get(), live);
                evaluate(as<Raise>(s).cause.get(), live);
                break;
            case StmtKind::Break:
            case StmtKind::Continue: {
                const Loop& l = loops_.back();
                live = s.kind == StmtKind::Break ? l.on_break : l.on_continue;
                through_finals(l.finals, live);
                break;
            }
            default: {
                Own own = own_use(s);
                for (const std::string& n : own.kills) live.erase(n);
                add(live, own.use.read);  // what its closures read is in `behind_`, less what the statement itself binds
                break;
            }
        }
        add(live, raised_);  // the statement may raise
        add(live, before_[&s]);
    }

    /// A jump runs the `finally` blocks between it and where it goes: those from `first` on.
    void through_finals(size_t first, NameSet& live) const {
        for (size_t i = first; i < finals_.size(); ++i) add(live, finals_[i]);
    }

    /// `live`: behind the loop on entry, at its head on return. `test` is what a `while` evaluates at the head.
    template <class F>
    void loop(const Stmt& s, NameSet& live, const Body& body, const Body& orelse, F&& enter_body, const Expr* test = nullptr) {
        NameSet behind = live;
        NameSet head = live;
        flow(orelse, head);
        evaluate(test, head);
        add(head, behind_[&s]);
        add(head, out_.loop_head_[&s]);
        for (;;) {
            loops_.push_back({behind, head, finals_.size()});
            NameSet in_body = head;
            flow(body, in_body);
            loops_.pop_back();
            enter_body(in_body);
            size_t size = head.size();
            add(head, in_body);
            if (head.size() == size) break;
        }
        out_.loop_head_[&s] = head;
        live = std::move(head);
    }

    void try_statement(const Try& t, NameSet& live) {
        NameSet outer_raised = raised_;
        bool has_final = !t.finalbody.empty();
        if (has_final) {
            // The block runs on every way out: into what follows, into an outer handler, to the target of a jump.
            NameSet unwinding = outer_raised;
            flow(t.finalbody, unwinding);
            flow(t.finalbody, live);
            add(raised_, unwinding);
            finals_.push_back(unwinding);
            add(finals_.back(), live);
        }
        NameSet caught;
        for (const ExceptHandler& h : t.handlers) {
            NameSet in_handler = live;
            flow(h.body, in_handler);
            in_handler.erase(h.name);
            evaluate(h.type.get(), in_handler);
            add(caught, in_handler);
        }
        flow(t.orelse, live);  // what it raises is not caught here
        add(raised_, caught);
        flow(t.body, live);
        raised_ = std::move(outer_raised);
        if (has_final) finals_.pop_back();
    }

    Liveness& out_;
    NameSet at_exit_;
    NameSet raised_;  // live where an exception that leaves the current statement arrives
    std::vector<Loop> loops_;
    std::vector<NameSet> finals_;
    std::unordered_map<const Stmt*, NameSet> before_, behind_;  // what closures read that may exist there
};

Liveness::Liveness(const Module& module) { LivenessBuilder(*this, module.body, {}); }

namespace {

/// The names that `global` and `nonlocal` in the body declare: others may read them afterwards.
void declared(const Body& body, NameSet& names) {
    for (const StmtPtr& s : body) {
        if (const auto* g = get_if<Global>(s)) names.insert(g->names.begin(), g->names.end());
        if (const auto* n = get_if<Nonlocal>(s)) names.insert(n->names.begin(), n->names.end());
        for_each_body(*s, [&](const Body& b) { declared(b, names); });
    }
}

}  // namespace

Liveness::Liveness(const FunctionDef& function) {
    NameSet at_exit;
    declared(function.body, at_exit);
    LivenessBuilder(*this, function.body, std::move(at_exit));
}

Liveness::Liveness(const ClassDef& cls) { LivenessBuilder(*this, cls.body, names_assigned(cls.body)); }

const NameSet& Liveness::at_loop_head(const Stmt& loop) const {
    auto found = loop_head_.find(&loop);
    SIFR_CHECK(found != loop_head_.end(), "no loop of this scope at line {}", loop.span.line);
    return found->second;
}

const NameSet& Liveness::after(const Stmt& statement) const {
    auto found = after_.find(&statement);
    SIFR_CHECK(found != after_.end(), "no statement of this scope at line {}", statement.span.line);
    return found->second;
}

}  // namespace sifr::syntax
