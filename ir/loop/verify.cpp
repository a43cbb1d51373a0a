// What is proved about a kernel:
//  1. Every variable is defined (parameter, loop, let, reduction result) before it is used, in a block around its use;
//     an Assign goes to a Let's variable; loop variables and reduction results are not assigned.
//  2. Types: operands of an operator agree, a Store's value has its buffer's type, a Let's its variable's, conditions are Bool,
//     the terms of an affine form and loop bounds are I64. No arithmetic in F16 or BF16 (only loads, constants, casts, selects).
//  3. A Read buffer is not written, a Write buffer is not read.
//  4. An access whose variables all have known ranges (loops with constant bounds around it) lies inside its buffer.
//  5. A scratch buffer is used either inside of Parallel loops only or outside of them only; Parallel loops do not nest;
//     a Vector loop holds no Parallel loop and no Contract.
//  6. Check sites exist.
// Not proved: that the iterations of Parallel and Vector loops are independent; accesses at run-time indices.

#include <algorithm>
#include <optional>

#include "ir/base/check.h"
#include "ir/loop/loop_ir.h"
#include "ir/loop/loop_names.h"

namespace sifr {

namespace {

struct Range {
    int64_t lo, hi;  ///< inclusive
};

class Verifier {
public:
    explicit Verifier(const Kernel& k) : k_(k), state_(k.vars.size()), ranges_(k.vars.size()), scratch_(k.buffers.size(), Place::Nowhere) {}

    void run() {
        for (VarId v : k_.scalars) define(v, State::Fixed);
        block(k_.body);
    }

private:
    enum class State : uint8_t { Undefined, Fixed, Assignable };
    enum class Place : uint8_t { Nowhere, Outside, Inside };

    template <class... Args>
    void require(bool ok, fmt::format_string<Args...> text, Args&&... args) const {
        SIFR_CHECK(ok, "kernel {}: {}\n{}", k_.name, fmt::format(text, std::forward<Args>(args)...), print(k_));
    }
    const std::string& name(VarId v) const { return k_.vars[v.index].name; }
    const Buffer& buffer(BufferId b) const {
        require(b.valid() && b.index < k_.buffers.size(), "a buffer that does not exist");
        return k_.buffers[b.index];
    }
    void define(VarId v, State s) {
        require(v.valid() && v.index < k_.vars.size(), "a variable that does not exist");
        require(state_[v.index] == State::Undefined, "'{}' is defined twice", name(v));
        state_[v.index] = s;
        defined_.push_back(v);
    }
    void used(VarId v) const {
        require(v.valid() && v.index < k_.vars.size(), "a variable that does not exist");
        require(state_[v.index] != State::Undefined, "'{}' is used where it is not defined", name(v));
    }
    void leave(size_t mark) {
        while (defined_.size() > mark) {
            state_[defined_.back().index] = State::Undefined;
            ranges_[defined_.back().index].reset();
            defined_.pop_back();
        }
    }

    std::optional<Range> affine(const Affine& a) const {
        Range r{a.base, a.base};
        bool known = true;
        for (const Affine::Term& t : a.terms) {
            used(t.var);
            require(k_.vars[t.var.index].type == DType::I64, "'{}' stands in an index and is not an i64", name(t.var));
            require(t.scale != 0, "an affine term with factor 0");
            auto& v = ranges_[t.var.index];
            if (!v) known = false;
            else {
                r.lo += t.scale * (t.scale > 0 ? v->lo : v->hi);
                r.hi += t.scale * (t.scale > 0 ? v->hi : v->lo);
            }
        }
        return known ? std::optional(r) : std::nullopt;
    }
    void access(BufferId b, const Affine& index) {
        const Buffer& buf = buffer(b);
        auto r = affine(index);
        if (r && !empty_) require(r->lo >= 0 && r->hi < buf.extent, "an access at {}..{} of '{}', which has {} elements", r->lo, r->hi, buf.name, buf.extent);
        if (buf.scratch) {
            Place here = in_parallel_ ? Place::Inside : Place::Outside;
            Place& was = scratch_[b.index];
            require(was == Place::Nowhere || was == here, "scratch '{}' is used inside and outside of a parallel loop", buf.name);
            was = here;
        }
    }

