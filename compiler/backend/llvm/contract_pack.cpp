// Packing: strips of B as k rows of `columns_` elements, strips of A as k columns of `rows_` elements, each in the order in which
// the tile reads them. Columns of B past n are filled with something harmless; rows of A past m are not read.

#include "compiler/backend/llvm/contract.h"

namespace sifr::codegen {

std::vector<llvm::Value*> ContractEmitter::transposed(std::vector<Value*> rows) {
    // Swaps, for each power of two, the off-diagonal halves of all blocks of that size.
    const int n = static_cast<int>(rows.size());
    for (int s = 1; s < n; s *= 2) {
        for (int i = 0; i < n; ++i) {
            if (i & s) continue;
            std::vector<int> low, high;
            for (int l = 0; l < n; ++l) {
                low.push_back(l & s ? n + l - s : l);
                high.push_back(l & s ? n + l : l + s);
            }
            Value* a = rows[static_cast<size_t>(i)];
            Value* b = rows[static_cast<size_t>(i + s)];
            rows[static_cast<size_t>(i)] = b_.CreateShuffleVector(a, b, low);
            rows[static_cast<size_t>(i + s)] = b_.CreateShuffleVector(a, b, high);
        }
    }
    return rows;
}

void ContractEmitter::pack_b(Value* n_begin, Value* n_end) {
    b_ptr_ = k_.element_pointer(c_.b, k_.affine(c_.b_base));
    if (n_full_ > 0)
        k_.counted_loop(n_begin, min(n_end, m_.constant(n_full_)), 1, false, "pack.b", [&](Value* s) { pack_b_strip(s, columns_); });
    if (n_rest_ > 0) if_less(m_.constant(n_full_), n_end, [&] { pack_b_strip(m_.constant(n_full_), static_cast<int>(n_rest_)); });
}

void ContractEmitter::pack_b_strip(Value* strip, int valid) {
    Value* from = b_.CreateInBoundsGEP(element_, b_ptr_, b_.CreateNSWMul(strip, m_.constant(columns_ * c_.b_n)));
    Value* to = b_.CreateInBoundsGEP(element_, packed_b_, b_.CreateNSWMul(b_.CreateNSWSub(strip, n_origin_), m_.constant(c_.k * columns_)));
    auto source = [&](Value* k, int64_t n) {
        return b_.CreateInBoundsGEP(element_, from, b_.CreateNSWAdd(b_.CreateNSWMul(k, m_.constant(c_.b_k)), m_.constant(n * c_.b_n)));
    };
    auto target = [&](Value* k, int64_t n) {
        return b_.CreateInBoundsGEP(element_, to, b_.CreateNSWAdd(b_.CreateNSWMul(k, m_.constant(columns_)), m_.constant(n)));
    };
    const llvm::Align packed_align(static_cast<uint64_t>(m_.machine.vector_bytes()));
    if (c_.b_n == 1) {
        llvm::Type* row = m_.vector_of(element_, columns_);
        k_.counted_loop(m_.constant(0), m_.constant(c_.k), 1, true, "pack.k", [&](Value* k) {
            Value* v = valid == columns_ ? static_cast<Value*>(b_.CreateAlignedLoad(row, source(k, 0), align_))
                                         : b_.CreateMaskedLoad(row, source(k, 0), align_, k_.constant_mask(columns_, valid),
                                                               llvm::Constant::getNullValue(row));
            b_.CreateAlignedStore(v, target(k, 0), packed_align);
        });
        return;
    }
    // Columns past n repeat the last one: their products are never looked at.
    auto column = [&](int n) -> int64_t { return n < valid ? n : valid - 1; };
    int64_t whole = 0;
    if (c_.b_k == 1) {
        whole = c_.k / vector_ * vector_;
        llvm::Type* piece = m_.vector_of(element_, vector_);
        k_.counted_loop(m_.constant(0), m_.constant(whole), vector_, true, "pack.k", [&](Value* k) {
            for (int n = 0; n < columns_; n += vector_) {
                std::vector<Value*> rows;
                for (int r = 0; r < vector_; ++r) rows.push_back(b_.CreateAlignedLoad(piece, source(k, column(n + r)), align_));
                rows = transposed(rows);
                for (int r = 0; r < vector_; ++r)
                    b_.CreateAlignedStore(rows[static_cast<size_t>(r)], target(b_.CreateNSWAdd(k, m_.constant(r)), n), packed_align);
            }
        });
    }
    k_.counted_loop(m_.constant(whole), m_.constant(c_.k), 1, true, "pack.rest", [&](Value* k) {
        for (int n = 0; n < columns_; ++n)
            b_.CreateAlignedStore(b_.CreateAlignedLoad(element_, source(k, column(n)), align_), target(k, n), align_);
    });
}

void ContractEmitter::pack_a(Value* m_begin, Value* m_end, const KBlock& k) {
    auto to = [&](Value* strip) {
        return b_.CreateInBoundsGEP(element_, packed_a_, b_.CreateNSWMul(b_.CreateNSWSub(strip, m_origin_), m_.constant(rows_ * k_block_)));
    };
    if (m_full_ > 0) {
        k_.counted_loop(m_begin, min(m_end, m_.constant(m_full_)), 1, false, "pack.a", [&](Value* s) { pack_a_strip(to(s), s, rows_, k); });
    }
    if (m_rest_ > 0) {
        if_less(m_.constant(m_full_), m_end,
                [&] { pack_a_strip(to(m_.constant(m_full_)), m_.constant(m_full_), static_cast<int>(m_rest_), k); });
    }
}

void ContractEmitter::pack_a_strip(Value* to, Value* m_strip, int valid, const KBlock& k) {
    Value* offset = b_.CreateNSWAdd(b_.CreateNSWMul(m_strip, m_.constant(rows_ * c_.a_m)), b_.CreateNSWMul(k.begin, m_.constant(c_.a_k)));
    Value* from = b_.CreateInBoundsGEP(element_, a_, offset);
    auto source = [&](Value* i, int r) {
        return b_.CreateInBoundsGEP(element_, from, b_.CreateNSWAdd(b_.CreateNSWMul(i, m_.constant(c_.a_k)), m_.constant(r * c_.a_m)));
    };
    auto target = [&](Value* i, int r) {
        return b_.CreateInBoundsGEP(element_, to, b_.CreateNSWAdd(b_.CreateNSWMul(i, m_.constant(rows_)), m_.constant(r)));
    };
    Value* whole = m_.constant(0);
    if (c_.a_k == 1) {
        // Blocks of vector_ rows and as many steps of k. What a column has beyond the strip's rows lies where the next one goes, which is
        // written behind it; behind the last strip there is room.
        whole = b_.CreateAnd(k.count, m_.constant(-static_cast<int64_t>(vector_)));
        llvm::Type* piece = m_.vector_of(element_, vector_);
        k_.counted_loop(m_.constant(0), whole, vector_, false, "pack.k", [&](Value* i) {
            std::vector<std::vector<Value*>> groups;
            for (int first = 0; first < valid; first += vector_) {
                std::vector<Value*> rows;
                for (int r = first; r < first + vector_; ++r)
                    rows.push_back(r < valid ? static_cast<Value*>(b_.CreateAlignedLoad(piece, source(i, r), align_)) : rows.back());
                groups.push_back(transposed(rows));
            }
            for (int step = 0; step < vector_; ++step)
                for (size_t g = 0; g < groups.size(); ++g)
                    b_.CreateAlignedStore(groups[g][static_cast<size_t>(step)],
                                          target(b_.CreateNSWAdd(i, m_.constant(step)), static_cast<int>(g) * vector_), align_);
        });
    }
    k_.counted_loop(whole, k.count, 1, false, "pack.k", [&](Value* i) {
        if (c_.a_m == 1) {
            llvm::Type* piece = m_.vector_of(element_, valid);
            b_.CreateAlignedStore(b_.CreateAlignedLoad(piece, source(i, 0), align_), target(i, 0), align_);
            return;
        }
        for (int r = 0; r < valid; ++r) b_.CreateAlignedStore(b_.CreateAlignedLoad(element_, source(i, r), align_), target(i, r), align_);
    });
}

}  // namespace sifr::codegen
