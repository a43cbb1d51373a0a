// Transcendental functions: the formulas of ir/math, printed as device functions. A formula runs once over nodes of a graph; what is used
// once is printed where it is used, the rest gets a name: the formula's own (`named`) or a letter. The bits are those of the interpreters.

#include "compiler/backend/cuda/device_text.h"

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "ir/base/check.h"
#include "ir/math/transcendental.h"

namespace sifr::cuda {
namespace {

/// How tightly a text binds, as in C++.
enum Binding : int { Atom, Unary, Product, Sum, Shift, Comparison, Equality, BitAnd, BitXor, BitOr, And, Or, Choice };

/// An expression longer than this gets a line and a name of its own.
constexpr size_t longest = 112;

/// The fewest digits that give the number back.
template <class Float>
std::string literal(Float c, const char* suffix) {
    const char* width = sizeof(Float) == 8 ? "64" : "32";
    if (std::isnan(c)) return fmt::format("nan_f{}", width);
    if (std::isinf(c)) return fmt::format("{}infinity_f{}", c < 0 ? "-" : "", width);
    std::string digits = fmt::format("{}", c);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    return digits + suffix;
}

/// ir/math/arithmetic.h's Ops over nodes.
class TextOps {
public:
    using Node = int;
    // One type for each, so that a formula cannot mix them.
    struct V {
        Node node;
    };
    struct I {
        Node node;
    };
    struct M {
        Node node;
    };

    explicit TextOps(bool wide) : wide_(wide) { scopes_.emplace_back(); }

    V parameter(const std::string& name) { return {leaf(name, Atom)}; }
    V constant(double c) {
        return {leaf(wide_ ? literal(c, "") : literal(static_cast<float>(c), "f"), std::signbit(c) && !std::isnan(c) ? Unary : Atom)};
    }
    I integer(int64_t c) {
        if (wide_) return {c == INT64_MIN ? leaf("-9223372036854775807ll - 1", Sum) : leaf(fmt::format("{}ll", c), c < 0 ? Unary : Atom)};
        const auto narrow = static_cast<int32_t>(c);
        return {narrow == INT32_MIN ? leaf("-2147483647 - 1", Sum) : leaf(fmt::format("{}", narrow), narrow < 0 ? Unary : Atom)};
    }
    V add(V a, V b) { return {infix("+", Sum, real(), a.node, b.node)}; }
    V sub(V a, V b) { return {infix("-", Sum, real(), a.node, b.node)}; }
    V mul(V a, V b) { return {infix("*", Product, real(), a.node, b.node)}; }
    V div(V a, V b) { return {infix("/", Product, real(), a.node, b.node)}; }
    V fma(V a, V b, V c) { return {call(wide_ ? "fma" : "fmaf", real(), {a.node, b.node, c.node})}; }
    V sqrt(V a) { return {call(wide_ ? "sqrt" : "sqrtf", real(), {a.node})}; }
    V neg(V a) { return {add_node({"-", real(), Unary, {a.node}})}; }
    V abs(V a) { return {call(wide_ ? "fabs" : "fabsf", real(), {a.node})}; }
    V floor(V a) { return {call(wide_ ? "floor" : "floorf", real(), {a.node})}; }
    V to_float(I a) { return {call(real(), real(), {a.node})}; }
    I bits(V a) { return {call(wide_ ? "__double_as_longlong" : "__float_as_int", whole(), {a.node})}; }
    V from_bits(I a) { return {call(wide_ ? "__longlong_as_double" : "__int_as_float", real(), {a.node})}; }
    I iadd(I a, I b) { return is_zero(b) ? a : I{wrapped("+", Sum, a, b)}; }
    I isub(I a, I b) { return is_zero(b) ? a : I{wrapped("-", Sum, a, b)}; }
    I imul(I a, I b) { return {wrapped("*", Product, a, b)}; }
    I iand(I a, I b) { return {infix("&", BitAnd, whole(), a.node, b.node)}; }
    I ior(I a, I b) { return {infix("|", BitOr, whole(), a.node, b.node)}; }
    I ixor(I a, I b) { return {infix("^", BitXor, whole(), a.node, b.node)}; }
    I imulh(I a, I b) { return signed_again(call(wide_ ? "__umul64hi" : "__umulhi", bare(), {plain(a), plain(b)})); }
    I shl(I a, I n) { return signed_again(infix("<<", Shift, bare(), plain(a), n.node)); }
    I shr(I a, I n) { return {infix(">>", Shift, whole(), a.node, n.node)}; }
    I ushr(I a, I n) { return signed_again(infix(">>", Shift, bare(), plain(a), n.node)); }
    M lt(V a, V b) { return {infix("<", Comparison, "bool", a.node, b.node)}; }
    M le(V a, V b) { return {infix("<=", Comparison, "bool", a.node, b.node)}; }
    M eq(V a, V b) { return {infix("==", Equality, "bool", a.node, b.node)}; }
    M ilt(I a, I b) { return {infix("<", Comparison, "bool", a.node, b.node)}; }
    M ieq(I a, I b) { return {infix("==", Equality, "bool", a.node, b.node)}; }
    M mand(M a, M b) { return {infix("&&", And, "bool", a.node, b.node)}; }
    M mor(M a, M b) { return {infix("||", Or, "bool", a.node, b.node)}; }
    M mnot(M a) {
        const Entry& e = nodes_[static_cast<size_t>(a.node)];
        if (e.symbol == "==") return {infix("!=", Equality, "bool", e.operands[0], e.operands[1])};
        return {add_node({"!", "bool", Unary, {a.node}})};
    }
    V select(M m, V a, V b) { return {choice(real(), m, a.node, b.node)}; }
    I iselect(M m, I a, I b) { return {choice(whole(), m, a.node, b.node)}; }

