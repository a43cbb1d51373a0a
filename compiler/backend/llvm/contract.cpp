#include "compiler/backend/llvm/contract.h"

#include <algorithm>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/op/reduce_order.h"

namespace sifr::codegen {

namespace {

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

/// Multiply-adds from which threads pay, and the least that one gets.
constexpr int64_t threads_from = 1 << 20;
constexpr int64_t thread_work = 1 << 18;
/// Bytes of packed B at a time: a part of the last-level cache.
constexpr int64_t packed_b_limit = 8 << 20;

}  // namespace

ContractEmitter::ContractEmitter(KernelEmitter& k, const Contract& c) : k_(k), m_(k.m_), b_(k.b_), c_(c) {
    if (c.type != DType::F32 && c.type != DType::F64) throw NotSupported(fmt::format("matrix products of {}", torch_name(c.type)));
    element_ = m_.value_type(c.type);
    size_ = size_of(c.type);
    align_ = llvm::Align(static_cast<uint64_t>(size_));
    vector_ = static_cast<int>(m_.machine.vector_bytes() / size_);
    choose_blocks();
}

void ContractEmitter::choose_blocks() {
    // Accumulators: 12 of 16 registers, or 24 of 32; a narrow product has one register a row and more rows.
    const int accumulators = m_.machine.avx512 ? 24 : 12;
    const int registers = c_.n <= vector_ ? 1 : 2;
    columns_ = registers * vector_;
    rows_ = static_cast<int>(std::min<int64_t>(accumulators / registers, c_.m));
    m_full_ = c_.m / rows_;
    m_rest_ = c_.m % rows_;
    n_full_ = c_.n / columns_;
    n_rest_ = c_.n % columns_;
    m_strips_ = m_full_ + (m_rest_ != 0);
    n_strips_ = n_full_ + (n_rest_ != 0);

    // A block of k: a strip of B of that length fills L1, and the rows pass by; longer ones save little of what waits between blocks.
    const int64_t most = std::max<int64_t>(64, m_.machine.l1_bytes / (columns_ * size_));
    const int64_t k = std::max<int64_t>(c_.k, 1);
    chunks_ = k > contract_chunk;
    if (chunks_) k_block_ = 256;  // divides a chunk
    else k_block_ = std::max<int64_t>(1, round_up(ceil_div(k, ceil_div(k, most)), 4));
    if (k <= most * 4 / 3) k_block_ = k;
    panel_needed_ = c_.k > k_block_;
    // A block of A stays in half of L2 while the strips of B pass by.
    m_block_ = std::clamp<int64_t>(m_.machine.l2_bytes / 2 / (std::max<int64_t>(1, k_block_) * size_ * rows_), 1, std::max<int64_t>(1, m_strips_));
    n_block_ = std::clamp<int64_t>(packed_b_limit / (std::max<int64_t>(1, c_.k) * columns_ * size_), 1, std::max<int64_t>(1, n_strips_));

    // Reading B in place takes one vector load a row; packing pays when many rows of A pass by, and is needed to get at vectors.
    const bool b_small = c_.k * c_.n * size_ <= m_.machine.l1_bytes / 2;
    pack_b_ = c_.b_n != 1 || (c_.m > 2 * rows_ && !b_small);
    // Rows of A are read element by element: in place where k runs along memory, unless there is much of it (rows far apart come to few
    // places of the caches), and where all of it is near.
    const bool a_small = c_.m * c_.k * size_ <= m_.machine.l1_bytes / 2;
    const bool a_large = c_.m * c_.k * size_ > m_.machine.l2_bytes && n_strips_ >= 8;
    pack_a_ = (c_.a_k != 1 && !a_small && n_strips_ > 1) || a_large;
}

llvm::Value* ContractEmitter::min(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b); }

void ContractEmitter::if_less(Value* a, Value* b, const std::function<void()>& body) { k_.when(b_.CreateICmpSLT(a, b), body); }

