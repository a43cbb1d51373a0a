#include "ir/text/lexer.h"

#include <bit>
#include <cmath>

#include "ir/text/messages.h"

namespace sifr {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

constexpr std::string_view punctuation[] = {"<-", "<=", "->", "..", "(", ")", "{", "}", "[", "]", ",", ":", "=", "<", ">", "+", "-", "*", "/", "?"};

}  // namespace

Lexer::Lexer(const SourceFile& file, size_t offset) : file_(file), text_(file.text()), at_(offset) { advance(); }

char Lexer::look(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

bool Lexer::at_key() const { return token_.kind == Token::Kind::Name && look() == '=' && look(1) != '='; }

Token Lexer::next() {
    Token t = std::move(token_);
    advance();
    return t;
}

bool Lexer::at(std::string_view punct_or_name) const {
    return (token_.kind == Token::Kind::Punct || token_.kind == Token::Kind::Name) && token_.text == punct_or_name;
}

bool Lexer::accept(std::string_view punct_or_name) {
    if (!at(punct_or_name)) return false;
    advance();
    return true;
}

Token Lexer::expect(std::string_view punct_or_name) {
    if (!at(punct_or_name)) fail_expected("'" + std::string(punct_or_name) + "'");
    return next();
}

Token Lexer::expect(Token::Kind kind, const char* what) {
    if (token_.kind != kind) fail_expected(what);
    return next();
}

Span Lexer::span(const Token& t) const {
    Span s = file_.position(t.begin);
    Span e = file_.position(t.end);
    s.end_line = e.line;
    s.end_column = e.column;
    return s;
}

void Lexer::fail_expected(std::string_view what) const {
    std::string found = token_.kind == Token::Kind::End ? "the end" : "'" + std::string(text_.substr(token_.begin, token_.end - token_.begin)) + "'";
    fail(text_messages::expected, span(), what, found);
}

void Lexer::advance() {
    for (;;) {
        while (look() == ' ' || look() == '\t' || look() == '\n' || look() == '\r') ++at_;
        if (look() != '/' || look(1) != '/') break;
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }
    token_ = Token{};
    token_.begin = token_.end = at_;
    if (at_ >= text_.size()) return;

    // A name goes on over letters, digits, `_` and single points: `..` belongs to ranges.
    auto lex_name = [&] {
        size_t begin = at_;
        while (is_letter(look()) || is_digit(look()) || (look() == '.' && (is_letter(look(1)) || is_digit(look(1))))) ++at_;
        token_.text = text_.substr(begin, at_ - begin);
    };
    auto sigil = [&](Token::Kind kind, const char* what) {
        token_.kind = kind;
        ++at_;
        lex_name();
        token_.end = at_;
        if (token_.text.empty()) fail_expected(what);
    };
    char c = look();
    if (is_letter(c)) {
        token_.kind = Token::Kind::Name;
        lex_name();
    } else if (is_digit(c)) {
        lex_number();
    } else if (c == '"') {
        lex_string();
    } else if (c == '%') {
        sigil(Token::Kind::Value, "a value's name behind '%'");
    } else if (c == '$') {
        sigil(Token::Kind::Storage, "a storage's name behind '$'");
    } else if (c == '@' && is_digit(look(1))) {
        lex_place();
    } else if (c == '@') {
        sigil(Token::Kind::Symbol, "a name behind '@'");
    } else if (c == '#') {
        ++at_;
        size_t begin = at_;
        while (is_digit(look())) ++at_;
        token_.kind = Token::Kind::Number;
        token_.text = text_.substr(begin, at_ - begin);
        token_.end = at_;
        if (token_.text.empty()) fail_expected("a number behind '#'");
    } else {
        for (std::string_view p : punctuation)
            if (text_.substr(at_, p.size()) == p) {
                token_.kind = Token::Kind::Punct;
                token_.text = p;
                at_ += p.size();
                break;
            }
        if (token_.kind == Token::Kind::End) {
            size_t size = 1;  // the whole code point
            while ((static_cast<unsigned char>(look(size)) & 0xC0) == 0x80) ++size;
            token_.end = at_ + size;
            unsigned char byte = static_cast<unsigned char>(c);
            std::string shown = byte >= 32 && byte < 127 ? std::string(1, c) : byte >= 0xC2 && size > 1 ? std::string(text_.substr(at_, size)) : fmt::format("\\x{:02x}", byte);
            fail(text_messages::bad_character, span(), shown);
        }
    }
    token_.end = at_;
}

void Lexer::lex_number() {
    size_t begin = at_;
    token_.kind = Token::Kind::Int;
    if (look() == '0' && look(1) == 'x' && hex_value(look(2)) >= 0) {
        at_ += 2;
        while (hex_value(look()) >= 0) ++at_;
        token_.text = text_.substr(begin, at_ - begin);
        return;
    }
    while (is_digit(look())) ++at_;
    if (look() == '.' && is_digit(look(1))) {
        token_.kind = Token::Kind::Float;
        ++at_;
        while (is_digit(look())) ++at_;
    }
    size_t exponent = look(1) == '+' || look(1) == '-' ? 2 : 1;
    if ((look() == 'e' || look() == 'E') && is_digit(look(exponent))) {
        token_.kind = Token::Kind::Float;
        at_ += exponent;
        while (is_digit(look())) ++at_;
    }
    token_.text = text_.substr(begin, at_ - begin);
}

void Lexer::lex_place() {
    token_.kind = Token::Kind::Place;
    size_t begin = ++at_;
    auto position = [&](size_t from) -> size_t {  // length of `12:34` at `from`, or 0
        size_t n = from;
        while (is_digit(look(n))) ++n;
        if (n == from || look(n) != ':' || !is_digit(look(n + 1))) return 0;
        ++n;
        while (is_digit(look(n))) ++n;
        return n - from;
    };
    size_t length = position(0);
    token_.end = at_ + 1;
    if (length == 0) fail_expected("a place such as @3:1");
    while (look(length) == ',' && position(length + 1) != 0) length += 1 + position(length + 1);
    at_ += length;
    token_.text = text_.substr(begin, length);
}

void Lexer::lex_string() {
    ++at_;
    token_.kind = Token::Kind::String;
    for (;;) {
        char c = look();
        if (at_ >= text_.size() || c == '\n') {
            token_.end = at_;
            fail(text_messages::unterminated_string, span());
        }
        ++at_;
        if (c == '"') return;
        if (c != '\\') {
            token_.text += c;
            continue;
        }
        char e = look();
        ++at_;
        switch (e) {
            case 'n': token_.text += '\n'; break;
            case 't': token_.text += '\t'; break;
            case 'r': token_.text += '\r'; break;
            case '0': token_.text += '\0'; break;
            case '"': token_.text += '"'; break;
            case '\\': token_.text += '\\'; break;
            default: {
                int high = e == 'x' ? hex_value(look()) : -1, low = e == 'x' ? hex_value(look(1)) : -1;
                if (high < 0 || low < 0) {
                    token_.begin = at_ - 2;
                    token_.end = std::min(at_, text_.size());
                    unsigned char byte = static_cast<unsigned char>(e);
                    fail(text_messages::bad_escape, span(), byte >= 32 && byte < 127 ? std::string(1, e) : std::string("?"));
                }
                token_.text += static_cast<char>(high * 16 + low);
                at_ += 2;
            }
        }
    }
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        switch (c) {
            case '\n': out += "\\n"; break;
            case '\t': out += "\\t"; break;
            case '\r': out += "\\r"; break;
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            default:
                if (static_cast<unsigned char>(c) < 32 || c == 127) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
                else out += c;
        }
    }
    return out + '"';
}

std::string number_text(double v) {
    if (std::isnan(v)) {
        uint64_t bits = std::bit_cast<uint64_t>(v);
        constexpr uint64_t plain = 0x7FF8000000000000;
        return bits == plain ? "nan" : fmt::format("nan 0x{:016x}", bits);
    }
    std::string out = fmt::format("{}", v);
    if (out.find_first_of(".en") == std::string::npos) out += ".0";
    return out;
}

}  // namespace sifr
