// Executes a function at its stage. Control flow, memory and writes are here; what rows compute is in the tables of
// evaluators, or follows from a row's class.
//
// CAPTURED: a tensor value is a view of memory; view rows share it, other rows make memory of their own, `<-` writes. A
// region storage needs no place of its own: the value that is carried is the view itself.
// FUNCTIONAL, FUSED: memory that a value shows is never written again, so `extract` may share it and `insert` copies.

#include <algorithm>
#include <bit>

#include "ir/base/diagnostic.h"
#include "ir/interp/gradients.h"

namespace sifr {
namespace {

class Machine {
public:
    Machine(const Function& f, Stage stage, Generators& generators)
        : f_(f), stage_(stage), generators_(generators), values_(f.values.size()), recorder_(generators) {
        // A history is kept only where somebody asks for a gradient.
        if (stage == Stage::Captured) walk(f, f.body, [&](InstId id) { records_ = records_ || f[id].op == "backward"_op; });
    }

    /// Runs the whole function.
    Results program(std::vector<RunValue> arguments) {
        const std::vector<ValueId>& params = f_[f_.body].params;
        for (size_t k = 0; records_ && k < arguments.size(); ++k)
            if (RunTensor* t = std::get_if<RunTensor>(&arguments[k])) GradientRecorder::group(*t, f_[f_[params[k]].view.storage].frame, f_[params[k]].leaf);
        return run(f_.body, std::move(arguments));
    }

    std::vector<RunValue> take_values() { return std::move(values_); }

    Results run(RegionId id, std::vector<RunValue> arguments) {
        const Region& r = f_[id];
        SIFR_CHECK(arguments.size() == r.params.size(), "{} arguments for {} parameters", arguments.size(), r.params.size());
        for (size_t k = 0; k < arguments.size(); ++k) values_[r.params[k].index] = std::move(arguments[k]);
        for (InstId i : r.insts)
            if (!f_[i].erased) execute(f_[i]);
        Results results;
        for (ValueId v : r.results) results.push_back(get(v));
        return results;
    }

private:
    RunValue get(ValueId id) const {
        const Value& v = f_[id];
        if (v.def != Value::Def::Constant) return values_[id.index];
        return std::visit([](const auto& c) { return RunValue(c); }, v.constant);
    }

    void set(const Inst& inst, Results results, const std::vector<GradRef>& history = {}) {
        SIFR_CHECK(results.size() == inst.results.size(), "'{}' gave {} results for {}", name_of(inst.op), results.size(), inst.results.size());
        for (size_t k = 0; k < results.size(); ++k) {
            RunValue& to = values_[inst.results[k].index];
            to = std::move(results[k]);
            // A captured tensor lies in memory of its own, in the layout that the script can observe.
            const View& view = f_[inst.results[k]].view;
            if (stage_ == Stage::Captured && view.storage) {
                auto& t = std::get<RunTensor>(to);
                const Sizes& frame = f_[view.storage].frame;
                RunTensor own{t.dtype, view.layout,
                              std::make_shared<RunMemory>(static_cast<size_t>(element_count(frame) * size_of(t.dtype))), nullptr};
                SIFR_CHECK(t.sizes().size() == own.layout.strides.size(), "'{}' gave {} axes for {}", name_of(inst.op), t.sizes().size(),
                           own.layout.strides.size());
                own.layout.sizes = t.sizes();
                copy(t, own);
                if (records_) {
                    GradientRecorder::group(own, frame);
                    if (k < history.size() && history[k]->tracked) {
                        // The value of the frame, whose axes the layout permutes.
                        if (own.layout.is_whole(frame)) own.history->base = history[k];
                        else recorder_.written(own, history[k], own, false, inst.location);
                    }
                }
                t = std::move(own);
            }
        }
    }

    static void copy(const RunTensor& from, const RunTensor& to) {
        for (Walk w({&from.layout, &to.layout}); !w.done(); w.next()) to.store(w.offset(1), from.load(w.offset(0)));
    }

    /// `t` with the run-time sizes as they are now; own results that are not there yet keep their bound.
    Type actual(const Type& t) const {
        Type out = t;
        out.run_time_sizes.clear();
        for (const RunTimeSize& r : t.run_time_sizes) {
            RunValue v = get(r.size);
            if (const int64_t* n = std::get_if<int64_t>(&v)) out.sizes[static_cast<size_t>(r.axis)] = *n;
        }
        return out;
    }