    DType expr(ExprId id) {
        require(id.valid() && id.index < k_.exprs.nodes.size(), "an expression that does not exist");
        const Expr& e = k_.exprs[id];
        DType t[3] = {};
        int n = arity(e.op);
        for (int i = 0; i < n; ++i) t[i] = expr(e.args[static_cast<size_t>(i)]);
        bool half = e.type == DType::F16 || e.type == DType::BF16;
        switch (e.op) {
            case ScalarOp::Input: require(false, "an Input outside of a row's scalar body"); break;
            case ScalarOp::Const: break;
            case ScalarOp::Var:
                used(e.var);
                require(k_.vars[e.var.index].type == e.type, "'{}' is used with another type", name(e.var));
                break;
            case ScalarOp::Load:
                access(e.buffer, e.index);
                require(buffer(e.buffer).type == e.type, "a load of another type from '{}'", buffer(e.buffer).name);
                require(buffer(e.buffer).access != Buffer::Access::Write, "a load from '{}', which is only written", buffer(e.buffer).name);
                break;
            case ScalarOp::Select: require(t[0] == DType::Bool && t[1] == t[2] && t[1] == e.type, "the types of a select"); break;
            case ScalarOp::Cast: break;
            case ScalarOp::Bitcast: require(size_of(t[0]) == size_of(e.type), "a bitcast between different widths"); break;
            case ScalarOp::Eq: case ScalarOp::Ne: case ScalarOp::Lt: case ScalarOp::Le: case ScalarOp::Gt: case ScalarOp::Ge:
                require(t[0] == t[1] && e.type == DType::Bool, "the types of a comparison");
                require(t[0] != DType::F16 && t[0] != DType::BF16, "a comparison in {}", name_of(t[0]));
                break;
            default:
                for (int i = 0; i < n; ++i) require(t[i] == e.type, "operand {} of {} is {}, the result {}", i, name_of(e.op), name_of(t[i]), name_of(e.type));
                require(!half, "arithmetic in {}", name_of(e.type));
        }
        return e.type;
    }

