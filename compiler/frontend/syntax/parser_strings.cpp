#include <algorithm>

#include "compiler/frontend/syntax/parser_impl.h"
#include "compiler/frontend/syntax/unicode.h"

namespace sifr::syntax {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// What the prefix of a string token says, and where its body is.
struct StringShape {
    bool raw = false, bytes = false, format = false;
    size_t begin = 0, end = 0;
};

StringShape shape_of(std::string_view text, const Token& token) {
    StringShape s;
    size_t i = token.begin;
    for (; text[i] != '"' && text[i] != '\''; ++i) {
        char c = static_cast<char>(text[i] | 0x20);
        s.raw = s.raw || c == 'r';
        s.bytes = s.bytes || c == 'b';
        s.format = s.format || c == 'f';
    }
    bool triple = token.end - i >= 6 && text[i + 1] == text[i] && text[i + 2] == text[i];
    s.begin = i + (triple ? 3 : 1);
    s.end = token.end - (triple ? 3 : 1);
    return s;
}

}  // namespace

/// The place of `text_[begin, end)` inside a token that may span lines.
Span Parser::place_in(const Token& token, size_t begin, size_t end) const {
    uint32_t line = token.line, column = token.column;
    Span out{file_, 0, 0, 0, 0};
    for (size_t i = token.begin;; ++i) {
        if (i == begin) out.line = line, out.column = column;
        if (i >= end && i >= begin) break;
        bool lone_return = text_[i] == '\r' && !(i + 1 < text_.size() && text_[i + 1] == '\n');
        if (text_[i] == '\n' || lone_return) {
            ++line;
            column = 1;
        } else if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) {
            ++column;
        }
    }
    out.end_line = line;
    // A character that starts inside the range counts, so the column behind it is right also for several bytes.
    out.end_column = column;
    return out;
}

/// An escape sequence: `i` stands on the backslash and moves behind the sequence. `begin` is where CPython's decoder started.
void Parser::escape(const Token& token, size_t& i, size_t begin, size_t end, bool bytes, std::string& out) {
    size_t backslash = i++;
    if (i >= end) {
        out += '\\';  // in front of a brace of an f-string
        return;
    }
    char c = text_[i++];
    auto unicode_error = [&](size_t fault_end, const char* reason) {
        // CPython replaces each character beyond ASCII by ten bytes before it decodes.
        auto position = [&](size_t offset) {
            size_t n = 0;
            for (size_t k = begin; k < offset; ++k)
                if (static_cast<unsigned char>(text_[k]) < 0x80) ++n;
                else if ((static_cast<unsigned char>(text_[k]) & 0xC0) != 0x80) n += 10;
            return n;
        };
        error(messages::unicode_escape, place_in(token, backslash, fault_end), position(backslash), position(fault_end) - 1, reason);
    };
    auto code_point = [&](size_t digits, const char* truncated) {
        uint64_t value = 0;
        for (size_t k = 0; k < digits; ++k, ++i) {
            int digit = i < end ? hex_value(text_[i]) : -1;
            if (digit < 0) unicode_error(i, truncated);
            value = value * 16 + static_cast<uint64_t>(digit);
        }
        if (value > 0x10FFFF) unicode_error(i, "illegal Unicode character");
        append_utf8(out, static_cast<char32_t>(value));
    };
    switch (c) {
        case '\n': return;
        case '\r':
            if (i < end && text_[i] == '\n') ++i;
            return;
        case '\\':
        case '\'':
        case '"': out += c; return;
        case 'a': out += '\a'; return;
        case 'b': out += '\b'; return;
        case 'f': out += '\f'; return;
        case 'n': out += '\n'; return;
        case 'r': out += '\r'; return;
        case 't': out += '\t'; return;
        case 'v': out += '\v'; return;
        case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': {
            uint32_t value = static_cast<uint32_t>(c - '0');
            for (int k = 0; k < 2 && i < end && text_[i] >= '0' && text_[i] <= '7'; ++k) value = value * 8 + static_cast<uint32_t>(text_[i++] - '0');
            if (bytes) out += static_cast<char>(value & 0xFF);
            else append_utf8(out, value);
            return;
        }
        case 'x':
            if (bytes) {
                int high = i < end ? hex_value(text_[i]) : -1;
                int low = i + 1 < end ? hex_value(text_[i + 1]) : -1;
                if (high < 0 || low < 0) error(messages::bytes_escape, place_in(token, backslash, i), backslash - begin);
                i += 2;
                out += static_cast<char>(high * 16 + low);
                return;
            }
            return code_point(2, "truncated \\xXX escape");
        case 'u':
            if (bytes) break;
            return code_point(4, "truncated \\uXXXX escape");
        case 'U':
            if (bytes) break;
            return code_point(8, "truncated \\UXXXXXXXX escape");
        case 'N': {
            if (bytes) break;
            size_t close = i < end && text_[i] == '{' ? text_.find('}', i) : std::string_view::npos;
            if (close >= end || close == i + 1) unicode_error(std::min(close == i + 1 ? close : i, end), "malformed \\N character escape");
            std::optional<char32_t> named = character_named(text_.substr(i + 1, close - i - 1));
            if (!named) not_supported(messages::unicode_name, place_in(token, backslash, close + 1), text_.substr(i + 1, close - i - 1));
            append_utf8(out, *named);
            i = close + 1;
            return;
        }
        default: break;
    }
    // An unknown escape stands for itself. (Of a character of several bytes, the rest follows as text.)
    out += '\\';
    out += c;
}

