#pragma once

#include "compiler/backend/llvm/kernel_emitter.h"

namespace sifr::codegen {

/// Writes one contraction as a blocked product of packed operands with a register tile in its middle.
///
/// The order of ir/op/reduce_order.h is one chain of fused multiply-adds in increasing k for each element. A tile of `rows_` x
/// `columns_` elements keeps its chains in registers while k runs over a block; between blocks the sums wait in a private panel
/// and the chain goes on, so blocking never shows in the bits. Tiles, blocks and threads only divide m and n.
class ContractEmitter {
public:
    ContractEmitter(KernelEmitter& k, const Contract& c);
    void run();

private:
    using Value = llvm::Value;

    /// One register tile: which columns it has, and where it lies; the last strip of rows may have fewer of them.
    struct Tile {
        int columns;       ///< elements of a row of accumulators
        int valid;         ///< of them inside of n; the rest is padding
        Value* m_strip;
        Value* n_strip;
    };
    /// The block of k that is being worked on.
    struct KBlock {
        Value* begin;
        Value* count;
        Value* first;   ///< i1: the chain of this chunk starts here
        Value* last;    ///< i1: k is finished behind it
        Value* chunk_end;  ///< i1: the sum of a chunk is finished (only where there are several)
        Value* later_chunk;  ///< i1: an earlier chunk's sum waits
    };

    // contract.cpp
    void choose_blocks();
    void for_batches(Value* begin, Value* end);
    void serial_product();
    void threads_over_rows();
    void threads_over_columns();
    /// Strips m_begin … m_end - 1 times n_begin … n_end - 1; B is packed already where it is packed.
    void product(Value* m_begin, Value* m_end, Value* n_begin, Value* n_end);
    void block(Value* m_begin, Value* m_end, Value* n_begin, Value* n_end, const KBlock& k);
    void strip_rows(int columns, int valid, Value* n_strip, Value* m_begin, Value* m_end, Value* m_origin, Value* n_origin, const KBlock& k);
    Value* min(Value* a, Value* b);
    void if_less(Value* a, Value* b, const std::function<void()>& body);

    // contract_tile.cpp
    void tile(const Tile& t, const KBlock& k, Value* panel_slot);
    llvm::Function* tile_function(int rows, int columns, int valid);
    void epilogue_row(const Tile& t, Value* row, Value* acc);
    Value* a_pointer(Value* m_strip, Value* k_begin);
    Value* b_pointer(Value* n_strip, Value* k_begin);

    // contract_pack.cpp
    void pack_b(Value* n_begin, Value* n_end);
    void pack_b_strip(Value* strip, int valid);
    void pack_a(Value* m_begin, Value* m_end, const KBlock& k);
    void pack_a_strip(Value* to, Value* m_strip, int valid, const KBlock& k);
    std::vector<Value*> transposed(std::vector<Value*> rows);

    KernelEmitter& k_;
    ModuleEmitter& m_;
    llvm::IRBuilder<>& b_;
    const Contract& c_;
    llvm::Type* element_;
    int64_t size_;      ///< bytes of an element
    int vector_;        ///< elements of a register
    int rows_, columns_;  ///< of a full tile
    int64_t m_full_, m_rest_, n_full_, n_rest_, m_strips_, n_strips_;
    int64_t k_block_, m_block_, n_block_;  ///< of k in elements, of m and n in strips
    bool pack_a_, pack_b_;
    bool panel_needed_;   ///< k takes several blocks
    bool chunks_;         ///< k takes several chunks
    llvm::Align align_;

    // Of the function that is being written.
    Value* a_ = nullptr;       ///< at the batch's start
    Value* b_ptr_ = nullptr;
    Value* packed_a_ = nullptr;
    Value* packed_b_ = nullptr;
    Value* sums_ = nullptr;    ///< of one tile, where k takes one block
    Value* panel_ = nullptr;   ///< of all tiles of a block
    Value* totals_ = nullptr;
    Value* m_origin_ = nullptr;  ///< first strip of the block of packed A
    Value* n_origin_ = nullptr;  ///< first strip of packed B
};

}  // namespace sifr::codegen