    void block(const Block& b) {
        size_t mark = defined_.size();
        for (const Stmt& s : b) std::visit([&](const auto& node) { stmt(node); }, s.node);
        leave(mark);
    }
    /// Defines a loop variable; a loop that may run no iteration proves nothing about what is inside.
    bool loop_var(VarId v, std::optional<Range> lo, std::optional<Range> hi) {
        define(v, State::Fixed);
        bool was = empty_;
        if (lo && hi) {
            if (hi->hi - 1 < lo->lo) empty_ = true;
            ranges_[v.index] = Range{lo->lo, hi->hi - 1};
        }
        return was;
    }
    void stmt(const For& f) {
        auto lo = affine(f.lo), hi = affine(f.hi);
        size_t mark = defined_.size();
        bool was_empty = loop_var(f.var, lo, hi);
        bool was_parallel = in_parallel_, was_vector = in_vector_;
        if (f.kind == For::Kind::Parallel) {
            require(!in_parallel_ && !in_vector_, "a parallel loop inside of another");
            require(f.grain >= 1, "a grain below 1");
            in_parallel_ = true;
        }
        if (f.kind == For::Kind::Vector) in_vector_ = true;
        block(f.body);
        in_parallel_ = was_parallel;
        in_vector_ = was_vector;
        empty_ = was_empty;
        leave(mark);
    }
    void stmt(const Let& l) {
        DType t = expr(l.value);
        define(l.var, State::Assignable);
        require(k_.vars[l.var.index].type == t, "'{}' is {} and gets a {}", name(l.var), name_of(k_.vars[l.var.index].type), name_of(t));
    }
    void stmt(const Assign& a) {
        DType t = expr(a.value);
        used(a.var);
        require(state_[a.var.index] == State::Assignable, "'{}' cannot be assigned", name(a.var));
        require(k_.vars[a.var.index].type == t, "'{}' gets a {}", name(a.var), name_of(t));
    }
    void written(BufferId b, const Affine& index, ExprId value) {
        DType t = expr(value);
        access(b, index);
        require(buffer(b).access != Buffer::Access::Read, "a store to '{}', which is only read", buffer(b).name);
        require(buffer(b).type == t, "'{}' holds {} and gets a {}", buffer(b).name, name_of(buffer(b).type), name_of(t));
    }
    void stmt(const Store& s) { written(s.buffer, s.index, s.value); }
    void stmt(const Accumulate& a) {
        require(a.combine != Combine::ArgMax && a.combine != Combine::ArgMin, "an accumulation by {}", combine_name(a.combine));
        require(buffer(a.buffer).access == Buffer::Access::ReadWrite, "an accumulation into '{}', which is not read and written", buffer(a.buffer).name);
        written(a.buffer, a.index, a.value);
    }
    void stmt(const If& i) {
        require(expr(i.condition) == DType::Bool, "a condition that is no bool");
        block(i.then_body);
        block(i.else_body);
    }
    void stmt(const Reduce& r) {
        auto extent = affine(r.extent);
        size_t mark = defined_.size();
        bool was_empty = loop_var(r.var, Range{0, 0}, extent);
        for (const Stmt& s : r.body) std::visit([&](const auto& node) { stmt(node); }, s.node);
        for (const Reduce::Item& i : r.items) {
            DType t = expr(i.value);
            bool arg = i.combine == Combine::ArgMax || i.combine == Combine::ArgMin;
            DType result = k_.vars.at(i.result.index).type;
            require(result == (arg ? DType::I64 : t), "the type of the reduction result '{}'", name(i.result));
            if (i.combine == Combine::Any || i.combine == Combine::All) require(t == DType::Bool, "any or all of something that is no bool");
            if (i.factor.valid()) require(i.combine == Combine::Sum && expr(i.factor) == t, "a factor stands with a sum of its type only");
            if (i.result_value.valid()) require(arg && k_.vars.at(i.result_value.index).type == t, "the value of '{}'", name(i.result));
            require(t != DType::F16 && t != DType::BF16, "a reduction in {}", name_of(t));
        }
        empty_ = was_empty;
        leave(mark);
        for (const Reduce::Item& i : r.items) {
            define(i.result, State::Fixed);
            if (i.result_value.valid()) define(i.result_value, State::Fixed);
        }
    }
    void stmt(const Check& c) {
        require(expr(c.ok) == DType::Bool, "a check of something that is no bool");
        require(c.site < k_.sites.size(), "a check site that does not exist");
        affine(c.position);
        require(expr(c.value) == DType::I64, "a check's value is an i64");
    }
    void stmt(const Contract& c) {
        require(!in_vector_, "a contraction inside of a vector loop");
        require(c.type != DType::F16 && c.type != DType::BF16, "a contraction in {}", name_of(c.type));
        size_t mark = defined_.size();
        bool was_empty = empty_;
        loop_var(c.batch_var, Range{0, 0}, Range{c.batch, c.batch});
        require(buffer(c.a).type == c.type && buffer(c.b).type == c.type, "a contraction of other types than its own");
        if (c.k > 0 && c.m > 0 && c.n > 0) {
            auto corner = [](const Affine& base, int64_t stride0, int64_t n0, int64_t stride1, int64_t n1, bool high) {
                Affine a = base;
                for (auto [s, n] : {std::pair{stride0, n0}, {stride1, n1}}) {
                    if ((s > 0) == high) a.base += s * (n - 1);
                }
                return a;
            };
            for (bool high : {false, true}) {
                access(c.a, corner(c.a_base, c.a_m, c.m, c.a_k, c.k, high));
                access(c.b, corner(c.b_base, c.b_k, c.k, c.b_n, c.n, high));
            }
        }
        loop_var(c.m_var, Range{0, 0}, Range{c.m, c.m});
        loop_var(c.n_var, Range{0, 0}, Range{c.n, c.n});
        define(c.acc, State::Fixed);
        require(k_.vars[c.acc.index].type == c.type, "the type of '{}'", name(c.acc));
        block(c.epilogue);
        empty_ = was_empty;
        leave(mark);
    }

    const Kernel& k_;
    std::vector<State> state_;
    std::vector<std::optional<Range>> ranges_;
    std::vector<Place> scratch_;
    std::vector<VarId> defined_;
    bool in_parallel_ = false, in_vector_ = false, empty_ = false;
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace sifr