/// The value of `text_[begin, end)`, a part of a string's body.
std::string Parser::decode_string(const Token& token, size_t begin, size_t end, bool raw, bool bytes) {
    std::string_view body = text_.substr(begin, end - begin);
    std::string out;
    out.reserve(body.size());
    for (size_t i = begin; i < end;) {
        size_t plain = i;
        while (i < end && text_[i] != '\\' && text_[i] != '\r' && !(bytes && static_cast<unsigned char>(text_[i]) >= 0x80)) ++i;
        out.append(text_.substr(plain, i - plain));
        if (i >= end) break;
        if (text_[i] == '\r') {
            out += '\n';
            i += i + 1 < end && text_[i + 1] == '\n' ? 2 : 1;
        } else if (text_[i] != '\\') {
            error(messages::non_ascii_bytes, span(token));
        } else if (raw) {
            out += text_[i++];
        } else {
            escape(token, i, begin, end, bytes, out);
        }
    }
    return out;
}

/// The f-strings and strings that stand side by side, on their way to one JoinedStr.
struct Parser::FString {
    const Token* token = nullptr;
    size_t at = 0, end = 0;  ///< what is left of the token's body
    bool raw = false;
    uint32_t line = 0;      ///< of `cursor`, which follows `at` to find lines
    size_t line_start = 0;
    size_t cursor = 0;
    std::vector<ExprPtr> values;
    std::string literal;  ///< text that is not yet in `values`
    Span literal_span;

    void add_literal(std::string text, Span span) {
        if (text.empty()) return;
        if (literal.empty()) literal_span = span;
        literal += text;
        literal_span.end_line = span.end_line;
        literal_span.end_column = span.end_column;
    }

    void flush() {
        if (literal.empty()) return;
        auto node = std::make_unique<Constant>(literal_span);
        node->constant = ConstantKind::Str;
        node->text = std::move(literal);
        literal.clear();
        values.push_back(std::move(node));
    }
};

