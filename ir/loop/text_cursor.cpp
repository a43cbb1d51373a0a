#include "ir/loop/text_cursor.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace sifr {

namespace {
bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool word_part(char c) { return word_start(c) || std::isdigit(static_cast<unsigned char>(c)); }
bool digit(char c) { return c >= '0' && c <= '9'; }
}  // namespace

void TextCursor::skip() {
    while (at_ < text_.size()) {
        if (std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        else if (text_.substr(at_, 2) == "//") at_ = std::min(text_.find('\n', at_), text_.size());
        else break;
    }
}

bool TextCursor::at_end() {
    skip();
    return at_ >= text_.size();
}

bool TextCursor::peek(std::string_view t) {
    skip();
    if (text_.substr(at_, t.size()) != t) return false;
    return !word_part(t.back()) || at_ + t.size() >= text_.size() || !word_part(text_[at_ + t.size()]);
}

bool TextCursor::take(std::string_view t) {
    if (!peek(t)) return false;
    at_ += t.size();
    return true;
}

void TextCursor::expect(std::string_view t) {
    if (!take(t)) fail(fmt::format("expected '{}'", t));
}

bool TextCursor::peek_word() {
    skip();
    return at_ < text_.size() && word_start(text_[at_]);
}

bool TextCursor::peek_number() {
    skip();
    return at_ < text_.size() && (digit(text_[at_]) || (text_[at_] == '-' && at_ + 1 < text_.size() && digit(text_[at_ + 1])));
}

std::string TextCursor::word() {
    if (!peek_word()) fail("expected a name");
    size_t begin = at_;
    // A point belongs to the word only in front of another letter or digit: `lo..hi` is two words.
    while (at_ < text_.size() &&
           (word_part(text_[at_]) || (text_[at_] == '.' && at_ + 1 < text_.size() && word_part(text_[at_ + 1])))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
}

int64_t TextCursor::integer() {
    skip();
    int64_t v = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
    if (error != std::errc()) fail("expected an integer");
    at_ = static_cast<size_t>(end - text_.data());
    return v;
}

std::string TextCursor::number() {
    skip();
    size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    for (std::string_view special : {"inf", "nan"}) {
        if (take(special)) return std::string(text_.substr(begin, at_ - begin));
    }
    if (at_ >= text_.size() || !digit(text_[at_])) fail("expected a number");
    while (at_ < text_.size()) {
        char c = text_[at_];
        bool exponent_sign = (c == '-' || c == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
        bool point = c == '.' && at_ + 1 < text_.size() && text_[at_ + 1] != '.';
        if (!digit(c) && c != 'e' && c != 'E' && !exponent_sign && !point) break;
        ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
}

std::string TextCursor::string() {
    expect("\"");
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
        char c = text_[at_++];
        if (c != '\\') {
            out += c;
            continue;
        }
        if (at_ >= text_.size()) break;
        char e = text_[at_++];
        if (e == 'n') out += '\n';
        else if (e == 't') out += '\t';
        else if (e == 'r') out += '\r';
        else if (e == 'x') {
            int v = 0;
            if (at_ + 2 > text_.size() || std::from_chars(text_.data() + at_, text_.data() + at_ + 2, v, 16).ptr != text_.data() + at_ + 2)
                fail("expected two hexadecimal digits");
            out += static_cast<char>(v);
            at_ += 2;
        } else out += e;
    }
    if (at_ >= text_.size()) fail("a string without an end");
    ++at_;
    return out;
}

Location TextCursor::location() {
    Location out;
    if (!take("@")) return out;
    do {
        Span s;
        s.line = static_cast<uint32_t>(integer());
        expect(":");
        s.column = static_cast<uint32_t>(integer());
        s.end_line = s.line;
        s.end_column = s.column;
        out.push_back(s);
    } while (take(","));
    return out;
}

void TextCursor::fail(const std::string& text) const {
    Diagnostic d;
    d.code = "ir-syntax";
    d.span = file_.position(std::min(at_, text_.size()));
    d.text = text;
    throw CompileError(std::move(d));
}

std::string quoted_text(std::string_view s) {
    std::string out = "\"";
    for (char c : s) {
        if (c == '"' || c == '\\') (out += '\\') += c;
        else if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (c == '\r') out += "\\r";
        else if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\x{:02x}", c);
        else out += c;
    }
    return out + '"';
}

std::string location_text(const Location& location) {
    std::string out;
    for (const Span& s : location) {
        if (s.known()) out += fmt::format("{}{}:{}", out.empty() ? " @" : ",", s.line, s.column);
    }
    return out;
}

std::string float_text(double value, bool single) {
    if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char buffer[40];
    char* end;
    if (single && static_cast<double>(static_cast<float>(value)) == value) {
        end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr;
    } else {
        end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    }
    std::string text(buffer, end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

}  // namespace sifr
