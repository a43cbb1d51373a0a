#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "ir/base/check.h"
#include "ir/loop/loop_ir.h"
#include "ir/loop/reduce_value.h"
#include "ir/loop/scalar_value.h"
#include "ir/op/reduce_order.h"

namespace sifr {

namespace {

constexpr int scratch_poison = 0xA5;

class Interpreter {
public:
    Interpreter(const Kernel& k, void* const* buffers, const int64_t* scalars, KernelStatus* status)
        : k_(k), status_(status), vars_(k.vars.size()), data_(k.buffers.size()) {
        size_t parameter = 0;
        for (size_t b = 0; b < k.buffers.size(); ++b) {
            const Buffer& buffer = k.buffers[b];
            if (!buffer.scratch) {
                data_[b] = static_cast<unsigned char*>(buffers[parameter++]);
                continue;
            }
            owned_.push_back(std::make_unique<unsigned char[]>(static_cast<size_t>(std::max<int64_t>(1, buffer.extent * size_of(buffer.type)))));
            data_[b] = owned_.back().get();
        }
        for (size_t s = 0; s < k.scalars.size(); ++s) vars_[k.scalars[s].index].i64 = scalars[s];
        poison_scratch();
    }
    void run() { block(k_.body); }

private:
    void poison_scratch() {
        for (size_t b = 0; b < k_.buffers.size(); ++b) {
            const Buffer& buffer = k_.buffers[b];
            if (buffer.scratch) std::memset(data_[b], scratch_poison, static_cast<size_t>(buffer.extent * size_of(buffer.type)));
        }
    }
    int64_t affine(const Affine& a) const {
        int64_t v = a.base;
        for (const Affine::Term& t : a.terms) v += t.scale * vars_[t.var.index].i64;
        return v;
    }
    unsigned char* element(BufferId b, int64_t index) const {
        const Buffer& buffer = k_.buffers[b.index];
        SIFR_CHECK(index >= 0 && index < buffer.extent, "kernel {}: element {} of '{}', which has {}", k_.name, index, buffer.name, buffer.extent);
        return data_[b.index] + index * size_of(buffer.type);
    }
    ScalarValue eval(ExprId id) const {
        const Expr& e = k_.exprs[id];
        switch (e.op) {
            case ScalarOp::Const: return constant_value(e.type, e.payload);
            case ScalarOp::Var: return vars_[e.var.index];
            case ScalarOp::Load: return load_value(e.type, element(e.buffer, affine(e.index)));
            case ScalarOp::Input: SIFR_UNREACHABLE("an Input in a kernel");
            case ScalarOp::Cast: return cast_value(eval(e.args[0]), k_.exprs.type(e.args[0]), e.type);
            case ScalarOp::Bitcast: return bitcast_value(eval(e.args[0]), k_.exprs.type(e.args[0]), e.type);
            case ScalarOp::Select: return eval(e.args[0]).i64 != 0 ? eval(e.args[1]) : eval(e.args[2]);
            default: break;
        }
        int n = arity(e.op);
        ScalarValue a = eval(e.args[0]), b{}, c{};
        if (n > 1) b = eval(e.args[1]);
        if (n > 2) c = eval(e.args[2]);
        return apply(e.op, k_.exprs.type(e.args[0]), a, b, c);
    }

    void block(const Block& b) {
        for (const Stmt& s : b) std::visit([&](const auto& node) { stmt(node); }, s.node);
    }
    void stmt(const For& f) {
        int64_t lo = affine(f.lo), hi = affine(f.hi);
        for (int64_t i = lo; i < hi; ++i) {
            if (f.kind == For::Kind::Parallel) poison_scratch();
            vars_[f.var.index].i64 = i;
            block(f.body);
        }
    }
    void stmt(const Let& l) { vars_[l.var.index] = eval(l.value); }
    void stmt(const Assign& a) { vars_[a.var.index] = eval(a.value); }
    void stmt(const Store& s) {
        ScalarValue v = eval(s.value);
        store_value(k_.buffers[s.buffer.index].type, element(s.buffer, affine(s.index)), v);
    }
    void stmt(const Accumulate& a) {
        DType type = k_.buffers[a.buffer.index].type;
        ScalarValue v = eval(a.value);
        unsigned char* at = element(a.buffer, affine(a.index));
        // F16 and BF16 are added in F32 and rounded by the store.
        store_value(type, at, combine_values(a.combine, type, load_value(type, at), v));
    }
    void stmt(const If& i) { block(eval(i.condition).i64 != 0 ? i.then_body : i.else_body); }
    void stmt(const Check& c) {
        if (eval(c.ok).i64 != 0) return;
        SIFR_CHECK(status_ != nullptr, "kernel {} checks and got no status word", k_.name);
        int64_t position = affine(c.position);
        if (status_->site >= 0 && (status_->position < position || (status_->position == position && status_->site <= c.site))) return;
        *status_ = {static_cast<int64_t>(c.site), position, eval(c.value).i64};
    }

