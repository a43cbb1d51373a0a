#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/source.h"
#include "ir/loop/scalar_value.h"
#include "ir/type/type.h"

namespace sifr {

struct History;

/// Bytes, and the view groups that show them (CAPTURED, where gradients are wanted; see gradients.h).
struct RunMemory : std::vector<std::byte> {
    using std::vector<std::byte>::vector;
    std::vector<std::weak_ptr<History>> groups;
};

/// A tensor of the interpreter: a view of shared memory. In FUNCTIONAL and FUSED, where nothing is written, two tensors may
/// share memory without harm.
struct RunTensor {
    DType dtype = DType::F32;
    Layout layout;  ///< static: run-time indices are put in already
    std::shared_ptr<RunMemory> memory;
    std::shared_ptr<History> history;  ///< null where gradients do not matter

    /// Row-major, with zeros.
    static RunTensor make(DType dtype, const Sizes& sizes);
    [[nodiscard]] const Sizes& sizes() const { return layout.sizes; }
    [[nodiscard]] int64_t numel() const { return layout.numel(); }
    [[nodiscard]] std::byte* at(int64_t offset) const { return memory->data() + offset * size_of(dtype); }  ///< in elements from the start of the memory
    [[nodiscard]] ScalarValue load(int64_t offset) const { return load_value(dtype, at(offset)); }
    void store(int64_t offset, ScalarValue v) const { store_value(dtype, at(offset), v); }
    [[nodiscard]] RunTensor with(Layout other) const { return {dtype, std::move(other), memory, history}; }
    /// The same elements in row-major memory of their own, or this one when it is such.
    [[nodiscard]] RunTensor packed() const;
    /// Broadcast to `sizes` (strides 0). The sizes must allow it.
    [[nodiscard]] RunTensor expanded(const Sizes& sizes) const;
    [[nodiscard]] RunTensor cast(DType to) const;
    /// The same elements in row-major memory of their own.
    [[nodiscard]] RunTensor copied() const;
};

/// An error that Python will raise, when it matters: pure scalar code may be executed where its result is not used.
struct Poison {
    std::string type, text;
    Location location;
};

struct RunList;
struct RunOptional;
/// What a value of a function is at run time. `std::monostate` is None.
using RunValue = std::variant<std::monostate, bool, int64_t, double, std::string, RunTensor, std::shared_ptr<RunOptional>, std::shared_ptr<RunList>, Poison>;
struct RunOptional {
    bool some = false;
    std::vector<RunValue> members;
};
struct RunList {
    Type element;
    std::vector<RunValue> items;
};

/// A Python exception that the program raised and nothing caught.
class RunTimeRaise : public std::exception {
public:
    RunTimeRaise(std::string type, std::string text, Location location) : type(std::move(type)), text(std::move(text)), location(std::move(location)) {}
    const char* what() const noexcept override { return text.c_str(); }
    std::string type, text;
    Location location;
};

/// Walks the elements of tensors of one shape together, in row-major order: offset(k) is that of tensor k.
class Walk {
public:
    explicit Walk(std::vector<const Layout*> layouts);
    [[nodiscard]] bool done() const { return done_; }
    [[nodiscard]] int64_t offset(size_t k) const { return offsets_[k]; }
    [[nodiscard]] const std::vector<int64_t>& index() const { return index_; }
    void next();

private:
    std::vector<const Layout*> layouts_;
    std::vector<int64_t> index_, offsets_;
    bool done_ = false;
};

/// A number as an element of dtype `to`, as PyTorch rounds it.
ScalarValue element_of(const RunValue& number, DType to);

}  // namespace sifr
