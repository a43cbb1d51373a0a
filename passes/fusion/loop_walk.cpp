#include "passes/fusion/loop_walk.h"

#include <set>

namespace sifr {

namespace {

class Walk {
public:
    Walk(Kernel& k, const std::function<void(Affine&)>& affine, const std::function<void(Expr&)>& expr) : k_(k), affine_(affine), expr_(expr) {}

    void block(Block& b) {
        for (Stmt& s : b) std::visit([&](auto& node) { stmt(node); }, s.node);
    }

private:
    void form(Affine& a) {
        if (affine_) affine_(a);
    }
    void value(ExprId id) {
        if (!id.valid() || !seen_.insert(id.index).second) return;
        for (ExprId a : k_.exprs.nodes[id.index].args) value(a);
        Expr& e = k_.exprs.nodes[id.index];
        if (e.op == ScalarOp::Load) form(e.index);
        if (expr_) expr_(e);
    }
    void stmt(For& f) {
        form(f.lo);
        form(f.hi);
        block(f.body);
    }
    void stmt(Let& l) { value(l.value); }
    void stmt(Assign& a) { value(a.value); }
    void stmt(Store& s) {
        form(s.index);
        value(s.value);
    }
    void stmt(Accumulate& a) {
        form(a.index);
        value(a.value);
    }
    void stmt(If& i) {
        value(i.condition);
        block(i.then_body);
        block(i.else_body);
    }
    void stmt(Reduce& r) {
        form(r.extent);
        block(r.body);
        for (Reduce::Item& i : r.items) {
            value(i.value);
            value(i.factor);
        }
    }
    void stmt(Check& c) {
        value(c.ok);
        form(c.position);
        value(c.value);
    }
    void stmt(Contract& c) {
        form(c.a_base);
        form(c.b_base);
        block(c.epilogue);
    }

    Kernel& k_;
    const std::function<void(Affine&)>& affine_;
    const std::function<void(Expr&)>& expr_;
    std::set<uint32_t> seen_;
};

}  // namespace

void for_each_affine(Kernel& kernel, Block& block, const std::function<void(Affine&)>& visit) { Walk(kernel, visit, {}).block(block); }
void for_each_expr(Kernel& kernel, Block& block, const std::function<void(Expr&)>& visit) { Walk(kernel, {}, visit).block(block); }

}  // namespace sifr
