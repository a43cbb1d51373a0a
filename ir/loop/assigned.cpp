#include "ir/loop/loop_ir.h"

namespace sifr {

namespace {

void find_assigned(const Block& block, std::vector<bool>& assigned) {
    for (const Stmt& s : block) {
        if (const auto* a = std::get_if<Assign>(&s.node)) assigned[a->var.index] = true;
        if (const auto* f = std::get_if<For>(&s.node)) find_assigned(f->body, assigned);
        if (const auto* r = std::get_if<Reduce>(&s.node)) find_assigned(r->body, assigned);
        if (const auto* c = std::get_if<Contract>(&s.node)) find_assigned(c->epilogue, assigned);
        if (const auto* i = std::get_if<If>(&s.node)) {
            find_assigned(i->then_body, assigned);
            find_assigned(i->else_body, assigned);
        }
    }
}

}  // namespace

std::vector<bool> assigned_variables(const Kernel& kernel) {
    std::vector<bool> assigned(kernel.vars.size(), false);
    find_assigned(kernel.body, assigned);
    return assigned;
}

}  // namespace sifr