    /// The formula's name for a value.
    template <class T>
    void name(T value, const char* wanted) {
        Entry& e = nodes_[static_cast<size_t>(value.node)];
        if (e.name.empty() && !e.operands.empty()) e.name = unique(wanted);
    }

    /// c[0] + x·(c[1] + x·(…))
    V polynomial(V x, const double* coefficients, int n) {
        Entry e{"polynomial", real(), Atom, {x.node}};
        for (int k = 0; k < n; ++k) e.operands.push_back(constant(coefficients[k]).node);
        return {add_node(std::move(e))};
    }

    I lookup(const uint64_t* table, int count, I index) {
        std::string& words = tables_[table];
        if (words.empty()) {
            words = unique("words");
            std::string text;
            for (int k = 0; k < count; ++k)
                text += fmt::format("{}{}", k ? ", " : "",
                                    wide_ ? fmt::format("{:#x}ull", table[k]) : fmt::format("{:#x}u", static_cast<uint32_t>(table[k])));
            head_ += wrapped_line(fmt::format("    static constexpr {} {}[] = {{{}}};", bare(), words, text));
        }
        return signed_again(add_node({words, bare(), Atom, {index.node}, "", "[]"}));
    }

    template <class F>
    V rarely(M m, V usual, F&& unusual) {
        Entry e{"rarely", real(), Atom, {m.node, usual.node}, unique("result")};
        e.variable = true;
        const Node result = push(std::move(e));
        scopes_.emplace_back();
        const V other = unusual();
        const auto inside = std::move(scopes_.back());
        scopes_.pop_back();
        nodes_[static_cast<size_t>(result)].inside = inside.nodes;
        nodes_[static_cast<size_t>(result)].operands.push_back(other.node);
        return {result};
    }

    std::string body(V result) {
        count_uses(result.node);
        print(scopes_.front().nodes, 1);
        const std::string value = nodes_[static_cast<size_t>(result.node)].printed ? text(result.node, 1) : value_text(result.node, 1);
        return head_ + body_ + wrapped_line(fmt::format("    return {};", value));
    }

private:
    struct Entry {
        std::string symbol;
        const char* type;
        Binding binding;
        std::vector<Node> operands{};
        std::string name{};     ///< where it has a line of its own
        const char* form = "";  ///< "[]": an element of `symbol`
        bool variable = false;
        std::vector<Node> inside{};  ///< of `rarely`: what is computed there only
        int uses = 0;
        bool printed = false;
    };
    struct Scope {
        std::vector<Node> nodes;
        std::map<std::string, Node> known;
    };

    [[nodiscard]] const char* real() const { return wide_ ? "double" : "float"; }
    [[nodiscard]] const char* whole() const { return wide_ ? "i64" : "i32"; }
    [[nodiscard]] const char* bare() const { return wide_ ? "u64" : "u32"; }

