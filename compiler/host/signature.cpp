#include "compiler/host/signature.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "compiler/host/error.h"

namespace sifr::host {

std::string argument_name(size_t k, const std::vector<std::string>& names) {
    return k < names.size() ? fmt::format("argument {} ('{}')", k + 1, names[k]) : fmt::format("argument {}", k + 1);
}

namespace {

/// Elements from the first to the last; 0 for a tensor without any.
int64_t extent(const TensorView& t) {
    int64_t last = 0;
    for (size_t d = 0; d < t.dim(); ++d) {
        if (t.sizes()[d] == 0) return 0;
        last += (t.sizes()[d] - 1) * t.strides()[d];
    }
    return last + 1;
}

}  // namespace

void CallMemory::look(std::span<const TensorView* const> tensors, const std::vector<std::string>& names) {
    place_.resize(tensors.size());
    bases_.clear();
    elements_.clear();
    element_bytes_.clear();
    ranges_.clear();
    misaligned_.clear();
    for (size_t k = 0; k < tensors.size(); ++k) {
        const TensorView& t = *tensors[k];
        const int64_t n = extent(t);
        const char* begin = static_cast<const char*>(t.data());
        if (n > 0 && !begin) fail_call(fmt::format("{} has no memory: its data pointer is null", argument_name(k, names)));
        const auto size = static_cast<int64_t>(element_size(t.dtype()));
        ranges_.push_back({begin, begin + n * size, k});
    }
    // Few tensors in rising order are the rule; then nothing is moved.
    if (!std::is_sorted(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; }))
        std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    // Pieces are numbered in the order of the arguments, so that the key does not depend on where the allocator puts things.
    std::fill(place_.begin(), place_.end(), Place{UINT32_MAX, 0});
    bool shared = false;
    for (size_t i = 0; i + 1 < ranges_.size() && !shared; ++i) shared = ranges_[i + 1].begin < ranges_[i].end && ranges_[i + 1].begin != ranges_[i + 1].end;
    if (!shared) {
        for (size_t k = 0; k < tensors.size(); ++k) {
            place_[k] = {static_cast<uint32_t>(k), 0};
            add_piece(tensors[k]->data(), extent(*tensors[k]), element_size(tensors[k]->dtype()));
        }
        return;
    }
    std::vector<std::vector<size_t>> pieces;
    const char* end = nullptr;
    for (const Range& r : ranges_) {
        if (pieces.empty() || r.begin == r.end || r.begin >= end || ranges_.empty()) {
            pieces.push_back({r.tensor});
            end = r.end;
        } else {
            pieces.back().push_back(r.tensor);
            end = std::max(end, r.end);
        }
    }
    for (auto& p : pieces) std::sort(p.begin(), p.end());
    std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
    for (const auto& p : pieces) {
        const TensorView& first = *tensors[p[0]];
        const auto size = static_cast<int64_t>(element_size(first.dtype()));
        const char* base = static_cast<const char*>(first.data());
        for (size_t k : p) base = std::min(base, static_cast<const char*>(tensors[k]->data()));
        int64_t elements = 0;
        for (size_t k : p) {
            const int64_t distance = static_cast<const char*>(tensors[k]->data()) - base;
            if (tensors[k]->dtype() != first.dtype() || distance % size != 0)
                fail_call(fmt::format("{} and {} share memory and are not views of one tensor: {}", argument_name(p[0], names), argument_name(k, names),
                                      tensors[k]->dtype() != first.dtype() ? fmt::format("one is {}, the other {}", name_of(first.dtype()), name_of(tensors[k]->dtype()))
                                                                           : std::string("their distance is no multiple of an element")),
                          "pass a copy of one of them: sifr::clone_host(x)");
            place_[k] = {static_cast<uint32_t>(bases_.size()), distance / size};
            elements = std::max(elements, distance / size + extent(*tensors[k]));
        }
        add_piece(const_cast<char*>(base), elements, static_cast<size_t>(size));
    }
}

void CallMemory::add_piece(void* base, int64_t elements, size_t element_bytes) {
    if (elements > 0 && reinterpret_cast<uintptr_t>(base) % std::min<size_t>(element_bytes, 8) != 0) misaligned_.push_back(static_cast<uint32_t>(bases_.size()));
    bases_.push_back(base);
    elements_.push_back(elements);
    element_bytes_.push_back(element_bytes);
}

StagedMemory::StagedMemory(const CallMemory& memory, std::span<const TensorView* const> tensors) : memory_(memory), tensors_(tensors), bases_(memory.bases()) {
    for (const uint32_t m : memory.misaligned()) {
        copies_.push_back(std::make_unique_for_overwrite<std::byte[]>(memory.bytes(m)));
        std::memcpy(copies_.back().get(), bases_[m], memory.bytes(m));
        bases_[m] = copies_.back().get();
    }
}

void StagedMemory::copy_back(const std::vector<bool>& written, size_t first_memory) const {
    for (size_t k = 0; k < tensors_.size(); ++k) {
        const TensorView& t = *tensors_[k];
        const uint32_t m = memory_.memory_of(k);
        if (bases_[m] == memory_.bases()[m] || !written.at(first_memory + m)) continue;
        auto* to = static_cast<char*>(t.data());
        const char* from = static_cast<const char*>(bases_[m]) + (to - static_cast<const char*>(memory_.bases()[m]));
        const size_t size = element_size(t.dtype());
        const std::function<void(size_t, int64_t)> copy = [&](size_t axis, int64_t at) {
            if (axis == t.dim()) {
                std::memcpy(to + at * static_cast<int64_t>(size), from + at * static_cast<int64_t>(size), size);
                return;
            }
            for (int64_t i = 0; i < t.sizes()[axis]; ++i) copy(axis + 1, at + i * t.strides()[axis]);
        };
        copy(0, 0);
    }
}

void CallMemory::add_key(std::span<const TensorView* const> tensors, std::vector<int64_t>& key) const {
    for (size_t k = 0; k < tensors.size(); ++k) {
        const TensorView& t = *tensors[k];
        const bool copied = std::find(misaligned_.begin(), misaligned_.end(), place_[k].memory) != misaligned_.end();
        key.push_back(static_cast<int64_t>(t.dtype()) | static_cast<int64_t>(t.dim()) << 8 | static_cast<int64_t>(copied) << 15 | static_cast<int64_t>(place_[k].memory) << 16);
        key.push_back(place_[k].offset);
        key.insert(key.end(), t.sizes().begin(), t.sizes().end());
        key.insert(key.end(), t.strides().begin(), t.strides().end());
    }
}

ArgumentShape CallMemory::shape(std::span<const TensorView* const> tensors) const {
    ArgumentShape s;
    s.memories.resize(bases_.size());
    for (size_t k = 0; k < tensors.size(); ++k) {
        const TensorView& t = *tensors[k];
        s.memories[place_[k].memory] = {static_cast<DType>(t.dtype()), elements_[place_[k].memory]};
        Layout l;
        l.offset = place_[k].offset;
        l.sizes.assign(t.sizes().begin(), t.sizes().end());
        l.strides.assign(t.strides().begin(), t.strides().end());
        s.tensors.push_back({place_[k].memory, std::move(l)});
    }
    return s;
}

}  // namespace sifr::host