    /// A layout with its run-time indices put in.
    Layout placed(const Layout& l, std::span<const RunValue> indices) const {
        Layout out = l;
        for (size_t k = 0; k < l.index_scales.size(); ++k) {
            int64_t index = std::get<int64_t>(indices[k]);
            SIFR_CHECK(l.index_extents.empty() || (index >= 0 && index < l.index_extents[k]), "index {} of an axis with {} places", index, l.index_extents[k]);
            out.offset += l.index_scales[k] * index;
        }
        out.index_scales.clear();
        out.index_extents.clear();
        return out;
    }

    // ---------------------------------------------------------------------------------------------- instructions

    void execute(const Inst& inst) {
        std::vector<RunValue> in;
        for (ValueId v : inst.operands) in.push_back(get(v));
        const OpDef& row = def(inst.op);
        bool passes_on = inst.op == "for"_op || inst.op == "while"_op || inst.op == "if"_op || inst.op == "group"_op;
        if (!passes_on || inst.op == "if"_op) {
            for (const RunValue& v : in) {
                const Poison* p = std::get_if<Poison>(&v);
                if (!p) continue;
                if (row.lower == Lower::Scalar && row.effect == Effect::Pure) return set(inst, Results(inst.results.size(), v));
                throw RunTimeRaise(p->type, p->text, p->location);
            }
        }
        if (inst.dest) return write(inst, std::move(in));
        if (stage_ == Stage::Captured && row.view) return view(inst, in);
        if (structural(inst, in)) return;
        Execution x = execution(inst, std::move(in));
        if (!inst.results.empty()) {
            x.target = actual(f_.type(inst.results[0]));
            const View& v = f_[inst.results[0]].view;
            if (v.storage) x.target_strides = v.layout.strides;
        }
        if (!records_) return set(inst, evaluate_row(x));
        std::vector<GradNode::Operand> operands = recorder_.read(inst, x.in);
        Results results = evaluate_row(x);
        std::vector<GradRef> history;
        if (!operands.empty()) history = recorder_.computed(inst, std::move(operands), tensors(results));
        if (!history.empty() && !inst.results.empty()) nodes_[inst.results[0]] = history[0]->node;
        set(inst, std::move(results), history);
    }

    static std::vector<RunTensor> tensors(const Results& results) {
        std::vector<RunTensor> out;
        for (const RunValue& v : results)
            if (const RunTensor* t = std::get_if<RunTensor>(&v)) out.push_back(*t);
        return out;
    }

    Execution execution(const Inst& inst, std::vector<RunValue> in) { return {f_, inst, std::move(in), {}, {}, &generators_}; }

    Results evaluate_row(const Execution& x) {
        const OpDef& row = def(x.inst.op);
        if (Evaluator evaluate = evaluator_of(x.inst.op)) return evaluate(x);
        if (row.lower == Lower::Pointwise) return evaluate_pointwise(x);
        if (row.lower == Lower::Reduction) return evaluate_reduction(x);
        if (row.lower == Lower::Composite && row.decompose) return composite(x);
        throw NotSupported(fmt::format("'{}' in the interpreter", row.name));
    }

    void view(const Inst& inst, const std::vector<RunValue>& in) {
        const auto& base = std::get<RunTensor>(in[0]);
        for (ValueId r : inst.results) {
            const View& v = f_[r].view;
            std::vector<RunValue> indices;
            for (ValueId i : v.indices) indices.push_back(get(i));
            Layout l = placed(v.layout, indices);
            l.sizes = actual(f_.type(r)).sizes;
            RunTensor t{f_.type(r).dtype, std::move(l), base.memory, base.history};
            if (records_) {
                base.history->reads.erase(r);
                if (inst.op == "leaf"_op || inst.op == "detach"_op || inst.untracked) GradientRecorder::regroup(t, inst.op == "leaf"_op);
            }
            values_[r.index] = std::move(t);
        }
    }