void ContractEmitter::run() {
    if (c_.batch <= 0 || c_.m <= 0 || c_.n <= 0) return;
    const int64_t one = c_.m * c_.n * std::max<int64_t>(c_.k, 1);
    const bool threads = !k_.outlined_ && one * c_.batch >= threads_from;
    const auto grain = [&](int64_t work_of_one) { return std::max<int64_t>(1, thread_work / std::max<int64_t>(1, work_of_one)); };
    if (threads && c_.batch > 1) {
        k_.parallel_range(m_.constant(c_.batch), grain(one), [&](Value* begin, Value* end) { for_batches(begin, end); }, m_.constant(0));
    } else if (threads && std::max(m_strips_, n_strips_) > 1) {
        k_.bindings_[c_.batch_var.index] = {KernelEmitter::Binding::Kind::Plain, m_.constant(0), 1};
        if (m_strips_ >= 8 || m_strips_ >= n_strips_) threads_over_rows();
        else threads_over_columns();
    } else {
        for_batches(m_.constant(0), m_.constant(c_.batch));
    }
}

void ContractEmitter::for_batches(Value* begin, Value* end) {
    packed_b_ = pack_b_ ? k_.scratch_bytes(n_block_ * columns_ * std::max<int64_t>(c_.k, 1) * size_, "packed.b") : nullptr;
    k_.counted_loop(begin, end, 1, false, "batch", [&](Value* batch) {
        k_.bindings_[c_.batch_var.index] = {KernelEmitter::Binding::Kind::Plain, batch, 1};
        serial_product();
    });
}

void ContractEmitter::serial_product() {
    k_.counted_loop(m_.constant(0), m_.constant(n_strips_), pack_b_ ? n_block_ : n_strips_, true, "n.block", [&](Value* n_begin) {
        Value* n_end = min(b_.CreateNSWAdd(n_begin, m_.constant(pack_b_ ? n_block_ : n_strips_)), m_.constant(n_strips_));
        n_origin_ = n_begin;
        if (pack_b_) pack_b(n_begin, n_end);
        product(m_.constant(0), m_.constant(m_strips_), n_begin, n_end);
    });
}

void ContractEmitter::threads_over_rows() {
    Value* shared = pack_b_ ? k_.scratch_bytes(n_block_ * columns_ * std::max<int64_t>(c_.k, 1) * size_, "packed.b") : llvm::ConstantPointerNull::get(m_.ptr());
    k_.counted_loop(m_.constant(0), m_.constant(n_strips_), pack_b_ ? n_block_ : n_strips_, true, "n.block", [&](Value* n_begin) {
        Value* n_end = min(b_.CreateNSWAdd(n_begin, m_.constant(pack_b_ ? n_block_ : n_strips_)), m_.constant(n_strips_));
        auto saved = k_.shared_values_;
        k_.shared_values_ = {shared, n_end};
        auto take = [&] {
            packed_b_ = k_.shared_values_[0];
            n_origin_ = k_.lo_in_body_;
        };
        if (pack_b_) {
            const int64_t grain = std::max<int64_t>(1, (64 << 10) / (std::max<int64_t>(1, c_.k) * columns_));
            k_.parallel_range(b_.CreateSub(n_end, n_begin), grain, [&](Value* begin, Value* end) {
                take();
                pack_b(b_.CreateNSWAdd(begin, n_origin_), b_.CreateNSWAdd(end, n_origin_));
            }, n_begin);
        }
        const int64_t grain = std::max<int64_t>(1, thread_work / std::max<int64_t>(1, rows_ * c_.n * c_.k));
        k_.parallel_range(m_.constant(m_strips_), grain, [&](Value* begin, Value* end) {
            take();
            product(begin, end, n_origin_, k_.shared_values_[1]);
        }, n_begin);
        k_.shared_values_ = saved;
    });
}

void ContractEmitter::threads_over_columns() {
    const int64_t grain = std::max<int64_t>(1, thread_work / std::max<int64_t>(1, columns_ * c_.m * c_.k));
    k_.parallel_range(m_.constant(n_strips_), grain, [&](Value* begin, Value* end) {
        packed_b_ = pack_b_ ? k_.scratch_bytes(n_block_ * columns_ * std::max<int64_t>(c_.k, 1) * size_, "packed.b") : nullptr;
        const int64_t step = pack_b_ ? n_block_ : n_strips_;
        k_.counted_loop(begin, end, step, false, "n.block", [&](Value* n_begin) {
            Value* n_end = min(b_.CreateNSWAdd(n_begin, m_.constant(step)), end);
            n_origin_ = n_begin;
            if (pack_b_) pack_b(n_begin, n_end);
            product(m_.constant(0), m_.constant(m_strips_), n_begin, n_end);
        });
    }, m_.constant(0));
}

