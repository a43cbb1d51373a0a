// functionalize: from views and writes to pure values.
//
//   %x = full [3,3], 0.0          : f32[3,3] in $x          %x  = full 0.0 …         : f32[3,3]
//   %v = slice %x, dim=0, start=1 : f32[2,3] in $x +3       %t  = full 1.0 …         : f32[2,3]
//   %v <- full 1.0                                    =>    %x1 = insert %x +3 (3,1), %t
//   %y = sum %x                   : f32[] in $y             %y  = sum %x1            : f32[]
//
// A storage becomes its contents, one value of the storage's frame at each point of the program. A read is an `extract`
// of the current contents, a write an `insert` that makes the next contents. A loop carries the contents of every
// storage that its body writes; an `if` hands them out.
//
// History (what a gradient sees) belongs to a *group*: a base and its differentiable views. `detach` and `leaf` open
// another group on the same storage, and each (storage, group) has a value of its own, equal in contents: a write through
// group A gives `%a1`, and `%b1 = untracked %a1 as %b0` for every other group B. An untracked write is the same within
// one group. In a function without a gradient nothing of this is needed and nothing is made.
//
// It stands right behind the checks: everything after it reasons about values only.

#include "passes/functionalize/functionalize.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/base/planted_fault.h"
#include "ir/func/builder.h"

namespace sifr {
namespace {

class Functionalize {
public:
    explicit Functionalize(const Captured& captured) : in_(captured.function) {
        out_.name = in_.name;
        out_.ledger = in_.ledger;
        walk(in_, in_.body, [&](InstId id) { gradients_ |= in_[id].op == "backward"_op; });
        groups_.resize(in_.values.size(), 0);
        map_.resize(in_.values.size());
        states_.resize(in_.storages.size());
    }

    Functional run() {
        Builder b(out_, out_.body, {});
        std::vector<ValueId> entered;
        for (ValueId p : in_[in_.body].params) {
            ValueId np = out_.add_parameter(out_.body, in_.type(p), in_[p].name);
            if (in_.type(p).is_tensor()) {
                ValueId state = np;
                if (in_[p].leaf && gradients_) state = b.emit("leaf"_op, {np});
                bind_fresh(b, p, state);
                entered.push_back(this->state(p));
            } else {
                map_[p.index] = np;
                entered.push_back(np);
            }
        }
        region(in_.body, b);
        for (ValueId r : in_[in_.body].results) out_[out_.body].results.push_back(in_.type(r).is_tensor() ? read(b, r) : scalar(r));
        // What was written to a parameter's memory is the caller's to see.
        for (size_t k = 0; k < entered.size(); ++k) {
            ValueId p = in_[in_.body].params[k];
            if (!in_.type(p).is_tensor() || state(p) == entered[k]) continue;
            out_.updates.push_back(static_cast<uint32_t>(k));
            out_[out_.body].results.push_back(state(p));
        }
        return Functional(std::move(out_));
    }

private:
    /// What a storage holds now, by group; a group that does not exist has an invalid value.
    using State = std::vector<ValueId>;

    [[nodiscard]] ValueId scalar(ValueId v) {
        if (in_.is_constant(v)) return out_.add_constant(in_[v].constant);
        SIFR_CHECK(map_[v.index].valid(), "{} of the captured function has no value here", v.str());
        return map_[v.index];
    }

    std::vector<ValueId> indices(const View& view) {
        std::vector<ValueId> out;
        for (ValueId i : view.indices) out.push_back(scalar(i));
        return out;
    }

    ValueId& state(ValueId tensor) {
        State& s = states_[in_[tensor].view.storage.index];
        uint32_t g = groups_[tensor.index];
        if (s.size() <= g) s.resize(g + 1);
        return s[g];
    }

    /// The captured type's run-time sizes, as values of this function.
    [[nodiscard]] Type type_here(const Type& captured) {
        Type t = captured;
        for (RunTimeSize& r : t.run_time_sizes) r.size = scalar(r.size);
        return t;
    }

    /// `v`, known to have the run-time sizes of a captured tensor: what a layout or a fill says is their bounds.
    ValueId sized(Builder& b, ValueId v, ValueId tensor) {
        Type t = type_here(in_.type(tensor));
        if (t.run_time_sizes == out_.type(v).run_time_sizes) return v;
        if (t.run_time_sizes.empty()) return b.emit("to_bound"_op, {v});
        std::vector<ValueId> operands{v};
        std::vector<int64_t> axes;
        for (const RunTimeSize& r : t.run_time_sizes) {
            operands.push_back(r.size);
            axes.push_back(r.axis);
        }
        ValueId out = out_[b.emit_typed("to_size"_op, operands, attrs({{"axes", axes}}), {t})].results[0];
        out_[out].name = out_[v].name;
        return out;
    }