    Node push(Entry e) {
        nodes_.push_back(std::move(e));
        const Node n = static_cast<Node>(nodes_.size()) - 1;
        scopes_.back().nodes.push_back(n);
        return n;
    }
    /// The same value is one node, where it is in sight.
    Node add_node(Entry e) {
        std::string key = e.symbol + " " + e.type;
        for (Node n : e.operands) key += fmt::format(" {}", n);
        for (const Scope& s : scopes_)
            if (auto found = s.known.find(key); found != s.known.end()) return found->second;
        const Node n = push(std::move(e));
        scopes_.back().known[key] = n;
        return n;
    }
    Node leaf(const std::string& text, Binding b) { return add_node({text, "", b, {}}); }
    Node infix(const char* symbol, Binding b, const char* type, Node x, Node y) { return add_node({symbol, type, b, {x, y}}); }
    Node call(const char* function, const char* type, std::vector<Node> operands) {
        return add_node({function, type, Atom, std::move(operands)});
    }
    Node choice(const char* type, M m, Node a, Node b) { return add_node({"?", type, Choice, {m.node, a, b}}); }
    /// Integers wrap: unsigned arithmetic.
    Node plain(I a) {
        const Entry& e = nodes_[static_cast<size_t>(a.node)];
        if (e.symbol == whole() && e.operands.size() == 1 && e.name.empty()) return e.operands[0];
        if (e.operands.empty() && e.binding == Atom)
            return leaf(wide_ ? e.symbol.substr(0, e.symbol.size() - 2) + "ull" : e.symbol + "u", Atom);
        return call(bare(), bare(), {a.node});
    }
    I signed_again(Node n) { return {call(whole(), whole(), {n})}; }
    Node wrapped(const char* symbol, Binding b, I x, I y) { return signed_again(infix(symbol, b, bare(), plain(x), plain(y))).node; }
    [[nodiscard]] bool is_zero(I a) const {
        const Entry& e = nodes_[static_cast<size_t>(a.node)];
        return e.operands.empty() && e.symbol == (wide_ ? "0ll" : "0");
    }