    struct Best {
        bool any = false;
        ScalarValue value{};
        int64_t index = 0;
    };
    void stmt(const Reduce& r) {
        int64_t n = affine(r.extent);
        std::vector<OrderedReduction> sums;
        std::vector<Best> best(r.items.size());
        for (const Reduce::Item& i : r.items) sums.emplace_back(is_arg(i.combine) ? Combine::Max : i.combine, k_.exprs.type(i.value), r.lanes);
        for (int64_t v = 0; v < n; ++v) {
            vars_[r.var.index].i64 = v;
            block(r.body);
            for (size_t k = 0; k < r.items.size(); ++k) {
                const Reduce::Item& i = r.items[k];
                ScalarValue value = eval(i.value);
                if (is_arg(i.combine)) consider(best[k], i.combine, k_.exprs.type(i.value), value, v);
                else if (i.factor.valid()) sums[k].add_product(value, eval(i.factor));
                else sums[k].add(value);
            }
        }
        for (size_t k = 0; k < r.items.size(); ++k) {
            const Reduce::Item& i = r.items[k];
            if (!is_arg(i.combine)) vars_[i.result.index] = sums[k].finish();
            else {
                vars_[i.result.index].i64 = best[k].index;
                if (i.result_value.valid())
                    vars_[i.result_value.index] = best[k].any ? best[k].value : identity_value(i.combine, k_.exprs.type(i.value));
            }
        }
    }
    static bool is_arg(Combine c) { return c == Combine::ArgMax || c == Combine::ArgMin; }
    static bool is_nan(DType t, ScalarValue v) { return t == DType::F64 ? std::isnan(v.f64) : is_float(t) && std::isnan(v.f32); }
    /// Keeps the first of equals; the first NaN beats all.
    static void consider(Best& best, Combine combine, DType type, ScalarValue value, int64_t index) {
        ScalarOp beats = combine == Combine::ArgMax ? ScalarOp::Gt : ScalarOp::Lt;
        bool better = !best.any || (!is_nan(type, best.value) && (is_nan(type, value) || apply(beats, type, value, best.value, {}).i64 != 0));
        if (better) best = {true, value, index};
    }

    void stmt(const Contract& c) {
        bool thin = std::min(c.m, c.n) < contract_thin;
        for (int64_t batch = 0; batch < c.batch; ++batch) {
            vars_[c.batch_var.index].i64 = batch;
            int64_t a0 = affine(c.a_base), b0 = affine(c.b_base);
            // The epilogue may write what a or b are read from only if the planner proved it safe: it runs when all of the
            // sums of its batch that it could disturb are done, so sums are taken first.
            std::vector<ScalarValue> sums;
            for (int64_t m = 0; m < c.m; ++m) {
                for (int64_t n = 0; n < c.n; ++n) sums.push_back(dot(c, thin, a0 + m * c.a_m, b0 + n * c.b_n));
            }
            for (int64_t m = 0; m < c.m; ++m) {
                for (int64_t n = 0; n < c.n; ++n) {
                    vars_[c.m_var.index].i64 = m;
                    vars_[c.n_var.index].i64 = n;
                    vars_[c.acc.index] = sums[static_cast<size_t>(m * c.n + n)];
                    block(c.epilogue);
                }
            }
        }
    }
    ScalarValue dot(const Contract& c, bool thin, int64_t a, int64_t b) const {
        auto value = [&](BufferId buffer, int64_t at) { return load_value(c.type, element(buffer, at)); };
        if (thin) {
            OrderedReduction sum(Combine::Sum, c.type, true);
            for (int64_t k = 0; k < c.k; ++k) sum.add_product(value(c.a, a + k * c.a_k), value(c.b, b + k * c.b_k));
            return sum.finish();
        }
        ScalarValue total = identity_value(Combine::Sum, c.type);
        for (int64_t begin = 0; begin < c.k; begin += contract_chunk) {
            ScalarValue chunk = identity_value(Combine::Sum, c.type);
            for (int64_t k = begin; k < std::min(c.k, begin + contract_chunk); ++k)
                chunk = apply(ScalarOp::Fma, c.type, value(c.a, a + k * c.a_k), value(c.b, b + k * c.b_k), chunk);
            total = begin == 0 ? chunk : apply(ScalarOp::Add, c.type, total, chunk, {});
        }
        return total;
    }

    const Kernel& k_;
    KernelStatus* status_;
    std::vector<ScalarValue> vars_;
    std::vector<unsigned char*> data_;
    std::vector<std::unique_ptr<unsigned char[]>> owned_;
};

}  // namespace

void interpret(const Kernel& kernel, void* const* buffers, const int64_t* scalars, KernelStatus* status) {
    Interpreter(kernel, buffers, scalars, status).run();
}

}  // namespace sifr
