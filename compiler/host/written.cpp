#include "compiler/host/written.h"

#include <algorithm>

#include "ir/op/op_def.h"
#include "ir/plan/lifetime.h"

namespace sifr::host {

namespace {

using Pieces = std::vector<bool>;

void add(Pieces& to, const Pieces& from) {
    for (size_t m = 0; m < to.size(); ++m) to[m] = to[m] || from[m];
}

}  // namespace

class WrittenBefore::Walk {
public:
    Walk(const Plan& plan, size_t memories, WrittenBefore& out)
        : plan_(plan), out_(out), memory_of_(plan.buffers.size(), Pieces(memories, false)), before_(memories, false) {
        for (size_t b = 0; b < plan.buffers.size(); ++b) {
            const BufferDef& d = plan.buffers[base_of(plan, PlanBuffer(b)).index];
            if (d.kind == BufferDef::Kind::Argument && static_cast<size_t>(d.offset) < memories)
                memory_of_[b][static_cast<size_t>(d.offset)] = true;
        }
        // A buffer that rotates is whatever is handed on to it, at last.
        do changed_ = false, hand_on(plan.body);
        while (changed_);
        block(plan.body);
    }

private:
    void flows(PlanBuffer from, PlanBuffer to) {
        Pieces& pieces = memory_of_[base_of(plan_, to).index];
        const Pieces& more = memory_of_[base_of(plan_, from).index];
        for (size_t m = 0; m < more.size(); ++m) {
            if (!more[m] || pieces[m]) continue;
            pieces[m] = true;
            changed_ = true;
        }
    }
    void hand_on(const PlanBlock& b) {
        for (const PlanInst& i : b.insts) {
            for (size_t k = 0; k < i.buffer_params.size(); ++k)
                flows(i.buffers[k], i.buffer_params[k]), flows(i.buffer_params[k], i.buffer_results[k]);
            for (const std::vector<PlanBuffer>& yields : i.buffer_yields)
                for (size_t k = 0; k < yields.size() && k < i.buffer_results.size(); ++k) {
                    flows(yields[k], i.buffer_results[k]);
                    if (k < i.buffer_params.size()) flows(yields[k], i.buffer_params[k]);
                }
            for (const PlanBlock& inner : i.blocks) hand_on(inner);
        }
    }

    void writes(const PlanInst& i, Pieces& out) const {
        const auto buffer = [&](PlanBuffer b) { add(out, memory_of_[base_of(plan_, b).index]); };
        switch (i.kind) {
            case PlanInst::Kind::Launch: {
                const Kernel& kernel = plan_.kernels.at(i.kernel.index);
                size_t k = 0;
                for (const Buffer& b : kernel.buffers) {
                    if (b.scratch) continue;
                    if (b.access != Buffer::Access::Read) buffer(i.buffers.at(k));
                    ++k;
                }
                return;
            }
            case PlanInst::Kind::Fill: std::for_each(i.buffers.begin(), i.buffers.end(), buffer); return;
            case PlanInst::Kind::Copy: buffer(i.buffers.at(0)); return;
            case PlanInst::Kind::Call: {
                // The results stand behind the operands; how many there are is the row's to say, or the call's.
                const Signature& s = signature(i.op);
                size_t results = i.buffers.size();
                if (s.result_count >= 0)
                    results = static_cast<size_t>(std::count(s.result_kinds.begin(), s.result_kinds.end(), Param::Kind::Tensor));
                for (size_t k = i.buffers.size() - std::min(results, i.buffers.size()); k < i.buffers.size(); ++k) buffer(i.buffers[k]);
                return;
            }
            default:
                for (const PlanBlock& inner : i.blocks)
                    for (const PlanInst& j : inner.insts) writes(j, out);
        }
    }

    void raises_at(const Location& where) {
        if (where.empty() || !where.front().known()) return;
        auto [line, fresh] = out_.lines_.try_emplace({where.front().file, where.front().line}, before_);
        if (!fresh) add(line->second, before_);
    }

    void block(const PlanBlock& b) {
        for (const PlanInst& i : b.insts) step(i);
    }
    void step(const PlanInst& i) {
        switch (i.kind) {
            case PlanInst::Kind::For:
            case PlanInst::Kind::While:
                writes(i, before_);
                raises_at(i.location);
                for (const PlanBlock& inner : i.blocks) block(inner);
                return;
            case PlanInst::Kind::If: {
                const Pieces at_start = before_;
                Pieces behind = before_;
                for (const PlanBlock& inner : i.blocks) {
                    before_ = at_start;
                    block(inner);
                    add(behind, before_);
                }
                before_ = std::move(behind);
                return;
            }
            case PlanInst::Kind::Launch:
                writes(i, before_);
                for (const CheckSite& s : plan_.kernels.at(i.kernel.index).sites) raises_at(s.location.empty() ? i.location : s.location);
                return;
            case PlanInst::Kind::Fill:
            case PlanInst::Kind::Copy: return writes(i, before_);
            default: writes(i, before_); raises_at(i.location);
        }
    }

    const Plan& plan_;
    WrittenBefore& out_;
    std::vector<Pieces> memory_of_;  ///< per buffer: the pieces of memory that it may be
    Pieces before_;
    bool changed_ = false;
};

WrittenBefore::WrittenBefore(const Plan& plan, size_t memories) { Walk(plan, memories, *this); }

}  // namespace sifr::host
