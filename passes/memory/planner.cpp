#include "passes/memory/planner.h"

#include <algorithm>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/base/planted_fault.h"
#include "ir/op/op_def.h"
#include "passes/memory/arena.h"

namespace sifr {

// ---------------------------------------------------------------------------------------------------- lives of values

namespace {
bool is_alias(const Inst& i) {
    return (i.op == "group"_op && i.attrs.get<std::string>("kind") == "alias") || i.op == "to_size"_op || i.op == "to_bound"_op;
}
bool is_loop(const Inst& i) { return i.op == "for"_op || i.op == "while"_op; }
}  // namespace

ValueId ValueLife::root(ValueId v) const {
    for (;;) {
        const Inst* p = f_[v].def == Value::Def::Result ? f_.producer(v) : nullptr;
        if (!p || !is_alias(*p)) return v;
        v = p->operands[0];
    }
}

ValueLife::ValueLife(const Function& f) : f_(f), begin_(f.insts.size(), -1), end_(f.insts.size(), -1), last_(f.values.size(), -1), depth_(f.values.size(), 0) {
    std::vector<std::pair<InstId, int64_t>> loops;
    region(f.body, loops);
}

void ValueLife::use(ValueId v, int64_t at) {
    v = root(v);
    last_[v.index] = std::max(last_[v.index], at);
    // Defined outside of loops that stand around the use: read again in their next iteration.
    if (static_cast<size_t>(depth_[v.index]) < open_loops_.size() && !planted(Fault::LoopLifeForgotten)) until_loop_end_.emplace_back(v, open_loops_[static_cast<size_t>(depth_[v.index])]);
}

void ValueLife::region(RegionId r, std::vector<std::pair<InstId, int64_t>>& loops) {
    for (ValueId v : f_[r].params) depth_[v.index] = static_cast<int>(open_loops_.size());
    for (InstId id : f_[r].insts) {
        const Inst& i = f_[id];
        if (i.erased) continue;
        begin_[id.index] = next_++;
        for (ValueId v : i.operands) use(v, begin_[id.index]);
        for (ValueId v : i.results) depth_[v.index] = static_cast<int>(open_loops_.size());
        if (!i.regions.empty() && i.op != "group"_op) {
            if (is_loop(i)) open_loops_.push_back(id);
            for (RegionId inner : i.regions) region(inner, loops);
            if (is_loop(i)) open_loops_.pop_back();
        }
        end_[id.index] = next_++;
        for (auto& [v, loop] : until_loop_end_) {
            if (loop == id) last_[v.index] = std::max(last_[v.index], end_[id.index]);
        }
    }
    for (ValueId v : f_[r].results) use(v, next_);
    ++next_;
}

// ---------------------------------------------------------------------------------------------------- places

PlanBuffer Planner::add_buffer(BufferDef::Kind kind, const Type& type, const std::string& name) {
    BufferDef d;
    d.kind = kind;
    d.name = name;
    d.type = type.dtype;
    d.sizes = type.sizes;
    d.bytes = type.bytes();
    for (const RunTimeSize& r : type.run_time_sizes) d.run_time_sizes.push_back({r.axis, scalar(r.size)});
    plan_.buffers.push_back(std::move(d));
    made_in_.push_back(loop_depth_);
    return PlanBuffer(plan_.buffers.size() - 1);
}

PlanBuffer Planner::buffer(ValueId v) {
    v = life_.root(v);
    auto it = buffers_.find(v.index);
    SIFR_CHECK(it != buffers_.end(), "the value {} '{}' has no memory", v.str(), f_[v].name);
    return it->second;
}

PlanBuffer Planner::sized_buffer(ValueId v) {
    PlanBuffer b = buffer(v);
    const Type& t = f_.type(v);
    const BufferDef& d = plan_.buffers[b.index];
    if (d.sizes == t.sizes && d.type == t.dtype && d.run_time_sizes.empty() && t.run_time_sizes.empty()) return b;
    PlanBuffer view = add_buffer(plan_.buffers[b.index].kind, t, f_[v].name);
    plan_.buffers[view.index].view_of = b;
    return view;
}

PlanScalar Planner::new_scalar(ValueId v) {
    plan_.scalars.push_back({f_.type(v), {}, f_[v].name});
    PlanScalar s(plan_.scalars.size() - 1);
    scalars_[v.index] = s;
    return s;
}

PlanScalar Planner::scalar(ValueId v) {
    auto it = scalars_.find(v.index);
    if (it != scalars_.end()) return it->second;
    SIFR_CHECK(f_.is_constant(v), "the number {} '{}' has no place", v.str(), f_[v].name);
    PlanScalar s = new_scalar(v);
    plan_.scalars[s.index].constant = f_[v].constant;
    return s;
}

bool Planner::owned(PlanBuffer b) const {
    BufferDef::Kind k = plan_.buffers[b.index].kind;
    return k == BufferDef::Kind::Arena || k == BufferDef::Kind::Rotating;
}

bool Planner::dead_after(ValueId v, int64_t at) const { return life_.last(v) <= at + (planted(Fault::OverwrittenInPlace) ? 2 : 0); }

void Planner::emit(PlanInst i) { blocks_.back()->insts.push_back(std::move(i)); }

void Planner::copy(PlanBuffer to, PlanBuffer from, const Location& location) {
    if (to == from || planted(Fault::CopyDropped) || plan_.buffers[to.index].bytes == 0) return;
    PlanInst i{.kind = PlanInst::Kind::Copy, .buffers = {to, from}, .size = plan_.buffers[to.index].bytes};
    i.location = location;
    emit(std::move(i));
}

// ---------------------------------------------------------------------------------------------------- instructions

void Planner::block(RegionId r, PlanBlock& into) {
    blocks_.push_back(&into);
    for (InstId id : f_[r].insts) {
        if (!f_[id].erased) instruction(id);
    }
    blocks_.pop_back();
}

void Planner::instruction(InstId id) {
    const Inst& inst = f_[id];
    if (inst.op == "group"_op) return group(id);
    if (inst.op == "for"_op) return for_loop(id);
    if (inst.op == "while"_op) return while_loop(id);
    if (inst.op == "if"_op) return branch(id);
    if (inst.attrs.has("data")) {
        PlanBuffer b = add_buffer(BufferDef::Kind::Constant, f_.type(inst.results[0]), f_[inst.results[0]].name);
        plan_.buffers[b.index].offset = static_cast<int64_t>(plan_.constants.size());
        plan_.constants.push_back(inst.attrs.get<std::shared_ptr<const TensorData>>("data"));
        buffers_[inst.results[0].index] = b;
        return;
    }
    if (inst.op == "item"_op) {
        PlanInst i{.kind = PlanInst::Kind::Item, .op = inst.op, .buffers = {buffer(inst.operands[0])}, .results = {new_scalar(inst.results[0])}};
        i.location = inst.location;
        return emit(std::move(i));
    }
    if (inst.op == "to_size"_op || inst.op == "to_bound"_op) return;  // another name of the memory
    if (inst.op == "check"_op) return check(inst);
    if (inst.op == "raise"_op) {
        PlanInst i{.kind = PlanInst::Kind::Raise, .op = inst.op, .scalars = {scalar(inst.operands[0])}, .attrs = inst.attrs};
        i.attrs.set("text", std::string("{}"));
        i.location = inst.location;
        return emit(std::move(i));
    }
    switch (def(inst.op).lower) {
        case Lower::Scalar: case Lower::Structural: return scalar_inst(inst);
        case Lower::Host: case Lower::Random: case Lower::Library: return call(inst);
        default: SIFR_UNREACHABLE("'{}' outside of a group", name_of(inst.op));
    }
}

void Planner::scalar_inst(const Inst& inst) {
    PlanInst i{.kind = PlanInst::Kind::Scalar, .op = inst.op, .attrs = inst.attrs};
    i.location = inst.location;
    for (ValueId v : inst.operands) {
        if (f_.type(v).is_tensor()) throw NotSupported(fmt::format("'{}' of a tensor in compiled code", name_of(inst.op)));
        i.scalars.push_back(scalar(v));
    }
    for (ValueId v : inst.results) {
        if (f_.type(v).is_tensor()) throw NotSupported(fmt::format("'{}' of a tensor in compiled code", name_of(inst.op)));
        i.results.push_back(new_scalar(v));
    }
    emit(std::move(i));
}

void Planner::call(const Inst& inst) {
    PlanInst i{.kind = PlanInst::Kind::Call, .op = inst.op, .attrs = inst.attrs};
    i.location = inst.location;
    for (ValueId v : inst.operands) {
        if (f_.type(v).is_tensor()) i.buffers.push_back(sized_buffer(v));
        else i.scalars.push_back(scalar(v));
    }
    for (ValueId v : inst.results) {
        if (f_.type(v).is_tensor()) {
            // Memory of the bounds; behind what the function writes stand zeros.
            const Type bounds = Type::tensor(f_.type(v).dtype, f_.type(v).sizes);
            PlanBuffer b = f_.type(v).run_time_sizes.empty() ? place(v, life_.begin(f_[v].inst)) : add_buffer(BufferDef::Kind::Arena, bounds, f_[v].name);
            buffers_[v.index] = b;
            i.buffers.push_back(b);
            if (!f_.type(v).run_time_sizes.empty() && bounds.bytes() > 0) {
                PlanInst zeros{.kind = PlanInst::Kind::Fill, .buffers = {b}, .size = bounds.bytes()};
                zeros.location = inst.location;
                emit(std::move(zeros));
            }
        } else i.results.push_back(new_scalar(v));
    }
    emit(std::move(i));
}

/// check ok, args {type, text}: an `if` whose second arm raises.
void Planner::check(const Inst& inst) {
    PlanInst raise{.kind = PlanInst::Kind::Raise, .op = "raise"_op, .attrs = inst.attrs};
    raise.location = inst.location;
    for (size_t k = 1; k < inst.operands.size(); ++k) raise.scalars.push_back(scalar(inst.operands[k]));
    PlanInst i{.kind = PlanInst::Kind::If, .op = "if"_op, .scalars = {scalar(inst.operands[0])}};
    i.location = inst.location;
    i.blocks.resize(2);
    i.yields.resize(2);
    i.buffer_yields.resize(2);
    i.blocks[1].insts.push_back(std::move(raise));
    emit(std::move(i));
}

// ---------------------------------------------------------------------------------------------------- the caller's memory
//
// Parameters and results are Argument buffers. A result, and the new contents of a parameter that the function updates, are made in
// the caller's memory at once where what lies there is dead by then; else they are made in the arena, and copied at the end.

PlanBuffer Planner::home(ValueId v) const {
    auto it = homes_.find(life_.root(v).index);
    return it == homes_.end() ? PlanBuffer() : it->second;
}

void Planner::hold(ValueId v, PlanBuffer b) {
    if (plan_.buffers[b.index].kind == BufferDef::Kind::Argument) holders_[b] = v;
}

PlanBuffer Planner::place(ValueId v, int64_t now) {
    PlanBuffer h = home(v);
    if (h.valid() && blocks_.size() == 1) {
        auto holder = holders_.find(h);
        if (holder == holders_.end() || life_.last(holder->second) < now) {
            hold(v, h);
            return h;
        }
    }
    return add_buffer(BufferDef::Kind::Arena, f_.type(v), f_[v].name);
}

/// Of an insert, what it inserts into lies there too.
void Planner::set_home(ValueId v, PlanBuffer argument) {
    for (v = life_.root(v); f_[v].def == Value::Def::Result && homes_.try_emplace(v.index, argument).second;) {
        const Inst& group = *f_.producer(v);
        int base = group.op == "group"_op && group.parent == f_.body ? inserted_operand(f_, group, f_[v].position) : -1;
        if (base < 0) return;
        v = life_.root(group.operands[static_cast<size_t>(base)]);
    }
}

void Planner::parameters() {
    int64_t number = 0;
    for (ValueId p : f_[f_.body].params) {
        if (!f_.type(p).is_tensor()) {
            plan_.parameters.push_back(new_scalar(p));
            continue;
        }
        PlanBuffer b = add_buffer(BufferDef::Kind::Argument, f_.type(p), f_[p].name);
        plan_.buffers[b.index].offset = number++;
        buffers_[p.index] = b;
        holders_[b] = p;
    }
    const std::vector<ValueId>& yielded = f_[f_.body].results;
    const size_t fresh = yielded.size() - f_.updates.size();
    for (size_t k = 0; k < yielded.size(); ++k) {
        if (!f_.type(yielded[k]).is_tensor()) continue;
        PlanBuffer b;
        if (k < fresh) {
            b = add_buffer(BufferDef::Kind::Argument, f_.type(yielded[k]), f_[yielded[k]].name.empty() ? "result" : f_[yielded[k]].name);
            plan_.buffers[b.index].offset = number++;
        } else {
            b = buffers_.at(f_[f_.body].params[f_.updates[k - fresh]].index);
        }
        result_buffers_.push_back(b);
        set_home(yielded[k], b);
    }
}

void Planner::results() {
    blocks_.push_back(&plan_.body);
    const std::vector<ValueId>& yielded = f_[f_.body].results;
    const size_t fresh = yielded.size() - f_.updates.size();
    // Nothing is read from a parameter's memory after it was overwritten.
    std::vector<std::pair<PlanBuffer, PlanBuffer>> moves;
    size_t tensor = 0;
    for (size_t k = 0; k < yielded.size(); ++k) {
        if (!f_.type(yielded[k]).is_tensor()) {
            plan_.results.push_back(scalar(yielded[k]));
            continue;
        }
        PlanBuffer to = result_buffers_[tensor++], from = buffer(yielded[k]);
        if (k >= fresh && from != to && plan_.buffers[from.index].kind == BufferDef::Kind::Argument) {
            PlanBuffer aside = add_buffer(BufferDef::Kind::Arena, f_.type(yielded[k]), f_[yielded[k]].name);
            copy(aside, from, {});
            from = aside;
        }
        if (k < fresh) copy(to, from, {});
        else moves.emplace_back(to, from);
    }
    for (auto [to, from] : moves) copy(to, from, {});
    blocks_.pop_back();
}

Plan Planner::run() {
    plan_.name = f_.name;
    plan_.ledger = f_.ledger;
    parameters();
    block(f_.body, plan_.body);
    results();
    close_ledger();
    assign_offsets(plan_);
    return std::move(plan_);
}

}  // namespace sifr
