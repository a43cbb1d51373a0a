// The register tile of a contraction: a row of accumulators is one or two registers. Per k it takes a load of B for each of them
// and one broadcast element of A for each row.

#include <algorithm>

#include "compiler/backend/llvm/contract.h"
#include "ir/base/check.h"

namespace sifr::codegen {

namespace {

constexpr int64_t prefetch_bytes = 1024;  ///< how far in front of the tile A is fetched

}  // namespace

llvm::Value* ContractEmitter::a_pointer(Value* m_strip, Value* k_begin) {
    if (pack_a_)
        return b_.CreateInBoundsGEP(element_, packed_a_,
                                    b_.CreateNSWMul(b_.CreateNSWSub(m_strip, m_origin_), m_.constant(rows_ * k_block_)));
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

// The function `tile(sums, a, a_row, a_step, b, b_step, count, first)`: sums[r][c] = first ? 0 : sums[r][c], then the chain over
// `count` steps of k. Sums lie in rows of `columns_` elements. All products of a program share it where tiles agree.
llvm::Function* ContractEmitter::tile_function(int rows, int columns, int valid) {
    const bool masked = !pack_b_ && valid < columns;
    // Where A is packed, its steps are known; where it runs along memory, only the distance of its rows is not.
    const std::string a_kind = pack_a_ ? fmt::format("packed{}", rows_) : c_.a_k == 1 ? "rows" : "strided";
    const std::string name = fmt::format("tile.{}.{}x{}of{}.{}.{}{}", name_of(c_.type), rows, columns, columns_, a_kind,
                                         pack_b_ ? "packed" : "strided", masked ? fmt::format(".{}", valid) : "");
    if (llvm::Function* known = m_.module().getFunction(name)) return known;
    auto* type =
        llvm::FunctionType::get(m_.void_type(), {m_.ptr(), m_.ptr(), m_.i64(), m_.i64(), m_.ptr(), m_.i64(), m_.i64(), m_.i1()}, false);
    llvm::Function* f = m_.add_function(name, type, true);
    f->addFnAttr(llvm::Attribute::NoInline);
    f->setDoesNotThrow();
    for (unsigned i : {0U, 1U, 4U}) f->addParamAttr(i, llvm::Attribute::NoAlias);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m_.context, "entry", f));
    if (llvm::DISubprogram* scope = f->getSubprogram()) b.SetCurrentDebugLocation(m_.debug_location({}, scope));
    auto block = [&](const char* block_name) { return llvm::BasicBlock::Create(m_.context, block_name, f); };

    // Rows are cut into registers here: LLVM would do the same, slowly.
    const int lanes = std::min(vector_, columns), registers = columns / lanes;
    const auto count_of = static_cast<size_t>(rows * registers);
    llvm::Type* piece = m_.vector_of(element_, lanes);
    const llvm::Align piece_align(static_cast<uint64_t>(lanes * size_));
    Value *sums = f->getArg(0), *count = f->getArg(6);
    Value* a_row = pack_a_ ? m_.constant(1) : static_cast<Value*>(f->getArg(2));
    Value* a_step = pack_a_ ? m_.constant(rows_) : c_.a_k == 1 ? m_.constant(1) : static_cast<Value*>(f->getArg(3));
    Value* b_step = pack_b_ ? m_.constant(columns_) : static_cast<Value*>(f->getArg(5));
    auto place = [&](size_t i) {
        const auto at = static_cast<int64_t>(i);
        return b.CreateInBoundsGEP(element_, sums, m_.constant(at / registers * columns_ + at % registers * lanes));
    };