    /// The current value of a tensor.
    ValueId read(Builder& b, ValueId tensor) {
        const View& view = in_[tensor].view;
        ValueId contents = state(tensor);
        SIFR_CHECK(contents.valid(), "{} is read before its storage has contents", tensor.str());
        Layout layout = view.layout;
        if (planted(Fault::ReadLosesOffset)) layout.offset = 0;
        ValueId v = b.extract(contents, layout, indices(view));
        v = sized(b, v, tensor);
        if (out_[v].name.empty()) out_[v].name = in_[tensor].name;
        return v;
    }

    /// `value` has the sizes of `tensor`; the contents of its (fresh) storage are the frame that the layout permutes.
    ValueId to_frame(Builder& b, ValueId tensor, ValueId value) {
        const Layout& layout = in_[tensor].view.layout;
        const Sizes& frame = in_[in_[tensor].view.storage].frame;
        if (layout.is_whole(frame)) return value;
        // The layout walks the whole frame in another order of axes: undo the permutation.
        std::vector<int> order(layout.sizes.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
        std::stable_sort(order.begin(), order.end(), [&](int a, int c) { return layout.strides[a] > layout.strides[c]; });
        ValueId v = b.permute(value, order);
        return out_.type(v).sizes == frame ? v : b.reshape(v, frame);
    }

    void bind_fresh(Builder& b, ValueId tensor, ValueId value) {
        groups_[tensor.index] = 0;
        states_[in_[tensor].view.storage.index].assign(1, to_frame(b, tensor, value));
        if (out_[value].name.empty()) out_[value].name = in_[tensor].name;
    }

    /// A tensor that shares the storage of `source` but not its history.
    void open_group(ValueId tensor, ValueId source, ValueId contents) {
        State& s = states_[in_[source].view.storage.index];
        groups_[tensor.index] = static_cast<uint32_t>(s.size());
        s.push_back(contents);
    }

    // ------------------------------------------------------------------------------------------ instructions

    void region(RegionId r, Builder& b) {
        for (InstId id : in_[r].insts)
            if (!in_[id].erased) instruction(in_[id], b);
    }

    void instruction(const Inst& inst, Builder& b) {
        b.at(inst.location);
        if (inst.op == "for"_op || inst.op == "while"_op) return loop(inst, b);
        if (inst.op == "if"_op) return branch(inst, b);
        if (inst.op == "backward"_op) return backward(inst, b);
        if (inst.op == "reading"_op) {
            // The result as it was made, not what its storage holds now.
            if (gradients_) b.emit_typed(inst.op, {made_.at(inst.operands[0]), read(b, inst.operands[1])}, inst.attrs, {});
            return;
        }
        if (inst.op == "leaf"_op || inst.op == "detach"_op) {
            ValueId source = inst.operands[0], result = inst.results[0];
            if (!gradients_) {
                groups_[result.index] = groups_[source.index];
                return;
            }
            ValueId contents = b.emit(inst.op, {state(source)});
            open_group(result, source, contents);
            return;
        }
        if (inst.dest.valid()) return write(inst, b);
        if (def(inst.op).lower == Lower::View) {
            for (ValueId r : inst.results) groups_[r.index] = groups_[inst.operands[0].index];
            return;
        }
        fresh(inst, b);
    }

    std::vector<ValueId> read_operands(const Inst& inst, Builder& b) {
        std::vector<ValueId> out;
        for (ValueId v : inst.operands) out.push_back(in_.type(v).is_tensor() ? read(b, v) : scalar(v));
        return out;
    }

    void fresh(const Inst& inst, Builder& b) {
        std::vector<Type> types;
        for (ValueId r : inst.results) {
            types.push_back(in_.type(r));
            for (RunTimeSize& s : types.back().run_time_sizes) s.size = s.size == inst.results[0] ? ValueId() : scalar(s.size);
        }
        InstId made = b.emit_typed(inst.op, read_operands(inst, b), inst.attrs, types);
        note_clear(made, inst);
        for (size_t k = 0; k < inst.results.size(); ++k) {
            ValueId value = out_[made].results[k];
            ValueId captured = inst.results[k];
            out_[value].name = in_[captured].name;
            if (!in_.type(captured).is_tensor()) {
                map_[captured.index] = value;
                continue;
            }
            if (gradients_) made_[captured] = value;
            if (inst.untracked && gradients_) value = b.emit("detach"_op, {value});
            bind_fresh(b, captured, value);
        }
    }

    /// `%v <- op …`: the new piece has the destination's type, whatever the row alone would give.
    void write(const Inst& inst, Builder& b) {
        const Type& type = in_.type(inst.dest);
        Attrs attributes = inst.attrs;
        for (const Param& p : signature(inst.op).params) {
            if (p.name == "sizes" && !p.is_operand()) attributes.set("sizes", type.sizes);
            if (p.name == "dtype" && !p.is_operand() && def(inst.op).lower == Lower::Fill) attributes.set("dtype", type.dtype);
        }
        const View& view = in_[inst.dest].view;
        ValueId old = state(inst.dest);
        SIFR_CHECK(old.valid(), "{} is written before its storage has contents", inst.dest.str());
        ValueId next;
        if (type.numel() > 0 && !view.layout.is_injective() && def(inst.op).lower == Lower::Pointwise) {
            next = write_in_order(inst, b, attributes);
        } else {
            ValueId piece = b.emit(inst.op, read_operands(inst, b), attributes);
            note_clear(out_[piece].inst, inst);
            piece = sized(b, b.expand(b.cast(piece, type.dtype), type.sizes), inst.dest);
            bool whole = view.layout.is_whole(in_[view.storage].frame) && out_.type(piece).run_time_sizes == out_.type(old).run_time_sizes;
            next = whole ? piece : b.insert(old, view.layout, piece, indices(view));
        }
        if (next != old && out_[next].name.empty()) out_[next].name = in_[inst.dest].name;
        if (!gradients_) {
            state(inst.dest) = next;
            return;
        }
        State& s = states_[view.storage.index];
        uint32_t own = groups_[inst.dest.index];
        for (uint32_t g = 0; g < s.size(); ++g) {
            if (!s[g].valid()) continue;
            s[g] = g == own && !inst.untracked ? next : b.emit("untracked"_op, {next, s[g]});
        }
    }

    /// Through a layout that names places twice, one write sees what an earlier one did: in TensorIterator's order (axes by the
    /// destination's stride, the smallest innermost; ties by size, the smaller inside), in slabs that name no place twice.
    ValueId write_in_order(const Inst& inst, Builder& b, const Attrs& attributes) {
        constexpr int64_t most_slabs = 256;
        const View& view = in_[inst.dest].view;
        const Type& type = in_.type(inst.dest);
        std::vector<size_t> order(type.sizes.size());
        for (size_t d = 0; d < order.size(); ++d) order[d] = d;
        std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
            int64_t sx = std::abs(view.layout.strides[x]), sy = std::abs(view.layout.strides[y]);
            return sx != sy ? sx > sy : type.sizes[x] > type.sizes[y];
        });
        Layout slab = view.layout;
        size_t outer = 0;
        int64_t count = 1;
        for (; outer < order.size() && !slab.is_injective(); ++outer) {
            slab.sizes[order[outer]] = 1;
            count *= type.sizes[order[outer]];
        }
        if (count > most_slabs) throw NotSupported("writing in place through a view of this size that overlaps itself", "write into a copy of the view");
        auto is_dest = [&](ValueId v) {
            const View& own = in_[v].view;
            return v == inst.dest || (own.storage == view.storage && own.layout == view.layout && own.indices == view.indices);
        };
        // Everything but the destination is read first.
        std::vector<ValueId> sources;
        for (ValueId v : inst.operands) {
            bool tensor = in_.type(v).is_tensor();
            sources.push_back(!tensor ? scalar(v) : is_dest(v) ? ValueId() : b.expand(read(b, v), type.sizes));
        }
        ValueId contents = state(inst.dest);
        const Strides rows = contiguous_strides(type.sizes);
        std::vector<int64_t> at(outer, 0);
        for (int64_t n = 0; n < count; ++n) {
            Layout to = slab, from = Layout{0, slab.sizes, rows, {}, {}};
            for (size_t k = 0; k < outer; ++k) {
                to.offset += at[k] * view.layout.strides[order[k]];
                from.offset += at[k] * rows[order[k]];
            }
            std::vector<ValueId> operands;
            for (size_t k = 0; k < sources.size(); ++k) {
                if (!sources[k].valid()) operands.push_back(b.extract(contents, to, indices(view)));
                else operands.push_back(out_.type(sources[k]).is_tensor() ? b.extract(sources[k], from) : sources[k]);
            }
            ValueId piece = b.emit(inst.op, std::move(operands), attributes);
            contents = b.insert(contents, to, b.expand(b.cast(piece, type.dtype), slab.sizes), indices(view));
            for (size_t k = outer; k-- > 0;) {
                if (++at[k] < type.sizes[order[k]]) break;
                at[k] = 0;
            }
        }
        return contents;
    }

