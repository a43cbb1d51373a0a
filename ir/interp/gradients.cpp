#include "ir/interp/gradients.h"

#include <algorithm>
#include <set>

#include "ir/base/diagnostic.h"
#include "ir/op/vjp.h"

namespace sifr {
namespace {

Type type_of(const RunTensor& t) { return Type::tensor(t.dtype, t.sizes()); }

/// Contents of a frame that nobody has read yet.
RunTensor unread(DType dtype, const Sizes& sizes) { return {dtype, Layout::contiguous(sizes), nullptr, nullptr}; }

bool has_tracked(const std::vector<GradNode::Operand>& operands) {
    return std::any_of(operands.begin(), operands.end(), [](const GradNode::Operand& o) { return o.tensor && o.tensor->tracked; });
}

}  // namespace

GradRef GradientRecorder::constant(RunTensor t) {
    auto v = std::make_shared<GradValue>();
    t.history = nullptr;
    v->contents = std::move(t);
    return v;
}

void GradientRecorder::group(RunTensor& t, const Sizes& frame, bool leaf) {
    t.history = std::make_shared<History>();
    t.history->dtype = t.dtype;
    t.history->frame = frame;
    t.memory->groups.push_back(t.history);
    if (!leaf) return;
    t.history->base = constant(unread(t.dtype, frame));
    t.history->base->tracked = true;
    t.history->leaf = t.history->base;
}

void GradientRecorder::regroup(RunTensor& t, bool leaf) {
    Sizes frame = t.history->frame;
    group(t, frame, leaf);
}

GradRef GradientRecorder::read(ValueId id, const RunTensor& t) {
    if (!tracked(t)) return constant(t.copied());
    History& h = *t.history;
    if (t.layout.is_whole(h.frame)) {
        // The value is the current one, so its contents are those of the memory now.
        if (!h.base->contents.memory) h.base->contents = t.copied();
        return h.base;
    }
    GradRef& seen = h.reads[id];
    if (!seen) {
        Attrs a;
        a.set("layout", t.layout);
        seen = node("extract"_op, std::move(a), {}, {{h.base, {}}}, {t.copied()}).at(0);
    }
    return seen;
}

std::vector<GradNode::Operand> GradientRecorder::read(const Inst& inst, const std::vector<RunValue>& in) {
    std::vector<GradNode::Operand> out;
    bool any = std::any_of(in.begin(), in.end(), [](const RunValue& v) {
        const RunTensor* t = std::get_if<RunTensor>(&v);
        return t && tracked(*t);
    });
    if (!any || inst.untracked) return out;
    for (size_t k = 0; k < in.size(); ++k) {
        GradNode::Operand o;
        if (const RunTensor* t = std::get_if<RunTensor>(&in[k])) o.tensor = read(inst.operands[k], *t);
        else if (const bool* b = std::get_if<bool>(&in[k])) o.constant = *b;
        else if (const int64_t* i = std::get_if<int64_t>(&in[k])) o.constant = *i;
        else if (const double* d = std::get_if<double>(&in[k])) o.constant = *d;
        else if (const std::string* s = std::get_if<std::string>(&in[k])) o.constant = *s;
        out.push_back(std::move(o));
    }
    return out;
}

std::vector<GradRef> GradientRecorder::node(Op op, Attrs attrs, Location location, std::vector<GradNode::Operand> operands, std::vector<RunTensor> results) {
    auto n = std::make_shared<GradNode>();
    n->sequence = ++sequence_;
    n->op = op;
    n->attrs = std::move(attrs);
    n->location = std::move(location);
    n->operands = std::move(operands);
    n->results = results;
    std::vector<GradRef> out;
    for (size_t k = 0; k < results.size(); ++k) {
        GradRef v = constant(std::move(results[k]));
        v->node = n;
        v->result = k;
        // An integer result (an index, a count) has no gradient.
        v->tracked = is_float(v->contents.dtype) || is_complex(v->contents.dtype);
        out.push_back(std::move(v));
    }
    return out;
}

std::vector<GradRef> GradientRecorder::computed(const Inst& inst, std::vector<GradNode::Operand> operands, const std::vector<RunTensor>& results) {
    const OpDef& row = def(inst.op);
    if (!has_tracked(operands) || row.effect == Effect::Random) {
        std::vector<GradRef> out;
        for (const RunTensor& t : results) out.push_back(constant(t.copied()));
        return out;
    }
    if (row.vjp || !row.decompose) {
        std::vector<RunTensor> copies;
        for (const RunTensor& t : results) copies.push_back(t.copied());
        return node(inst.op, inst.attrs, inst.location, std::move(operands), std::move(copies));
    }
    Function scratch;
    Inst copy = inst;
    copy.operands.clear();
    copy.results.clear();
    copy.dest = ValueId();
    std::vector<GradRef> arguments;
    for (const GradNode::Operand& o : operands) {
        if (o.tensor) {
            copy.operands.push_back(scratch.add_parameter(scratch.body, type_of(o.tensor->contents)));
            arguments.push_back(o.tensor);
        } else {
            copy.operands.push_back(scratch.add_constant(o.constant));
        }
    }
    for (const RunTensor& t : results) {
        Value v;
        v.type = type_of(t);
        copy.results.push_back(scratch.add_value(std::move(v)));
    }
    Builder b(scratch, scratch.body, inst.location);
    scratch[scratch.body].results = row.decompose(b, copy);
    return replay(scratch, arguments, true);
}

void GradientRecorder::written(const RunTensor& to, const GradRef& source, const RunTensor& piece, bool untracked, const Location& location) {
    History& own = *to.history;
    bool from_history = source && source->tracked && !untracked;
    // What is cut from the history is only the region that is overwritten, and only by a write that is recorded.
    bool recorded = !untracked && (from_history || tracked(to));
    auto pass_on = [&](History& h) {
        if (!h.base) return;
        GradRef old = h.base;
        h.base = node("untracked"_op, {}, location, {{constant(unread(h.dtype, h.frame)), {}}, {old, {}}}, {unread(h.dtype, h.frame)}).at(0);
        h.base->tracked = old->tracked;
    };
    if (recorded) {
        GradRef written = from_history ? source : constant(piece.copied());
        if (written->contents.dtype != to.dtype) written = emit("cast"_op, {written}, attrs({{"dtype", to.dtype}}), location, true);
        if (written->contents.sizes() != to.sizes()) {
            RunTensor whole = written->contents.with(Layout::contiguous(written->contents.sizes()));
            written = emit("extract"_op, {written}, attrs({{"layout", whole.expanded(to.sizes()).layout}}), location, true);
        }
        if (to.layout.is_whole(own.frame)) {
            own.base = written;
        } else {
            GradRef base = own.base ? own.base : constant(unread(own.dtype, own.frame));
            own.base = node("insert"_op, attrs({{"layout", to.layout}}), location, {{base, {}}, {written, {}}}, {unread(own.dtype, own.frame)}).at(0);
        }
        own.leaf = nullptr;
    } else {
        pass_on(own);
    }
    std::vector<std::weak_ptr<History>> alive;
    for (const std::weak_ptr<History>& g : to.memory->groups) {
        std::shared_ptr<History> h = g.lock();
        if (!h) continue;
        alive.push_back(g);
        h->reads.clear();
        if (h.get() != &own) pass_on(*h);
    }
    to.memory->groups = std::move(alive);
}

/// Evaluates a straight line of FUNCTIONAL rows; with `keep` the graph goes on over it.
std::vector<GradRef> GradientRecorder::replay(Function& scratch, const std::vector<GradRef>& arguments, bool keep) {
    std::vector<RunValue> contents;
    for (const GradRef& a : arguments) contents.emplace_back(a->contents);
    std::vector<RunValue> values = evaluate_all(scratch, std::move(contents), generators_);
    std::vector<GradRef> refs(scratch.values.size());
    for (size_t k = 0; k < arguments.size(); ++k) refs[scratch[scratch.body].params[k].index] = arguments[k];
    auto ref = [&](ValueId v) {
        GradRef& r = refs[v.index];
        if (!r) r = constant(std::get<RunTensor>(values[v.index]));
        return r;
    };
    for (InstId id : scratch[scratch.body].insts) {
        const Inst& inst = scratch[id];
        if (!keep || inst.erased) continue;
        std::vector<GradNode::Operand> operands;
        for (ValueId v : inst.operands) {
            GradNode::Operand o;
            if (scratch.is_constant(v)) o.constant = scratch[v].constant;
            else o.tensor = ref(v);
            operands.push_back(std::move(o));
        }
        if (!has_tracked(operands)) continue;
        std::vector<RunTensor> results;
        for (ValueId r : inst.results) results.push_back(std::get<RunTensor>(values[r.index]).packed());
        std::vector<GradRef> made = computed(inst, std::move(operands), results);
        for (size_t k = 0; k < made.size(); ++k) refs[inst.results[k].index] = made[k];
    }
    std::vector<GradRef> out;
    for (ValueId r : scratch[scratch.body].results) out.push_back(ref(r));
    for (GradRef& r : out)
        if (!r->tracked) r->contents = r->contents.packed();
    return out;
}

GradRef GradientRecorder::emit(Op op, const std::vector<GradRef>& operands, Attrs attrs, const Location& location, bool keep) {
    Function scratch;
    std::vector<ValueId> ids;
    for (const GradRef& o : operands) ids.push_back(scratch.add_parameter(scratch.body, type_of(o->contents)));
    Builder b(scratch, scratch.body, location);
    scratch[scratch.body].results = {b.emit(op, std::move(ids), std::move(attrs))};
    return replay(scratch, operands, keep).at(0);
}

GradRef GradientRecorder::part(const GradRef& whole, const Layout& layout, const Sizes& frame, bool keep, const Location& location) {
    return layout.is_whole(frame) ? whole : emit("extract"_op, {whole}, attrs({{"layout", layout}}), location, keep);
}

std::vector<GradRef> GradientRecorder::pull_back(const std::shared_ptr<GradNode>& node, const std::vector<GradRef>& grads, bool keep) {
    const OpDef& row = def(node->op);
    std::vector<GradRef> out(node->operands.size());
    if (node->op == "untracked"_op) {
        out[1] = grads[0];
        return out;
    }
    if (!row.vjp) throw NotSupported(fmt::format("the gradient of '{}'", row.name));
    Function scratch;
    Inst inst;
    inst.op = node->op;
    inst.attrs = node->attrs;
    inst.location = node->location;
    std::vector<GradRef> arguments;
    std::vector<bool> needs;
    auto parameter = [&](GradRef v) {
        ValueId id = scratch.add_parameter(scratch.body, type_of(v->contents));
        arguments.push_back(std::move(v));
        return id;
    };
    for (size_t k = 0; k < node->operands.size(); ++k) {
        const GradNode::Operand& o = node->operands[k];
        const auto instead = node->read_instead.find(k);
        if (instead != node->read_instead.end())
            inst.operands.push_back(parameter(constant(instead->second)));
        else
            inst.operands.push_back(o.tensor ? parameter(o.tensor) : scratch.add_constant(o.constant));
        needs.push_back(o.tensor && o.tensor->tracked);
    }
    for (size_t k = 0; k < node->results.size(); ++k) {
        GradRef v = constant(node->results[k]);
        v->node = node;
        v->result = k;
        v->tracked = true;
        inst.results.push_back(parameter(std::move(v)));
    }
    std::vector<ValueId> incoming;
    for (const GradRef& g : grads) incoming.push_back(g ? parameter(g) : ValueId());
    Builder b(scratch, scratch.body, node->location);
    Vjp rule(b, inst, std::move(incoming), needs);
    std::vector<ValueId> gradients = row.vjp(rule);
    std::vector<size_t> of;
    for (size_t k = 0; k < gradients.size() && k < out.size(); ++k) {
        if (!gradients[k] || !needs[k]) continue;
        of.push_back(k);
        scratch[scratch.body].results.push_back(gradients[k]);
    }
    std::vector<GradRef> values = replay(scratch, arguments, keep);
    for (size_t k = 0; k < of.size(); ++k) out[of[k]] = values[k];
    return out;
}

std::vector<GradRef> GradientRecorder::backward(const std::vector<GradRef>& losses, const std::vector<GradRef>& seeds, const std::vector<GradRef>& targets,
                                                bool create, const Location& location) {
    using Key = std::pair<const void*, size_t>;
    auto key = [](const GradRef& v) { return v->node ? Key{v->node.get(), v->result} : Key{v.get(), 0}; };
    auto later = [](const std::shared_ptr<GradNode>& a, const std::shared_ptr<GradNode>& b) { return a->sequence > b->sequence; };
    std::map<Key, GradRef> totals;
    std::set<std::shared_ptr<GradNode>, decltype(later)> ready(later);
    auto add = [&](const GradRef& v, const GradRef& g) {
        if (!v->tracked) return;
        GradRef& total = totals[key(v)];
        total = total ? emit("add"_op, {total, g}, {}, location, create) : g;
        if (v->node) ready.insert(v->node);
    };
    for (size_t k = 0; k < losses.size(); ++k) {
        GradRef seed = k < seeds.size() ? seeds[k] : nullptr;
        if (!seed) {
            RunTensor one = RunTensor::make(losses[k]->contents.dtype, losses[k]->contents.sizes());
            for (int64_t i = 0; i < one.numel(); ++i) one.store(i, element_of(1.0, one.dtype));
            seed = constant(std::move(one));
        }
        add(losses[k], seed);
    }
    while (!ready.empty()) {
        std::shared_ptr<GradNode> n = *ready.begin();
        ready.erase(ready.begin());
        std::vector<GradRef> grads;
        for (size_t k = 0; k < n->results.size(); ++k) {
            auto it = totals.find(Key{n.get(), k});
            grads.push_back(it == totals.end() ? nullptr : it->second);
        }
        std::vector<GradRef> out = pull_back(n, grads, create);
        for (size_t k = 0; k < out.size(); ++k)
            if (out[k] && n->operands[k].tensor) add(n->operands[k].tensor, out[k]);
    }
    std::vector<GradRef> results;
    for (const GradRef& t : targets) {
        auto it = totals.find(key(t));
        GradRef g = it != totals.end() ? it->second : constant(RunTensor::make(t->contents.dtype, t->contents.sizes()));
        results.push_back(create ? g : constant(g->contents));
    }
    return results;
}

}  // namespace sifr
