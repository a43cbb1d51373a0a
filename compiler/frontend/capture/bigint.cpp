#include "compiler/frontend/capture/bigint.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/base/check.h"

namespace sifr::capture {

BigInt::BigInt(int64_t v) : negative_(v < 0) {
    uint64_t magnitude = v < 0 ? ~static_cast<uint64_t>(v) + 1 : static_cast<uint64_t>(v);
    while (magnitude) {
        limbs_.push_back(static_cast<uint32_t>(magnitude));
        magnitude >>= 32;
    }
}

void BigInt::trim() {
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
    if (limbs_.empty()) negative_ = false;
}

std::optional<BigInt> BigInt::parse(std::string_view digits, unsigned base) {
    BigInt r;
    bool negative = !digits.empty() && digits[0] == '-';
    if (negative) digits.remove_prefix(1);
    if (digits.empty()) return std::nullopt;
    for (char c : digits) {
        unsigned d = c >= '0' && c <= '9' ? static_cast<unsigned>(c - '0') : c >= 'a' && c <= 'z' ? static_cast<unsigned>(c - 'a' + 10)
                     : c >= 'A' && c <= 'Z' ? static_cast<unsigned>(c - 'A' + 10) : 99;
        if (d >= base) return std::nullopt;
        uint64_t carry = d;
        for (uint32_t& limb : r.limbs_) {
            carry += static_cast<uint64_t>(limb) * base;
            limb = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
        if (carry) r.limbs_.push_back(static_cast<uint32_t>(carry));
    }
    r.negative_ = negative;
    r.trim();
    return r;
}

BigInt BigInt::truncate(double v) {
    SIFR_CHECK(std::isfinite(v), "the integer part of {}", v);
    int exponent = 0;
    double fraction = std::frexp(std::fabs(v), &exponent);
    if (exponent <= 0) return {};
    auto mantissa = static_cast<int64_t>(std::ldexp(fraction, 53));
    BigInt r(mantissa);
    r = exponent >= 53 ? r.shift_left(static_cast<uint64_t>(exponent - 53)) : r.shift_right(static_cast<uint64_t>(53 - exponent));
    if (v < 0 && !r.limbs_.empty()) r.negative_ = true;
    return r;
}

bool BigInt::fits_int64() const {
    if (limbs_.size() > 2) return false;
    uint64_t magnitude = 0;
    for (size_t i = limbs_.size(); i-- > 0;) magnitude = magnitude << 32 | limbs_[i];
    return magnitude < (uint64_t{1} << 63) || (negative_ && magnitude == (uint64_t{1} << 63));
}

int64_t BigInt::to_int64() const {
    uint64_t magnitude = 0;
    for (size_t i = std::min<size_t>(limbs_.size(), 2); i-- > 0;) magnitude = magnitude << 32 | limbs_[i];
    return static_cast<int64_t>(negative_ ? ~magnitude + 1 : magnitude);
}

size_t BigInt::bit_length() const { return limbs_.empty() ? 0 : limbs_.size() * 32 - static_cast<size_t>(std::countl_zero(limbs_.back())); }

std::optional<double> BigInt::to_double() const {
    size_t bits = bit_length();
    if (bits > 1024) return std::nullopt;
    if (bits <= 53) return static_cast<double>(to_int64());
    // 64 leading bits, the lowest one sticky: one rounding to 53.
    size_t drop = bits > 64 ? bits - 64 : 0;
    BigInt magnitude = *this;
    magnitude.negative_ = false;
    BigInt top = magnitude.shift_right(drop);
    auto word = static_cast<uint64_t>(top.to_int64());
    if (!(top.shift_left(drop) == magnitude)) word |= 1;
    double r = std::ldexp(static_cast<double>(word), static_cast<int>(drop));
    if (std::isinf(r)) return std::nullopt;
    return negative_ ? -r : r;
}

std::string BigInt::str(unsigned base) const {
    if (limbs_.empty()) return "0";
    std::string digits;
    std::vector<uint32_t> rest = limbs_;
    while (!rest.empty()) {
        uint64_t remainder = 0;
        for (size_t i = rest.size(); i-- > 0;) {
            uint64_t part = remainder << 32 | rest[i];
            rest[i] = static_cast<uint32_t>(part / base);
            remainder = part % base;
        }
        digits.push_back("0123456789abcdefghijklmnopqrstuvwxyz"[remainder]);
        while (!rest.empty() && rest.back() == 0) rest.pop_back();
    }
    if (negative_) digits.push_back('-');
    std::reverse(digits.begin(), digits.end());
    return digits;
}

BigInt BigInt::operator-() const {
    BigInt r = *this;
    if (!r.limbs_.empty()) r.negative_ = !r.negative_;
    return r;
}

int BigInt::compare_magnitude(const BigInt& a, const BigInt& b) {
    if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size() ? -1 : 1;
    for (size_t i = a.limbs_.size(); i-- > 0;)
        if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
    return 0;
}

BigInt BigInt::add_magnitude(const BigInt& a, const BigInt& b) {
    BigInt r;
    uint64_t carry = 0;
    for (size_t i = 0; i < std::max(a.limbs_.size(), b.limbs_.size()) || carry; ++i) {
        carry += (i < a.limbs_.size() ? a.limbs_[i] : 0) + static_cast<uint64_t>(i < b.limbs_.size() ? b.limbs_[i] : 0);
        r.limbs_.push_back(static_cast<uint32_t>(carry));
        carry >>= 32;
    }
    return r;
}

BigInt BigInt::sub_magnitude(const BigInt& a, const BigInt& b) {
    BigInt r;
    int64_t borrow = 0;
    for (size_t i = 0; i < a.limbs_.size(); ++i) {
        int64_t d = static_cast<int64_t>(a.limbs_[i]) - (i < b.limbs_.size() ? b.limbs_[i] : 0) - borrow;
        borrow = d < 0;
        r.limbs_.push_back(static_cast<uint32_t>(d + (borrow << 32)));
    }
    r.trim();
    return r;
}

BigInt operator+(const BigInt& a, const BigInt& b) {
    if (a.negative_ == b.negative_) {
        BigInt r = BigInt::add_magnitude(a, b);
        r.negative_ = a.negative_;
        r.trim();
        return r;
    }
    int c = BigInt::compare_magnitude(a, b);
    if (c == 0) return {};
    BigInt r = c > 0 ? BigInt::sub_magnitude(a, b) : BigInt::sub_magnitude(b, a);
    r.negative_ = c > 0 ? a.negative_ : b.negative_;
    return r;
}

BigInt operator-(const BigInt& a, const BigInt& b) { return a + -b; }

BigInt operator*(const BigInt& a, const BigInt& b) {
    BigInt r;
    r.limbs_.resize(a.limbs_.size() + b.limbs_.size());
    for (size_t i = 0; i < a.limbs_.size(); ++i) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b.limbs_.size() || carry; ++j) {
            carry += r.limbs_[i + j] + (j < b.limbs_.size() ? static_cast<uint64_t>(a.limbs_[i]) * b.limbs_[j] : 0);
            r.limbs_[i + j] = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
    }
    r.negative_ = a.negative_ != b.negative_;
    r.trim();
    return r;
}

void BigInt::floor_divide(const BigInt& a, const BigInt& b, BigInt& quotient, BigInt& remainder) {
    // Schoolbook by bits: static ints that need it are few and short.
    BigInt q, r, divisor = b;
    divisor.negative_ = false;
    q.limbs_.resize(a.limbs_.size());
    for (size_t bit = a.bit_length(); bit-- > 0;) {
        r = r.shift_left(1);
        if (a.limbs_[bit / 32] >> (bit % 32) & 1) r = r + BigInt(1);
        if (compare_magnitude(r, divisor) >= 0) {
            r = sub_magnitude(r, divisor);
            q.limbs_[bit / 32] |= 1u << (bit % 32);
        }
    }
    q.trim();
    if (a.negative_ != b.negative_ && !q.is_zero()) q.negative_ = true;
    if (a.negative_ && !r.is_zero()) r.negative_ = true;
    if (!r.is_zero() && r.negative_ != b.negative_) {
        q = q - BigInt(1);
        r = r + b;
    }
    quotient = std::move(q);
    remainder = std::move(r);
}

BigInt BigInt::pow(BigInt base, uint64_t exponent) {
    BigInt r(1);
    while (exponent) {
        if (exponent & 1) r = r * base;
        exponent >>= 1;
        if (exponent) base = base * base;
    }
    return r;
}

BigInt BigInt::shift_left(uint64_t bits) const {
    if (limbs_.empty()) return {};
    BigInt r;
    r.negative_ = negative_;
    r.limbs_.assign(bits / 32, 0);
    uint64_t carry = 0;
    for (uint32_t limb : limbs_) {
        carry |= static_cast<uint64_t>(limb) << (bits % 32);
        r.limbs_.push_back(static_cast<uint32_t>(carry));
        carry >>= 32;
    }
    if (carry) r.limbs_.push_back(static_cast<uint32_t>(carry));
    return r;
}

BigInt BigInt::shift_right(uint64_t bits) const {
    BigInt r;
    r.negative_ = negative_;
    size_t skip = bits / 32;
    bool lost = false;
    for (size_t i = 0; i < std::min(skip, limbs_.size()); ++i) lost |= limbs_[i] != 0;
    for (size_t i = skip; i < limbs_.size(); ++i) {
        uint64_t pair = limbs_[i] | (i + 1 < limbs_.size() ? static_cast<uint64_t>(limbs_[i + 1]) << 32 : 0);
        r.limbs_.push_back(static_cast<uint32_t>(pair >> (bits % 32)));
    }
    if (skip < limbs_.size()) lost |= (limbs_[skip] & ((uint64_t{1} << (bits % 32)) - 1)) != 0;
    r.trim();
    if (negative_ && lost) r = r - BigInt(1);
    return r;
}

BigInt BigInt::bitwise(const BigInt& a, const BigInt& b, char op) {
    size_t n = std::max(a.limbs_.size(), b.limbs_.size()) + 1;
    auto complement = [n](const BigInt& v) {
        std::vector<uint32_t> limbs = v.limbs_;
        limbs.resize(n, 0);
        if (!v.negative_) return limbs;
        uint64_t carry = 1;
        for (uint32_t& limb : limbs) {
            carry += static_cast<uint32_t>(~limb);
            limb = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
        return limbs;
    };
    std::vector<uint32_t> x = complement(a), y = complement(b);
    for (size_t i = 0; i < n; ++i) x[i] = op == '&' ? x[i] & y[i] : op == '|' ? x[i] | y[i] : x[i] ^ y[i];
    BigInt r;
    r.negative_ = x.back() >> 31 != 0;
    if (r.negative_) {
        uint64_t carry = 1;
        for (uint32_t& limb : x) {
            carry += static_cast<uint32_t>(~limb);
            limb = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
    }
    r.limbs_ = std::move(x);
    r.trim();
    return r;
}

std::strong_ordering BigInt::operator<=>(const BigInt& other) const {
    if (negative_ != other.negative_) return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
    int c = compare_magnitude(*this, other);
    if (negative_) c = -c;
    return c <=> 0;
}

std::strong_ordering BigInt::compare(double v) const {
    if (std::isinf(v)) return v > 0 ? std::strong_ordering::less : std::strong_ordering::greater;
    BigInt whole = truncate(v);
    if (auto c = *this <=> whole; c != 0) return c;
    double rest = v - std::trunc(v);
    return rest > 0 ? std::strong_ordering::less : rest < 0 ? std::strong_ordering::greater : std::strong_ordering::equal;
}

}  // namespace sifr::capture
