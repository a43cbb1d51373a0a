// Reductions, exactly in the order of ir/op/reduce_order.h. A Lanes reduction outside of vector loops keeps 16 partial results side
// by side; a Rows reduction inside of a vector loop keeps one for each lane of that loop; a Lanes reduction inside of a vector loop
// keeps 16 of those, one after the other. All go in blocks of 128 whose results are combined pairwise by a counter.

#include <bit>

#include "compiler/backend/llvm/kernel_emitter.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/loop/short_loops.h"
#include "ir/op/reduce_order.h"

namespace sifr::codegen {

class ReduceEmitter {
public:
    ReduceEmitter(KernelEmitter& k, const Reduce& s)
        : k_(k), m_(k.m_), b_(k.b_), s_(s), side_by_side_(s.lanes && k.width_ == 1), sets_(s.lanes && k.width_ > 1 ? reduce_lanes : 1),
          unit_(side_by_side_ ? reduce_lanes : 1) {
        width_ = side_by_side_ ? static_cast<int>(reduce_lanes) : k.width_;
        n_ = k.affine(s.extent);
        if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(n_)) known_ = std::max<int64_t>(c->getSExtValue(), 0);
        index_type_ = known_ >= 0 && known_ < INT32_MAX ? m_.i32() : m_.i64();
    }
    void run();

private:
    using Value = llvm::Value;
    /// A partial result; `index` for ArgMax and ArgMin only.
    struct Partial {
        Value* value = nullptr;
        Value* index = nullptr;
    };
    using Partials = std::vector<Partial>;  ///< per item

    DType type_of(const Reduce::Item& item) const { return k_.k_.exprs.type(item.value); }
    static bool is_arg(const Reduce::Item& item) { return item.combine == Combine::ArgMax || item.combine == Combine::ArgMin; }
    llvm::Type* shaped(llvm::Type* t) { return width_ > 1 ? m_.vector_of(t, width_) : t; }
    Partial identity(const Reduce::Item& item);
    Partial combine(const Reduce::Item& item, const Partial& older, const Partial& newer);
    Partials combine(const Partials& older, const Partials& newer);
    Partials load(const Partials& slots);
    void store(const Partials& slots, const Partials& values);
    Partials make_slots(uint64_t count);
    Partials at(const Partials& arrays, Value* position);
    void reset(const Partials& slots);
    void begin_block(const Partials& slots);
    void element(const Partials& slots, Value* index, KernelEmitter::Mask mask);
    /// Adds elements first … first + count - 1 of one block to the slots.
    void part_of_block(const Partials& slots, Value* first, Value* count);
    void push(const Partials& slots, Value* block_number);
    void pop_all(const Partials& slots, Value* blocks);
    void for_sets(const std::function<void(Value*)>& body);
    int interleaved() const;
    void few();
    void finish(const Partials& slots);
    void bind_results(const Partials& result);

    KernelEmitter& k_;
    ModuleEmitter& m_;
    llvm::IRBuilder<>& b_;
    const Reduce& s_;
    const bool side_by_side_;  ///< the 16 lanes are those of one vector
    const int64_t sets_;       ///< partial results for each item: 16 for a Lanes reduction across a vector loop
    const int64_t unit_;       ///< elements that one step takes
    int width_;
    Value* n_;
    int64_t known_ = -1;  ///< the extent, when it is known
    llvm::IntegerType* index_type_;
    Partials stack_;
};

ReduceEmitter::Partial ReduceEmitter::identity(const Reduce::Item& item) {
    const DType t = type_of(item);
    llvm::Type* type = m_.value_type(t);
    const bool f = is_float(t);
    auto integer = [&](bool greatest) -> Value* {
        const unsigned bits = type->getScalarSizeInBits();
        if (t == DType::Bool) return llvm::ConstantInt::get(shaped(type), greatest);
        llvm::APInt v = greatest ? (is_signed(t) ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits))
                                 : (is_signed(t) ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits));
        return llvm::ConstantInt::get(shaped(type), v);
    };
    Partial p;
    switch (item.combine) {
        case Combine::Sum: case Combine::Any: p.value = llvm::Constant::getNullValue(shaped(type)); break;
        case Combine::Prod: p.value = f ? k_.float_constant(shaped(type), 1) : k_.int_constant(shaped(type), 1); break;
        case Combine::All: p.value = k_.int_constant(shaped(type), 1); break;
        case Combine::Max: case Combine::ArgMax: p.value = f ? llvm::ConstantFP::getInfinity(shaped(type), true) : integer(false); break;
        case Combine::Min: case Combine::ArgMin: p.value = f ? llvm::ConstantFP::getInfinity(shaped(type), false) : integer(true); break;
    }
    // Behind every real index, so that a first element equal to the neutral one is taken.
    if (is_arg(item)) p.index = llvm::ConstantInt::get(shaped(index_type_), llvm::APInt::getSignedMaxValue(index_type_->getBitWidth()));
    return p;
}