    llvm::BasicBlock* entry = b.GetInsertBlock();
    llvm::BasicBlock* resume = block("resume");
    llvm::BasicBlock* start = block("start");
    std::vector<Value*> a_rows;
    for (int r = 0; r < rows; ++r) a_rows.push_back(b.CreateInBoundsGEP(element_, f->getArg(1), b.CreateNSWMul(a_row, m_.constant(r))));
    b.CreateCondBr(f->getArg(7), start, resume);
    b.SetInsertPoint(resume);
    std::vector<Value*> old;
    for (size_t i = 0; i < count_of; ++i) old.push_back(b.CreateAlignedLoad(piece, place(i), piece_align));
    b.CreateBr(start);
    b.SetInsertPoint(start);
    std::vector<Value*> acc;
    for (size_t i = 0; i < count_of; ++i) {
        llvm::PHINode* p = b.CreatePHI(piece, 2);
        p->addIncoming(llvm::Constant::getNullValue(piece), entry);
        p->addIncoming(old[i], resume);
        acc.push_back(p);
    }

    // `n` steps a turn, while so many are left.
    Value* k = m_.constant(0);
    Value* b_at = f->getArg(4);
    auto loop = [&](int n, Value* end, const char* loop_name) {
        llvm::BasicBlock* before = b.GetInsertBlock();
        llvm::BasicBlock* body = block(loop_name);
        llvm::BasicBlock* done = block("k.done");
        b.CreateCondBr(b.CreateICmpSLT(k, end), body, done);
        b.SetInsertPoint(body);
        llvm::PHINode* i = b.CreatePHI(m_.i64(), 2);
        llvm::PHINode* row_b = b.CreatePHI(m_.ptr(), 2);
        i->addIncoming(k, before);
        row_b->addIncoming(b_at, before);
        std::vector<llvm::PHINode*> phis;
        std::vector<Value*> now;
        for (Value* v : acc) {
            phis.push_back(b.CreatePHI(piece, 2));
            phis.back()->addIncoming(v, before);
            now.push_back(phis.back());
        }
        Value* from = row_b;
        Value* step = i;
        if (pack_a_ && n > 1) {
            // Each strip of A comes from L2 once for each strip of B.
            Value* ahead = b.CreateInBoundsGEP(element_, f->getArg(1), b.CreateNSWMul(step, a_step));
            for (int64_t at = 0; at < n * rows * size_; at += 64)
                b.CreateIntrinsic(llvm::Intrinsic::prefetch, {m_.ptr()},
                                  {b.CreateConstGEP1_64(b.getInt8Ty(), ahead, static_cast<uint64_t>(prefetch_bytes + at)), b.getInt32(0),
                                   b.getInt32(3), b.getInt32(1)});
        }
        for (int u = 0; u < n; ++u) {
            std::vector<Value*> row;
            for (int g = 0; g < registers; ++g) {
                Value* at = b.CreateInBoundsGEP(element_, from, m_.constant(static_cast<int64_t>(g) * lanes));
                const int inside = std::clamp(valid - g * lanes, 0, lanes);
                if (masked && inside == 0)
                    row.push_back(llvm::Constant::getNullValue(piece));
                else if (masked && inside < lanes)
                    row.push_back(
                        b.CreateMaskedLoad(piece, at, align_, k_.constant_mask(lanes, inside), llvm::Constant::getNullValue(piece)));
                else
                    row.push_back(b.CreateAlignedLoad(piece, at, pack_b_ ? piece_align : align_));
            }
            Value* offset = b.CreateNSWMul(step, a_step);
            for (int r = 0; r < rows; ++r) {
                Value* e = b.CreateAlignedLoad(element_, b.CreateInBoundsGEP(element_, a_rows[static_cast<size_t>(r)], offset), align_);
                e = b.CreateVectorSplat(static_cast<unsigned>(lanes), e);
                for (int g = 0; g < registers; ++g) {
                    auto& sum = now[static_cast<size_t>(r * registers + g)];
                    sum = b.CreateIntrinsic(llvm::Intrinsic::fma, {piece}, {e, row[static_cast<size_t>(g)], sum});
                }
            }
            from = b.CreateInBoundsGEP(element_, from, b_step);
            step = b.CreateNSWAdd(step, m_.constant(1));
        }
        i->addIncoming(step, body);
        row_b->addIncoming(from, body);
        for (size_t v = 0; v < phis.size(); ++v) phis[v]->addIncoming(now[v], body);
        b.CreateCondBr(b.CreateICmpSLT(step, end), body, done);
        b.SetInsertPoint(done);
        auto merge = [&](Value* none, Value* some) {
            llvm::PHINode* p = b.CreatePHI(some->getType(), 2);
            p->addIncoming(none, before);
            p->addIncoming(some, body);
            return p;
        };
        k = merge(k, step);
        b_at = merge(b_at, from);
        for (size_t v = 0; v < acc.size(); ++v) acc[v] = merge(acc[v], now[v]);
    };
    loop(2, b.CreateAnd(count, m_.constant(-2)), "k.loop");
    loop(1, count, "k.rest");
    for (size_t i = 0; i < count_of; ++i) b.CreateAlignedStore(acc[i], place(i), piece_align);
    b.CreateRetVoid();
    return f;
}

