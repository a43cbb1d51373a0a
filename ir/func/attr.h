#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/base/check.h"
#include "ir/type/dtype.h"
#include "ir/type/layout.h"

namespace sifr {

/// The elements of a literal tensor, row-major, in the dtype's own bytes. Shared: copying an instruction does not copy them.
struct TensorData {
    DType dtype;
    std::vector<std::byte> bytes;
    bool operator==(const TensorData&) const = default;
};

/// What is known about an instruction when it is made. `std::monostate` is Python's None.
using AttrValue = std::variant<std::monostate, bool, int64_t, double, std::string, DType, std::vector<int64_t>, Layout,
                               std::shared_ptr<const TensorData>>;

/// A name of an attribute, interned: two equal names have one address.
const char* intern(std::string_view name);

/// The attributes of one instruction, in the order in which they were set (the op's signature order).
class Attrs {
public:
    struct Entry {
        const char* name;  ///< interned
        AttrValue value;
    };
    void set(std::string_view name, AttrValue value);
    void erase(std::string_view name);
    [[nodiscard]] const AttrValue* find(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }  ///< set, None included
    /// The value of an attribute that must be there with this type.
    template <class T>
    [[nodiscard]] const T& get(std::string_view name) const {
        const AttrValue* v = find(name);
        SIFR_CHECK(v && std::holds_alternative<T>(*v), "no attribute '{}' of the type asked for", name);
        return std::get<T>(*v);
    }
    /// The value, or `otherwise` when it is not set or None.
    template <class T>
    [[nodiscard]] T get_or(std::string_view name, T otherwise) const {
        const AttrValue* v = find(name);
        if (!v || std::holds_alternative<std::monostate>(*v)) return otherwise;
        SIFR_CHECK(std::holds_alternative<T>(*v), "attribute '{}' has another type", name);
        return std::get<T>(*v);
    }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    bool operator==(const Attrs& other) const;  ///< tensor data by contents

private:
    std::vector<Entry> entries_;
};

}  // namespace sifr
