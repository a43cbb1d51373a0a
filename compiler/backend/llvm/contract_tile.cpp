// The register tile of a contraction: one row of accumulators is one LLVM vector of one or two registers. Per k it takes one
// load of B and one broadcast element of A for each row.

#include "compiler/backend/llvm/contract.h"
#include "ir/base/check.h"

namespace sifr::codegen {

namespace {

/// Nodes of an epilogue up to which it is written once for each row of a tile instead of in a loop over rows.
constexpr size_t light_epilogue = 24;

}  // namespace

llvm::Value* ContractEmitter::a_pointer(Value* m_strip, Value* k_begin) {
    if (pack_a_)
        return b_.CreateInBoundsGEP(element_, packed_a_, b_.CreateNSWMul(b_.CreateNSWSub(m_strip, m_origin_), m_.constant(rows_ * k_block_)));
    Value* offset = b_.CreateNSWAdd(b_.CreateNSWMul(m_strip, m_.constant(rows_ * c_.a_m)), b_.CreateNSWMul(k_begin, m_.constant(c_.a_k)));
    return b_.CreateInBoundsGEP(element_, a_, offset);
}

llvm::Value* ContractEmitter::b_pointer(Value* n_strip, Value* k_begin) {
    if (pack_b_) {
        Value* row = b_.CreateNSWAdd(b_.CreateNSWMul(b_.CreateNSWSub(n_strip, n_origin_), m_.constant(c_.k)), k_begin);
        return b_.CreateInBoundsGEP(element_, packed_b_, b_.CreateNSWMul(row, m_.constant(columns_)));
    }
    Value* offset = b_.CreateNSWAdd(b_.CreateNSWMul(n_strip, m_.constant(columns_)), b_.CreateNSWMul(k_begin, m_.constant(c_.b_k)));
    return b_.CreateInBoundsGEP(element_, b_ptr_, offset);
}

std::vector<llvm::Value*> ContractEmitter::multiply(const Tile& t, Value* a, Value* b, Value* count, std::vector<Value*> acc) {
    llvm::Type* row_type = m_.vector_of(element_, t.columns);
    const int64_t a_row = pack_a_ ? 1 : c_.a_m, a_step = pack_a_ ? rows_ : c_.a_k, b_step = pack_b_ ? columns_ : c_.b_k;
    const bool masked = !pack_b_ && t.valid < t.columns;
    const llvm::Align b_align = pack_b_ ? llvm::Align(static_cast<uint64_t>(m_.machine.vector_bytes())) : align_;
    auto steps = [&](int n, Value* a_at, Value* b_at, std::vector<Value*>& sums) {
        for (int u = 0; u < n; ++u) {
            Value* bp = b_.CreateInBoundsGEP(element_, b_at, m_.constant(u * b_step));
            Value* row = masked ? static_cast<Value*>(b_.CreateMaskedLoad(row_type, bp, align_, k_.constant_mask(t.columns, t.valid), llvm::Constant::getNullValue(row_type)))
                                : b_.CreateAlignedLoad(row_type, bp, b_align);
            for (int r = 0; r < t.rows; ++r) {
                Value* ap = b_.CreateInBoundsGEP(element_, a_at, m_.constant(r * a_row + u * a_step));
                Value* e = b_.CreateVectorSplat(static_cast<unsigned>(t.columns), b_.CreateAlignedLoad(element_, ap, align_));
                sums[static_cast<size_t>(r)] = b_.CreateIntrinsic(llvm::Intrinsic::fma, {row_type}, {e, row, sums[static_cast<size_t>(r)]});
            }
        }
    };
    // A loop that takes `n` steps a turn, `turns` times (maybe none).
    auto loop = [&](int n, Value* turns, const char* name) {
        auto* known = llvm::dyn_cast<llvm::ConstantInt>(turns);
        if (known && known->isZero()) return;
        llvm::BasicBlock* before = b_.GetInsertBlock();
        llvm::BasicBlock* body = k_.block(name);
        llvm::BasicBlock* done = k_.block("k.done");
        if (known) b_.CreateBr(body);
        else b_.CreateCondBr(b_.CreateICmpSGT(turns, m_.constant(0)), body, done);
        k_.enter(body);
        llvm::PHINode* left = b_.CreatePHI(m_.i64(), 2);
        llvm::PHINode* a_at = b_.CreatePHI(m_.ptr(), 2);
        llvm::PHINode* b_at = b_.CreatePHI(m_.ptr(), 2);
        std::vector<llvm::PHINode*> phis;
        std::vector<Value*> sums;
        for (Value* v : acc) {
            phis.push_back(b_.CreatePHI(row_type, 2));
            phis.back()->addIncoming(v, before);
            sums.push_back(phis.back());
        }
        left->addIncoming(turns, before);
        a_at->addIncoming(a, before);
        b_at->addIncoming(b, before);
        steps(n, a_at, b_at, sums);
        Value* next = b_.CreateNSWSub(left, m_.constant(1));
        Value* a_next = b_.CreateInBoundsGEP(element_, a_at, m_.constant(n * a_step));
        Value* b_next = b_.CreateInBoundsGEP(element_, b_at, m_.constant(n * b_step));
        llvm::BasicBlock* end = b_.GetInsertBlock();
        left->addIncoming(next, end);
        a_at->addIncoming(a_next, end);
        b_at->addIncoming(b_next, end);
        for (size_t r = 0; r < phis.size(); ++r) phis[r]->addIncoming(sums[r], end);
        b_.CreateCondBr(b_.CreateICmpNE(next, m_.constant(0)), body, done);
        k_.enter(done);
        auto merge = [&](Value* none, Value* some) -> Value* {
            if (known) return some;
            llvm::PHINode* p = b_.CreatePHI(some->getType(), 2);
            p->addIncoming(none, before);
            p->addIncoming(some, end);
            return p;
        };
        a = merge(a, a_next);
        b = merge(b, b_next);
        for (size_t r = 0; r < acc.size(); ++r) acc[r] = merge(acc[r], sums[r]);
    };
    // Two steps a turn hide the loop's own work; the tiles at the edges are not worth the code.
    if (t.rows == rows_ && t.valid == columns_) {
        loop(2, b_.CreateLShr(count, m_.constant(1)), "k.loop");
        loop(1, b_.CreateAnd(count, m_.constant(1)), "k.rest");
    } else {
        loop(1, count, "k.loop");
    }
    return acc;
}

void ContractEmitter::tile(const Tile& t, const KBlock& k, Value* panel_slot) {
    llvm::Type* row_type = m_.vector_of(element_, t.columns);
    const llvm::Align row_align(static_cast<uint64_t>(m_.machine.vector_bytes()));
    auto place = [&](Value* base, int r) {
        return b_.CreateInBoundsGEP(element_, base, b_.CreateNSWAdd(panel_slot, m_.constant(static_cast<int64_t>(r) * columns_)));
    };
    auto load = [&](Value* base) {
        std::vector<Value*> rows;
        for (int r = 0; r < t.rows; ++r) rows.push_back(b_.CreateAlignedLoad(row_type, place(base, r), row_align));
        return rows;
    };
    auto store = [&](Value* base, const std::vector<Value*>& rows) {
        for (int r = 0; r < t.rows; ++r) b_.CreateAlignedStore(rows[static_cast<size_t>(r)], place(base, r), row_align);
    };
    std::vector<Value*> zeros(static_cast<size_t>(t.rows), llvm::Constant::getNullValue(row_type));
    // Either of two sets of rows, the second one made only when `condition` does not hold.
    auto either = [&](Value* condition, const std::vector<Value*>& rows, const std::function<std::vector<Value*>()>& otherwise) {
        if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(condition)) return c->isOne() ? rows : otherwise();
        llvm::BasicBlock* before = b_.GetInsertBlock();
        llvm::BasicBlock* other = k_.block("resume");
        llvm::BasicBlock* done = k_.block("resumed");
        b_.CreateCondBr(condition, done, other);
        k_.enter(other);
        const std::vector<Value*> others = otherwise();
        llvm::BasicBlock* end = b_.GetInsertBlock();
        b_.CreateBr(done);
        k_.enter(done);
        std::vector<Value*> merged;
        for (size_t r = 0; r < rows.size(); ++r) {
            llvm::PHINode* p = b_.CreatePHI(row_type, 2);
            p->addIncoming(rows[r], before);
            p->addIncoming(others[r], end);
            merged.push_back(p);
        }
        return merged;
    };
    std::vector<Value*> acc = either(k.first, zeros, [&] { return load(panel_); });
    acc = multiply(t, a_pointer(t.m_strip, k.begin), b_pointer(t.n_strip, k.begin), k.count, acc);
    if (!panel_needed_) {
        finish_tile(t, acc);
        return;
    }
    if (chunks_) {
        // The sum of a finished chunk is added to those before it.
        acc = either(b_.CreateNot(b_.CreateAnd(k.chunk_end, k.later_chunk)), acc, [&] {
            std::vector<Value*> sums = load(totals_);
            for (size_t r = 0; r < sums.size(); ++r) sums[r] = b_.CreateFAdd(sums[r], acc[r]);
            return sums;
        });
    }
    llvm::BasicBlock* finish = k_.block("finish");
    llvm::BasicBlock* wait = k_.block("wait");
    llvm::BasicBlock* done = k_.block("tile.done");
    b_.CreateCondBr(k.last, finish, wait);
    k_.enter(wait);
    Value* where = chunks_ ? b_.CreateSelect(k.chunk_end, totals_, panel_) : panel_;
    store(where, acc);
    b_.CreateBr(done);
    k_.enter(finish);
    finish_tile(t, acc);
    b_.CreateBr(done);
    k_.enter(done);
}

