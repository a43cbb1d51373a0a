// cse: an instruction that computes what a dominating one has computed gives way to it.
//
//   %a = exp %x                  %a = exp %x
//   %b = exp %x           =>     %c = add %a, %a
//   %c = add %a, %b
//
// Pure instructions without regions only; equal means the same row, operands, attributes and types, bit for bit. A scope
// per region: what an enclosing region has computed is there inside, never the other way round.
//
// It stands behind simplify, which brings equal things into one form, and in front of fuse, for which a value with two
// readers is one value. Of two equal fills the remaining one serves for both clears; fills that something writes into stay apart.

#include "passes/functional/cse.h"

#include <map>

#include "ir/base/planted_fault.h"
#include "ir/func/replacements.h"
#include "ir/op/op_def.h"
#include "ir/text/element_text.h"
#include "passes/functional/fills.h"

namespace sifr {
namespace {

/// Everything that decides what an instruction computes, as a key.
std::string key_of(const Function& f, const Inst& inst) {
    std::string key = std::to_string(inst.op.index());
    for (ValueId v : inst.operands) key += fmt::format(",{}", v.index);
    if (!planted(Fault::SameButAttributes))
        for (const Attrs::Entry& e : inst.attrs.entries()) key += fmt::format(";{}={}", e.name, attribute_text(e.value));
    for (ValueId v : inst.results) key += ":" + f.type(v).text();
    return key;
}

class Cse {
public:
    explicit Cse(Function& f) : f_(f), uses_(compute_uses(f)) {}

    bool run() {
        region(f_.body);
        if (gone_.empty()) return false;
        replaced_.apply(f_);
        for (InstId id : gone_) f_.erase(id);
        return true;
    }

private:
    void region(RegionId r) {
        scopes_.emplace_back();
        for (InstId id : f_[r].insts) {
            Inst& inst = f_[id];
            if (inst.erased) continue;
            replaced_.apply(inst.operands);
            if (!inst.regions.empty()) {
                for (RegionId inner : inst.regions) region(inner);
            } else if (def(inst.op).effect == Effect::Pure && !inst.results.empty() && !(def(inst.op).lower == Lower::Fill && written_into(f_, uses_, inst.results[0]))) {
                std::string key = key_of(f_, inst);
                if (const InstId* same = find(key)) {
                    Inst& kept = f_[*same];
                    for (size_t k = 0; k < inst.results.size(); ++k) replaced_.set(inst.results[k], kept.results[k]);
                    for (ClearId c : inst.clears)
                        if (f_[c].verdict == Clear::Verdict::Open)
                            close_clears(f_, {c}, Clear::Verdict::Merged, 0, "cse", fmt::format("the zeros of line {} serve", kept.location.empty() ? 0 : kept.location.front().line));
                    kept.location = fuse_locations(kept.location, inst.location);
                    inst.clears.clear();
                    gone_.push_back(id);
                } else {
                    scopes_.back().emplace(std::move(key), id);
                }
            }
        }
        replaced_.apply(f_[r].results);
        scopes_.pop_back();
    }

    [[nodiscard]] const InstId* find(const std::string& key) const {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
            if (auto at = scope->find(key); at != scope->end()) return &at->second;
        return nullptr;
    }

    Function& f_;
    std::vector<std::vector<Use>> uses_;
    Replacements replaced_;
    std::vector<InstId> gone_;
    std::vector<std::map<std::string, InstId>> scopes_;
};

}  // namespace

bool eliminate_common_subexpressions(Functional& functional, PassContext&) { return Cse(functional.function).run(); }

}  // namespace sifr
