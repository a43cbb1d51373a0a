// Run-time branches: both arms run on forks of the heap, each into a region of its own; merge.cpp makes one state of the
// two.
#include <algorithm>
#include <unordered_set>

#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/loops.h"
#include "compiler/frontend/capture/merge.h"
#include "compiler/frontend/capture/tables.h"

namespace sifr::capture {

void Evaluator::emit_raise(const Exception& e) {
    const ClassObject* cls = in_.class_of(e.value);
    std::string type = cls->module == "builtins" || cls->module == "__main__" ? cls->qualname : cls->module + "." + cls->qualname;
    Span span = in_.user_span_;
    in_.user_span_ = e.span;
    PyValue text = in_.str_of(e.value);
    in_.builder().emit_typed("raise"_op, {in_.to_ir(text)}, attrs({{"type", type}}), {});
    in_.user_span_ = span;
}

void Evaluator::emit_exit(PyValue e) {
    PyValue args = in_.get_attr(e, "args");
    PyValue code = in_.length(args).as_int() == 0 ? PyValue::none() : in_.get_item(args, PyValue::integer(0));
    PyValue text = code.is_none() ? in_.str("0") : in_.str_of(code);
    in_.builder().emit_typed("raise"_op, {in_.to_ir(text)}, attrs({{"type", std::string("SystemExit")}}), {});
}

void Evaluator::unusable(PyValue v) {
    const auto* u = v.as<UnusableObject>();
    if (u->observed_by_loop) observed(u);
    Diagnostic d;
    d.code = "not-supported";
    d.span = in_.span();
    d.text = fmt::format("not supported: {} is {}, which depends on a run-time condition", u->what, u->reason);
    if (u->first.known()) d.labels.push_back({u->first, "here the paths come together"});
    if (u->second.known()) d.labels.push_back({u->second, "and the other assignment is here"});
    d.help = "give it a value of one kind on every path";
    throw CompileError(d);
}

PyValue Evaluator::usable_slot(PyValue v, PyValue object, Symbol place) {
    const auto* u = v.get_if<UnusableObject>();
    if (!u) return v;
    if (u->observed_by_loop) observed(u);
    (void)object, (void)place;
    unusable(v);
}

void Evaluator::observed(const Object* mark) { throw ObservedRead{marks_.at(mark)}; }

namespace {

/// Everything that can be reached from variables, each object once.
class Reach {
public:
    void from(const Object* o) {
        if (o && seen_.insert(o).second) work_.push_back(o);
    }
    /// Each object once, and each slot that holds an object.
    template <class Visit, class Edge>
    void run(Visit&& visit, Edge&& edge) {
        while (!work_.empty()) {
            auto* o = const_cast<Object*>(work_.back());
            work_.pop_back();
            visit(*o);
            o->visit_slots([&](const std::string&, PyValue& v) {
                if (!v.is_object()) return;
                edge(*v.object());
                from(v.object());
            });
            if (const auto* n = o->kind == Kind::Namespace ? static_cast<const NamespaceObject*>(o) : nullptr) from(n->parent), from(n->globals);
            if (const auto* f = o->kind == Kind::Function ? static_cast<const FunctionObject*>(o) : nullptr) {
                from(f->closure), from(f->globals), from(f->defining_class);
                for (const auto& [name, v] : f->defaults)
                    if (v.is_object()) from(v.object());
            }
            if (const auto* m = o->kind == Kind::BoundMethod ? static_cast<const BoundMethodObject*>(o) : nullptr) {
                if (m->self.is_object()) from(m->self.object());
                if (m->function.is_object()) from(m->function.object());
            }
            if (const auto* i = o->kind == Kind::Instance ? static_cast<const InstanceObject*>(o) : nullptr) {
                from(i->cls);
                if (i->native.is_object()) from(i->native.object());
            }
            if (const auto* m = o->kind == Kind::Module ? static_cast<const ModuleObject*>(o) : nullptr) from(m->variables);
            if (const auto* s = o->kind == Kind::Super ? static_cast<const SuperObject*>(o) : nullptr; s && s->self.is_object()) from(s->self.object());
        }
    }

private:
    std::unordered_set<const Object*> seen_;
    std::vector<const Object*> work_;
};

}  // namespace

Evaluator::StorageHolders Evaluator::storage_holders() {
    Reach reach;
    for (const Frame* f = frame_; f; f = f->caller) {
        reach.from(f->variables);
        if (f->self.is_object()) reach.from(f->self.object());
    }
    for (const auto& [name, source] : in_.tables_->modules) reach.from(source.made);
    StorageHolders out;
    auto count_in = [&](std::unordered_map<StorageId, int64_t>& counts) {
        return [&](const Object& o) {
            if (o.kind != Kind::Tensor) return;
            ValueId v = static_cast<const TensorObject&>(o).value;
            if (v.valid()) ++counts[in_.function_[v].view.storage];
        };
    };
    reach.run(count_in(out.objects), count_in(out.slots));
    return out;
}

PyValue Evaluator::present(PyValue v, const std::string& error) {
    const auto* o = v.as<OptionalObject>();
    size_t colon = error.find(": ");
    in_.check(PyValue::dynamic(o->present, Type::Kind::Bool), error.substr(0, colon).c_str(), error.substr(colon + 2));
    return o->value;
}

Evaluator::Arm Evaluator::open_arm() {
    Arm arm;
    arm.region = in_.function_.add_region(InstId());
    arm.outer = in_.builder_->region();
    arm.depth = in_.heap_.depth();
    in_.heap_.begin_fork();
    in_.builder_->into(arm.region);
    ++conditional_;
    return arm;
}

void Evaluator::close_arm(Arm& arm) {
    while (in_.heap_.depth() > arm.depth + 1) in_.heap_.rollback();
    arm.delta = in_.heap_.rollback(false);
    --conditional_;
    in_.builder_->into(arm.outer);
}

/// What leaves an arm by an exception: the `try` around it notes it, or the program ends there.
void Evaluator::raised_in_arm(Arm& arm, const Exception& e) {
    if (may_be_caught(e.value)) {
        note(e);
        arm.noted = true;
        return;
    }
    if (in_.class_of(e.value)->name == "SystemExit") emit_exit(e.value);
    else emit_raise(e);
    arm.diverged = true;
}

void Evaluator::run_in_arm(Arm& arm, const std::function<PyValue()>& run) {
    arm.result = PyValue();
    try {
        arm.result = delimited(run, []() -> PyValue { throw Noted{}; });
    } catch (const Diverged&) {
        arm.diverged = true;
    } catch (const Noted&) {
        arm.noted = true;
    } catch (const Raised& r) {
        raised_in_arm(arm, caught(r));
    } catch (const ScriptError& e) {
        Exception x = caught(e);
        raised_in_arm(arm, x);
        if (arm.noted) return;
        Diagnostic d;
        d.severity = Severity::Warning;
        d.code = "may-raise";
        d.span = x.span;
        d.text = fmt::format("this raises when it is reached: {}: {}", e.type, e.text);
        in_.warn(d);
    }
}

Evaluator::Arm Evaluator::run_arm(const std::function<PyValue()>& run) {
    Frame* const frame = frame_;
    const int64_t depth = in_.depth_;
    const int conditional = conditional_;
    const size_t handled = handled_.size(), guards = guards_.size();
    Arm arm = open_arm();
    auto close = [&] {
        conditional_ = conditional + 1;
        close_arm(arm);
        frame_ = frame;
        in_.depth_ = depth;
        handled_.resize(handled);
        guards_.resize(guards);
    };
    try {
        run_in_arm(arm, run);
    } catch (...) {
        close();
        throw;
    }
    close();
    return arm;
}

Type Evaluator::common_element(const std::vector<const Values*>& lists) {
    std::optional<Type> element;
    for (const Values* items : lists)
        for (PyValue v : *items) {
            if (!v.is_number() && !v.is_str())
                throw NotSupported(fmt::format("a list whose length depends on the run, of elements of type '{}'", in_.type_name(v)), "keep numbers or strings in it, or give it a fixed length");
            Type t{Interpreter::scalar_kind(v)};
            if (element && !(*element == t)) throw NotSupported("a list whose length depends on the run, of unlike elements", "keep numbers of one type in it");
            element = t;
        }
    SIFR_CHECK(element, "a list that grew has no elements");
    return *element;
}

/// From here on the list lives at run time. All references to it are changed.
void Evaluator::make_run_time(const ListObject* l, const Type& element) {
    Function& f = in_.function_;
    Builder& b = in_.builder();
    auto* r = in_.heap_.make<RunTimeListObject>();
    r->element = element;
    r->static_length = static_cast<int64_t>(l->items.size());
    r->list = f[b.emit_typed("list_new"_op, {}, {}, {Type::list(element)})].results[0];
    for (PyValue v : l->items) b.emit_typed("list_append"_op, {r->list, in_.to_ir(v, element.kind)}, {}, {});
    in_.heap_.replace_everywhere(l, r);
}

PyValue Evaluator::fork(ValueId condition, const std::function<PyValue()>& then, const std::function<PyValue()>& otherwise) {
    PyValue merged = branch(condition, then, otherwise);
    go_on_unless_raised();
    return merged;
}

PyValue Evaluator::branch(ValueId condition, const std::function<PyValue()>& then, const std::function<PyValue()>& otherwise) {
    Function& f = in_.function_;
    const RegionId outer = in_.builder_->region();
    const Span span = in_.user_span_;
    size_t before = f[outer].insts.size();
    for (int attempt = 0;; ++attempt) {
        in_.heap_.begin_fork();  // so that an attempt can be undone
        Fork start{outer, static_cast<uint32_t>(in_.heap_.object_count()), static_cast<uint32_t>(f.storages.size()), span};
        Arm a, b;
        try {
            const std::vector<AutogradState::Moves> moves = in_.autograd_.moves();
            a = run_arm(then);
            if (!a.diverged) in_.autograd_.make_uncertain(moves);
            in_.user_span_ = span;
            b = run_arm(otherwise);
            // Only one of the arms is behind the branch.
            if (!b.diverged) in_.autograd_.make_uncertain(moves);
        } catch (...) {
            in_.heap_.commit();
            f[outer].insts.resize(before);
            throw;
        }
        in_.user_span_ = span;
        PyValue merged = join(condition, start, a, b);
        if (!start.grown.empty()) {
            // Make those lists run-time lists in front of the branch, and run the arms again.
            in_.heap_.rollback();
            f[outer].insts.resize(before);
            if (attempt > 8) throw NotSupported("a branch that makes more and more lists grow");
            for (auto& [l, element] : start.grown) make_run_time(l, element);
            before = f[outer].insts.size();
            continue;
        }
        in_.heap_.commit();
        if (a.diverged && b.diverged) throw Diverged{};
        if (a.ended() && b.ended()) throw Noted{};
        return merged;
    }
}

/// Makes one state of what two arms left, and the `if`. Where lists grew on one path only, `start.grown` has them and there is no `if`.
PyValue Evaluator::join(ValueId condition, Fork& start, Arm& a, Arm& b) {
    Function& f = in_.function_;
    std::unordered_map<const Object*, const Object*> after_a, after_b;
    std::vector<Object*> changed;
    for (const Heap::Change& c : a.delta) {
        after_a[c.object] = c.after.get();
        changed.push_back(c.object);
    }
    for (const Heap::Change& c : b.delta) {
        if (!after_a.contains(c.object)) changed.push_back(c.object);
        after_b[c.object] = c.after.get();
    }
    // What the arms made is told apart by the regions that values stand in; objects by when they were made.
    Merger::Side sa{a.region, start.watermark, start.storage_watermark, !a.diverged, std::move(after_a)}, sb{b.region, start.watermark, start.storage_watermark, !b.diverged, std::move(after_b)};
    std::vector<ValueId> results;
    PyValue merged;
    if (!a.diverged || !b.diverged) {
        Merger merger(*this, std::move(sa), std::move(sb));
        if (!a.noted || !b.noted) merged = merger.merge(a.result, b.result, "the value of this expression", a.noted || b.noted);
        merger.merge_heap(changed);
        for (const ListObject* l : merger.grown()) {
            std::vector<const Values*> contents{&l->items};
            for (const Arm* arm : {&a, &b})
                for (const Heap::Change& c : arm->delta)
                    if (c.object == l) contents.push_back(&static_cast<const ListObject&>(*c.after).items);
            start.grown.emplace_back(l, common_element(contents));
        }
        if (!start.grown.empty()) return {};
        results = merger.results();
    }
    Inst inst;
    inst.op = "if"_op;
    inst.operands = {condition};
    inst.regions = {a.region, b.region};
    inst.location = in_.builder().location();
    InstId id = f.add_inst(start.outer, std::move(inst), {});
    for (RegionId r : {a.region, b.region}) f[r].parent = id;
    f[id].results = results;
    for (ValueId r : results) f[r].inst = id;
    return merged;
}

}  // namespace sifr::capture
