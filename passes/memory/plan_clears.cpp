// The clear ledger at the plan: which bytes are still made zero, and for which clear. A fill clears what it covers; the kernel of an
// insert into known zeros clears what lies around the piece; a kernel that hands out zeros clears these. Every row that is open when
// the plan stands gets its verdict here.

#include <algorithm>
#include <cmath>

#include "passes/memory/planner.h"

namespace sifr {

namespace {

bool is_zero(const Function& f, const Inst* i) {
    if (!i || i->op != "full"_op) return false;
    auto c = f.constant_float(i->operands[0]);
    return c && *c == 0.0 && !std::signbit(*c);
}

}  // namespace

/// A clear that no row speaks of (a pass has made it out of others) gets a row of its own.
void Planner::note_cleared(std::vector<ClearId>& clears, int64_t bytes, const Location& location) {
    if (bytes == 0) return;
    if (clears.empty()) {
        Clear c;
        c.location = location;
        c.origin = Clear::Origin::Autograd;
        c.bytes = bytes;
        clears.push_back(ClearId(plan_.ledger.size()));
        plan_.ledger.push_back(std::move(c));
    }
    cleared_[clears.front().index] += bytes;
}

/// What the kernel of a group clears; the rows that it carries out.
std::vector<ClearId> Planner::note_group_clears(const Inst& g, const std::vector<bool>& in_place) {
    std::vector<ClearId> out;
    const Region& body = f_[g.regions[0]];
    for (size_t r = 0; r < body.results.size(); ++r) {
        const Inst* made = f_.producer(body.results[r]);
        int64_t width = size_of(f_.type(body.results[r]).dtype), whole = f_.type(body.results[r]).numel();
        auto note = [&](const Inst* full, int64_t elements) {
            if (elements == 0) return;
            std::vector<ClearId> ids = full->clears;
            note_cleared(ids, elements * width, full->location);
            if (std::find(out.begin(), out.end(), ids.front()) == out.end()) out.push_back(ids.front());
        };
        if (is_zero(f_, made)) note(made, whole);
        if (!made || made->op != "insert"_op) continue;
        const Inst *base = f_.producer(made->operands[0]), *piece = f_.producer(made->operands[1]);
        int64_t inside = made->attrs.get<Layout>("layout").numel();
        if (is_zero(f_, base) && !in_place[r]) note(base, whole - inside);
        if (is_zero(f_, piece)) note(piece, inside);
    }
    return out;
}

void Planner::close_ledger() {
    for (size_t k = 0; k < plan_.ledger.size(); ++k) {
        Clear& row = plan_.ledger[k];
        auto at = cleared_.find(static_cast<uint32_t>(k));
        if (at == cleared_.end()) {
            if (row.verdict == Clear::Verdict::Open) {
                row.verdict = Clear::Verdict::Folded;
                row.pass = "plan-memory";
                row.reason = "the kernels that read it know that it is zero";
            }
            if (row.verdict != Clear::Verdict::Kept) row.kept_bytes = 0;
            continue;
        }
        bool told = row.verdict == Clear::Verdict::Open && !row.reason.empty();
        row.verdict = at->second < row.bytes ? Clear::Verdict::Shrunk : Clear::Verdict::Kept;
        row.kept_bytes = at->second;
        if (told) continue;
        row.pass = "plan-memory";
        row.reason = row.verdict == Clear::Verdict::Shrunk ? "the rest is written or known where it is read" : "it is in memory for its readers";
    }
}

}  // namespace sifr