    /// The row written in other rows, in a function of its own, and that function evaluated.
    Results composite(const Execution& x) {
        Function scratch;
        Inst copy = x.inst;
        copy.operands.clear();
        std::vector<RunValue> arguments;
        for (size_t k = 0; k < x.in.size(); ++k) {
            const Value& v = f_[x.inst.operands[k]];
            if (v.def == Value::Def::Constant) {
                copy.operands.push_back(scratch.add_constant(ScalarConstant(v.constant)));
            } else {
                copy.operands.push_back(scratch.add_parameter(scratch.body, actual(v.type)));
                arguments.push_back(x.in[k]);
            }
        }
        copy.results.clear();
        auto add_result = [&](Type type) {
            Value v;
            v.type = std::move(type);
            copy.results.push_back(scratch.add_value(std::move(v)));
        };
        for (ValueId r : x.inst.results) add_result(actual(f_.type(r)));
        if (x.inst.dest) add_result(x.target);  // a write has no result; the value that it writes has this type
        copy.dest = ValueId();
        Builder b(scratch, scratch.body, x.inst.location);
        scratch[scratch.body].results = def(copy.op).decompose(b, copy);
        return Machine(scratch, Stage::Functional, generators_).run(scratch.body, std::move(arguments));
    }

    // ---------------------------------------------------------------------------------------------- writes

    void write(const Inst& inst, std::vector<RunValue> in) {
        const OpDef& row = def(inst.op);
        const RunTensor to = std::get<RunTensor>(get(inst.dest));
        if (!to.layout.is_injective() && row.lower == Lower::Pointwise) return write_in_order(inst, in, to);
        Execution x = execution(inst, std::move(in));
        // What is made by rule or drawn is made as the destination has it; other rows compute in their own dtype.
        if (row.lower == Lower::Fill || row.lower == Lower::Random) x.target = Type::tensor(to.dtype, to.sizes());
        else x.target = actual(infer_types(InstCall(f_, inst)).at(0));
        x.target_strides = to.layout.strides;
        std::vector<GradNode::Operand> operands;
        if (records_) operands = recorder_.read(inst, x.in);
        Results results = evaluate_row(x);
        GradRef source;
        if (!operands.empty()) source = recorder_.computed(inst, std::move(operands), tensors(results)).at(0);
        RunTensor from = std::get<RunTensor>(results.at(0)).cast(to.dtype);
        if (from.memory == to.memory) {  // read first
            RunTensor own = RunTensor::make(from.dtype, from.sizes());
            copy(from, own);
            from = std::move(own);
        }
        from = from.expanded(to.sizes());
        copy(from, to);
        if (records_) recorder_.written(to, source, from, inst.untracked, inst.location);
    }

    /// Through a layout that overlaps itself, each element is computed and written before the next is read, in TensorIterator's
    /// order: axes by the destination's stride, the smallest innermost; ties by size, the smaller inside.
    void write_in_order(const Inst& inst, const std::vector<RunValue>& in, const RunTensor& to) {
        bool history = GradientRecorder::tracked(to) || !recorder_.read(inst, in).empty();
        if (history) throw NotSupported("a write with a history through a view that overlaps itself, in the interpreter of captured functions");
        std::vector<size_t> axes(to.sizes().size());
        for (size_t d = 0; d < axes.size(); ++d) axes[d] = d;
        std::stable_sort(axes.begin(), axes.end(), [&](size_t a, size_t b) {
            int64_t x = std::abs(to.layout.strides[a]), y = std::abs(to.layout.strides[b]);
            return x != y ? x > y : to.sizes()[a] > to.sizes()[b];
        });
        auto reordered = [&](const RunTensor& t) {
            Layout l = t.layout;
            for (size_t d = 0; d < axes.size(); ++d) {
                l.sizes[d] = t.sizes()[axes[d]];
                l.strides[d] = t.layout.strides[axes[d]];
            }
            return t.with(std::move(l));
        };
        RunTensor order = reordered(to);
        std::vector<RunValue> views = in;
        for (RunValue& v : views)
            if (RunTensor* t = std::get_if<RunTensor>(&v)) v = reordered(t->expanded(to.sizes()));
        for (Walk w({&order.layout}); !w.done(); w.next()) {
            Execution x = execution(inst, views);
            for (RunValue& v : x.in)
                if (RunTensor* t = std::get_if<RunTensor>(&v)) {
                    int64_t offset = t->layout.offset;
                    for (size_t d = 0; d < axes.size(); ++d) offset += t->layout.strides[d] * w.index()[d];
                    t->layout = Layout{offset, {}, {}, {}, {}};
                }
            x.target = Type::tensor(infer_types(InstCall(f_, inst)).at(0).dtype, {});
            RunTensor one = std::get<RunTensor>(evaluate_pointwise(x).at(0));
            order.store(w.offset(0), one.cast(to.dtype).load(0));
        }
    }

    // ---------------------------------------------------------------------------------------------- structure

