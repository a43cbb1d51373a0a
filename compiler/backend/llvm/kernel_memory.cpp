// Loads, stores and what their addresses look like in a lane context: one lane apart is a vector access, the same for all
// lanes a scalar one, anything else goes lane by lane. Lanes that take no part are never touched in memory.

#include <algorithm>

#include "compiler/backend/llvm/kernel_emitter.h"
#include "ir/base/check.h"
#include "ir/base/diagnostic.h"

namespace sifr::codegen {

namespace {

constexpr int64_t widest_gap = 8;  ///< from lane to lane, up to which whole vectors are loaded instead of single elements

}  // namespace

KernelEmitter::Address KernelEmitter::address(const Affine& a) {
    Address at;
    at.base = m_.constant(a.base);
    auto add = [&](Value* v, int64_t scale) {
        Value* term = scale == 1 ? v : b_.CreateNSWMul(v, m_.constant(scale));
        auto* c = llvm::dyn_cast<llvm::ConstantInt>(at.base);
        at.base = c && c->isZero() ? term : b_.CreateNSWAdd(term, at.base);
    };
    for (const Affine::Term& t : a.terms) {
        const Binding& b = bindings_[t.var.index];
        SIFR_CHECK(b.kind != Binding::Kind::None, "kernel {}: {} is used outside of its scope", k_.name, k_.vars[t.var.index].name);
        if (b.kind == Binding::Kind::Lanes) {
            add(b.value, t.scale);
            at.lane_stride += t.scale;
            continue;
        }
        Value* v = emit_var(t.var);
        if (v->getType()->isVectorTy()) {
            if (t.scale != 1) v = b_.CreateMul(v, splat(m_.constant(t.scale), width_));
            at.lanes = at.lanes ? b_.CreateAdd(at.lanes, v) : v;
        } else {
            add(v, t.scale);
        }
    }
    return at;
}

llvm::Value* KernelEmitter::affine(const Affine& a) {
    Address at = address(a);
    SIFR_CHECK(at.uniform(), "kernel {}: a bound differs between the lanes of a vector loop", k_.name);
    return at.base;
}

llvm::Value* KernelEmitter::lane_indices(const Address& at) {
    Value* v = splat(at.base, width_);
    if (at.lane_stride != 0) {
        std::vector<llvm::Constant*> steps;
        for (int lane = 0; lane < width_; ++lane) steps.push_back(m_.constant(lane * at.lane_stride));
        v = b_.CreateAdd(v, llvm::ConstantVector::get(steps));
    }
    return at.lanes ? b_.CreateAdd(v, at.lanes) : v;
}

llvm::Value* KernelEmitter::element_pointer(BufferId buffer, Value* index) {
    const Buffer& def = k_.buffers[buffer.index];
    Value*& p = buffer_pointers_[buffer.index];
    if (!p) {
        SIFR_CHECK(def.scratch, "kernel {}: no pointer for {}", k_.name, def.name);
        p = scratch_bytes(def.extent * size_of(def.type), def.name.c_str());
    }
    return b_.CreateInBoundsGEP(m_.memory_type(def.type), p, index);
}

llvm::Value* KernelEmitter::from_memory(Value* v, DType t) {
    if (t != DType::Bool) return v;
    return b_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
}

llvm::Value* KernelEmitter::to_memory(Value* v, DType t) {
    if (t != DType::Bool) return v;
    llvm::Type* type = m_.i8();
    if (v->getType()->isVectorTy()) type = m_.vector_of(type, width_);
    return b_.CreateZExt(v, type);
}

/// Every `stride`-th element from `first` on: whole vectors up to the last element, and not beyond, of which shuffles pick.
llvm::Value* KernelEmitter::load_with_gaps(llvm::Type* vector, Value* first, int64_t stride, llvm::Align align) {
    const int64_t last = (width_ - 1) * stride;
    Value* picked = nullptr;
    int64_t done = 0;  // lanes that are there
    for (int64_t start = 0; done < width_; start += width_) {
        start = std::min(start, last - (width_ - 1));
        Value* piece = b_.CreateAlignedLoad(vector, b_.CreateInBoundsGEP(vector->getScalarType(), first, m_.constant(start)), align);
        std::vector<int> lanes;
        for (int64_t lane = 0; lane < width_; ++lane) {
            const int64_t place = lane * stride - start;
            if (lane < done) lanes.push_back(static_cast<int>(lane));
            else if (place >= 0 && place < width_) lanes.push_back(static_cast<int>(picked ? width_ + place : place));
            else lanes.push_back(-1);
        }
        while (done < width_ && done * stride - start < width_) ++done;
        picked = picked ? b_.CreateShuffleVector(picked, piece, lanes) : b_.CreateShuffleVector(piece, lanes);
    }
    return picked;
}

llvm::Value* KernelEmitter::emit_load(BufferId buffer, DType type, const Affine& index) {
    SIFR_CHECK(type == k_.buffers[buffer.index].type, "kernel {}: {} is loaded with another type", k_.name, k_.buffers[buffer.index].name);
    llvm::Type* element = m_.memory_type(type);
    const llvm::Align align(static_cast<uint64_t>(size_of(type)));
    Address at = address(index);
    if (at.uniform()) {
        Value* i = at.base;
        // Under a condition that no lane fulfils the index may lie outside; element 0 always exists then.
        if (mask_.bits && mask_.prefix < 0) i = b_.CreateSelect(b_.CreateOrReduce(mask_.bits), i, m_.constant(0));
        return from_memory(b_.CreateAlignedLoad(element, element_pointer(buffer, i), align), type);
    }
    llvm::Type* vector = m_.vector_of(element, width_);
    if (!at.lanes && at.lane_stride == 1) {
        Value* p = element_pointer(buffer, at.base);
        if (!mask_.bits) return from_memory(b_.CreateAlignedLoad(vector, p, align), type);
        if (size_of(type) >= 4 || m_.machine.avx512)
            return from_memory(b_.CreateMaskedLoad(vector, p, align, mask_.bits, llvm::Constant::getNullValue(vector)), type);
        if (mask_.prefix < 0) {
            Value* bits = b_.CreateBitCast(mask_.bits, b_.getIntNTy(static_cast<unsigned>(width_)));
            return from_memory(b_.CreateCall(m_.lanes_load(element, width_), {p, bits}), type);
        }
    }
    if (!at.lanes && at.lane_stride == -1 && !mask_.bits) {
        Value* p = element_pointer(buffer, b_.CreateNSWSub(at.base, m_.constant(width_ - 1)));
        return from_memory(b_.CreateVectorReverse(b_.CreateAlignedLoad(vector, p, align)), type);
    }
    if (!at.lanes && at.lane_stride > 1 && at.lane_stride <= widest_gap && !mask_.bits && width_ >= 4)
        return from_memory(load_with_gaps(vector, element_pointer(buffer, at.base), at.lane_stride, align), type);
    Value* result = llvm::Constant::getNullValue(vector);
    if (!at.lanes && (!mask_.bits || mask_.prefix >= 0)) {
        const int lanes = mask_.bits ? mask_.prefix : width_;
        Value* first = element_pointer(buffer, at.base);
        for (int lane = 0; lane < lanes; ++lane) {
            Value* p = b_.CreateInBoundsGEP(element, first, m_.constant(lane * at.lane_stride));
            result = b_.CreateInsertElement(result, b_.CreateAlignedLoad(element, p, align), static_cast<uint64_t>(lane));
        }
        return from_memory(result, type);
    }
    // Lanes that take no part read element 0, which exists.
    Value* indices = lane_indices(at);
    if (mask_.bits) indices = b_.CreateSelect(mask_.bits, indices, llvm::Constant::getNullValue(indices->getType()));
    for (int lane = 0; lane < width_; ++lane) {
        Value* p = element_pointer(buffer, b_.CreateExtractElement(indices, static_cast<uint64_t>(lane)));
        result = b_.CreateInsertElement(result, b_.CreateAlignedLoad(element, p, align), static_cast<uint64_t>(lane));
    }
    return from_memory(result, type);
}

void KernelEmitter::store_value(BufferId buffer, const Address& at, Value* value) {
    const DType type = k_.buffers[buffer.index].type;
    llvm::Type* element = m_.memory_type(type);
    const llvm::Align align(static_cast<uint64_t>(size_of(type)));
    if (width_ == 1) {
        b_.CreateAlignedStore(to_memory(value, type), element_pointer(buffer, at.base), align);
        return;
    }
    if (at.uniform()) {
        // All lanes write one place: the last one that takes part stays. (Iterations promise to be independent, so they agree.)
        for_each_lane([&](Value* lane) {
            Value* v = value->getType()->isVectorTy() ? b_.CreateExtractElement(to_memory(value, type), lane) : to_memory(value, type);
            b_.CreateAlignedStore(v, element_pointer(buffer, at.base), align);
        });
        return;
    }
    value = to_memory(splat(value, width_), type);
    if (!at.lanes && at.lane_stride == 1) {
        Value* p = element_pointer(buffer, at.base);
        if (!mask_.bits) {
            b_.CreateAlignedStore(value, p, align);
            return;
        }
        if (size_of(type) >= 4 || m_.machine.avx512) {
            b_.CreateMaskedStore(value, p, align, mask_.bits);
            return;
        }
        if (mask_.prefix < 0) {
            Value* bits = b_.CreateBitCast(mask_.bits, b_.getIntNTy(static_cast<unsigned>(width_)));
            b_.CreateCall(m_.lanes_store(element, width_), {value, p, bits});
            return;
        }
    }
    if (!at.lanes) {
        Value* first = element_pointer(buffer, at.base);
        for_each_lane([&](Value* lane) {
            Value* offset = b_.CreateNSWMul(b_.CreateZExt(lane, m_.i64()), m_.constant(at.lane_stride));
            b_.CreateAlignedStore(b_.CreateExtractElement(value, lane), b_.CreateInBoundsGEP(element, first, offset), align);
        });
        return;
    }
    Value* indices = lane_indices(at);
    for_each_lane([&](Value* lane) {
        b_.CreateAlignedStore(b_.CreateExtractElement(value, lane), element_pointer(buffer, b_.CreateExtractElement(indices, lane)), align);
    });
}

void KernelEmitter::emit_store(const Store& s) {
    Value* value = emit(s.value);
    SIFR_CHECK(k_.exprs.type(s.value) == k_.buffers[s.buffer.index].type, "kernel {}: {} is stored with another type", k_.name,
               k_.buffers[s.buffer.index].name);
    store_value(s.buffer, address(s.index), value);
}

void KernelEmitter::emit_accumulate(const Accumulate& s) {
    const DType type = k_.buffers[s.buffer.index].type;
    Value* value = emit(s.value);
    Address at = address(s.index);
    auto read_modify_write = [&](Value* index, Value* v) {
        Value* p = element_pointer(s.buffer, index);
        const llvm::Align align(static_cast<uint64_t>(size_of(type)));
        Value* old = from_memory(b_.CreateAlignedLoad(m_.memory_type(type), p, align), type);
        b_.CreateAlignedStore(to_memory(combine_values(s.combine, type, old, v), type), p, align);
    };
    if (width_ == 1) {
        read_modify_write(at.base, value);
        return;
    }
    if (!at.lanes && at.lane_stride == 1) {
        // Every lane has a place of its own.
        Address same = at;
        Value* old = emit_load(s.buffer, type, s.index);
        store_value(s.buffer, same, combine_values(s.combine, type, splat(old, width_), splat(value, width_)));
        return;
    }
    Value* indices = lane_indices(at);
    Value* values = splat(value, width_);
    const int outer = width_;
    for_each_lane([&](Value* lane) {
        Value* index = b_.CreateExtractElement(indices, lane);
        Value* v = b_.CreateExtractElement(values, lane);
        width_ = 1;
        read_modify_write(index, v);
        width_ = outer;
    });
}

}  // namespace sifr::codegen
