#include "ir/func/attr.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <set>

namespace sifr {

const char* intern(std::string_view name) {
    static std::mutex mutex;
    static std::set<std::string, std::less<>> names;  // nodes never move, so their text does not either
    std::lock_guard lock(mutex);
    auto it = names.find(name);
    if (it == names.end()) it = names.emplace(name).first;
    return it->c_str();
}

void Attrs::set(std::string_view name, AttrValue value) {
    for (Entry& e : entries_)
        if (e.name == name) {
            e.value = std::move(value);
            return;
        }
    entries_.push_back({intern(name), std::move(value)});
}

void Attrs::erase(std::string_view name) {
    std::erase_if(entries_, [&](const Entry& e) { return e.name == name; });
}

const AttrValue* Attrs::find(std::string_view name) const {
    for (const Entry& e : entries_)
        if (e.name == name) return &e.value;
    return nullptr;
}

namespace {

/// Equal bits, not equal numbers: instructions that differ in the sign of a zero are different.
bool same(const AttrValue& a, const AttrValue& b) {
    if (a.index() != b.index()) return false;
    if (const double* x = std::get_if<double>(&a)) return std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(std::get<double>(b));
    if (const auto* x = std::get_if<std::shared_ptr<const TensorData>>(&a)) {
        const auto& y = std::get<std::shared_ptr<const TensorData>>(b);
        return *x == y || (*x && y && **x == *y);
    }
    return a == b;
}

}  // namespace

bool Attrs::operator==(const Attrs& other) const {
    return std::equal(entries_.begin(), entries_.end(), other.entries_.begin(), other.entries_.end(),
                      [](const Entry& a, const Entry& b) { return a.name == b.name && same(a.value, b.value); });
}

}  // namespace sifr