    bool structural(const Inst& inst, std::vector<RunValue>& in) {
        if (inst.op == "for"_op) {
            for (size_t k = 0; k < 3; ++k)
                if (const Poison* p = std::get_if<Poison>(&in[k])) throw RunTimeRaise(p->type, p->text, p->location);
            int64_t hi = std::get<int64_t>(in[1]), step = std::get<int64_t>(in[2]);
            SIFR_CHECK(step != 0, "a loop with step 0");
            std::vector<RunValue> carried(in.begin() + 3, in.end());
            for (__int128 i = std::get<int64_t>(in[0]); step > 0 ? i < hi : i > hi; i += step) {
                std::vector<RunValue> arguments{RunValue(static_cast<int64_t>(i))};
                std::move(carried.begin(), carried.end(), std::back_inserter(arguments));
                carried = run(inst.regions[0], std::move(arguments));
            }
            pass(inst, std::move(carried));
        } else if (inst.op == "while"_op) {
            std::vector<RunValue> carried = in;
            while (condition(run(inst.regions[0], carried).at(0))) carried = run(inst.regions[1], std::move(carried));
            pass(inst, std::move(carried));
        } else if (inst.op == "if"_op) {
            pass(inst, run(inst.regions[condition(in[0]) ? 0 : 1], {}));
        } else if (inst.op == "group"_op) {
            pass(inst, run(inst.regions[0], std::move(in)));
        } else if (inst.op == "backward"_op) {
            backward(inst, in);
        } else if (inst.op == "reading"_op) {
            if (const std::shared_ptr<GradNode>& node = nodes_[inst.operands[0]]) {
                const int64_t slot = inst.attrs.get<int64_t>("slot");
                const RunTensor now = std::get<RunTensor>(in[1]).copied();
                if (slot >= 0)
                    node->read_instead[static_cast<size_t>(slot)] = now;
                else
                    node->results.at(static_cast<size_t>(-1 - slot)) = now;
            }
        } else if (inst.attrs.has("layout") && def(inst.op).lower == Lower::Structural) {
            move(inst, in);
        } else if (inst.op == "to_size"_op) {
            // The first places along the axes.
            RunTensor t = std::get<RunTensor>(in[0]);
            t.layout.sizes = actual(f_.type(inst.results[0])).sizes;
            set(inst, {std::move(t)});
        } else if (inst.op == "to_bound"_op) {
            const auto& t = std::get<RunTensor>(in[0]);
            RunTensor out = RunTensor::make(t.dtype, f_.type(inst.results[0]).sizes);
            std::fill(out.memory->begin(), out.memory->end(), std::byte(0));
            Layout front = out.layout;
            front.sizes = t.sizes();
            copy(t, out.with(front));
            set(inst, {std::move(out)});
        } else if (inst.op == "leaf"_op || inst.op == "detach"_op || inst.op == "untracked"_op) {
            set(inst, {in[0]});
        } else {
            return false;
        }
        return true;
    }

    void backward(const Inst& inst, const std::vector<RunValue>& in) {
        SIFR_CHECK(stage_ == Stage::Captured, "the interpreter differentiates captured functions only");
        size_t losses = static_cast<size_t>(inst.attrs.get_or<int64_t>("losses", 1));
        size_t front = inst.attrs.get_or("from", false) ? 2 * losses : losses;
        std::vector<GradRef> refs;
        for (size_t k = 0; k < in.size(); ++k) {
            const auto& t = std::get<RunTensor>(in[k]);
            bool is_leaf = k >= front && t.history->leaf;
            refs.push_back(is_leaf ? t.history->leaf : recorder_.read(inst.operands[k], t));
        }
        auto part = [&](size_t begin, size_t end) {
            return std::vector<GradRef>(refs.begin() + static_cast<ptrdiff_t>(begin), refs.begin() + static_cast<ptrdiff_t>(end));
        };
        bool create = inst.attrs.get_or("create", false);
        std::vector<GradRef> grads =
            recorder_.backward(part(0, losses), part(losses, front), part(front, refs.size()), create, inst.location);
        // The history of a leaf is that of its frame, of which a leaf that is a view shows a part, or another order.
        for (size_t k = front; k < in.size(); ++k) {
            const auto& t = std::get<RunTensor>(in[k]);
            if (t.history->leaf) grads[k - front] = recorder_.part(grads[k - front], t.layout, t.history->frame, create, inst.location);
        }
        Results results;
        for (const GradRef& g : grads) results.emplace_back(g->contents);
        set(inst, std::move(results), grads);
    }

