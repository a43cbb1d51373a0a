#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "compiler/host/trace.h"

namespace sifr::host {

/// What the tensors of one call have in memory: which share elements, and where each piece of memory begins.
///
/// Arguments whose ranges of bytes meet are one piece of memory, from the first byte of the first to the last byte of the last; each is a
/// view of it. So code that is compiled for them writes and reads what PyTorch would.
class CallMemory {
public:
    /// Computes; throws Error (Call) for arguments that meet and cannot be views of one memory.
    void look(std::span<const TensorView* const> tensors, const std::vector<std::string>& names);
    /// Adds all that code depends on: dtypes, sizes, strides, who shares with whom at which distance.
    void add_key(std::span<const TensorView* const> tensors, std::vector<int64_t>& key) const;
    [[nodiscard]] const std::vector<void*>& bases() const { return bases_; }  ///< per piece of memory
    [[nodiscard]] uint32_t memory_of(size_t tensor) const { return place_[tensor].memory; }
    [[nodiscard]] ArgumentShape shape(std::span<const TensorView* const> tensors) const;
    /// Pieces of memory that do not begin at a multiple of their element: code gets a copy of them.
    [[nodiscard]] const std::vector<uint32_t>& misaligned() const { return misaligned_; }
    [[nodiscard]] size_t bytes(uint32_t memory) const { return static_cast<size_t>(elements_[memory]) * element_bytes_[memory]; }

private:
    void add_piece(void* base, int64_t elements, size_t element_bytes);
    struct Place {
        uint32_t memory = 0;
        int64_t offset = 0;  ///< in elements
    };
    struct Range {
        const char *begin, *end;
        size_t tensor;
    };
    std::vector<Place> place_;
    std::vector<void*> bases_;
    std::vector<int64_t> elements_;
    std::vector<size_t> element_bytes_;
    std::vector<Range> ranges_;
    std::vector<uint32_t> misaligned_;
};

/// Copies of the misaligned pieces of one call, and what comes back into the caller's memory.
class StagedMemory {
public:
    StagedMemory(const CallMemory& memory, std::span<const TensorView* const> tensors);
    /// As CallMemory's, with the copies in place.
    [[nodiscard]] const std::vector<void*>& bases() const { return bases_; }
    /// Elements of the tensors go back, as far as their piece is written; what lies between them in the caller's memory is left alone.
    void copy_back(const std::vector<bool>& written, size_t first_memory) const;

private:
    const CallMemory& memory_;
    std::span<const TensorView* const> tensors_;
    std::vector<void*> bases_;
    std::vector<std::unique_ptr<std::byte[]>> copies_;
};

/// `argument 2`, or `argument 2 ('w')`.
std::string argument_name(size_t k, const std::vector<std::string>& names);

}  // namespace sifr::host
