// fuse-zero-fills: fills with zero that stand at one point of the plan become one.
//
//   fill #a, 256 bytes; fill #b, 256 bytes; fill #c, 256 bytes     =>     fill arena +0, 768 bytes
//
// It stands behind plan-memory, because only places in memory can lie side by side: the buffers of a run get adjacent offsets.
// A run are fills of whole arena buffers in one block with nothing between them but other steps that touch none of these. The arena
// may grow by that; a run is only kept together if it grows by less than an eighth (or 64 KiB).
//
// Outside of loops, a big fill of memory that nothing has touched before needs no store at all: the arena's pages are zero.

#include "passes/memory/fuse_zero_fills.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ir/plan/lifetime.h"
#include "passes/memory/arena.h"

namespace sifr {

namespace {

constexpr int64_t lazy_bytes = 1 << 20;  ///< from here on fresh pages beat stores, if few of them are touched

struct Run {
    PlanBlock* block;
    std::vector<size_t> fills;  ///< instruction numbers in the block
};

bool touches(const PlanInst& i, const std::set<PlanBuffer>& buffers, const Lifetimes& life) {
    auto any = [&](PlanBuffer b) {
        for (PlanBuffer a : life.points_to[b.index]) {
            if (buffers.count(a)) return true;
        }
        return false;
    };
    if (std::any_of(i.buffers.begin(), i.buffers.end(), any)) return true;
    for (const auto& y : i.buffer_yields) {
        if (std::any_of(y.begin(), y.end(), any)) return true;
    }
    for (const PlanBlock& b : i.blocks) {
        for (const PlanInst& inner : b.insts) {
            if (touches(inner, buffers, life)) return true;
        }
    }
    return false;
}

bool is_whole_zero_fill(const Plan& p, const PlanInst& i) {
    if (i.kind != PlanInst::Kind::Fill || i.pattern != 0 || i.lazy || i.buffers.size() != 1 || i.begin != 0) return false;
    const BufferDef& d = p.buffers[i.buffers[0].index];
    return d.kind == BufferDef::Kind::Arena && !d.view_of.valid() && i.size == d.bytes;
}

/// Runs of fills. A later fill moves up to the first one, so nothing between may touch its buffer, and its memory must be free
/// there: offsets are chosen afterwards.
void find_runs(Plan& p, PlanBlock& block, const Lifetimes& life, std::vector<Run>& runs) {
    Run run{&block, {}};
    std::set<PlanBuffer> members;
    auto finish = [&] {
        if (run.fills.size() > 1) runs.push_back(run);
        run.fills.clear();
        members.clear();
    };
    for (size_t k = 0; k < block.insts.size(); ++k) {
        PlanInst& i = block.insts[k];
        if (is_whole_zero_fill(p, i) && !members.count(i.buffers[0])) {
            run.fills.push_back(k);
            members.insert(i.buffers[0]);
            continue;
        }
        if (!i.blocks.empty() || touches(i, members, life)) finish();
        for (PlanBlock& b : i.blocks) find_runs(p, b, life, runs);
    }
    finish();
}

}  // namespace

bool fuse_zero_fills(Plan& plan, PassContext&) {
    Lifetimes life = lifetimes(plan);
    std::vector<Run> runs;
    find_runs(plan, plan.body, life, runs);
    bool changed = false;
    // The largest runs first; each buffer is in one run only.
    std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.fills.size() > b.fills.size(); });
    std::vector<std::vector<PlanBuffer>> adjacent;
    std::vector<const Run*> accepted;
    std::set<PlanBuffer> placed;
    int64_t before = plan.arena_bytes;
    Plan trial = plan;
    for (const Run& r : runs) {
        std::vector<PlanBuffer> members;
        for (size_t k : r.fills) members.push_back(r.block->insts[k].buffers[0]);
        if (std::any_of(members.begin(), members.end(), [&](PlanBuffer b) { return placed.count(b) != 0; })) continue;
        auto wanted = adjacent;
        wanted.push_back(members);
        assign_offsets(trial, wanted);
        if (trial.arena_bytes > before + std::max<int64_t>(before / 8, 65536)) continue;
        adjacent = std::move(wanted);
        placed.insert(members.begin(), members.end());
        accepted.push_back(&r);
    }
    if (!accepted.empty()) {
        assign_offsets(plan, adjacent);
        // From behind, so that numbers in a block stay valid.
        std::vector<const Run*> order = accepted;
        for (const Run* r : order) {
            PlanInst merged{.kind = PlanInst::Kind::Fill};
            int64_t begin = INT64_MAX, end = 0;
            for (size_t k : r->fills) {
                PlanInst& i = r->block->insts[k];
                const BufferDef& d = plan.buffers[i.buffers[0].index];
                begin = std::min(begin, d.offset);
                end = std::max(end, d.offset + d.bytes);
                merged.location = fuse_locations(merged.location, i.location);
                merged.buffers.push_back(i.buffers[0]);
                for (ClearId c : i.clears) {
                    merged.clears.push_back(c);
                    Clear& row = plan.ledger[c.index];
                    row.verdict = Clear::Verdict::Merged;
                    row.pass = "fuse-zero-fills";
                    row.reason = fmt::format("one fill with {} others", r->fills.size() - 1);
                }
                i.size = -1;  // taken out below
            }
            merged.begin = begin;
            merged.size = end - begin;
            r->block->insts[r->fills[0]] = std::move(merged);
        }
        std::function<void(PlanBlock&)> sweep = [&](PlanBlock& b) {
            std::erase_if(b.insts, [](const PlanInst& i) { return i.kind == PlanInst::Kind::Fill && i.size == -1; });
            for (PlanInst& i : b.insts) {
                for (PlanBlock& inner : i.blocks) sweep(inner);
            }
        };
        sweep(plan.body);
        changed = true;
    }
    // Lazy: outside of loops and arms, and the memory is nobody else's earlier.
    Lifetimes now = lifetimes(plan);
    for (PlanInst& i : plan.body.insts) {
        if (!is_whole_zero_fill(plan, i) || i.size < lazy_bytes) continue;
        const BufferDef& d = plan.buffers[i.buffers[0].index];
        bool fresh = true;
        for (size_t b = 0; b < plan.buffers.size() && fresh; ++b) {
            const BufferDef& o = plan.buffers[b];
            if (o.kind != BufferDef::Kind::Arena || o.view_of.valid() || PlanBuffer(b) == i.buffers[0] || now.ranges[b].first < 0) continue;
            bool apart = o.offset + o.bytes <= d.offset || d.offset + d.bytes <= o.offset;
            fresh = apart || now.ranges[b].first > now.ranges[i.buffers[0].index].last;
        }
        if (!fresh) continue;
        i.lazy = true;
        changed = true;
        for (ClearId c : i.clears) {
            Clear& row = plan.ledger[c.index];
            row.verdict = Clear::Verdict::Lazy;
            row.kept_bytes = 0;
            row.pass = "fuse-zero-fills";
            row.reason = "the arena's fresh pages are zero";
        }
    }
    return changed;
}

}  // namespace sifr
