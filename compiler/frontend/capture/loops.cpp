#include "compiler/frontend/capture/loops.h"

#include <algorithm>

#include "compiler/frontend/capture/loop_values.h"
#include "ir/base/planted_fault.h"

namespace sifr::capture {

using namespace syntax;

LoopCapture::LoopCapture(Evaluator& evaluator, const Stmt& loop, std::optional<Range> range, int64_t at_least, LoopReport& report)
    : evaluator_(evaluator), in_(evaluator.in_), loop_(loop), body_(loop.kind == StmtKind::For ? as<For>(loop).body : as<While>(loop).body),
      range_(range), at_least_(at_least), shared_in_front_(evaluator.in_.shared_count()), report_(report) {
    const Body& orelse = loop.kind == StmtKind::For ? as<For>(loop).orelse : as<While>(loop).orelse;
    wants_how_ = contains_return(body_) || (!orelse.empty() && (contains_break(body_) || evaluator.inside_try()));
}

LoopCapture::Outcome LoopCapture::run() {
    // (Not a loop whose trip count is known at run time only, nor one that is too long.)
    const bool can_unroll = at_least_ > 0 && at_least_ <= 1000;
    in_.unrollable_loops_ += can_unroll;
    struct Left {
        int& loops;
        bool counted;
        ~Left() { loops -= counted; }
    } left{in_.unrollable_loops_, can_unroll};
    Function& f = in_.function_;
    RegionId outer = in_.builder_->region();
    size_t forks = in_.heap_.depth();
    Frame* frame = evaluator_.frame_;
    int64_t depth = in_.depth_;
    int conditional = evaluator_.conditional_;
    const size_t guards = evaluator_.guards_.size();
    TryState* const inside = evaluator_.try_;
    size_t handled = evaluator_.handled_.size();
    Span span = in_.user_span_;
    int observed = 0;
    size_t old_reports = evaluator_.reports.size();
    for (report_.rounds = 1; report_.rounds - observed <= 8 && report_.rounds < 60; ++report_.rounds) {
        size_t place = f[outer].insts.size();
        auto undo = [&] {
            while (in_.heap_.depth() > forks) in_.heap_.rollback();
            f[outer].insts.resize(place);
            in_.builder_->into(outer);
            evaluator_.frame_ = frame;
            in_.depth_ = depth;
            evaluator_.conditional_ = conditional;
            evaluator_.guards_.resize(guards);
            evaluator_.try_ = inside;
            evaluator_.handled_.resize(handled);
            evaluator_.reports.resize(old_reports);
        };
        auto fail = [&](std::string why) {
            failure_ = std::current_exception();
            undo();
            reason_ = std::move(why);
            return Outcome::Unroll;
        };
        try {
            std::optional<Outcome> r = round();
            if (r) return *r;
            undo();
            in_.user_span_ = span;
        } catch (const ObservedRead& read) {
            undo();
            in_.user_span_ = span;
            ++observed;
            // Its value before the loop counts: the next pass finds it again, with that value.
            // Where that is not enough (a loop inside carries it on), the passes differ in what they look at.
            if (std::find(observed_.begin(), observed_.end(), read.place) != observed_.end()) {
                reason_ = "a pass looks at what another one changes: " + describe(read.place);
                return Outcome::Unroll;
            }
            observed_.push_back(read.place);
            std::erase_if(carried_, [&](const Carried& c) { return c.place == read.place; });
        } catch (const Stop& s) {
            undo();
            in_.user_span_ = span;
            reason_ = s.reason;
            return s.outcome;
        } catch (const NotSupported& e) {
            return fail(e.text);
        } catch (const Raised& r) {
            return fail(fmt::format("its body raises {}", in_.class_of(r.exception)->name));
        } catch (const ScriptError& e) {
            return fail(fmt::format("its body raises {}", e.type));
        } catch (const CompileError& e) {
            return fail(e.diagnostic.text);
        } catch (const Diverged&) {
            undo();
            reason_ = "its body always raises";
            return Outcome::Unroll;
        } catch (const Noted&) {
            undo();
            reason_ = "its body always raises";
            return Outcome::Unroll;
        }
        // Lists that a pass made longer live at run time from here on, in front of the loop.
        for (auto& [list, element] : std::exchange(evaluator_.grown_lists_, {})) evaluator_.make_run_time(list, element);
    }
    reason_ = "what it changes differs in kind from pass to pass";
    if (!carried_.empty()) reason_ += ": " + describe(carried_.back().place);
    return Outcome::Unroll;
}

// ------------------------------------------------------------------------------------------------ places

PyValue LoopCapture::get(const Place& p) const {
    Object& o = const_cast<Object&>(*p.object);
    if (p.name) return variables_of(o)->get(p.name);
    if (o.kind == Kind::Tensor) return p.index == Place::grad ? static_cast<TensorObject&>(o).grad : PyValue(in_.heap_.make<TensorObject>(static_cast<TensorObject&>(o)));
    if (o.kind == Kind::List) return static_cast<ListObject&>(o).items[static_cast<size_t>(p.index)];
    return static_cast<DictObject&>(o).entries[static_cast<size_t>(p.index)].value;
}

void LoopCapture::set(const Place& p, PyValue v) {
    in_.heap_.change(p.object);
    Object& o = const_cast<Object&>(*p.object);
    if (p.name) variables_of(o)->set(p.name, v);
    else if (o.kind == Kind::Tensor && p.index == Place::grad) static_cast<TensorObject&>(o).grad = v;
    else if (o.kind == Kind::Tensor) {
        static_cast<TensorObject&>(o).value = v.as<TensorObject>()->value;  // it stays the same variable
    } else if (o.kind == Kind::List) static_cast<ListObject&>(o).items[static_cast<size_t>(p.index)] = v;
    else static_cast<DictObject&>(o).entries[static_cast<size_t>(p.index)].value = v;
}

std::string LoopCapture::describe(const Place& p) const {
    if (p.name && p.object->kind == Kind::Namespace) return *p.name == *result_symbol ? "what is returned" : "the variable '" + *p.name + "'";
    if (p.name) return "the attribute '" + *p.name + "'";
    if (p.object->kind == Kind::Tensor) return p.index == Place::grad ? "'.grad' of a tensor" : "a tensor's view";
    return p.object->kind == Kind::List ? fmt::format("item {} of a list", p.index) : "an item of a dict";
}

/// Nothing reads it before it is written, in the loop or behind it.
bool LoopCapture::is_dead(const Place& p) const {
    if (!p.name || p.object != evaluator_.frame_->variables) return false;
    if (p.name == completion_symbol) return true;
    if (p.name == result_symbol) return !contains_return(body_);
    const Liveness* l = evaluator_.liveness();
    return l && !l->at_loop_head(loop_).contains(*p.name);
}

/// A variable that is read behind the loop, and maybe not in it before it is written.
bool LoopCapture::read_behind_only(const Place& p) const {
    if (!p.name || p.object != evaluator_.frame_->variables) return true;  // a read is seen when it happens
    if (p.name == result_symbol) return true;
    const Liveness* l = evaluator_.liveness();
    return l && l->after(loop_).contains(*p.name);
}

std::vector<LoopCapture::Difference> LoopCapture::differences(const Heap::Delta& changes) {
    std::vector<Difference> out;
    for (const Heap::Change& c : changes) {
        Object &before = *c.before, &after = *c.after;
        if (Variables* va = variables_of(before)) {
            Variables* vb = variables_of(after);
            std::vector<Symbol> names;
            for (Variables* v : {va, vb})
                for (const auto& [name, value] : v->entries)
                    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            for (Symbol name : names)
                if (!same_value(va->get(name), vb->get(name))) out.push_back({{c.object, name, 0}, va->get(name), vb->get(name)});
            if (c.object->kind == Kind::Instance && static_cast<InstanceObject&>(before).cls != static_cast<InstanceObject&>(after).cls) throw Stop{Outcome::Unroll, "it changes the class of an object"};
            if (c.object->kind == Kind::Tensor) {
                const auto &ta = static_cast<TensorObject&>(before), &tb = static_cast<TensorObject&>(after);
                if (!same_value(ta.grad, tb.grad)) out.push_back({{c.object, nullptr, Place::grad}, ta.grad, tb.grad});
                if (ta.value != tb.value) {
                    // `w.data = …`: another view. The same place under another name changes nothing.
                    const View &va = in_.function_[ta.value].view, &vb = in_.function_[tb.value].view;
                    bool same = va.storage == vb.storage && va.layout == vb.layout && va.indices == vb.indices;
                    if (!same) out.push_back({{c.object, nullptr, Place::value}, in_.heap_.make<TensorObject>(ta), in_.heap_.make<TensorObject>(tb)});
                }
                if (!ta.hooks.same(tb.hooks) || !ta.extra.same(tb.extra)) throw Stop{Outcome::Unroll, "it changes the hooks of a tensor"};
            }
            continue;
        }
        switch (c.object->kind) {
            case Kind::List: {
                const Values &a = static_cast<ListObject&>(before).items, &b = static_cast<ListObject&>(after).items;
                if (a.size() < b.size()) {
                    evaluator_.grown_lists_.emplace_back(static_cast<const ListObject*>(c.object), evaluator_.common_element({&b}));
                    continue;
                }
                if (a.size() > b.size()) throw Stop{Outcome::Unroll, "a list gets shorter in it"};
                for (size_t i = 0; i < a.size(); ++i)
                    if (!same_value(a[i], b[i])) out.push_back({{c.object, nullptr, static_cast<int64_t>(i)}, a[i], b[i]});
                break;
            }
            case Kind::Dict: {
                if (!before.same_structure(after)) throw Stop{Outcome::Peel, "a dict gets other keys in it"};
                const auto &a = static_cast<DictObject&>(before).entries, &b = static_cast<DictObject&>(after).entries;
                for (size_t i = 0; i < a.size(); ++i)
                    if (!same_value(a[i].value, b[i].value)) out.push_back({{c.object, nullptr, static_cast<int64_t>(i)}, a[i].value, b[i].value});
                break;
            }
            case Kind::RunTimeList: {
                const auto* l = static_cast<const RunTimeListObject*>(c.object);
                if (!before.same_structure(after) && std::find(lists_.begin(), lists_.end(), l) == lists_.end()) {
                    lists_.push_back(l);
                    out.push_back({});  // another round
                }
                break;
            }
            case Kind::Iterator:
                if (!before.same_structure(after)) throw Stop{Outcome::Unroll, "it advances an iterator"};
                break;
            case Kind::Set:
                if (!before.same_structure(after)) throw Stop{Outcome::Unroll, "a set gets other members in it"};
                break;
            case Kind::Native:
                // A binding's own state; it says by its structure what may not change in a loop.
                if (!before.same_structure(after)) throw Stop{Outcome::Unroll, "it changes a mode of the program"};
                break;
            default: throw Stop{Outcome::Unroll, "it changes an object that cannot be carried"};
        }
    }
    return out;
}

// ------------------------------------------------------------------------------------------------- a pass

std::optional<LoopCapture::Outcome> LoopCapture::round() {
    Function& f = in_.function_;
    Builder& b = in_.builder();
    RegionId outer = b.region();
    Location location = b.location();
    const size_t values_in_front = f.values.size(), storages_in_front = f.storages.size();
    bool form_while = !range_ || may_leave_;
    const auto* while_ = get_if<While>(&loop_);
    const auto* for_ = get_if<For>(&loop_);
    if (range_ && !range_->step.is(Kind::Int)) throw NotSupported("a range with a run-time step");
    bool down = range_ && range_->step.as_int() < 0;

    in_.heap_.begin_fork();  // the attempt; committed when the loop is emitted
    // What enters. The test of a `while` runs once in front of the loop and once at the end of each pass.
    ValueId go;
    if (while_) {
        go = in_.to_ir(evaluator_.whole([&] { return evaluator_.eval_truth(*while_->test); }, "the condition of a loop"), Type::Kind::Bool);
    } else if (form_while) {
        go = in_.to_ir(in_.compare(down ? CompareOp::Gt : CompareOp::Lt, range_->lo, range_->hi), Type::Kind::Bool);
    }
    std::vector<ValueId> inits;
    std::vector<std::pair<size_t, size_t>> slices;  // of each carried place in the values
    for (Carried& c : carried_) {
        c.entry = get(c.place);
        size_t from = inits.size();
        flatten(c.shape, c.placeholder ? PyValue() : c.entry, outer, inits);
        slices.emplace_back(from, inits.size());
    }
    size_t carried_values = inits.size();
    ValueId lo, hi, step;
    if (range_) {
        lo = in_.to_ir(range_->lo, Type::Kind::I64);
        hi = in_.to_ir(range_->hi, Type::Kind::I64);
        step = in_.to_ir(range_->step, Type::Kind::I64);
    }
    if (form_while) {
        if (range_) inits.push_back(lo);
        if (wants_how_) inits.push_back(f.add_constant(int64_t{0}));
        inits.push_back(go);
    }

    // Parameters.
    RegionId test_region, body = f.add_region(InstId());
    if (form_while) test_region = f.add_region(InstId());
    ValueId index;
    if (!form_while) index = f.add_parameter(body, Type::i64(), for_ && for_->target->kind == ExprKind::Name ? as<Name>(*for_->target).id : "i");
    std::vector<ValueId> params, test_params;
    for (size_t k = 0; k < inits.size(); ++k) {
        Type type = f.type(inits[k]);
        std::string name;
        for (size_t c = 0; c < carried_.size(); ++c)
            if (k >= slices[c].first && k < slices[c].second && carried_[c].place.name && carried_[c].place.object->kind == Kind::Namespace && (*carried_[c].place.name)[0] != '<') name = *carried_[c].place.name;
        for (RegionId r : {body, test_region}) {
            if (!r.valid()) continue;
            ValueId p = f.add_parameter(r, type, name);
            if (type.is_tensor()) f[p].view = {f.add_storage({name, type.dtype, type.sizes, true}), Layout::contiguous(type.sizes), {}};
            (r == body ? params : test_params).push_back(p);
        }
    }
    if (form_while) {
        if (range_) index = params[carried_values];
        f[test_region].results = {test_params.back()};
    }
    if (range_ && range_->trip_count > 0 && range_->lo.is(Kind::Int)) {
        int64_t first = range_->lo.as_int(), by = range_->step.as_int();
        in_.set_index_range(index, {first, first + (range_->trip_count - 1) * by, by});
    }
    const Evaluator::StorageHolders entry_holders = evaluator_.storage_holders();
    std::vector<std::pair<size_t, StorageId>> held_elsewhere;  // what enters under a carried name, and another name holds, too
    for (size_t k = 0; k < carried_.size(); ++k) {
        Carried& c = carried_[k];
        c.params.assign(params.begin() + static_cast<std::ptrdiff_t>(slices[k].first), params.begin() + static_cast<std::ptrdiff_t>(slices[k].second));
        if (c.placeholder) {
            auto* u = in_.heap_.make<UnusableObject>();
            u->what = describe(c.place);
            u->observed_by_loop = true;
            evaluator_.marks_[u] = c.place;
            set(c.place, u);
            continue;
        }
        size_t at = 0;
        PyValue head = instantiate(c.shape, c.params, at, true, "");
        // A storage that others hold, too, must not be written under this name.
        std::vector<Type> types;
        leaves(c.shape, types);
        for (size_t j = 0; j < types.size(); ++j) {
            if (!types[j].is_tensor()) continue;
            StorageId entry_storage = f[inits[slices[k].first + j]].view.storage;
            if (entry_holders.other_than(c.place, entry_storage)) {
                held_elsewhere.emplace_back(slices[k].first + j, entry_storage);
                in_.share_storage(entry_storage);
                in_.share_storage(f[c.params[j]].view.storage);
            }
        }
        set(c.place, head);
    }
    std::vector<int64_t> head_lengths;
    for (const RunTimeListObject* l : lists_) {
        head_lengths.push_back(l->static_length);
        in_.heap_.change(l).static_length = -1;
    }

    // The pass.
    AutogradState& autograd = in_.autograd_;
    const std::vector<AutogradState::Moves> moves = autograd.moves();
    const size_t told = autograd.told().size(), nodes = autograd.node_count();
    struct OldestRan {
        AutogradState& state;
        const size_t outer = std::exchange(state.oldest_ran, SIZE_MAX);
        ~OldestRan() { state.oldest_ran = std::min(state.oldest_ran, outer); }
    } oldest_ran{autograd};
    in_.heap_.begin_fork();
    b.into(body);
    ++evaluator_.conditional_;
    if (for_) {
        PyValue at = PyValue::dynamic(index, Type::Kind::I64);
        evaluator_.assign(*for_->target, range_->item ? range_->item(at) : at);
    }
    Completion c = evaluator_.loop_pass([&] {
        if (!range_ || !range_->body) return evaluator_.loop_body(body_);
        range_->body();
        return Completion::Normal;
    });
    if (c == Completion::Break || c == Completion::Return) throw Stop{Outcome::Unroll, "it is left in its first iteration"};
    if (c == Completion::Mixed && range_ && !may_leave_) {
        may_leave_ = true;
        return std::nullopt;
    }
    PyValue how = evaluator_.completion_value(c);
    uint8_t how_mask = evaluator_.mask_of(how);
    ValueId next_go, next_index;
    if (form_while) {
        PyValue more;
        auto test = [&]() -> PyValue {
            if (!while_) return PyValue::dynamic(in_.builder().emit(down ? "igt"_op : "ilt"_op, {next_index, hi}), Type::Kind::Bool);
            return evaluator_.whole([&] { return evaluator_.eval_truth(*while_->test); }, "the condition of a loop");
        };
        if (range_) next_index = in_.builder().emit("iadd"_op, {index, step});
        if (c == Completion::Normal) more = test();
        else {
            ValueId normal = in_.builder().emit("ieq"_op, {in_.to_ir(how), f.add_constant(int64_t{0})});
            more = evaluator_.branch(normal, test, [] { return PyValue::boolean(false); });
        }
        next_go = in_.to_ir(more, Type::Kind::Bool);
    }
    --evaluator_.conditional_;

    // What the pass changed.
    std::vector<Difference> changed = differences(in_.heap_.changes());
    bool stable = evaluator_.grown_lists_.empty();
    std::vector<Place> dead;
    for (const Difference& d : changed) {
        if (!d.place.object) {
            stable = false;
            continue;
        }
        if (is_dead(d.place)) {
            dead.push_back(d.place);
            continue;
        }
        auto it = std::find_if(carried_.begin(), carried_.end(), [&](const Carried& x) { return x.place == d.place; });
        if (it == carried_.end()) {
            Carried fresh;
            fresh.place = d.place;
            bool of_value = !d.place.name && d.place.index == Place::value;
            fresh.placeholder = !of_value && at_least_ >= 1 && read_behind_only(d.place) && std::find(observed_.begin(), observed_.end(), d.place) == observed_.end();
            fresh.optional = at_least_ == 0;
            fresh.shape = shape_of(d.head, d.back, describe(d.place), !fresh.placeholder, fresh.optional, of_value);
            carried_.push_back(std::move(fresh));
            stable = false;
        } else {
            Shape now = shape_of(it->entry, d.back, describe(d.place), !it->placeholder, it->optional, !d.place.name && d.place.index == Place::value);
            if (!now.agrees(it->shape)) {
                it->shape = std::move(now);
                stable = false;
            } else {
                it->shape = std::move(now);  // models are of this pass
            }
        }
    }
    if (!stable) return std::nullopt;
    if (told < autograd.told().size() && !planted(Fault::VersionInLoop)) {
        const std::vector<AutogradState::Moves> now = autograd.moves();
        if (std::any_of(autograd.told().begin() + static_cast<std::ptrdiff_t>(told), autograd.told().end(),
                        [&](CounterId c) { return c.index < moves.size() && now[c.index].version != moves[c.index].version; }))
            throw Stop{Outcome::Unroll, "it looks at the version of a tensor that it writes"};
    }
    if (autograd.oldest_ran < nodes && !planted(Fault::GradientPastLoop) && differentiates_what_it_writes(body))
        throw Stop{Outcome::Unroll, "it writes a tensor that has a gradient through what was computed in front of it"};

    // Stable: emit. What the body leaves goes round.
    std::vector<ValueId> yields;
    std::vector<int64_t> steps(carried_.size(), INT64_MIN);
    std::vector<bool> shared(carried_.size(), false);
    const Evaluator::StorageHolders back_holders = evaluator_.storage_holders();
    // Names that every iteration leaves with one object: they have one behind the loop, too, if there was an iteration.
    std::vector<const Object*> tensors(carried_.size(), nullptr);
    for (size_t k = 0; k < carried_.size() && at_least_ >= 1; ++k)
        if (PyValue back = get(carried_[k].place); back.is(Kind::Tensor) && !carried_[k].place.is_value() && carried_[k].shape.part == Shape::Part::Tensor) tensors[k] = back.object();
    std::vector<PyValue> known(carried_.size());  // what every iteration leaves, where that is known now
    for (size_t k = 0; k < carried_.size(); ++k) {
        PyValue back = get(carried_[k].place);
        size_t from = yields.size();
        if (carried_[k].placeholder && back.is(Kind::Unusable) && back.as<UnusableObject>()->observed_by_loop) back = PyValue();
        // A tensor that was there before the loop: every pass leaves the name with it, and nothing goes round.
        if (const auto* t = back.get_if<TensorObject>();
            t && carried_[k].placeholder && carried_[k].shape.part == Shape::Part::Tensor && t->value.index < values_in_front) {
            known[k] = back;
            yields.push_back(params[from]);
            continue;
        }
        flatten(carried_[k].shape, back, body, yields);
        steps[k] = affine_step(carried_[k], back);
        if (back.is(Kind::Bool) || back.is(Kind::Int) || back.is(Kind::Float)) known[k] = back;
        for (size_t j = from; j < yields.size(); ++j) {
            if (!f.type(yields[j]).is_tensor()) continue;
            // A write to the copy would not reach what it was a view of.
            if (copies_.contains(yields[j]) || (at_least_ == 0 && copies_.contains(inits[j]))) shared[k] = true;
            StorageId s = f[yields[j]].view.storage;
            const int64_t twins = tensors[k] ? std::ranges::count(tensors, tensors[k]) - 1 : 0;
            if (in_.is_shared(s)) shared[k] = true;
            if (!back_holders.other_than(carried_[k].place, s, twins)) continue;
            shared[k] = true;
            if (s.index < storages_in_front) in_.share_storage(s);
            if (!carried_[k].placeholder && writes_storage(body, f[params[j]].view.storage))
                throw Stop{Outcome::Unroll, describe(carried_[k].place) + " is written in place, and another name may hold the same tensor"};
        }
    }
    std::vector<ValueId> tail;
    if (form_while) {
        if (range_) tail.push_back(next_index);
        if (wants_how_) tail.push_back(in_.to_ir(how));
        tail.push_back(next_go);
    }
    f[body].results = yields;
    f[body].results.insert(f[body].results.end(), tail.begin(), tail.end());
    std::vector<int64_t> growth;
    for (const RunTimeListObject* l : lists_) growth.push_back(l->static_length);
    in_.heap_.rollback(false);
    b.into(outer);
    in_.user_span_ = location.empty() ? Span{} : location.front();

    Inst inst;
    inst.op = form_while ? "while"_op : "for"_op;
    if (!form_while) inst.operands = {lo, hi, step};
    inst.operands.insert(inst.operands.end(), inits.begin(), inits.end());
    if (form_while) inst.regions = {test_region, body};
    else inst.regions = {body};
    inst.location = location;
    std::vector<Type> types;
    for (ValueId v : inits) types.push_back(f.type(v));
    InstId id = f.add_inst(outer, std::move(inst), types);
    for (RegionId r : f[id].regions) f[r].parent = id;
    std::vector<ValueId> results = f[id].results;
    for (size_t k = 0; k < results.size(); ++k) {
        const Type& type = types[k];
        f[results[k]].name = f[params[k]].name;
        if (type.is_tensor()) f[results[k]].view = {f.add_storage({f[params[k]].name, type.dtype, type.sizes, true}), Layout::contiguous(type.sizes), {}};
    }
    // The state behind the loop.
    int64_t trips = range_ && !form_while ? range_->trip_count : -1;
    if (trips >= 0)
        autograd.repeat(moves, trips, in_.span());
    else
        autograd.make_uncertain(moves);
    for (size_t k = 0; k < carried_.size(); ++k) {
        std::vector<ValueId> mine(results.begin() + static_cast<std::ptrdiff_t>(slices[k].first), results.begin() + static_cast<std::ptrdiff_t>(slices[k].second));
        size_t at = 0;
        PyValue v = instantiate(carried_[k].shape, mine, at, false, "");
        if (!known[k].is_unbound() && (trips > 0 || known[k].is(Kind::Tensor))) v = known[k];
        if (auto twin = std::ranges::find(tensors, tensors[k]); tensors[k] && *twin && twin < tensors.begin() + static_cast<std::ptrdiff_t>(k))
            v = get(carried_[static_cast<size_t>(twin - tensors.begin())].place);
        if (trips >= 0 && steps[k] != INT64_MIN) v = PyValue::integer(carried_[k].entry.as_int() + trips * steps[k]);
        bool is_target = for_ && trips > 0 && !range_->item && for_->target->kind == ExprKind::Name && carried_[k].place.name && *carried_[k].place.name == as<Name>(*for_->target).id &&
                         carried_[k].place.object == evaluator_.frame_->variables && range_->lo.is(Kind::Int);
        if (is_target && affine_target(k, yields, slices, index)) v = PyValue::integer(range_->lo.as_int() + (trips - 1) * range_->step.as_int());
        if (shared[k])
            for (ValueId r : mine)
                if (f.type(r).is_tensor()) in_.share_storage(f[r].view.storage);
        set(carried_[k].place, v);
    }
    for (const auto& [value, entry] : held_elsewhere) {
        // After no iteration at all, or where an iteration may leave what it found, the name may still hold what it held.
        StorageId left = f[yields[value]].view.storage;
        if (at_least_ == 0 || in_.is_shared(left) || left == f[params[value]].view.storage) {
            in_.share_storage(entry);
            in_.share_storage(f[results[value]].view.storage);
        } else {
            in_.unshare_storage(entry, shared_in_front_);
        }
    }
    for (const Place& p : dead) set(p, {});
    for (size_t k = 0; k < lists_.size(); ++k) {
        // What a pass added is known when nothing else was done to the list; then so is the length behind the loop.
        (void)growth;
        in_.heap_.change(lists_[k]).static_length = -1;
        if (trips >= 0 && head_lengths[k] >= 0)
            if (int64_t added = appended_in(body, lists_[k]->list); added >= 0) in_.heap_.change(lists_[k]).static_length = head_lengths[k] + trips * added;
    }
    if (wants_how_ && form_while) {
        ValueId result = results[carried_values + (range_ ? 1 : 0)];
        completion_ = evaluator_.completion_of(PyValue::dynamic(result, Type::Kind::I64), static_cast<uint8_t>(how_mask | 1));
    }
    in_.heap_.commit();
    return Outcome::Rolled;
}

/// A gradient that goes through what was computed in front of the loop: the first pass alone would find there what a pass writes.
bool LoopCapture::differentiates_what_it_writes(RegionId body) const {
    const Function& f = in_.function_;
    std::vector<StorageId> wanted;
    walk(f, body, [&](InstId id) {
        if (f[id].op != "backward"_op) return;
        for (ValueId v : f[id].operands) wanted.push_back(f[v].view.storage);
    });
    if (std::ranges::any_of(carried_, [](const Carried& c) { return c.place.is_value(); })) return true;
    return std::ranges::any_of(wanted, [&](StorageId s) { return writes_storage(body, s); });
}

/// The carried target is the index itself: its value behind the loop is that of the last iteration.
bool LoopCapture::affine_target(size_t k, const std::vector<ValueId>& yields, const std::vector<std::pair<size_t, size_t>>& slices, ValueId index) const {
    return slices[k].second == slices[k].first + 1 && yields[slices[k].first] == index;
}

/// The number of items that one pass appends to a list, when that is all it does to it; -1 otherwise.
int64_t LoopCapture::appended_in(RegionId body, ValueId list) const {
    const Function& f = in_.function_;
    int64_t n = 0;
    bool plain = true;
    walk(f, body, [&](InstId id) {
        const Inst& i = f[id];
        if (i.operands.empty() || std::find(i.operands.begin(), i.operands.end(), list) == i.operands.end()) return;
        if (i.op == "list_append"_op && i.parent == body) ++n;
        else if (i.op != "list_get"_op && i.op != "list_len"_op && i.op != "list_sum"_op && i.op != "list_str"_op && i.op != "list_min"_op && i.op != "list_max"_op) plain = false;
    });
    return plain ? n : -1;
}

}  // namespace sifr::capture