void ContractEmitter::product(Value* m_begin, Value* m_end, Value* n_begin, Value* n_end) {
    a_ = k_.element_pointer(c_.a, k_.affine(c_.a_base));
    b_ptr_ = k_.element_pointer(c_.b, k_.affine(c_.b_base));
    const int64_t tile_bytes = rows_ * columns_ * size_;
    const int64_t n_most = pack_b_ ? n_block_ : n_strips_;
    packed_a_ = pack_a_ ? k_.scratch_bytes((m_block_ * rows_ * k_block_ + vector_) * size_, "packed.a") : nullptr;
    sums_ = panel_needed_ ? nullptr : k_.slot(m_.vector_of(element_, columns_), "sums", static_cast<uint64_t>(rows_));
    panel_ = panel_needed_ ? k_.scratch_bytes(m_block_ * n_most * tile_bytes, "panel") : nullptr;
    totals_ = chunks_ ? k_.scratch_bytes(m_block_ * n_most * tile_bytes, "totals") : nullptr;
    k_.counted_loop(m_begin, m_end, m_block_, false, "m.block", [&](Value* block_begin) {
        Value* block_end = min(b_.CreateNSWAdd(block_begin, m_.constant(m_block_)), m_end);
        m_origin_ = block_begin;
        if (!panel_needed_) {
            KBlock k{m_.constant(0), m_.constant(c_.k), b_.getTrue(), b_.getTrue(), b_.getTrue(), b_.getFalse()};
            block(block_begin, block_end, n_begin, n_end, k);
            return;
        }
        k_.counted_loop(m_.constant(0), m_.constant(c_.k), k_block_, true, "k.block", [&](Value* begin) {
            KBlock k;
            k.begin = begin;
            Value* end = min(b_.CreateNSWAdd(begin, m_.constant(k_block_)), m_.constant(c_.k));
            k.count = b_.CreateNSWSub(end, begin);
            Value* in_chunk = b_.CreateAnd(begin, m_.constant(contract_chunk - 1));
            k.first = b_.CreateICmpEQ(in_chunk, m_.constant(0));
            k.last = b_.CreateICmpEQ(end, m_.constant(c_.k));
            k.chunk_end = b_.CreateOr(k.last, b_.CreateICmpEQ(b_.CreateAnd(end, m_.constant(contract_chunk - 1)), m_.constant(0)));
            k.later_chunk = chunks_ ? b_.CreateICmpSGE(begin, m_.constant(contract_chunk)) : b_.getFalse();
            block(block_begin, block_end, n_begin, n_end, k);
        });
    });
}

void ContractEmitter::block(Value* m_begin, Value* m_end, Value* n_begin, Value* n_end, const KBlock& k) {
    if (pack_a_) pack_a(m_begin, m_end, k);
    if (n_full_ > 0) {
        k_.counted_loop(n_begin, min(n_end, m_.constant(n_full_)), 1, false, "n", [&](Value* strip) {
            strip_rows(columns_, columns_, strip, m_begin, m_end, m_begin, n_begin, k);
        });
    }
    if (n_rest_ > 0) {
        // The last strip may need one register a row only.
        const int narrow = n_rest_ <= vector_ ? vector_ : columns_;
        if_less(m_.constant(n_full_), n_end, [&] { strip_rows(narrow, static_cast<int>(n_rest_), m_.constant(n_full_), m_begin, m_end, m_begin, n_begin, k); });
    }
}

void ContractEmitter::strip_rows(int columns, int valid, Value* n_strip, Value* m_begin, Value* m_end, Value* m_origin, Value* n_origin, const KBlock& k) {
    auto slot = [&](Value* m_strip) -> Value* {
        if (!panel_needed_) return nullptr;
        Value* row = b_.CreateNSWMul(b_.CreateNSWSub(n_strip, n_origin), m_.constant(m_block_));
        return b_.CreateNSWMul(b_.CreateNSWAdd(row, b_.CreateNSWSub(m_strip, m_origin)), m_.constant(rows_ * columns_));
    };
    k_.counted_loop(m_begin, m_end, 1, false, "m", [&](Value* strip) { tile({columns, valid, strip, n_strip}, k, slot(strip)); });
}

void KernelEmitter::emit_contract(const Contract& c) {
    SIFR_CHECK(width_ == 1, "kernel {}: a contraction inside of a vector loop", k_.name);
    ContractEmitter(*this, c).run();
}

}  // namespace sifr::codegen