    static bool condition(const RunValue& v) {
        if (const Poison* p = std::get_if<Poison>(&v)) throw RunTimeRaise(p->type, p->text, p->location);
        return std::get<bool>(v);
    }

    /// Results that are values of a region: captured tensors stay the views that they are.
    void pass(const Inst& inst, Results results) {
        SIFR_CHECK(results.size() == inst.results.size(), "'{}' gave {} results for {}", name_of(inst.op), results.size(), inst.results.size());
        for (size_t k = 0; k < results.size(); ++k) values_[inst.results[k].index] = std::move(results[k]);
    }

    /// extract, insert, insert_add, insert_seq.
    void move(const Inst& inst, const std::vector<RunValue>& in) {
        const auto& layout = inst.attrs.get<Layout>("layout");
        size_t plain = in.size() - layout.index_scales.size();
        RunTensor base = std::get<RunTensor>(in[0]).packed();
        Layout l = placed(layout, std::span(in).subspan(plain));
        if (inst.op == "extract"_op) {
            l.sizes = actual(f_.type(inst.results[0])).sizes;
            return set(inst, {base.with(std::move(l))});
        }
        const auto& piece = std::get<RunTensor>(in[1]);
        l.sizes = piece.sizes();
        RunTensor out = RunTensor::make(base.dtype, base.sizes());
        copy(base, out);
        RunTensor at = out.with(l);
        if (inst.op == "insert_add"_op) {
            for (Walk w({&at.layout, &piece.layout}); !w.done(); w.next()) at.store(w.offset(0), add(base.dtype, at.load(w.offset(0)), piece.load(w.offset(1))));
        } else if (inst.op == "insert_seq"_op) {
            copy_in_order(piece, at);
        } else {
            copy(piece, at);
        }
        set(inst, {std::move(out)});
    }

    /// F16 and BF16 values are added in F32 and rounded.
    static ScalarValue add(DType dtype, ScalarValue a, ScalarValue b) {
        bool half = dtype == DType::F16 || dtype == DType::BF16;
        DType wide = half ? DType::F32 : dtype;
        return cast_value(apply(dtype == DType::Bool ? ScalarOp::Or : ScalarOp::Add, wide, a, b, {}), wide, dtype);
    }

    static void copy_in_order(const RunTensor& from, const RunTensor& to) {
        std::vector<size_t> axes(to.sizes().size());
        for (size_t d = 0; d < axes.size(); ++d) axes[d] = d;
        std::stable_sort(axes.begin(), axes.end(), [&](size_t a, size_t b) {
            int64_t x = std::abs(to.layout.strides[a]), y = std::abs(to.layout.strides[b]);
            if (x != y) return x > y;
            if (to.sizes()[a] != to.sizes()[b]) return to.sizes()[a] > to.sizes()[b];
            return std::abs(from.layout.strides[a]) > std::abs(from.layout.strides[b]);
        });
        Layout f = from.layout, t = to.layout;
        for (size_t d = 0; d < axes.size(); ++d) {
            f.sizes[d] = t.sizes[d] = to.sizes()[axes[d]];
            f.strides[d] = from.layout.strides[axes[d]];
            t.strides[d] = to.layout.strides[axes[d]];
        }
        copy(from.with(std::move(f)), to.with(std::move(t)));
    }

