#include <functional>

#include "passes/pass_table.h"

namespace sifr {

void close_clears(Function& f, const std::vector<ClearId>& ids, Clear::Verdict verdict, int64_t kept_bytes, const char* pass, const std::string& reason) {
    for (ClearId id : ids) {
        Clear& c = f[id];
        c.verdict = verdict;
        c.kept_bytes = kept_bytes;
        c.pass = pass;
        c.reason = reason;
    }
}

std::string ledger_fault(const Function& f, size_t rows) {
    if (f.ledger.size() < rows) return fmt::format("{} rows of the ledger are lost", rows - f.ledger.size());
    std::vector<bool> carried(f.ledger.size());
    walk(f, f.body, [&](InstId id) {
        for (ClearId c : f[id].clears) carried[c.index] = true;
    });
    for (size_t k = 0; k < f.ledger.size(); ++k)
        if (f.ledger[k].verdict == Clear::Verdict::Open && !carried[k]) return fmt::format("clear {} has no verdict, and nothing carries it out", k);
    return {};
}

std::string ledger_fault(const Plan& plan, size_t rows) {
    if (plan.ledger.size() < rows) return fmt::format("{} rows of the ledger are lost", rows - plan.ledger.size());
    std::vector<int64_t> filled(plan.ledger.size(), 0);
    std::vector<bool> carried(plan.ledger.size()), in_kernel(plan.ledger.size());
    std::string fault;
    std::function<void(const PlanBlock&)> block = [&](const PlanBlock& b) {
        for (const PlanInst& i : b.insts) {
            for (const PlanBlock& inner : i.blocks) block(inner);
            for (ClearId c : i.clears) carried[c.index] = true;
            if (i.kind == PlanInst::Kind::Launch)
                for (ClearId c : i.clears) in_kernel[c.index] = true;
            if (i.kind != PlanInst::Kind::Fill || i.pattern != 0) continue;
            if (i.clears.empty()) fault = fmt::format("a fill of {} bytes with zero stands in no row of the ledger", i.size);
            else if (i.buffers.size() == 1) filled[i.clears.front().index] += i.lazy ? 0 : i.size;
        }
    };
    block(plan.body);
    for (size_t k = 0; k < plan.ledger.size() && fault.empty(); ++k) {
        const Clear& c = plan.ledger[k];
        if (c.verdict == Clear::Verdict::Open) return fmt::format("clear {} has no verdict", k);
        if (c.kept_bytes > 0 && !carried[k]) return fmt::format("clear {} keeps {} bytes, and nothing carries it out", k, c.kept_bytes);
        if (c.verdict == Clear::Verdict::Merged || in_kernel[k]) continue;
        if (filled[k] != c.kept_bytes) return fmt::format("clear {} keeps {} bytes, and {} are filled", k, c.kept_bytes, filled[k]);
    }
    return fault;
}

}  // namespace sifr