ReduceEmitter::Partial ReduceEmitter::combine(const Reduce::Item& item, const Partial& older, const Partial& newer) {
    const DType t = type_of(item);
    if (!is_arg(item)) return {k_.combine_values(item.combine, t, older.value, newer.value), nullptr};
    const bool max = item.combine == Combine::ArgMax;
    Value* better = k_.emit_compare(max ? ScalarOp::Gt : ScalarOp::Lt, t, newer.value, older.value);
    Value* equal = k_.emit_compare(ScalarOp::Eq, t, newer.value, older.value);
    if (is_float(t)) {
        Value* nan_new = b_.CreateFCmpUNO(newer.value, newer.value);
        Value* nan_old = b_.CreateFCmpUNO(older.value, older.value);
        better = b_.CreateOr(better, b_.CreateAnd(nan_new, b_.CreateNot(nan_old)));
        equal = b_.CreateOr(equal, b_.CreateAnd(nan_new, nan_old));
    }
    better = b_.CreateOr(better, b_.CreateAnd(equal, b_.CreateICmpSLT(newer.index, older.index)));
    return {b_.CreateSelect(better, newer.value, older.value), b_.CreateSelect(better, newer.index, older.index)};
}

ReduceEmitter::Partials ReduceEmitter::combine(const Partials& older, const Partials& newer) {
    Partials r;
    for (size_t i = 0; i < s_.items.size(); ++i) r.push_back(combine(s_.items[i], older[i], newer[i]));
    return r;
}

ReduceEmitter::Partials ReduceEmitter::make_slots(uint64_t count) {
    Partials p;
    for (const auto& item : s_.items) {
        Partial one;
        one.value = k_.slot(shaped(m_.value_type(type_of(item))), "acc", count);
        if (is_arg(item)) one.index = k_.slot(shaped(index_type_), "acc.index", count);
        p.push_back(one);
    }
    return p;
}

ReduceEmitter::Partials ReduceEmitter::at(const Partials& arrays, Value* position) {
    Partials p;
    for (size_t i = 0; i < arrays.size(); ++i) {
        Partial one;
        one.value = b_.CreateInBoundsGEP(shaped(m_.value_type(type_of(s_.items[i]))), arrays[i].value, position);
        if (arrays[i].index) one.index = b_.CreateInBoundsGEP(shaped(index_type_), arrays[i].index, position);
        p.push_back(one);
    }
    return p;
}

ReduceEmitter::Partials ReduceEmitter::load(const Partials& slots) {
    Partials p;
    for (size_t i = 0; i < slots.size(); ++i) {
        Partial one;
        one.value = b_.CreateLoad(shaped(m_.value_type(type_of(s_.items[i]))), slots[i].value);
        if (slots[i].index) one.index = b_.CreateLoad(shaped(index_type_), slots[i].index);
        p.push_back(one);
    }
    return p;
}

void ReduceEmitter::store(const Partials& slots, const Partials& values) {
    for (size_t i = 0; i < slots.size(); ++i) {
        b_.CreateStore(values[i].value, slots[i].value);
        if (slots[i].index) b_.CreateStore(values[i].index, slots[i].index);
    }
}

void ReduceEmitter::reset(const Partials& slots) {
    Partials p;
    for (const auto& item : s_.items) p.push_back(identity(item));
    store(slots, p);
}

void ReduceEmitter::begin_block(const Partials& slots) {
    if (sets_ == 1) reset(slots);  // the lanes of several sets are reset one by one
}

