#include "ir/plan/lifetime.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ir/base/planted_fault.h"

namespace sifr {

PlanBuffer base_of(const Plan& plan, PlanBuffer b) {
    while (plan.buffers[b.index].view_of.valid()) b = plan.buffers[b.index].view_of;
    return b;
}

namespace {

using Set = std::vector<PlanBuffer>;

bool add(Set& to, const Set& from) {
    bool changed = false;
    for (PlanBuffer b : from) {
        auto at = std::lower_bound(to.begin(), to.end(), b);
        if (at != to.end() && *at == b) continue;
        to.insert(at, b);
        changed = true;
    }
    return changed;
}

class Analysis {
public:
    explicit Analysis(const Plan& p) : p_(p) {
        out_.ranges.resize(p.buffers.size());
        out_.points_to.resize(p.buffers.size());
        for (size_t b = 0; b < p.buffers.size(); ++b) {
            if (p.buffers[b].kind != BufferDef::Kind::Rotating && !p.buffers[b].view_of.valid()) out_.points_to[b] = {PlanBuffer(b)};
        }
        while (flow(p.body)) {}
        touch_block(p.body);
        out_.end = next_;
    }
    Lifetimes result() {
        for (size_t b = 0; b < p_.buffers.size(); ++b) {
            if (p_.buffers[b].view_of.valid()) out_.points_to[b] = set(PlanBuffer(b));
        }
        return std::move(out_);
    }

private:
    Set& set(PlanBuffer b) { return out_.points_to[base_of(p_, b).index]; }

    bool flow(const PlanBlock& block) {
        bool changed = false;
        for (const PlanInst& i : block.insts) {
            bool loop = i.kind == PlanInst::Kind::For || i.kind == PlanInst::Kind::While;
            if (loop) {
                for (size_t k = 0; k < i.buffer_params.size(); ++k) {
                    changed |= add(set(i.buffer_params[k]), set(i.buffers[k]));
                    changed |= add(set(i.buffer_params[k]), set(i.buffer_yields.back()[k]));
                    changed |= add(set(i.buffer_results[k]), set(i.buffer_params[k]));
                }
            } else if (i.kind == PlanInst::Kind::If) {
                for (const auto& yields : i.buffer_yields) {
                    for (size_t k = 0; k < yields.size(); ++k) changed |= add(set(i.buffer_results[k]), set(yields[k]));
                }
            }
            for (const PlanBlock& b : i.blocks) changed |= flow(b);
        }
        return changed;
    }

    void touch(PlanBuffer b, int64_t at) {
        for (PlanBuffer a : set(b)) {
            Lifetimes::Range& r = out_.ranges[a.index];
            if (r.first < 0) r.first = at;
            r.first = std::min(r.first, at);
            r.last = std::max(r.last, at);
            for (std::set<uint32_t>& touched : open_) touched.insert(a.index);
        }
    }
    void touch_block(const PlanBlock& block) {
        for (const PlanInst& i : block.insts) {
            int64_t begin = next_++;
            for (PlanBuffer b : i.buffers) touch(b, begin);
            if (i.blocks.empty()) continue;
            bool loop = i.kind != PlanInst::Kind::If;
            for (PlanBuffer b : i.buffer_params) touch(b, begin);
            if (loop) open_.emplace_back();
            for (size_t k = 0; k < i.blocks.size(); ++k) {
                touch_block(i.blocks[k]);
                if (k < i.buffer_yields.size()) {
                    for (PlanBuffer b : i.buffer_yields[k]) touch(b, next_);
                }
            }
            int64_t end = next_++;
            if (loop) {
                std::set<uint32_t> touched = std::move(open_.back());
                open_.pop_back();
                for (uint32_t a : touched) {
                    // What was there before the loop is read again in the next iteration.
                    if (out_.ranges[a].first <= begin && !planted(Fault::LoopMemoryFreed)) out_.ranges[a].last = std::max(out_.ranges[a].last, end);
                }
            }
            for (PlanBuffer b : i.buffer_params) touch(b, end);
            for (PlanBuffer b : i.buffer_results) touch(b, end);
        }
    }

    const Plan& p_;
    Lifetimes out_;
    int64_t next_ = 0;
    std::vector<std::set<uint32_t>> open_;
};

}  // namespace

Lifetimes lifetimes(const Plan& plan) { return Analysis(plan).result(); }

}  // namespace sifr