    /// Fills with zero get a row of the clear ledger, unless capture has made one.
    void note_clear(InstId made, const Inst& from) {
        if (!from.clears.empty()) {
            out_[made].clears = from.clears;
            return;
        }
        const Inst& inst = out_[made];
        if (inst.op != "full"_op || out_.constant_float(inst.operands[0]) != 0.0) return;
        Clear c;
        c.location = from.location;
        c.bytes = c.kept_bytes = out_.type(inst.results[0]).bytes();
        ClearId id = out_.add_clear(std::move(c));
        out_[made].clears.push_back(id);
    }

    // ------------------------------------------------------------------------------------------ gradients

    /// The first contents of a tensor's history inside this region: where `untracked` writes began. Gradients of all later
    /// contents arrive there.
    ValueId history_root(ValueId v) const {
        while (const Inst* p = out_.producer(v)) {
            if (p->op != "untracked"_op) break;
            v = p->operands[1];
        }
        return v;
    }

    void backward(const Inst& inst, Builder& b) {
        size_t losses = static_cast<size_t>(inst.attrs.get<int64_t>("losses"));
        size_t sources = inst.attrs.get_or<bool>("from", false) ? 2 * losses : losses;
        std::vector<ValueId> operands;
        std::vector<Type> types;
        for (size_t k = 0; k < inst.operands.size(); ++k) {
            ValueId v = inst.operands[k];
            if (k < sources) {
                operands.push_back(read(b, v));
                continue;
            }
            ValueId root = history_root(state(v));
            operands.push_back(root);
            types.push_back(out_.type(root));
        }
        InstId made = b.emit_typed(inst.op, operands, inst.attrs, types);
        for (size_t k = 0; k < inst.results.size(); ++k) {
            ValueId of = inst.operands[sources + k];
            const View& view = in_[of].view;
            // The gradient of the contents of the storage; of the tensor, its part of it.
            ValueId g = b.extract(out_[made].results[k], view.layout, indices(view));
            bind_fresh(b, inst.results[k], g);
        }
    }