    const Function& f_;
    Stage stage_;
    Generators& generators_;
    std::vector<RunValue> values_;
    GradientRecorder recorder_;
    std::map<ValueId, std::shared_ptr<GradNode>> nodes_;  ///< by first result: what the last execution of an instruction became
    bool records_ = false;
};

}  // namespace

std::vector<std::span<const NamedEvaluator>> all_evaluators() {
    return {scalar_evaluators(), string_evaluators(), host_evaluators(),  list_evaluators(),
            fill_evaluators(),   random_evaluators(), index_evaluators(), library_evaluators()};
}

Evaluator evaluator_of(Op op) {
    static const std::vector<Evaluator> table = [] {
        std::vector<Evaluator> t(op_count(), nullptr);
        for (std::span<const NamedEvaluator> part : all_evaluators())
            for (const NamedEvaluator& e : part)
                if (std::optional<Op> named = op_named(e.name)) t[named->index()] = e.evaluate;
        return t;
    }();
    return table[op.index()];
}

double Execution::f64(size_t k) const {
    const RunValue& v = in.at(k);
    if (const bool* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
    if (const int64_t* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
    return std::get<double>(v);
}

void Execution::require(sifr_status status) const {
    if (status == SIFR_OK) return;
    std::string text = cpp_str(sifr_error_text());
    if (status == SIFR_NOT_SUPPORTED) throw NotSupported(text);
    raise(sifr_error_type(), text);
}

sifr_tensor c_tensor(const RunTensor& t) {
    return {t.at(t.layout.offset), static_cast<int32_t>(t.dtype), static_cast<int32_t>(t.sizes().size()), t.layout.sizes.data(), t.layout.strides.data()};
}

std::vector<RunValue> evaluate(const Function& f, Stage stage, std::vector<RunValue> arguments) {
    Generators generators;
    return Machine(f, stage, generators).program(std::move(arguments));
}

std::vector<RunValue> evaluate_all(const Function& f, std::vector<RunValue> arguments, Generators& generators) {
    Machine machine(f, Stage::Functional, generators);
    machine.run(f.body, std::move(arguments));
    return machine.take_values();
}

namespace {

int run_program(const Function& f, Stage stage, const RunOptions& options) {
    std::vector<RunValue> arguments;
    size_t tensors = 0, numbers = 0;
    for (ValueId p : f[f.body].params) {
        const Type& t = f.type(p);
        if (!t.is_tensor()) {
            const int64_t bits = options.numbers.at(numbers++);
            if (t.kind == Type::Kind::F64) arguments.emplace_back(std::bit_cast<double>(bits));
            else if (t.kind == Type::Kind::Bool) arguments.emplace_back(bits != 0);
            else arguments.emplace_back(bits);
            continue;
        }
        SIFR_CHECK(tensors < options.arguments.size(), "the function takes arguments");
        // The interpreter works on a copy and hands it back, so that every access is checked against a buffer that it knows.
        RunTensor tensor = RunTensor::make(t.dtype, t.sizes);
        std::copy_n(static_cast<const std::byte*>(options.arguments[tensors++]), t.bytes(), tensor.memory->begin());
        arguments.emplace_back(std::move(tensor));
    }
    std::vector<const char*> argv{options.script.c_str()};
    for (const std::string& a : options.argv) argv.push_back(a.c_str());
    sifr_set_argv(static_cast<int32_t>(argv.size()), argv.data());
    std::vector<RunValue> results;
    try {
        results = evaluate(f, stage, arguments);
    } catch (const RunTimeRaise& e) {
        const Location& l = e.location;
        sifr_raise(e.type.c_str(), c_str(e.text), l.empty() || !l[0].known() ? nullptr : options.script.c_str(), l.empty() ? 0 : static_cast<int32_t>(l[0].line));
    }
    auto hand_back = [](const RunTensor& t, void* to) {
        const RunTensor whole = t.packed();
        std::copy_n(whole.at(whole.layout.offset), whole.numel() * size_of(whole.dtype), static_cast<std::byte*>(to));
    };
    if (options.results) options.results->clear();
    const size_t fresh = results.size() - f.updates.size();
    for (size_t k = 0; k < fresh; ++k) {
        if (const auto* t = std::get_if<RunTensor>(&results[k])) hand_back(*t, options.arguments.at(tensors++));
        else if (!options.results) continue;
        else if (const auto* d = std::get_if<double>(&results[k])) options.results->push_back(std::bit_cast<int64_t>(*d));
        else if (const auto* b = std::get_if<bool>(&results[k])) options.results->push_back(*b ? 1 : 0);
        else options.results->push_back(std::get<int64_t>(results[k]));
    }
    // CAPTURED writes through its arguments; later stages give their new contents as results.
    tensors = 0;
    for (size_t k = 0; k < arguments.size(); ++k) {
        const auto* t = std::get_if<RunTensor>(&arguments[k]);
        if (!t) continue;
        void* to = options.arguments[tensors++];
        for (size_t u = 0; u < f.updates.size(); ++u)
            if (f.updates[u] == k) t = &std::get<RunTensor>(results[fresh + u]);
        hand_back(*t, to);
    }
    sifr_flush();
    return 0;
}

}  // namespace

int interpret(const Captured& f, const RunOptions& options) { return run_program(f.function, Stage::Captured, options); }
int interpret(const Functional& f, const RunOptions& options) { return run_program(f.function, Stage::Functional, options); }
int interpret(const Fused& f, const RunOptions& options) { return run_program(f.function, Stage::Fused, options); }

}  // namespace sifr