void ReduceEmitter::element(const Partials& slots, Value* index, KernelEmitter::Mask mask) {
    const int outer_width = k_.width_;
    const KernelEmitter::Mask outer_mask = k_.mask_;
    using Kind = KernelEmitter::Binding::Kind;
    if (side_by_side_) {
        k_.width_ = width_;
        k_.mask_ = mask;
        k_.bindings_[s_.var.index] = {Kind::Lanes, index, width_};
    } else {
        k_.bindings_[s_.var.index] = {Kind::Plain, index, 1};
    }
    k_.push_scope();
    k_.emit_block(s_.body);
    const Partials old = load(slots);
    Partials next;
    for (size_t i = 0; i < s_.items.size(); ++i) {
        const Reduce::Item& item = s_.items[i];
        Value* v = k_.emit(item.value);
        if (width_ > 1) v = k_.splat(v, width_);
        Partial p;
        if (item.factor.valid()) {
            Value* factor = k_.emit(item.factor);
            p.value = is_float(type_of(item)) ? k_.fma(v, factor, old[i].value)
                                              : b_.CreateAdd(b_.CreateMul(v, width_ > 1 ? k_.splat(factor, width_) : factor), old[i].value);
        } else {
            Partial newer{v, nullptr};
            if (is_arg(item)) {
                Value* position = b_.CreateTrunc(index, index_type_);
                if (width_ > 1) {
                    position = k_.splat(position, width_);
                    if (side_by_side_) {
                        std::vector<llvm::Constant*> iota;
                        for (int lane = 0; lane < width_; ++lane) iota.push_back(llvm::ConstantInt::get(index_type_, static_cast<uint64_t>(lane)));
                        position = b_.CreateAdd(position, llvm::ConstantVector::get(iota));
                    }
                }
                newer.index = position;
            }
            p = combine(item, old[i], newer);
        }
        if (side_by_side_ && mask.bits) {
            p.value = b_.CreateSelect(mask.bits, p.value, old[i].value);
            if (p.index) p.index = b_.CreateSelect(mask.bits, p.index, old[i].index);
        }
        next.push_back(p);
    }
    store(slots, next);
    k_.pop_scope();
    k_.width_ = outer_width;
    k_.mask_ = outer_mask;
}

void ReduceEmitter::part_of_block(const Partials& slots, Value* first, Value* count) {
    if (sets_ > 1) {
        // Lane after lane: elements lane, lane + 16, …
        k_.counted_loop(m_.constant(0), m_.constant(sets_), 1, true, "lane", [&](Value* lane) {
            const Partials one = at(slots, lane);
            Partials acc = make_slots(1);
            reset(acc);
            k_.counted_loop(lane, count, sets_, false, "step", [&](Value* j) { element(acc, b_.CreateNSWAdd(first, j), {}); });
            store(one, load(acc));
        });
        return;
    }
    if (!side_by_side_) {
        k_.counted_loop(m_.constant(0), count, 1, false, "row", [&](Value* j) { element(slots, b_.CreateNSWAdd(first, j), {}); });
        return;
    }
    if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(count)) {
        const int64_t n = c->getSExtValue(), whole = n / unit_ * unit_;
        k_.counted_loop(m_.constant(0), m_.constant(whole), unit_, true, "step", [&](Value* j) { element(slots, b_.CreateNSWAdd(first, j), {}); });
        if (n > whole) {
            const int rest = static_cast<int>(n - whole);
            element(slots, b_.CreateNSWAdd(first, m_.constant(whole)), {k_.constant_mask(width_, rest), rest});
        }
        return;
    }
    Value* whole = b_.CreateAnd(count, m_.constant(-unit_));
    k_.counted_loop(m_.constant(0), whole, unit_, false, "step", [&](Value* j) { element(slots, b_.CreateNSWAdd(first, j), {}); });
    llvm::BasicBlock* tail = k_.block("step.tail");
    llvm::BasicBlock* done = k_.block("step.done");
    b_.CreateCondBr(b_.CreateICmpSLT(whole, count), tail, done);
    k_.enter(tail);
    element(slots, b_.CreateNSWAdd(first, whole), {k_.lanes_below(width_, whole, count), -1});
    b_.CreateBr(done);
    k_.enter(done);
}

void ReduceEmitter::for_sets(const std::function<void(Value*)>& body) {
    if (sets_ == 1) body(m_.constant(0));
    else k_.counted_loop(m_.constant(0), m_.constant(sets_), 1, true, "set", body);
}