    // ------------------------------------------------------------------------------------------ regions

    /// Storages made outside of `regions` that instructions inside write.
    std::vector<StorageId> written(const std::vector<RegionId>& regions) {
        std::set<StorageId> out;
        for (RegionId r : regions)
            walk(in_, r, [&](InstId id) {
                if (!in_[id].dest.valid()) return;
                StorageId s = in_[in_[id].dest].view.storage;
                if (!states_[s.index].empty()) out.insert(s);
            });
        return {out.begin(), out.end()};
    }

    /// The places in `states_` that regions may change.
    struct Place {
        StorageId storage;
        uint32_t group;
    };
    std::vector<Place> places(const std::vector<StorageId>& storages) {
        std::vector<Place> out;
        for (StorageId s : storages)
            for (uint32_t g = 0; g < states_[s.index].size(); ++g)
                if (states_[s.index][g].valid()) out.push_back({s, g});
        return out;
    }

    /// A tensor that enters or leaves a region: contents of its region storage's frame.
    ValueId hand_over(Builder& b, ValueId from, ValueId to) { return in_.type(from).is_tensor() ? to_frame(b, to, read(b, from)) : scalar(from); }

    void bind_region(ValueId captured, ValueId contents) {
        if (in_.type(captured).is_tensor()) {
            groups_[captured.index] = 0;
            states_[in_[captured].view.storage.index].assign(1, contents);
        } else {
            map_[captured.index] = contents;
        }
    }

