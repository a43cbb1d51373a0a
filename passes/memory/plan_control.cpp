// Control flow. A tensor that a loop carries is a pointer slot: the body writes where the slot points, and the back edge permutes
// the slots; a spare slot stands for memory that the body makes anew. Copies are made only where a permutation is impossible:
// for a value from outside, a constant, or one value that is handed on twice.
//
//   for %i carrying %u = %u0 { %v = group … %u; yield %v }
//   =>  for %i carrying #u = #u0, #spare = #m { launch … #u, #spare; yield #spare, #u }

#include <algorithm>

#include "ir/base/check.h"
#include "passes/memory/planner.h"

namespace sifr {

/// The memory that a value hands to a loop or out of an arm: its own where nothing else needs it, else a copy.
PlanBuffer Planner::initial_buffer(ValueId v, int64_t at, std::set<PlanBuffer>& taken, const Location& location) {
    PlanBuffer b = buffer(v);
    if (owned(b) && dead_after(v, at) && taken.insert(b).second) return b;
    PlanBuffer fresh = add_buffer(BufferDef::Kind::Arena, f_.type(v), f_[v].name);
    copy(fresh, b, location);
    taken.insert(fresh);
    return fresh;
}

/// What the body hands on, in memory; fills `loop.buffers`, `buffer_params`, `buffer_yields` with spare slots as needed.
/// `before`: the block in front of the loop.
void Planner::carried_yields(const std::vector<ValueId>& yielded, PlanInst& loop, PlanBlock& body, PlanBlock& before, const Location& location) {
    (void)before;
    std::vector<PlanBuffer> params = loop.buffer_params;
    std::vector<PlanBuffer> yields;
    std::set<PlanBuffer> used;
    auto spare = [&](PlanBuffer slot) {
        // The slot's first memory lies in the arena from the loop's begin on.
        Type t = Type::tensor(plan_.buffers[slot.index].type, plan_.buffers[slot.index].sizes);
        PlanBuffer memory = add_buffer(BufferDef::Kind::Arena, t, plan_.buffers[slot.index].name);
        loop.buffers.push_back(memory);
        loop.buffer_params.push_back(slot);
    };
    blocks_.push_back(&body);
    for (ValueId v : yielded) {
        PlanBuffer b = buffer(v);
        bool is_param = std::find(params.begin(), params.end(), b) != params.end();
        bool made_here = plan_.buffers[b.index].kind == BufferDef::Kind::Arena && made_in_[b.index] == loop_depth_ && loop_depth_ > 0;
        if (is_param && used.insert(b).second) {
            yields.push_back(b);
            continue;
        }
        if (made_here && used.insert(b).second) {
            plan_.buffers[b.index].kind = BufferDef::Kind::Rotating;
            spare(b);
            yields.push_back(b);
            continue;
        }
        PlanBuffer slot = add_buffer(BufferDef::Kind::Rotating, f_.type(v), f_[v].name);
        copy(slot, b, location);
        spare(slot);
        used.insert(slot);
        yields.push_back(slot);
    }
    blocks_.pop_back();
    // Slots that were not handed on serve as the next spares of their size.
    std::vector<PlanBuffer> rest;
    for (PlanBuffer p : loop.buffer_params) {
        if (!used.count(p)) rest.push_back(p);
    }
    for (size_t k = params.size(); k < loop.buffer_params.size(); ++k) {
        int64_t bytes = plan_.buffers[loop.buffer_params[k].index].bytes;
        auto it = std::find_if(rest.begin(), rest.end(), [&](PlanBuffer p) { return plan_.buffers[p.index].bytes == bytes; });
        SIFR_CHECK(it != rest.end(), "no memory is left for a spare slot");
        yields.push_back(*it);
        rest.erase(it);
    }
    loop.buffer_yields.push_back(std::move(yields));
}

void Planner::for_loop(InstId id) {
    const Inst& inst = f_[id];
    const Region& body = f_[inst.regions[0]];
    PlanInst loop{.kind = PlanInst::Kind::For, .op = inst.op};
    loop.location = inst.location;
    for (size_t k = 0; k < 3; ++k) loop.scalars.push_back(scalar(inst.operands[k]));
    loop.induction = new_scalar(body.params[0]);
    std::set<PlanBuffer> taken;
    std::vector<ValueId> tensors, numbers;
    for (size_t k = 3; k < inst.operands.size(); ++k) {
        ValueId param = body.params[k - 2], init = inst.operands[k];
        if (!f_.type(param).is_tensor()) {
            loop.scalars.push_back(scalar(init));
            loop.params.push_back(new_scalar(param));
            continue;
        }
        loop.buffers.push_back(initial_buffer(init, life_.begin(id), taken, inst.location));
        PlanBuffer p = add_buffer(BufferDef::Kind::Rotating, f_.type(param), f_[param].name);
        buffers_[param.index] = p;
        loop.buffer_params.push_back(p);
    }
    loop.blocks.resize(1);
    ++loop_depth_;
    for (PlanBuffer p : loop.buffer_params) made_in_[p.index] = loop_depth_;
    block(inst.regions[0], loop.blocks[0]);
    loop.yields.emplace_back();
    for (ValueId v : body.results) {
        if (f_.type(v).is_tensor()) tensors.push_back(v);
        else loop.yields[0].push_back(scalar(v));
    }
    carried_yields(tensors, loop, loop.blocks[0], *blocks_.back(), inst.location);
    --loop_depth_;
    loop_results(inst, loop);
    emit(std::move(loop));
}

/// What a loop leaves: its carried tensors, and behind them the spare memory that they rotated through.
void Planner::loop_results(const Inst& inst, PlanInst& loop) {
    for (ValueId r : inst.results)
        if (!f_.type(r).is_tensor()) loop.results.push_back(new_scalar(r));
    for (ValueId r : inst.results) {
        if (!f_.type(r).is_tensor()) continue;
        buffers_[r.index] = add_buffer(BufferDef::Kind::Rotating, f_.type(r), f_[r].name);
        loop.buffer_results.push_back(buffers_[r.index]);
    }
    for (size_t slot = loop.buffer_results.size(); slot < loop.buffer_params.size(); ++slot) {
        const BufferDef& d = plan_.buffers[loop.buffer_params[slot].index];
        loop.buffer_results.push_back(add_buffer(BufferDef::Kind::Rotating, Type::tensor(d.type, d.sizes), "spare"));
    }
}

void Planner::while_loop(InstId id) {
    const Inst& inst = f_[id];
    const Region &condition = f_[inst.regions[0]], &body = f_[inst.regions[1]];
    PlanInst loop{.kind = PlanInst::Kind::While, .op = inst.op};
    loop.location = inst.location;
    std::set<PlanBuffer> taken;
    for (size_t k = 0; k < inst.operands.size(); ++k) {
        ValueId init = inst.operands[k];
        if (!f_.type(init).is_tensor()) {
            loop.scalars.push_back(scalar(init));
            loop.params.push_back(new_scalar(body.params[k]));
            scalars_[condition.params[k].index] = loop.params.back();
            continue;
        }
        loop.buffers.push_back(initial_buffer(init, life_.begin(id), taken, inst.location));
        PlanBuffer p = add_buffer(BufferDef::Kind::Rotating, f_.type(init), f_[body.params[k]].name);
        buffers_[body.params[k].index] = p;
        loop.buffer_params.push_back(p);
    }
    loop.blocks.resize(2);
    loop.yields.resize(2);
    loop.buffer_yields.resize(1);
    ++loop_depth_;
    for (PlanBuffer p : loop.buffer_params) made_in_[p.index] = loop_depth_;
    // The condition only reads: its names of the carried memory are constants to it, so that nothing is written in place.
    size_t slot = 0;
    for (size_t k = 0; k < condition.params.size(); ++k) {
        if (!f_.type(condition.params[k]).is_tensor()) continue;
        PlanBuffer view = add_buffer(BufferDef::Kind::Constant, f_.type(condition.params[k]), f_[condition.params[k]].name);
        plan_.buffers[view.index].view_of = loop.buffer_params[slot++];
        buffers_[condition.params[k].index] = view;
    }
    block(inst.regions[0], loop.blocks[0]);
    loop.yields[0].push_back(scalar(condition.results[0]));
    block(inst.regions[1], loop.blocks[1]);
    std::vector<ValueId> tensors;
    for (ValueId v : body.results) {
        if (f_.type(v).is_tensor()) tensors.push_back(v);
        else loop.yields[1].push_back(scalar(v));
    }
    carried_yields(tensors, loop, loop.blocks[1], *blocks_.back(), inst.location);
    --loop_depth_;
    loop_results(inst, loop);
    emit(std::move(loop));
}

void Planner::branch(InstId id) {
    const Inst& inst = f_[id];
    PlanInst i{.kind = PlanInst::Kind::If, .op = inst.op, .scalars = {scalar(inst.operands[0])}};
    i.location = inst.location;
    i.blocks.resize(2);
    i.yields.resize(2);
    i.buffer_yields.resize(2);
    for (size_t arm = 0; arm < 2; ++arm) block(inst.regions[arm], i.blocks[arm]);
    // A result that both arms leave in the same memory is that memory.
    std::vector<ValueId> rotating;
    std::vector<std::set<PlanBuffer>> taken(2);
    std::vector<bool> settled(inst.results.size(), false);
    for (size_t k = 0; k < inst.results.size(); ++k) {
        ValueId a = f_[inst.regions[0]].results[k], b = f_[inst.regions[1]].results[k];
        if (!f_.type(inst.results[k]).is_tensor()) continue;
        if (buffer(a) != buffer(b) || !owned(buffer(a)) || !dead_after(a, life_.end(id)) || !dead_after(b, life_.end(id))) continue;
        if (taken[0].count(buffer(a))) continue;
        taken[0].insert(buffer(a));
        taken[1].insert(buffer(a));
        buffers_[inst.results[k].index] = buffer(a);
        settled[k] = true;
    }
    for (size_t arm = 0; arm < 2; ++arm) {
        blocks_.push_back(&i.blocks[arm]);
        for (size_t k = 0; k < inst.results.size(); ++k) {
            ValueId v = f_[inst.regions[arm]].results[k];
            if (!f_.type(v).is_tensor()) i.yields[arm].push_back(scalar(v));
            else if (!settled[k]) i.buffer_yields[arm].push_back(initial_buffer(v, life_.end(id), taken[arm], inst.location));
        }
        blocks_.pop_back();
    }
    for (size_t k = 0; k < inst.results.size(); ++k) {
        ValueId r = inst.results[k];
        if (!f_.type(r).is_tensor()) i.results.push_back(new_scalar(r));
        else if (!settled[k]) {
            PlanBuffer b = add_buffer(BufferDef::Kind::Rotating, f_.type(r), f_[r].name);
            buffers_[r.index] = b;
            i.buffer_results.push_back(b);
        }
    }
    emit(std::move(i));
}

}  // namespace sifr