void ReduceEmitter::push(const Partials& slots, Value* block_number) {
    Value* depth = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, block_number);
    Value* combines = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, b_.CreateNot(block_number), b_.getTrue());
    for_sets([&](Value* set) {
        const Partials mine = at(slots, set);
        auto stack_at = [&](Value* level) { return at(stack_, b_.CreateAdd(b_.CreateMul(level, m_.constant(sets_)), set)); };
        k_.counted_loop(m_.constant(0), combines, 1, false, "carry", [&](Value* i) {
            Value* top = b_.CreateSub(b_.CreateSub(depth, i), m_.constant(1));
            store(mine, combine(load(stack_at(top)), load(mine)));
        });
        store(stack_at(b_.CreateSub(depth, combines)), load(mine));
    });
}

void ReduceEmitter::pop_all(const Partials& slots, Value* blocks) {
    Value* depth = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, blocks);
    Value* top = b_.CreateSub(depth, m_.constant(1));
    for_sets([&](Value* set) {
        const Partials mine = at(slots, set);
        auto stack_at = [&](Value* level) { return at(stack_, b_.CreateAdd(b_.CreateMul(level, m_.constant(sets_)), set)); };
        store(mine, load(stack_at(top)));
        k_.counted_loop(m_.constant(0), top, 1, false, "fold", [&](Value* i) {
            store(mine, combine(load(stack_at(b_.CreateSub(b_.CreateSub(top, i), m_.constant(1)))), load(mine)));
        });
    });
}

int ReduceEmitter::interleaved() const {
    // Several blocks at a time hide the latency of the adds: one chain per register is too few for narrow types.
    if (!side_by_side_ || !s_.body.empty()) return 1;
    int64_t registers = 0;
    for (const auto& item : s_.items) {
        if (is_arg(item)) return 1;
        registers += std::max<int64_t>(1, reduce_lanes * size_of(type_of(item)) / m_.machine.vector_bytes());
    }
    return registers <= 2 ? 4 : registers <= 4 ? 2 : 1;
}

void ReduceEmitter::finish(const Partials& slots) {
    for (int64_t half = sets_ / 2; half >= 1; half /= 2) {
        for (int64_t lane = 0; lane < half; ++lane) {
            const Partials low = at(slots, m_.constant(lane));
            store(low, combine(load(low), load(at(slots, m_.constant(lane + half)))));
        }
    }
    Partials result = load(slots);
    if (side_by_side_) {
        for (int half = static_cast<int>(reduce_lanes) / 2; half >= 1; half /= 2) {
            std::vector<int> low, high;
            for (int lane = 0; lane < half; ++lane) {
                low.push_back(lane);
                high.push_back(lane + half);
            }
            auto part = [&](Value* v, const std::vector<int>& lanes) { return v ? b_.CreateShuffleVector(v, lanes) : nullptr; };
            const int outer = k_.width_;
            k_.width_ = half;
            for (size_t i = 0; i < result.size(); ++i)
                result[i] = combine(s_.items[i], {part(result[i].value, low), part(result[i].index, low)},
                                    {part(result[i].value, high), part(result[i].index, high)});
            k_.width_ = outer;
        }
        for (auto& r : result) {
            r.value = b_.CreateExtractElement(r.value, uint64_t{0});
            if (r.index) r.index = b_.CreateExtractElement(r.index, uint64_t{0});
        }
    }
    bind_results(result);
}

/// A few elements across a vector loop: each is a lane, and the fold leaves out the lanes without one.
void ReduceEmitter::few() {
    std::vector<Partials> lanes;
    const Partials acc = make_slots(1);
    for (int64_t k = 0; k < known_; ++k) {
        reset(acc);
        element(acc, m_.constant(k), {});
        lanes.push_back(load(acc));
    }
    for (size_t half = reduce_lanes / 2; half >= 1; half /= 2) {
        for (size_t lane = 0; lane + half < lanes.size(); ++lane) lanes[lane] = combine(lanes[lane], lanes[lane + half]);
        lanes.resize(std::min(lanes.size(), half));
    }
    bind_results(lanes[0]);
}