    std::string unique(const std::string& wanted) {
        std::string name = wanted;
        for (int n = 1; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
        return name;
    }
    /// A letter for what the formula does not name, by its type.
    std::string letter(const Entry& e) { return unique(e.type == std::string_view("bool") ? "is" : e.type == real() ? "t" : "bits"); }

    void count_uses(Node n) {
        if (++nodes_[static_cast<size_t>(n)].uses > 1) return;
        for (Node o : nodes_[static_cast<size_t>(n)].operands) count_uses(o);
    }

    void line(const std::string& s, int depth) { body_ += wrapped_line(std::string(static_cast<size_t>(depth) * 4, ' ') + s); }
    /// A line break behind a comma where a line would be too long.
    static std::string wrapped_line(std::string s) {
        const size_t indentation = s.find_first_not_of(' ') + 4;
        std::string out;
        while (s.size() > 140) {
            const size_t comma = s.rfind(", ", 138);
            if (comma == std::string::npos || comma <= indentation) break;
            out += s.substr(0, comma + 1) + "\n";
            s = std::string(indentation, ' ') + s.substr(comma + 2);
        }
        return out + s + "\n";
    }

    void print(const std::vector<Node>& nodes, int depth) {
        for (Node n : nodes) {
            const Entry& e = nodes_[static_cast<size_t>(n)];
            if (e.uses == 0 || e.operands.empty() || e.printed) continue;
            if (e.variable)
                print_rarely(n, depth);
            else if (!e.name.empty() || (e.uses > 1 && !is_slight(e)))
                define(n, depth);
        }
    }
    /// Not worth a name: another sign, another type.
    [[nodiscard]] bool is_slight(const Entry& e) const {
        if (e.operands.size() != 1 || (e.symbol != "-" && e.symbol != bare())) return false;
        const Entry& operand = nodes_[static_cast<size_t>(e.operands[0])];
        return operand.operands.empty() || !operand.name.empty() || operand.uses > 1;
    }
    void define(Node n, int depth) {
        const std::string value = value_text(n, depth);
        Entry& e = nodes_[static_cast<size_t>(n)];
        if (e.name.empty()) e.name = letter(e);
        line(fmt::format("const {} {} = {};", e.type, e.name, value), depth);
        e.printed = true;
    }
    void print_rarely(Node n, int depth) {
        const std::vector<Node> operands = nodes_[static_cast<size_t>(n)].operands, inside = nodes_[static_cast<size_t>(n)].inside;
        const std::string name = nodes_[static_cast<size_t>(n)].name;
        line(fmt::format("{} {} = {};", real(), name, text(operands[1], depth)), depth);
        line(fmt::format("if ({}) {{", text(operands[0], depth)), depth);
        print(inside, depth + 1);
        line(fmt::format("{} = {};", name, text(operands[2], depth + 1)), depth + 1);
        line("}", depth);
        nodes_[static_cast<size_t>(n)].printed = true;
    }
    /// An operand's text: its name, or its value where nothing else uses it.
    std::string text(Node n, int depth) {
        if (const Entry& e = nodes_[static_cast<size_t>(n)]; e.printed) return e.name;
        std::string value = value_text(n, depth);
        if (value.size() <= longest || nodes_[static_cast<size_t>(n)].operands.empty()) return value;
        Entry& e = nodes_[static_cast<size_t>(n)];
        e.name = letter(e);
        line(fmt::format("const {} {} = {};", e.type, e.name, value), depth);
        e.printed = true;
        return e.name;
    }
    std::string value_text(Node n, int depth) {
        const Entry e = nodes_[static_cast<size_t>(n)];
        if (e.operands.empty()) return e.symbol;
        auto operand = [&](size_t k, int at_most) {
            const Node o = e.operands[k];
            const std::string s = text(o, depth);
            const Entry& inner = nodes_[static_cast<size_t>(o)];
            return inner.printed || inner.binding <= at_most ? s : "(" + s + ")";
        };
        if (e.form[0] == '[') return fmt::format("{}[{}]", e.symbol, operand(0, Choice));
        if (e.binding == Choice) return fmt::format("{} ? {} : {}", operand(0, Or), operand(1, Or), operand(2, Choice));
        if (e.binding == Unary) return e.symbol + operand(0, Atom);
        if (e.binding == Atom) {
            std::string arguments;
            for (size_t k = 0; k < e.operands.size(); ++k) arguments += (k ? ", " : "") + operand(k, Choice);
            return fmt::format("{}({})", e.symbol, arguments);
        }
        // Sides that bind as tightly stay as they were grouped; mixed bit operations are grouped for the reader.
        const int left = e.binding >= Shift && e.binding != And && e.binding != Or ? Unary : e.binding,
                  right = e.binding >= Shift && e.binding < And ? Unary : e.binding - 1;
        const bool comparison = e.binding == Comparison || e.binding == Equality;
        return fmt::format("{} {} {}", operand(0, comparison ? Sum : left), e.symbol, operand(1, comparison ? Sum : right));
    }

    bool wide_;
    std::vector<Entry> nodes_;
    std::vector<Scope> scopes_;
    std::map<const uint64_t*, std::string> tables_;
    std::set<std::string> taken_{"x", "y"};
    std::string head_, body_;
};

struct TextOps32 : TextOps {
    static constexpr bool is_double = false;
    TextOps32() : TextOps(false) {}
};
struct TextOps64 : TextOps {
    static constexpr bool is_double = true;
    TextOps64() : TextOps(true) {}
};

template <class Ops>
std::string body_of(ScalarOp op, bool two) {
    Ops ops;
    const auto x = ops.parameter("x"), y = two ? ops.parameter("y") : x;
    return ops.body(math::transcendental(ops, op, x, y));
}

}  // namespace

std::string math_function_name(ScalarOp op, DType t) { return fmt::format("{}_{}", name_of(op), name_of(t)); }

std::string math_function_text(ScalarOp op, DType t) {
    SIFR_CHECK(t == DType::F32 || t == DType::F64, "'{}' of {}", name_of(op), name_of(t));
    const bool two = arity(op) == 2;
    const std::string body = t == DType::F64 ? body_of<TextOps64>(op, two) : body_of<TextOps32>(op, two);
    const char* type = value_type(t);
    return fmt::format("__device__ {} {}({} x{}) {{\n{}}}\n", type, math_function_name(op, t), type, two ? fmt::format(", {} y", type) : "",
                       body);
}

}  // namespace sifr::cuda