ExprPtr Parser::strings() {
    const Token* first = at_;
    bool any_format = false;
    StringShape shape = shape_of(text_, *first);
    bool bytes = shape.bytes;
    while (is(K::String)) {
        shape = shape_of(text_, *at_);
        any_format = any_format || shape.format;
        ++at_;
        if (shape.bytes != bytes) error(messages::mixed_bytes, since(first));
    }
    if (!any_format) {
        auto node = std::make_unique<Constant>(since(first));
        node->constant = bytes ? ConstantKind::Bytes : ConstantKind::Str;
        for (const Token* t = first; t != at_; ++t) {
            shape = shape_of(text_, *t);
            std::string part = decode_string(*t, shape.begin, shape.end, shape.raw, bytes);
            if (node->text.empty()) node->text = std::move(part);
            else node->text += part;
        }
        return node;
    }
    Depth depth(*this);
    FString f;
    const Token* behind = at_;
    for (const Token* t = first; t != behind; ++t) {
        shape = shape_of(text_, *t);
        if (!shape.format) {
            f.add_literal(decode_string(*t, shape.begin, shape.end, shape.raw, false), span(*t));
            continue;
        }
        f.token = t;
        f.at = f.cursor = shape.begin;
        f.end = shape.end;
        f.raw = shape.raw;
        f.line = t->line;
        f.line_start = t->begin;
        while (f.line_start > 0 && text_[f.line_start - 1] != '\n' && text_[f.line_start - 1] != '\r') --f.line_start;
        if (f.line_start == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") f.line_start = 3;
        fstring_parts(f, 0);
    }
    f.flush();
    auto node = std::make_unique<JoinedStr>(since(first));
    over(*node, f.values);
    node->values = std::move(f.values);
    return node;
}

/// Literals and expressions up to the end of the token, or in a format specification (`depth` > 0) to its `}`.
void Parser::fstring_parts(FString& f, uint32_t depth) {
    for (;;) {
        fstring_literal(f, depth);
        if (f.at >= f.end || text_[f.at] == '}') return;
        fstring_expression(f, depth);
    }
}

/// Text up to the next `{` that starts an expression, the `}` that ends a format specification, or the end.
void Parser::fstring_literal(FString& f, uint32_t depth) {
    while (f.at < f.end) {
        size_t begin = f.at, i = f.at;
        bool doubled = false;
        for (; i < f.end; ++i) {
            char c = text_[i];
            if (c == '\\' && !f.raw && i + 1 < f.end) {
                c = text_[++i];  // before a brace the backslash is text, and the brace still a brace
                if (c == 'N' && i + 1 < f.end && text_[i + 1] == '{') {
                    i = std::min(text_.find('}', i), f.end - 1);
                    continue;
                }
            }
            if (c != '{' && c != '}') continue;
            doubled = depth == 0 && i + 1 < f.end && text_[i + 1] == c;
            if (depth == 0 && c == '}' && !doubled) error(messages::fstring_single_brace, place_in(*f.token, i, i + 1));
            break;
        }
        size_t end = doubled ? i + 1 : i;
        if (end > begin) f.add_literal(decode_string(*f.token, begin, end, f.raw, false), span(*f.token));
        f.at = doubled ? i + 2 : i;
        if (!doubled) return;
    }
}

/// Where the expression that starts at `f.at` ends: at the `!`, `:`, `=` or `}` that is no part of it.
size_t Parser::fstring_expression_end(FString& f) {
    char quote = 0;
    bool triple = false;
    std::string open;
    size_t i = f.at;
    for (; i < f.end; ++i) {
        char c = text_[i];
        auto here = [&] { return place_in(*f.token, i, i + 1); };
        if (c == '\\') error(messages::fstring_backslash, here());
        bool three = i + 2 < f.end && text_[i + 1] == c && text_[i + 2] == c;
        if (quote) {
            if (c != quote || (triple && !three)) continue;
            if (triple) i += 2;
            quote = 0;
            continue;
        }
        if (c == '\'' || c == '"') {
            quote = c;
            triple = three;
            if (three) i += 2;
            continue;
        }
        if (c == '(' || c == '[' || c == '{') {
            if (open.size() >= 200) error(messages::fstring_brackets, here());
            open += c;
            continue;
        }
        if (c == '#') error(messages::fstring_comment, here());
        if (open.empty() && (c == '!' || c == ':' || c == '}' || c == '=' || c == '<' || c == '>')) {
            if (i + 1 < f.end && text_[i + 1] == '=' && (c == '!' || c == '=' || c == '<' || c == '>')) {
                ++i;
                continue;
            }
            if (c == '<' || c == '>') continue;
            break;
        }
        if (c == ')' || c == ']' || c == '}') {
            if (open.empty()) error(messages::fstring_unmatched, here(), c);
            char opening = open.back();
            open.pop_back();
            bool matches = (opening == '(' && c == ')') || (opening == '[' && c == ']') || (opening == '{' && c == '}');
            if (!matches) error(messages::fstring_mismatched, here(), c, opening);
        }
    }
    Span rest = place_in(*f.token, f.at, std::max(f.at + 1, i));
    if (quote) error(messages::fstring_unterminated, rest);
    if (!open.empty()) error(messages::fstring_unmatched, rest, open.back());
    if (i >= f.end) error(messages::fstring_expecting_brace, place_in(*f.token, f.end, f.end));
    return i;
}

/// `{expression=!conversion:specification}`; `f.at` stands on the `{` and moves behind the `}`.
void Parser::fstring_expression(FString& f, uint32_t depth) {
    size_t open = f.at;
    if (depth >= 2) error(messages::fstring_nested, place_in(*f.token, open, open + 1));
    size_t begin = ++f.at;
    size_t end = fstring_expression_end(f);
    std::string_view inside = text_.substr(begin, end - begin);
    if (std::all_of(inside.begin(), inside.end(), is_blank)) {
        if (text_[end] != '}') error(messages::fstring_missing_expression, place_in(*f.token, end, end + 1), text_[end]);
        error(messages::fstring_empty, place_in(*f.token, open, end + 1));
    }
    for (; f.cursor < begin; ++f.cursor)
        if (text_[f.cursor] == '\n' || (text_[f.cursor] == '\r' && text_[f.cursor + 1] != '\n')) {
            ++f.line;
            f.line_start = f.cursor + 1;
        }
    auto node = std::make_unique<FormattedValue>(span(*f.token));
    TokenStream stream = tokenize_expression(text_, file_, begin, end, f.line, f.line_start);
    Parser inner(text_, file_, std::move(stream), fstring_level_ + 1);
    inner.depth_ = depth_;
    node->value = inner.parse_fstring_expression();
    over(*node, node->value);

    auto more = [&] {
        if (f.at >= f.end) error(messages::fstring_expecting_brace, place_in(*f.token, f.end, f.end));
    };
    f.at = end;
    if (text_[f.at] == '=') {
        ++f.at;
        while (f.at < f.end && is_blank(text_[f.at])) ++f.at;
        node->debug_text = text_.substr(begin, f.at - begin);
        f.add_literal(node->debug_text, place_in(*f.token, begin, f.at));
    }
    more();
    if (text_[f.at] == '!') {
        ++f.at;
        more();
        size_t conversion = f.at++;
        node->conversion = text_[conversion];
        more();
        if (node->conversion != 's' && node->conversion != 'r' && node->conversion != 'a')
            error(messages::fstring_conversion, place_in(*f.token, conversion, conversion + 1));
    }
    f.flush();
    if (text_[f.at] == ':') {
        ++f.at;
        more();
        std::vector<ExprPtr> outer = std::move(f.values);
        f.values.clear();
        fstring_parts(f, depth + 1);
        f.flush();
        node->format_spec = std::make_unique<JoinedStr>(span(*f.token));
        over(*node->format_spec, f.values);
        node->format_spec->values = std::move(f.values);
        over(*node, node->format_spec.get());
        f.values = std::move(outer);
    }
    more();
    if (text_[f.at] != '}') error(messages::fstring_expecting_brace, place_in(*f.token, f.at, f.at + 1));
    ++f.at;
    node->span = place_in(*f.token, open, f.at);
    if (!node->debug_text.empty() && !node->format_spec && !node->conversion) node->conversion = 'r';
    f.values.push_back(std::move(node));
}

}  // namespace sifr::syntax