void ReduceEmitter::bind_results(const Partials& result) {
    for (size_t i = 0; i < s_.items.size(); ++i) {
        const Reduce::Item& item = s_.items[i];
        if (is_arg(item)) {
            // Of nothing: 0. (After the fold of a Lanes reduction the index is a scalar.)
            Value* index = result[i].index;
            index = b_.CreateSExt(index, index->getType()->isVectorTy() ? shaped(m_.i64()) : m_.i64());
            index = b_.CreateSelect(b_.CreateICmpSLE(n_, m_.constant(0)), llvm::Constant::getNullValue(index->getType()), index);
            k_.bind(item.result, index);
            if (item.result_value.valid()) k_.bind(item.result_value, result[i].value);
        } else {
            k_.bind(item.result, result[i].value);
        }
    }
}

void ReduceEmitter::run() {
    if (sets_ > 1 && is_short(s_)) return few();
    Partials slots = make_slots(static_cast<uint64_t>(sets_));
    if (known_ >= 0 && known_ <= reduce_block) {
        begin_block(slots);
        part_of_block(slots, m_.constant(0), m_.constant(known_));
        finish(slots);
        return;
    }
    const int group = known_ >= 0 && known_ < 2 * reduce_block ? 1 : interleaved();
    const int64_t group_elements = group * reduce_block;
    const int depth = known_ >= 0 ? std::bit_width(static_cast<uint64_t>(known_ / reduce_block + 1)) + 1 : 60;
    stack_ = make_slots(static_cast<uint64_t>(depth * sets_));
    Value* groups = b_.CreateSDiv(n_, m_.constant(group_elements));
    Value* blocks = b_.CreateSDiv(n_, m_.constant(reduce_block));
    std::vector<Partials> members{slots};
    for (int g = 1; g < group; ++g) members.push_back(make_slots(1));
    if (group > 1) {
        k_.counted_loop(m_.constant(0), groups, 1, false, "group", [&](Value* g) {
            Value* first = b_.CreateNSWMul(g, m_.constant(group_elements));
            for (const auto& p : members) reset(p);
            k_.counted_loop(m_.constant(0), m_.constant(reduce_block), unit_, true, "step", [&](Value* j) {
                for (int i = 0; i < group; ++i) element(members[static_cast<size_t>(i)], b_.CreateNSWAdd(b_.CreateNSWAdd(first, j), m_.constant(i * reduce_block)), {});
            });
            for (size_t apart = 1; apart < members.size(); apart *= 2)
                for (size_t i = 0; i < members.size(); i += 2 * apart) store(members[i], combine(load(members[i]), load(members[i + apart])));
            // A whole group is one node of the tree: counting groups instead of blocks carries over the same ones.
            push(slots, g);
        });
    }
    Value* first_single = group > 1 ? b_.CreateNSWMul(groups, m_.constant(group)) : m_.constant(0);
    k_.counted_loop(first_single, blocks, 1, false, "block", [&](Value* i) {
        begin_block(slots);
        part_of_block(slots, b_.CreateNSWMul(i, m_.constant(reduce_block)), m_.constant(reduce_block));
        push(slots, i);
    });
    Value* rest = b_.CreateSub(n_, b_.CreateNSWMul(blocks, m_.constant(reduce_block)));
    auto last = [&] {
        begin_block(slots);
        part_of_block(slots, b_.CreateNSWMul(blocks, m_.constant(reduce_block)), rest);
        push(slots, blocks);
    };
    Value* total = blocks;
    if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(rest)) {
        if (!c->isZero()) {
            last();
            total = b_.CreateAdd(blocks, m_.constant(1));
        }
        pop_all(slots, total);
        finish(slots);
        return;
    }
    // The last block runs when it has elements, or when there is nothing else (an empty extent gives the identity).
    Value* any = b_.CreateOr(b_.CreateICmpSGT(rest, m_.constant(0)), b_.CreateICmpSLE(n_, m_.constant(0)));
    llvm::BasicBlock* tail = k_.block("last");
    llvm::BasicBlock* done = k_.block("last.done");
    b_.CreateCondBr(any, tail, done);
    k_.enter(tail);
    k_.push_scope();
    last();
    k_.pop_scope();
    b_.CreateBr(done);
    k_.enter(done);
    total = b_.CreateAdd(blocks, b_.CreateZExt(any, m_.i64()));
    pop_all(slots, total);
    finish(slots);
}

void KernelEmitter::emit_reduce(const Reduce& s) { ReduceEmitter(*this, s).run(); }

}  // namespace sifr::codegen
