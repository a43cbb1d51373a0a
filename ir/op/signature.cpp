#include "ir/op/signature.h"

#include <charconv>
#include <limits>

#include "ir/base/check.h"

namespace sifr {
namespace {

/// A cursor over the text of one signature.
class SignatureParser {
public:
    explicit SignatureParser(std::string_view text) : text_(text) {}

    Signature parse() {
        Signature s;
        skip_space();
        while (at_ < text_.size() && text_[at_] != '(') ++at_;  // a name in front is for the reader
        expect('(');
        bool keyword_only = false;
        while (!accept(')')) {
            if (accept('*')) {
                keyword_only = true;
            } else {
                s.params.push_back(parse_param());
                s.params.back().keyword_only = keyword_only;
            }
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        expect('-');
        expect('>');
        parse_results(s);
        skip_space();
        SIFR_CHECK(at_ == text_.size(), "text behind the signature '{}'", text_);
        return s;
    }

private:
    void skip_space() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool accept(char c) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) { SIFR_CHECK(accept(c), "expected '{}' at {} of the signature '{}'", c, at_, text_); }
    std::string_view word() {
        skip_space();
        size_t begin = at_;
        while (at_ < text_.size() && (isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
        SIFR_CHECK(at_ > begin, "expected a word at {} of the signature '{}'", at_, text_);
        return text_.substr(begin, at_ - begin);
    }

    static std::optional<Param::Kind> kind_named(std::string_view w) {
        using Kind = Param::Kind;
        static constexpr std::pair<std::string_view, Kind> kinds[] = {
            {"T", Kind::Tensor},        {"N", Kind::TensorOrNumber}, {"Scalar", Kind::Scalar}, {"i64", Kind::RunI64},
            {"f64", Kind::RunF64},      {"b8", Kind::RunBool},       {"str", Kind::RunStr},    {"V", Kind::Value},
            {"int", Kind::Int},         {"float", Kind::Float},      {"bool", Kind::Bool},     {"string", Kind::String},
            {"dtype", Kind::DTypeName}, {"layout", Kind::Layout},    {"data", Kind::Data},     {"any", Kind::Any},
        };
        for (auto& [name, kind] : kinds)
            if (name == w) return kind;
        return std::nullopt;
    }

    Param::Kind parse_kind() {
        std::string_view w = word();
        auto kind = kind_named(w);
        SIFR_CHECK(kind, "unknown kind '{}' in the signature '{}'", w, text_);
        return *kind;
    }

    Param parse_param() {
        Param p;
        p.kind = parse_kind();
        p.optional = accept('?');
        if (accept('[')) {
            skip_space();
            if (!accept(']')) {
                p.list_size = static_cast<int>(std::get<int64_t>(parse_number()));
                expect(']');
            }
            if (p.kind == Param::Kind::Int) {
                p.kind = Param::Kind::Ints;
            } else {
                SIFR_CHECK(p.is_operand(), "a list of attributes in '{}'", text_);
                p.list = true;
                if (p.kind == Param::Kind::Tensor) p.kind = Param::Kind::TensorList;
                if (p.kind == Param::Kind::Value) p.kind = Param::Kind::ValueList;
            }
        }
        if (accept('?')) p.optional = true;
        p.name = word();
        if (accept('=')) {
            p.has_default = true;
            p.default_value = parse_default(p.kind);
        }
        return p;
    }

    AttrValue parse_number() {
        skip_space();
        size_t begin = at_;
        bool is_float = false;
        while (at_ < text_.size() && (isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_[at_] == '+' ||
                                      text_[at_] == '.' || text_[at_] == 'e')) {
            if (text_[at_] == '.' || text_[at_] == 'e') is_float = true;
            ++at_;
        }
        const char* first = text_.data() + begin;
        const char* last = text_.data() + at_;
        if (text_.substr(begin, at_ - begin) == "-" && text_.substr(at_, 3) == "inf") {
            at_ += 3;
            return -std::numeric_limits<double>::infinity();
        }
        if (is_float) {
            double v = 0;
            SIFR_CHECK(std::from_chars(first, last, v).ptr == last && last != first, "bad number in '{}'", text_);
            return v;
        }
        int64_t v = 0;
        SIFR_CHECK(std::from_chars(first, last, v).ptr == last && last != first, "bad number in '{}'", text_);
        return v;
    }

    AttrValue parse_default(Param::Kind kind) {
        skip_space();
        char c = at_ < text_.size() ? text_[at_] : '\0';
        if (c == '\'') {
            size_t end = text_.find('\'', at_ + 1);
            SIFR_CHECK(end != std::string_view::npos, "unterminated text in '{}'", text_);
            std::string s(text_.substr(at_ + 1, end - at_ - 1));
            at_ = end + 1;
            return s;
        }
        if (accept('[')) {
            std::vector<int64_t> list;
            while (!accept(']')) {
                list.push_back(std::get<int64_t>(parse_number()));
                accept(',');
            }
            return list;
        }
        if (isalpha(static_cast<unsigned char>(c))) {
            std::string_view w = word();
            if (w == "None") return std::monostate{};
            if (w == "True") return true;
            if (w == "False") return false;
            if (w == "inf") return std::numeric_limits<double>::infinity();
            auto dtype = dtype_named(w);
            SIFR_CHECK(dtype, "unknown default '{}' in '{}'", w, text_);
            return *dtype;
        }
        AttrValue v = parse_number();
        if (kind == Param::Kind::Float && std::holds_alternative<int64_t>(v)) return static_cast<double>(std::get<int64_t>(v));
        if (kind == Param::Kind::Ints && std::holds_alternative<int64_t>(v)) return std::vector<int64_t>{std::get<int64_t>(v)};
        return v;
    }

    void parse_results(Signature& s) {
        if (accept('(')) {
            while (!accept(')')) {
                s.result_kinds.push_back(parse_kind());
                if (!accept(',') && (at_ < text_.size() && text_[at_] != ')')) s.result_names.emplace_back(word());
                accept(',');
            }
            s.result_count = static_cast<int>(s.result_kinds.size());
            return;
        }
        Param::Kind kind = parse_kind();
        if (accept('[')) {
            expect(']');
            s.result_count = -1;
        }
        s.result_kinds.push_back(kind);
    }

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

Signature parse_signature(std::string_view text) { return SignatureParser(text).parse(); }

const Signature& signature(Op op) {
    static const std::vector<Signature> all = [] {
        std::vector<Signature> v;
        v.reserve(op_count());
        for (Op op : all_ops()) v.push_back(parse_signature(def(op).sig));
        return v;
    }();
    return all.at(op.index());
}

size_t operand_index(Op op, std::string_view name, size_t operand_count) {
    const Signature& s = signature(op);
    size_t operand_params = 0;
    for (auto& p : s.params) operand_params += p.is_operand();
    size_t at = 0;
    for (auto& p : s.params) {
        if (!p.is_operand()) continue;
        if (p.name == name) return at;
        at += p.list ? operand_count - (operand_params - 1) : 1;
    }
    SIFR_UNREACHABLE("op '{}' has no operand '{}'", name_of(op), name);
}

}  // namespace sifr
