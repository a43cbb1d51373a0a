#include "ir/text/parse_values.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/text/messages.h"

namespace sifr {
namespace {

using namespace text_messages;

/// The digits of a token in T; fails when they do not fit. `sign` is in front of them.
template <class T>
T number_of(const Lexer& lex, const Token& t, bool negative) {
    bool hex = t.text.size() > 2 && t.text[1] == 'x';
    std::string text = (negative ? "-" : "") + (hex ? t.text.substr(2) : t.text);
    T v{};
    std::from_chars_result r{};
    if constexpr (std::is_floating_point_v<T>) r = std::from_chars(text.data(), text.data() + text.size(), v);
    else r = std::from_chars(text.data(), text.data() + text.size(), v, hex ? 16 : 10);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size()) lex.fail(bad_number, lex.span(t), (negative ? "-" : "") + t.text);
    return v;
}

/// A float: digits, `inf`, `nan`, or its bits in hexadecimal.
template <class T, class Bits>
T parse_float(Lexer& lex) {
    bool negative = lex.accept("-");
    if (lex.accept("inf")) return negative ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    if (lex.peek().kind != Token::Kind::Int && lex.peek().kind != Token::Kind::Float) lex.fail_expected("a number");
    Token t = lex.next();
    if (t.text.size() > 2 && t.text[1] == 'x') return std::bit_cast<T>(number_of<Bits>(lex, t, false));
    return number_of<T>(lex, t, negative);
}

template <class T>
void append(std::vector<std::byte>& bytes, T v) {
    size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    std::memcpy(bytes.data() + at, &v, sizeof(T));
}

template <class T>
T parse_integer(Lexer& lex) {
    bool negative = lex.accept("-");
    return number_of<T>(lex, lex.expect(Token::Kind::Int, "an integer"), negative);
}

void parse_element(Lexer& lex, TensorData& data) {
    std::vector<std::byte>& out = data.bytes;
    switch (data.dtype) {
        case DType::Bool:
            if (!lex.at("true") && !lex.at("false")) lex.fail_expected("true or false");
            return append(out, static_cast<uint8_t>(lex.next().text == "true"));
        case DType::U8: return append(out, parse_integer<uint8_t>(lex));
        case DType::I8: return append(out, parse_integer<int8_t>(lex));
        case DType::I16: return append(out, parse_integer<int16_t>(lex));
        case DType::I32: return append(out, parse_integer<int32_t>(lex));
        case DType::I64: return append(out, parse_integer<int64_t>(lex));
        case DType::F16:
        case DType::BF16: return append(out, parse_integer<uint16_t>(lex));
        case DType::F32: return append(out, parse_float<float, uint32_t>(lex));
        case DType::F64: return append(out, parse_float<double, uint64_t>(lex));
        case DType::C64:
            append(out, parse_float<float, uint32_t>(lex));
            return append(out, parse_float<float, uint32_t>(lex));
        case DType::C128:
            append(out, parse_float<double, uint64_t>(lex));
            return append(out, parse_float<double, uint64_t>(lex));
    }
}

}  // namespace

int64_t int_of(const Lexer& lex, const Token& t) { return number_of<int64_t>(lex, t, false); }

int64_t parse_int(Lexer& lex) { return parse_integer<int64_t>(lex); }

std::vector<int64_t> parse_ints(Lexer& lex) {
    std::vector<int64_t> out;
    if (lex.peek().kind != Token::Kind::Int && !lex.at("-")) return out;
    do out.push_back(parse_int(lex));
    while (lex.accept(","));
    return out;
}

bool at_constant(const Lexer& lex) {
    if (lex.at_key()) return false;
    switch (lex.peek().kind) {
        case Token::Kind::Int:
        case Token::Kind::Float:
        case Token::Kind::String: return true;
        default: return lex.at("true") || lex.at("false") || lex.at("none") || lex.at("inf") || lex.at("nan") || lex.at("-");
    }
}

ScalarConstant parse_constant(Lexer& lex) {
    if (lex.accept("true")) return true;
    if (lex.accept("false")) return false;
    if (lex.accept("none")) return std::monostate{};
    if (lex.peek().kind == Token::Kind::String) return lex.next().text;
    if (lex.accept("nan")) {
        if (lex.peek().kind == Token::Kind::Int && lex.peek().text.starts_with("0x")) return std::bit_cast<double>(number_of<uint64_t>(lex, lex.next(), false));
        return std::numeric_limits<double>::quiet_NaN();
    }
    bool negative = lex.accept("-");
    if (lex.accept("inf")) return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    if (lex.peek().kind == Token::Kind::Int) return number_of<int64_t>(lex, lex.next(), negative);
    if (lex.peek().kind == Token::Kind::Float) return number_of<double>(lex, lex.next(), negative);
    lex.fail_expected("a literal");
}

AttrValue parse_attribute(Lexer& lex) {
    if (lex.accept("[")) {
        std::vector<int64_t> v = parse_ints(lex);
        lex.expect("]");
        return v;
    }
    if (lex.accept("<")) {
        Layout l;
        lex.expect("[");
        l.sizes = parse_ints(lex);
        lex.expect("]");
        if (!lex.accept("+")) (void)lex.at("-");
        l.offset = parse_int(lex);
        lex.expect("(");
        l.strides = parse_ints(lex);
        lex.expect(")");
        lex.expect(">");
        if (l.strides.size() != l.sizes.size()) lex.fail(strides_count, lex.span(), l.strides.size(), l.sizes.size());
        return l;
    }
    if (lex.peek().kind == Token::Kind::Name) {
        if (std::optional<DType> dtype = dtype_named(lex.peek().text)) {
            lex.next();
            if (!lex.accept("{")) return *dtype;
            auto data = std::make_shared<TensorData>();
            data->dtype = *dtype;
            if (!lex.at("}")) {
                do parse_element(lex, *data);
                while (lex.accept(","));
            }
            lex.expect("}");
            return std::shared_ptr<const TensorData>(std::move(data));
        }
    }
    if (!at_constant(lex)) lex.fail_expected("an attribute's value");
    return std::visit([](auto&& c) { return AttrValue(std::move(c)); }, parse_constant(lex));
}

Location parse_location(const Lexer& lex, const Token& place) {
    Location out;
    const std::string& text = place.text;
    for (size_t at = 0; at < text.size();) {
        size_t colon = text.find(':', at), end = std::min(text.find(',', at), text.size());
        Span s;
        auto line = std::from_chars(text.data() + at, text.data() + colon, s.line);
        auto column = std::from_chars(text.data() + colon + 1, text.data() + end, s.column);
        if (line.ec != std::errc{} || column.ec != std::errc{}) lex.fail(bad_number, lex.span(place), text);
        s.end_line = s.line;
        s.end_column = s.column;
        out.push_back(s);
        at = end + 1;
    }
    return out;
}

}  // namespace sifr
