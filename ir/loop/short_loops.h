#pragma once

#include <algorithm>

#include "ir/loop/loop_ir.h"

namespace sifr {

/// Trips up to which a reduction or a loop is no work for vector lanes of its own: the loop around it has more of them.
inline constexpr int64_t short_loop = 8;

inline bool has_loops(const Block& b) {
    return std::any_of(b.begin(), b.end(), [](const Stmt& s) {
        return !std::holds_alternative<Let>(s.node) && !std::holds_alternative<Assign>(s.node) && !std::holds_alternative<Store>(s.node) &&
               !std::holds_alternative<Accumulate>(s.node) && !std::holds_alternative<Check>(s.node);
    });
}
inline bool is_short(const For& f) {
    return f.kind != For::Kind::Parallel && f.lo.is_constant() && f.hi.is_constant() && f.hi.base - f.lo.base <= short_loop &&
           !has_loops(f.body);
}
inline bool is_short(const Reduce& r) {
    return r.lanes && r.extent.is_constant() && r.extent.base > 1 && r.extent.base <= short_loop && !has_loops(r.body);
}

inline bool writes_scratch(const Kernel& k, const Block& b) {
    return std::any_of(b.begin(), b.end(), [&](const Stmt& s) {
        if (const auto* store = std::get_if<Store>(&s.node)) return k.buffers[store->buffer.index].scratch;
        if (const auto* f = std::get_if<For>(&s.node)) return writes_scratch(k, f->body);
        if (const auto* r = std::get_if<Reduce>(&s.node)) return writes_scratch(k, r->body);
        return false;
    });
}

/// Short reductions, and nothing in it that is longer; a scratch row would be one for all lanes.
inline bool has_short_reductions_alone(const Kernel& k, const Block& b) {
    bool any = false;
    for (const Stmt& s : b) {
        if (const auto* r = std::get_if<Reduce>(&s.node)) {
            if (!is_short(*r)) return false;
            any = true;
        } else if (const auto* f = std::get_if<For>(&s.node)) {
            if (!is_short(*f)) return false;
        } else if (std::holds_alternative<Contract>(s.node) || std::holds_alternative<If>(s.node)) {
            return false;
        }
    }
    return any && !writes_scratch(k, b);
}

}  // namespace sifr
