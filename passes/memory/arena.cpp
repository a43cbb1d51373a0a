// Offsets: the largest pieces first, each at the lowest place that is free during its whole life.

#include "passes/memory/arena.h"

#include <algorithm>

#include "ir/base/planted_fault.h"
#include "ir/plan/lifetime.h"

namespace sifr {

void assign_offsets(Plan& plan, const std::vector<std::vector<PlanBuffer>>& adjacent) {
    Lifetimes life = lifetimes(plan);
    struct Piece {
        std::vector<PlanBuffer> members;
        int64_t bytes = 0, first = INT64_MAX, last = -1, offset = 0;
    };
    auto rounded = [](int64_t bytes) { return (std::max<int64_t>(bytes, 1) + arena_alignment - 1) / arena_alignment * arena_alignment; };
    std::vector<Piece> pieces;
    std::vector<bool> placed(plan.buffers.size(), false);
    auto take = [&](Piece& p, PlanBuffer b) {
        BufferDef& def = plan.buffers[b.index];
        const Lifetimes::Range& r = life.ranges[b.index];
        def.first = r.first;
        def.last = r.last;
        p.members.push_back(b);
        p.bytes += rounded(def.bytes);
        p.first = std::min(p.first, r.first);
        p.last = std::max(p.last, r.last);
        placed[b.index] = true;
    };
    for (const auto& group : adjacent) {
        Piece p;
        for (PlanBuffer b : group) take(p, b);
        if (!p.members.empty()) pieces.push_back(std::move(p));
    }
    for (size_t b = 0; b < plan.buffers.size(); ++b) {
        const BufferDef& def = plan.buffers[b];
        if (def.kind != BufferDef::Kind::Arena || def.view_of.valid() || placed[b]) continue;
        if (life.ranges[b].first < 0) {  // nothing touches it
            plan.buffers[b].first = plan.buffers[b].last = -1;
            plan.buffers[b].offset = 0;
            continue;
        }
        Piece p;
        take(p, PlanBuffer(b));
        pieces.push_back(std::move(p));
    }
    std::vector<size_t> by_size(pieces.size());
    for (size_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
    std::stable_sort(by_size.begin(), by_size.end(), [&](size_t a, size_t b) { return pieces[a].bytes > pieces[b].bytes; });
    std::vector<size_t> done;  // by offset
    plan.arena_bytes = 0;
    for (size_t i : by_size) {
        Piece& p = pieces[i];
        int64_t at = 0;
        for (size_t j : done) {
            const Piece& q = pieces[j];
            const int64_t early = planted(Fault::SlotReusedEarly) ? 1 : 0;
            if (q.last < p.first + early || p.last < q.first + early) continue;
            if (q.offset >= at + p.bytes) break;
            at = std::max(at, q.offset + q.bytes);
        }
        p.offset = at;
        done.insert(std::upper_bound(done.begin(), done.end(), i, [&](size_t a, size_t b) { return pieces[a].offset < pieces[b].offset; }), i);
        plan.arena_bytes = std::max(plan.arena_bytes, at + p.bytes);
        for (PlanBuffer b : p.members) {
            plan.buffers[b.index].offset = at;
            at += rounded(plan.buffers[b.index].bytes);
        }
    }
}

}  // namespace sifr
