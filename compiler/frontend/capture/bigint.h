#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sifr::capture {

/// Python's unbounded int, for static values that do not fit 64 bits. Sign and magnitude, 32-bit limbs, least first;
/// zero has no limbs and is not negative.
class BigInt {
public:
    BigInt() = default;
    BigInt(int64_t v);  // NOLINT: an int is a BigInt
    static std::optional<BigInt> parse(std::string_view digits, unsigned base = 10);  ///< an optional '-', then digits
    /// The integer part; `v` must be finite.
    static BigInt truncate(double v);

    [[nodiscard]] bool is_zero() const { return limbs_.empty(); }
    [[nodiscard]] bool is_negative() const { return negative_; }
    [[nodiscard]] bool fits_int64() const;
    [[nodiscard]] int64_t to_int64() const;                 ///< the low 64 bits when it does not fit
    [[nodiscard]] std::optional<double> to_double() const;  ///< round to nearest even; nothing when out of range
    [[nodiscard]] std::string str(unsigned base = 10) const;
    [[nodiscard]] size_t bit_length() const;

    BigInt operator-() const;
    friend BigInt operator+(const BigInt& a, const BigInt& b);
    friend BigInt operator-(const BigInt& a, const BigInt& b);
    friend BigInt operator*(const BigInt& a, const BigInt& b);
    /// Python's `//` and `%` (towards minus infinity); `b` must not be zero.
    static void floor_divide(const BigInt& a, const BigInt& b, BigInt& quotient, BigInt& remainder);
    static BigInt pow(BigInt base, uint64_t exponent);
    [[nodiscard]] BigInt shift_left(uint64_t bits) const;
    [[nodiscard]] BigInt shift_right(uint64_t bits) const;  ///< towards minus infinity
    /// Two's complement of unbounded width. `op`: '&', '|' or '^'.
    static BigInt bitwise(const BigInt& a, const BigInt& b, char op);

    std::strong_ordering operator<=>(const BigInt& other) const;
    bool operator==(const BigInt&) const = default;
    /// Comparison with a double that is not NaN, without rounding.
    [[nodiscard]] std::strong_ordering compare(double v) const;

private:
    static int compare_magnitude(const BigInt& a, const BigInt& b);
    static BigInt add_magnitude(const BigInt& a, const BigInt& b);
    static BigInt sub_magnitude(const BigInt& a, const BigInt& b);  ///< |a| >= |b|
    void trim();
    bool negative_ = false;
    std::vector<uint32_t> limbs_;
};

}  // namespace sifr::capture
