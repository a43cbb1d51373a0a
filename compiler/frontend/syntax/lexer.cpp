#include "compiler/frontend/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/frontend/syntax/messages.h"
#include "compiler/frontend/syntax/unicode.h"

namespace sifr::syntax {
namespace {

constexpr size_t max_megabytes = 64;
constexpr size_t max_brackets = 200;  // CPython's limit
constexpr size_t max_indents = 100;   // CPython's limit

enum CharClass : uint8_t { Other, IdentifierStart, Digit, Quote, High };

constexpr std::array<uint8_t, 256> make_classes() {
    std::array<uint8_t, 256> t{};
    for (int c = 'a'; c <= 'z'; ++c) t[c] = IdentifierStart;
    for (int c = 'A'; c <= 'Z'; ++c) t[c] = IdentifierStart;
    t['_'] = IdentifierStart;
    for (int c = '0'; c <= '9'; ++c) t[c] = Digit;
    t['"'] = t['\''] = Quote;
    for (int c = 0x80; c < 0x100; ++c) t[c] = High;
    return t;
}
constexpr std::array<uint8_t, 256> classes = make_classes();

uint8_t class_of(char c) { return classes[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return class_of(c) == IdentifierStart || class_of(c) == Digit || class_of(c) == High; }

struct Keyword {
    std::string_view spelling;
    TokenKind kind;
};
constexpr Keyword keywords[] = {
#define SIFR_KEYWORD(id, spelling) {spelling, TokenKind::id},
    SIFR_PYTHON_KEYWORDS(SIFR_KEYWORD)
#undef SIFR_KEYWORD
};

/// The keywords by first letter, so that most names cost one look.
struct KeywordTable {
    std::array<uint8_t, 129> first{};  // keywords[first[c]] … keywords[first[c + 1]] start with c
    std::array<uint8_t, std::size(keywords)> order{};
    constexpr KeywordTable() {
        uint8_t n = 0;
        for (int c = 0; c < 128; ++c) {
            first[c] = n;
            for (size_t k = 0; k < std::size(keywords); ++k)
                if (keywords[k].spelling[0] == c) order[n++] = static_cast<uint8_t>(k);
        }
        first[128] = n;
    }
};
constexpr KeywordTable keyword_table;

TokenKind word_kind(std::string_view word) {
    auto c = static_cast<unsigned char>(word[0]);
    if (c >= 128) return TokenKind::Name;
    for (size_t i = keyword_table.first[c]; i < keyword_table.first[c + 1]; ++i) {
        const Keyword& k = keywords[keyword_table.order[i]];
        if (k.spelling == word) return k.kind;
    }
    return TokenKind::Name;
}

struct OperatorMatch {
    TokenKind kind;
    uint32_t length;
};

/// The longest operator at the start of `c0 c1 c2`.
OperatorMatch match_operator(char c0, char c1, char c2) {
    using K = TokenKind;
    auto with_equal = [&](K plain, K assigned) { return c1 == '=' ? OperatorMatch{assigned, 2} : OperatorMatch{plain, 1}; };
    auto doubled = [&](K one, K one_equal, K two, K two_equal) {
        if (c1 == c0) return c2 == '=' ? OperatorMatch{two_equal, 3} : OperatorMatch{two, 2};
        return with_equal(one, one_equal);
    };
    switch (c0) {
        case '(': return {K::LeftParen, 1};
        case ')': return {K::RightParen, 1};
        case '[': return {K::LeftBracket, 1};
        case ']': return {K::RightBracket, 1};
        case '{': return {K::LeftBrace, 1};
        case '}': return {K::RightBrace, 1};
        case ',': return {K::Comma, 1};
        case ';': return {K::Semicolon, 1};
        case '~': return {K::Tilde, 1};
        case ':': return with_equal(K::Colon, K::ColonEqual);
        case '+': return with_equal(K::Plus, K::PlusEqual);
        case '-': return c1 == '>' ? OperatorMatch{K::Arrow, 2} : with_equal(K::Minus, K::MinusEqual);
        case '*': return doubled(K::Star, K::StarEqual, K::StarStar, K::StarStarEqual);
        case '/': return doubled(K::Slash, K::SlashEqual, K::SlashSlash, K::SlashSlashEqual);
        case '|': return with_equal(K::VerticalBar, K::VerticalBarEqual);
        case '&': return with_equal(K::Ampersand, K::AmpersandEqual);
        case '^': return with_equal(K::Caret, K::CaretEqual);
        case '%': return with_equal(K::Percent, K::PercentEqual);
        case '@': return with_equal(K::At, K::AtEqual);
        case '=': return with_equal(K::Equal, K::EqualEqual);
        case '<': return c1 == '>' ? OperatorMatch{K::Unknown, 2} : doubled(K::Less, K::LessEqual, K::LeftShift, K::LeftShiftEqual);
        case '>': return doubled(K::Greater, K::GreaterEqual, K::RightShift, K::RightShiftEqual);
        case '!': return with_equal(K::Unknown, K::NotEqual);
        case '.': return c1 == '.' && c2 == '.' ? OperatorMatch{K::Ellipsis, 3} : OperatorMatch{K::Dot, 1};
        case '$':
        case '?':
        case '`': return {K::Unknown, 1};
        default: return {K::Unknown, 0};
    }
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

class Lexer {
public:
    Lexer(std::string_view text, uint32_t file, size_t begin, size_t end) : text_(text), file_(file), at_(begin), end_(end) {
        counted_ = line_start_ = begin;
        tokens_.reserve((end - begin) / 4 + 4);
    }

    void check_text();
    void start_inside_parentheses(uint32_t line, size_t line_start) {
        line_ = line;
        line_start_ = counted_ = line_start;
        base_level_ = 1;
    }
    TokenStream run();
    void text_is_ascii(bool yes) { ascii_ = yes; }

private:
    void scan();
    [[nodiscard]] char at(size_t offset) const { return offset < end_ ? text_[offset] : '\0'; }

    /// The column of a byte of the current line; cheap when asked for in increasing order.
    uint32_t column(size_t offset) {
        if (ascii_) return static_cast<uint32_t>(offset - line_start_ + 1);
        if (offset < counted_) {
            counted_ = line_start_;
            continuation_bytes_ = 0;
        }
        for (; counted_ < offset; ++counted_)
            if ((static_cast<unsigned char>(text_[counted_]) & 0xC0) == 0x80) ++continuation_bytes_;
        return static_cast<uint32_t>(offset - line_start_ - continuation_bytes_ + 1);
    }

    Span span_at(size_t begin, size_t end) {
        uint32_t c = column(begin);
        return Span{file_, line_, c, line_, std::max(c + 1, column(std::max(begin, end)))};
    }

    void new_line(size_t start) {
        ++line_;
        line_start_ = counted_ = start;
        continuation_bytes_ = 0;
    }

    void add(TokenKind kind, size_t begin, size_t end, uint32_t line, uint32_t column_begin) {
        tokens_.push_back(Token{kind, static_cast<uint16_t>(brackets_.size() + base_level_), static_cast<uint32_t>(begin), static_cast<uint32_t>(end), line,
                                column_begin, line_, column(end)});
    }
    void add(TokenKind kind, size_t begin, size_t end) {
        uint32_t c = column(begin);
        add(kind, begin, end, line_, c);
    }

    /// Skips one line break at `at_`, which must stand there.
    void skip_line_break() {
        at_ += at(at_) == '\r' && at(at_ + 1) == '\n' ? 2 : 1;
        new_line(at_);
    }
    [[nodiscard]] bool at_line_break() const { return at(at_) == '\n' || (at(at_) == '\r' && at_ < end_); }

    void line_continuation();
    bool indentation();
    void word();
    bool string(size_t start);
    void number();
    void digits(const char* kind);
    void end_of_number(size_t begin, const char* kind);
    void radix(bool (*valid)(char), const char* kind);
    void symbol();
    void open_bracket(char c);
    void close_bracket(char c);

    std::string_view text_;
    uint32_t file_;
    size_t at_, end_;
    uint32_t line_ = 1;
    size_t line_start_ = 0;
    size_t counted_ = 0;             // column(): up to here …
    size_t continuation_bytes_ = 0;  // … so many bytes of the line do not start a character
    bool ascii_ = false;             // the whole text is
    size_t base_level_ = 0;          // 1 inside an f-string
    std::vector<Token> tokens_;
    std::vector<OpenBracket> brackets_;
    struct Indent {
        size_t columns;      // with tabs to multiples of 8
        size_t alternative;  // with tabs as one column: both must order lines the same way
    };
    std::vector<Indent> indents_{{0, 0}};
};

/// What no token can repair: bytes that are not UTF-8, null bytes, another encoding.
void Lexer::check_text() {
    auto place = [&](size_t offset) {
        line_ = 1;
        line_start_ = counted_ = continuation_bytes_ = 0;
        for (size_t i = 0; i < offset; ++i)
            if (text_[i] == '\n' || (text_[i] == '\r' && !(i + 1 < text_.size() && text_[i + 1] == '\n'))) new_line(i + 1);
        return span_at(offset, offset);
    };
    if (text_.size() > max_megabytes << 20) not_supported(messages::file_too_large, Span{file_, 1, 1, 1, 1}, max_megabytes);
    if (size_t null = text_.find('\0'); null != std::string_view::npos) syntax_error(messages::null_byte, place(null));
    std::optional<Utf8Fault> fault = find_utf8_fault(text_);
    // A comment in the first two lines may name the encoding. Plain ASCII is the same in all that matter.
    size_t line_begin = 0;
    for (int i = 0; i < 2 && line_begin < text_.size(); ++i) {
        size_t line_end = std::min(text_.find_first_of("\r\n", line_begin), text_.size());
        std::string_view line = text_.substr(line_begin, line_end - line_begin);
        size_t first = line.find_first_not_of(" \t\f");
        if (i == 0 && line.substr(0, 3) == "\xEF\xBB\xBF") first = line.find_first_not_of(" \t\f", 3);
        if (first != std::string_view::npos && line[first] != '#') break;
        size_t coding = line.find("coding");
        if (coding != std::string_view::npos && coding + 7 < line.size() && (line[coding + 6] == ':' || line[coding + 6] == '=')) {
            size_t begin = line.find_first_not_of(" \t", coding + 7);
            size_t end = begin;
            while (end < line.size() && (is_word(line[end]) || line[end] == '-' || line[end] == '.')) ++end;
            std::string name(begin < line.size() ? line.substr(begin, end - begin) : std::string_view());
            std::string plain;
            for (char c : name) plain += c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
            bool utf8 = plain == "utf-8" || plain == "utf8" || plain == "ascii" || plain == "us-ascii" || plain.substr(0, 6) == "utf-8-";
            if (!name.empty() && !utf8 && !is_ascii(text_)) not_supported(messages::source_encoding, place(line_begin + begin), name);
            break;
        }
        line_begin = line_end + (text_.substr(line_end, 2) == "\r\n" ? 2 : 1);
    }
    if (fault)
        syntax_error(messages::not_utf8, place(fault->offset), static_cast<unsigned char>(text_[fault->offset]), fault->offset, fault->reason);
}

/// A backslash at the end of a line. `at_` stands on it.
void Lexer::line_continuation() {
    size_t backslash = at_++;
    if (at_ >= end_) syntax_error(messages::unexpected_eof, span_at(backslash, backslash + 1));
    if (!at_line_break()) syntax_error(messages::after_line_continuation, span_at(at_, at_ + 1));
    size_t next = at_ + (at(at_) == '\r' && at(at_ + 1) == '\n' ? 2 : 1);
    if (next >= end_) syntax_error(messages::unexpected_eof, span_at(backslash, backslash + 1));
    skip_line_break();
}

/// The blanks at the start of a line, and the Indent or Dedents that they mean. False if the line is blank.
bool Lexer::indentation() {
    size_t columns = 0, alternative = 0;
    std::optional<Indent> continued;  // the indentation of a line that a backslash continues is that of its first part
    for (;; ++at_) {
        char c = at(at_);
        if (c == ' ') {
            ++columns, ++alternative;
        } else if (c == '\t') {
            columns = (columns / 8 + 1) * 8;
            ++alternative;
        } else if (c == '\f') {
            columns = alternative = 0;
        } else if (c == '\\') {
            if (!continued) continued = Indent{columns, alternative};
            line_continuation();
            --at_;
        } else {
            break;
        }
    }
    if (at_ >= end_) return false;
    if (at(at_) == '#' || at_line_break()) return false;
    if (continued) columns = continued->columns, alternative = continued->alternative;
    const Indent top = indents_.back();
    auto tab_error = [&] { raise_python("TabError", messages::inconsistent_tabs, span_at(line_start_, at_)); };
    if (columns == top.columns) {
        if (alternative != top.alternative) tab_error();
    } else if (columns > top.columns) {
        if (alternative <= top.alternative) tab_error();
        if (indents_.size() >= max_indents) indentation_error(messages::too_many_indents, span_at(line_start_, at_));
        indents_.push_back({columns, alternative});
        add(TokenKind::Indent, line_start_, at_);
    } else {
        size_t keep = indents_.size();
        while (columns < indents_[keep - 1].columns) --keep;
        if (columns != indents_[keep - 1].columns) indentation_error(messages::inconsistent_dedent, span_at(at_, at_));
        for (; indents_.size() > keep; indents_.pop_back()) add(TokenKind::Dedent, at_, at_);
        if (alternative != indents_.back().alternative) tab_error();
    }
    return true;
}

void Lexer::word() {
    size_t begin = at_;
    // A string with a prefix: any mix of r with b, u or f; u stands alone.
    bool r = false, b = false, u = false, f = false;
    for (size_t i = at_; i < at_ + 3; ++i) {
        char c = at(i) | 0x20;
        if (class_of(at(i)) == Quote) {
            if (string(i)) return;
            break;
        }
        if (c == 'r' && !r && !u) r = true;
        else if (c == 'b' && !b && !u && !f) b = true;
        else if (c == 'u' && !r && !b && !u && !f) u = true;
        else if (c == 'f' && !f && !b && !u) f = true;
        else break;
    }
    bool ascii = true;
    for (; at_ < end_ && is_word(text_[at_]); ++at_) ascii = ascii && class_of(text_[at_]) != High;
    if (!ascii) {
        bool stable = true;
        for (size_t i = begin; i < at_;) {
            size_t start = i;
            char32_t c = next_utf8(text_, i);
            CharProperties p = properties(c);
            if (start == begin ? !p.identifier_start : !p.identifier_continue) {
                if (!p.printable) syntax_error(messages::invalid_non_printable, span_at(start, i), static_cast<uint32_t>(c));
                syntax_error(messages::invalid_character, span_at(start, i), text_.substr(start, i - start), static_cast<uint32_t>(c));
            }
            stable = stable && !p.changes_under_nfkc;
        }
        if (!stable) not_supported(messages::identifier_normalization, span_at(begin, at_), text_.substr(begin, at_ - begin));
        add(TokenKind::Name, begin, at_);
        return;
    }
    add(word_kind(text_.substr(begin, at_ - begin)), begin, at_);
}

/// A string whose prefix starts at `at_` and whose quote is at `quote_at`. Always true.
bool Lexer::string(size_t quote_at) {
    size_t begin = at_;
    uint32_t first_line = line_;
    uint32_t first_column = column(begin);
    char quote = at(quote_at);
    bool triple = at(quote_at + 1) == quote && at(quote_at + 2) == quote;
    auto unterminated = [&](const Message& message) {
        syntax_error(message, Span{file_, first_line, first_column, first_line, first_column + static_cast<uint32_t>(quote_at - begin) + (triple ? 3 : 1)}, line_);
    };
    at_ = quote_at + (triple ? 3 : 1);
    for (;;) {
        if (at_ >= end_) {
            // A line break at the very end does not start a line in which the end could be detected.
            if (triple && line_ > 1 && at_ == line_start_) --line_;
            unterminated(triple ? messages::unterminated_triple : messages::unterminated_string);
        }
        char c = text_[at_];
        if (c == quote && (!triple || (at(at_ + 1) == quote && at(at_ + 2) == quote))) break;
        if (c == '\\') {
            ++at_;
            if (at_ >= end_) continue;
            c = text_[at_];
            if (c == '\n' || c == '\r') {
                skip_line_break();
                continue;
            }
            ++at_;
            continue;
        }
        if (c == '\n' || c == '\r') {
            if (!triple) unterminated(messages::unterminated_string);
            skip_line_break();
            continue;
        }
        ++at_;
    }
    at_ += triple ? 3 : 1;
    add(TokenKind::String, begin, at_, first_line, first_column);
    return true;
}

/// Decimal digits with underscores between them, from a digit on.
void Lexer::digits(const char* kind) {
    for (;;) {
        while (is_digit(at(at_))) ++at_;
        if (at(at_) != '_') return;
        if (!is_digit(at(at_ + 1))) syntax_error(messages::invalid_literal, span_at(at_, at_ + 1), kind);
        ++at_;
    }
}

/// Nothing but a keyword may stand right behind a number: `1if x else 2`.
void Lexer::end_of_number(size_t begin, const char* kind) {
    if (!is_word(at(at_)) || class_of(at(at_)) == Digit) return;
    size_t end = at_;
    while (is_word(at(end))) ++end;
    std::string_view rest = text_.substr(at_, end - at_);
    for (std::string_view keyword : {"and", "else", "for", "if", "in", "is", "not", "or"})
        if (rest.substr(0, keyword.size()) == keyword) return;
    if (class_of(at(at_)) == High) {
        size_t next = at_;
        char32_t c = next_utf8(text_, next);
        CharProperties p = properties(c);
        if (!p.identifier_continue) return;  // the next token says what it is
    }
    syntax_error(messages::invalid_literal, span_at(begin, at_), kind);
}

/// `0x…`, `0o…`, `0b…`: `at_` stands behind the letter.
void Lexer::radix(bool (*valid)(char), const char* kind) {
    do {
        if (at(at_) == '_') ++at_;
        if (!valid(at(at_))) {
            if (is_digit(at(at_))) syntax_error(messages::invalid_digit, span_at(at_, at_ + 1), at(at_), kind);
            syntax_error(messages::invalid_literal, span_at(at_ - 1, at_), kind);
        }
        while (valid(at(at_))) ++at_;
    } while (at(at_) == '_');
    if (is_digit(at(at_))) syntax_error(messages::invalid_digit, span_at(at_, at_ + 1), at(at_), kind);
}

void Lexer::number() {
    size_t begin = at_;
    const char* kind = "decimal";
    char second = static_cast<char>(at(at_ + 1) | 0x20);
    if (at(at_) == '0' && (second == 'x' || second == 'o' || second == 'b')) {
        at_ += 2;
        if (second == 'x') radix(is_hex, kind = "hexadecimal");
        if (second == 'o') radix([](char c) { return c >= '0' && c <= '7'; }, kind = "octal");
        if (second == 'b') radix([](char c) { return c == '0' || c == '1'; }, kind = "binary");
        end_of_number(begin, kind);
        add(TokenKind::Number, begin, at_);
        return;
    }
    bool whole = true;
    if (at(at_) != '.') digits(kind);
    size_t whole_end = at_;
    if (at(at_) == '.') {
        whole = false;
        ++at_;
        if (is_digit(at(at_))) digits(kind);
    }
    if ((at(at_) | 0x20) == 'e') {
        size_t sign = at(at_ + 1) == '+' || at(at_ + 1) == '-' ? 1 : 0;
        if (is_digit(at(at_ + 1 + sign))) {
            whole = false;
            at_ += 1 + sign;
            digits(kind);
        } else if (sign) {
            syntax_error(messages::invalid_literal, span_at(at_ + 1, at_ + 2), kind);
        }
    }
    if ((at(at_) | 0x20) == 'j') {
        whole = false;
        ++at_;
        kind = "imaginary";
    }
    if (whole && at(begin) == '0') {
        size_t zeros_end = begin;
        while (at(zeros_end) == '0' || at(zeros_end) == '_') ++zeros_end;
        if (zeros_end < whole_end) syntax_error(messages::leading_zeros, span_at(begin, zeros_end));
    }
    end_of_number(begin, kind);
    add(TokenKind::Number, begin, at_);
}

void Lexer::open_bracket(char c) {
    if (brackets_.size() + base_level_ >= max_brackets) syntax_error(messages::too_many_brackets, span_at(at_, at_ + 1));
    brackets_.push_back({c, span_at(at_, at_ + 1)});
}

void Lexer::close_bracket(char c) {
    if (brackets_.empty()) syntax_error(messages::unmatched_bracket, span_at(at_, at_ + 1), c);
    const OpenBracket& open = brackets_.back();
    bool matches = (open.character == '(' && c == ')') || (open.character == '[' && c == ']') || (open.character == '{' && c == '}');
    if (!matches) {
        if (open.span.line != line_)
            syntax_error(messages::mismatched_bracket_line, span_at(at_, at_ + 1), c, open.character, open.span.line);
        syntax_error(messages::mismatched_bracket, span_at(at_, at_ + 1), c, open.character);
    }
    brackets_.pop_back();
}

void Lexer::symbol() {
    char c = text_[at_];
    OperatorMatch m = match_operator(c, at(at_ + 1), at(at_ + 2));
    if (m.length == 0) syntax_error(messages::invalid_non_printable, span_at(at_, at_ + 1), static_cast<unsigned>(static_cast<unsigned char>(c)));
    if (c == '(' || c == '[' || c == '{') open_bracket(c);
    if (c == ')' || c == ']' || c == '}') close_bracket(c);
    add(m.kind, at_, at_ + m.length);
    at_ += m.length;
}

TokenStream Lexer::run() {
    TokenStream stream;
    try {
        scan();
    } catch (const CompileError& e) {
        // The brackets that are open here are not the text's: whether they are closed was not seen.
        bool indentation = e.diagnostic.exception != "SyntaxError" && !e.diagnostic.exception.empty();
        stream.fault = LexicalFault{e, !indentation && e.diagnostic.code != messages::unexpected_eof.name};
        add(TokenKind::Error, at_, at_);
        add(TokenKind::EndMarker, at_, at_);
        stream.tokens = std::move(tokens_);
        return stream;
    }
    if (!brackets_.empty()) stream.unclosed = brackets_.back();
    if (base_level_ == 0 && brackets_.empty()) {
        bool after_newline = tokens_.empty() || tokens_.back().kind == TokenKind::Newline || tokens_.back().kind == TokenKind::Dedent;
        if (!after_newline) add(TokenKind::Newline, end_, end_);
        for (size_t i = 1; i < indents_.size(); ++i) add(TokenKind::Dedent, end_, end_);
    }
    add(TokenKind::EndMarker, end_, end_);
    stream.tokens = std::move(tokens_);
    return stream;
}

void Lexer::scan() {
    bool line_begins = base_level_ == 0;
    while (true) {
        if (line_begins) {
            line_begins = false;
            indentation();
        }
        if (at_ >= end_) break;
        char c = text_[at_];
        switch (class_of(c)) {
            case IdentifierStart:
            case High: word(); continue;
            case Digit: number(); continue;
            case Quote: string(at_); continue;
            default: break;
        }
        switch (c) {
            case ' ':
            case '\t':
            case '\f': ++at_; continue;
            case '#':
                while (at_ < end_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
                continue;
            case '\n':
            case '\r': {
                bool nested = base_level_ + brackets_.size() > 0;
                // A blank line has no Newline.
                bool blank = tokens_.empty() || tokens_.back().kind == TokenKind::Newline;
                if (!nested && !blank) add(TokenKind::Newline, at_, at_ + 1);
                skip_line_break();
                line_begins = !nested;
                continue;
            }
            case '\\': line_continuation(); continue;
            case '.':
                if (is_digit(at(at_ + 1))) {
                    number();
                    continue;
                }
                [[fallthrough]];
            default: symbol(); continue;
        }
    }
}

}  // namespace

TokenStream tokenize(const SourceFile& file, uint32_t file_index) {
    std::string_view text = file.text();
    Lexer(text, file_index, 0, text.size()).check_text();
    bool mark = text.substr(0, 3) == "\xEF\xBB\xBF";
    Lexer lexer(text, file_index, mark ? 3 : 0, text.size());
    lexer.text_is_ascii(is_ascii(text));
    return lexer.run();
}

TokenStream tokenize_expression(std::string_view text, uint32_t file_index, size_t begin, size_t end, uint32_t line, size_t line_start) {
    Lexer lexer(text, file_index, begin, end);
    lexer.start_inside_parentheses(line, line_start);
    return lexer.run();
}

}  // namespace sifr::syntax