    void loop(const Inst& inst, Builder& b) {
        bool is_for = inst.op == "for"_op;
        size_t bounds = is_for ? 3 : 0;
        RegionId body = inst.regions.back();
        const std::vector<ValueId>& params = in_[body].params;
        std::vector<Place> changed = places(written(inst.regions));

        std::vector<ValueId> operands;
        std::vector<Type> types;
        for (size_t k = 0; k < bounds; ++k) operands.push_back(scalar(inst.operands[k]));
        for (size_t k = bounds; k < inst.operands.size(); ++k) {
            operands.push_back(hand_over(b, inst.operands[k], params[k - bounds + (is_for ? 1 : 0)]));
            types.push_back(out_.type(operands.back()));
        }
        size_t carried = types.size();
        for (const Place& p : changed) {
            operands.push_back(states_[p.storage.index][p.group]);
            types.push_back(out_.type(operands.back()));
        }
        InstId made = b.emit_typed(inst.op, operands, inst.attrs, types);
        // The verdict of each trip sees the states of its own entry.
        std::vector<State> outside = states_;
        for (RegionId r : inst.regions) {
            RegionId nr = out_.add_region(made);
            const std::vector<ValueId>& ps = in_[r].params;
            size_t first = is_for ? 1 : 0;
            if (is_for) map_[ps[0].index] = out_.add_parameter(nr, Type::i64(), in_[ps[0]].name);
            for (size_t k = 0; k < carried; ++k) bind_region(ps[first + k], out_.add_parameter(nr, types[k], in_[ps[first + k]].name));
            for (size_t k = 0; k < changed.size(); ++k)
                states_[changed[k].storage.index][changed[k].group] = out_.add_parameter(nr, types[carried + k], out_[operands[bounds + carried + k]].name);
            Builder inner(out_, nr, inst.location);
            region(r, inner);
            inner.at(inst.location);
            std::vector<ValueId> yields;
            if (!is_for && r == inst.regions.front()) {
                yields.push_back(scalar(in_[r].results[0]));
                for (size_t k = 0; k < changed.size(); ++k)
                    if (states_[changed[k].storage.index][changed[k].group] != out_[nr].params[carried + k])
                        throw NotSupported("a write inside the condition of a `while`", "move the write into the loop's body");
            } else {
                for (size_t k = 0; k < carried; ++k) yields.push_back(hand_over(inner, in_[r].results[k], ps[first + k]));
                for (const Place& p : changed) yields.push_back(states_[p.storage.index][p.group]);
            }
            out_[nr].results = std::move(yields);
            states_ = outside;
        }
        bind_results(inst, made, carried, changed);
    }

    void branch(const Inst& inst, Builder& b) {
        std::vector<Place> changed = places(written(inst.regions));
        std::vector<Type> types;
        for (ValueId r : inst.results) {
            const Type& t = in_.type(r);
            types.push_back(t.is_tensor() ? Type::tensor(t.dtype, in_[in_[r].view.storage].frame) : t);
        }
        size_t results = types.size();
        for (const Place& p : changed) types.push_back(out_.type(states_[p.storage.index][p.group]));
        InstId made = b.emit_typed(inst.op, {scalar(inst.operands[0])}, inst.attrs, types);
        std::vector<State> outside = states_;
        for (RegionId r : inst.regions) {
            RegionId nr = out_.add_region(made);
            Builder inner(out_, nr, inst.location);
            region(r, inner);
            inner.at(inst.location);
            std::vector<ValueId> yields;
            for (size_t k = 0; k < results; ++k) yields.push_back(hand_over(inner, in_[r].results[k], inst.results[k]));
            for (const Place& p : changed) yields.push_back(states_[p.storage.index][p.group]);
            out_[nr].results = std::move(yields);
            states_ = outside;
        }
        bind_results(inst, made, results, changed);
    }

    void bind_results(const Inst& inst, InstId made, size_t count, const std::vector<Place>& changed) {
        for (size_t k = 0; k < count; ++k) {
            out_[out_[made].results[k]].name = in_[inst.results[k]].name;
            bind_region(inst.results[k], out_[made].results[k]);
        }
        for (size_t k = 0; k < changed.size(); ++k) states_[changed[k].storage.index][changed[k].group] = out_[made].results[count + k];
    }

    const Function& in_;
    Function out_;
    bool gradients_ = false;
    std::vector<uint32_t> groups_;     ///< by captured value
    std::vector<ValueId> map_;         ///< captured run-time scalars -> values
    std::vector<State> states_;        ///< by storage
    std::map<ValueId, ValueId> made_;  ///< results of fresh rows, as they were made; where gradients are asked for
};

}  // namespace

Functional functionalize(const Captured& captured, PassContext&) { return Functionalize(captured).run(); }

}  // namespace sifr