void ContractEmitter::tile(const Tile& t, const KBlock& k, Value* panel_slot) {
    llvm::Type* row_type = m_.vector_of(element_, t.columns);
    const llvm::Align row_align(static_cast<uint64_t>(m_.machine.vector_bytes()));
    Value* sums = panel_needed_ ? b_.CreateInBoundsGEP(element_, panel_, panel_slot) : sums_;
    auto row_of = [&](Value* base, Value* r) { return b_.CreateInBoundsGEP(element_, base, b_.CreateNSWMul(r, m_.constant(columns_))); };
    std::vector<Value*> args{sums,
                             a_pointer(t.m_strip, k.begin),
                             m_.constant(c_.a_m),
                             m_.constant(c_.a_k),
                             b_pointer(t.n_strip, k.begin),
                             m_.constant(c_.b_k),
                             k.count,
                             k.first};
    // The last strip of rows may be a lower one: it has a function of its own, and shares the rest of the code.
    Value* rows = m_.constant(m_full_ > 0 ? rows_ : m_rest_);
    auto multiply = [&](int64_t n) { b_.CreateCall(tile_function(static_cast<int>(n), t.columns, t.valid), args); };
    if (m_full_ == 0 || m_rest_ == 0) {
        multiply(m_full_ > 0 ? rows_ : m_rest_);
    } else {
        llvm::BasicBlock* whole = k_.block("whole");
        llvm::BasicBlock* rest = k_.block("rest");
        llvm::BasicBlock* done = k_.block("multiplied");
        Value* is_whole = b_.CreateICmpSLT(t.m_strip, m_.constant(m_full_));
        rows = b_.CreateSelect(is_whole, m_.constant(rows_), m_.constant(m_rest_));
        b_.CreateCondBr(is_whole, whole, rest);
        k_.enter(whole);
        multiply(rows_);
        b_.CreateBr(done);
        k_.enter(rest);
        multiply(m_rest_);
        b_.CreateBr(done);
        k_.enter(done);
    }
    if (chunks_) {
        // The sum of a finished chunk is added to those before it, and kept for those behind it.
        k_.when(k.chunk_end, [&] {
            Value* totals = b_.CreateInBoundsGEP(element_, totals_, panel_slot);
            k_.counted_loop(m_.constant(0), rows, 1, true, "chunk", [&](Value* r) {
                Value* sum = b_.CreateAlignedLoad(row_type, row_of(sums, r), row_align);
                Value* before = b_.CreateAlignedLoad(row_type, row_of(totals, r), row_align);
                sum = b_.CreateSelect(k.later_chunk, b_.CreateFAdd(before, sum), sum);
                b_.CreateAlignedStore(sum, row_of(sums, r), row_align);
                b_.CreateAlignedStore(sum, row_of(totals, r), row_align);
            });
        });
    }
    k_.when(k.last, [&] {
        k_.counted_loop(m_.constant(0), rows, 1, true, "row",
                        [&](Value* r) { epilogue_row(t, r, b_.CreateAlignedLoad(row_type, row_of(sums, r), row_align)); });
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
