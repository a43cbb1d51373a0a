#pragma once

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/sifr_runtime.h"

namespace sifr::test {

inline sifr_str text(const std::string& s) {
    return {s.data(), static_cast<int64_t>(s.size())};
}

inline std::string string_of(sifr_str s) {
    return {s.data, static_cast<size_t>(s.size)};
}

/// `Type: text` of the last failure.
inline std::string failure() {
    return std::string(sifr_error_type()) + ": " + string_of(sifr_error_text());
}

/// The text, or the failure.
inline std::string result(sifr_status status, const sifr_str& out) {
    return status == SIFR_OK ? string_of(out) : failure();
}

inline std::string unescape(const std::string& s) {
    std::string out;
    for (size_t k = 0; k < s.size(); ++k) {
        if (s[k] != '\\' || k + 1 == s.size()) {
            out += s[k];
            continue;
        }
        ++k;
        out += s[k] == 'n' ? '\n' : s[k] == 't' ? '\t' : s[k];
    }
    return out;
}

inline std::vector<std::string> split(const std::string& line, char separator) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
        if (c == separator) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

/// The fields of each line of a recorded file, without its first line, which says what they are.
inline std::vector<std::vector<std::string>> recorded(const std::string& name) {
    std::ifstream file(std::string(SIFR_TEST_DIR) + "/runtime/data/" + name);
    std::vector<std::vector<std::string>> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) rows.push_back(split(line, '\t'));
    EXPECT_GT(rows.size(), 10u) << "cannot read " << name;
    return rows;
}

inline double double_of(const std::string& hex) {
    const uint64_t bits = std::stoull(hex, nullptr, 16);
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
}

/// A contiguous tensor over memory of its own.
struct OwnedTensor {
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    std::vector<unsigned char> bytes;
    sifr_tensor view = {};

    OwnedTensor(sifr_dtype dtype, std::vector<int64_t> shape) : sizes(std::move(shape)) {
        int64_t count = 1;
        for (const int64_t size : sizes) count *= size;
        bytes.resize(static_cast<size_t>(count * sifr_dtype_size(dtype)));
        view = {bytes.data(), dtype, static_cast<int32_t>(sizes.size()), sizes.data(), nullptr};
    }
    OwnedTensor(const OwnedTensor&) = delete;
    OwnedTensor& operator=(const OwnedTensor&) = delete;
    [[nodiscard]] int64_t numel() const { return sifr_tensor_numel(&view); }
    template <class T>
    T* data() {
        return reinterpret_cast<T*>(bytes.data());
    }
    template <class T>
    OwnedTensor& set(std::initializer_list<T> values) {
        EXPECT_EQ(values.size() * sizeof(T), bytes.size());
        std::memcpy(bytes.data(), values.begin(), bytes.size());
        return *this;
    }
};

inline sifr_dtype dtype_of(const std::string& name) {
    for (int32_t k = SIFR_BOOL; k <= SIFR_C128; ++k) {
        if (string_of(sifr_dtype_name(k)) == name) return static_cast<sifr_dtype>(k);
    }
    ADD_FAILURE() << "no dtype " << name;
    return SIFR_BOOL;
}

}  // namespace sifr::test