void ContractEmitter::finish_tile(const Tile& t, const std::vector<Value*>& acc) {
    if (k_.k_.exprs.nodes.size() <= light_epilogue) {
        for (int r = 0; r < t.rows; ++r) epilogue_row(t, m_.constant(r), acc[static_cast<size_t>(r)]);
        return;
    }
    llvm::Type* row_type = m_.vector_of(element_, t.columns);
    Value* sums = k_.slot(row_type, "sums", static_cast<uint64_t>(t.rows));
    for (int r = 0; r < t.rows; ++r) b_.CreateStore(acc[static_cast<size_t>(r)], b_.CreateConstInBoundsGEP1_64(row_type, sums, static_cast<uint64_t>(r)));
    k_.counted_loop(m_.constant(0), m_.constant(t.rows), 1, true, "row", [&](Value* r) {
        epilogue_row(t, r, b_.CreateLoad(row_type, b_.CreateInBoundsGEP(row_type, sums, r)));
    });
}

void ContractEmitter::epilogue_row(const Tile& t, Value* row, Value* acc) {
    using Kind = KernelEmitter::Binding::Kind;
    k_.push_scope();
    k_.width_ = t.columns;
    if (t.valid < t.columns) k_.mask_ = {k_.constant_mask(t.columns, t.valid), t.valid};
    k_.bindings_[c_.m_var.index] = {Kind::Plain, b_.CreateNSWAdd(b_.CreateNSWMul(t.m_strip, m_.constant(rows_)), row), 1};
    k_.bindings_[c_.n_var.index] = {Kind::Lanes, b_.CreateNSWMul(t.n_strip, m_.constant(columns_)), t.columns};
    k_.bindings_[c_.acc.index] = {Kind::Plain, acc, t.columns};
    k_.emit_block(c_.epilogue);
    k_.width_ = 1;
    k_.mask_ = {};
    k_.pop_scope();
}

}  // namespace sifr::codegen
