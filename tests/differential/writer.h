#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/differential/generator.h"

namespace sifr::test {

using Extents = std::vector<int64_t>;

/// A tensor that the program has under a name.
struct Variable {
    std::string name;
    Extents sizes;
    char dtype = 'f';       ///< f: float32, d: float64, i: int64, b: bool
    bool leaf = false;      ///< a leaf that requires grad
    bool tracked = false;   ///< may have a history
    bool expanded = false;  ///< several elements in one place
    bool writable = true;   ///< a write in place is not refused, as far as is known

    [[nodiscard]] bool is_float() const { return dtype == 'f' || dtype == 'd'; }
    [[nodiscard]] int64_t count() const {
        int64_t n = 1;
        for (int64_t e : sizes) n *= e;
        return n;
    }
};

/// A formatted text. Written `Text{"{} + {}", a(), b()}`: braces, unlike a call, fix the order in which the parts are made, so that a
/// seed gives the same program with every compiler.
struct Text {
    template <class... A>
    Text(fmt::format_string<A...> format, A&&... args) : text(fmt::format(format, std::forward<A>(args)...)) {}  // NOLINT: a text is what it is made of
    std::string text;
};

/// What all parts of the generator share: the stream of random numbers, the text, the names in scope.
class Writer {
public:
    explicit Writer(uint64_t seed) : state_(seed * 0xD1342543DE82EF95u + 1) {
        state_ = static_cast<uint64_t>(pick(1 << 30)) << 32 ^ seed;  // streams of neighbouring seeds have nothing in common
    }

    /// 0 … n - 1.
    int pick(int n) {
        state_ += 0x9E3779B97F4A7C15u;  // splitmix64
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return static_cast<int>((z ^ (z >> 31)) % static_cast<uint64_t>(n));
    }
    bool chance(int percent) { return pick(100) < percent; }
    template <class T>
    const T& one_of(const std::vector<T>& from) {
        return from[static_cast<size_t>(pick(static_cast<int>(from.size())))];
    }
    const char* word(std::initializer_list<const char*> from) { return from.begin()[pick(static_cast<int>(from.size()))]; }

    void line(const Text& text) {
        program_.text.append(static_cast<size_t>(indent_) * 4, ' ');
        program_.text += text.text + "\n";
    }
    void note(const std::string& feature) { ++program_.features[feature]; }
    std::string fresh(const char* prefix = "t") { return fmt::format("{}{}", prefix, names_++); }

    /// Names made in a block are gone behind it: whether it ran is not known. Facts about those that stay are joined.
    template <class F>
    void block(F body) {
        ++indent_;
        size_t known = variables.size(), written = program_.text.size();
        body();
        if (program_.text.size() == written) line({"pass"});
        variables.resize(known);
        --indent_;
    }

    std::vector<Variable> variables;
    int depth = 0;        ///< of loops and branches
    int loops = 0;        ///< of loops alone
    bool no_grad = false;
    std::vector<std::string> indices;  ///< of the loops around, each of 0 … 2 at most

    GeneratedProgram take() { return std::move(program_); }

private:
    uint64_t state_;
    GeneratedProgram program_;
    int indent_ = 0;
    int names_ = 0;
};

/// A size list as Python writes it: `(2, 3)`, `(2,)`, `()`.
std::string tuple_text(const Extents& sizes);

/// Expressions of a given size over the variables in scope. Numbers stay exact unless `smooth` functions are drawn.
class Expressions {
public:
    explicit Expressions(Writer& w) : w_(w) {}
    /// A float32 expression of exactly these sizes. Reads only what is float and fits; makes constants where nothing does.
    std::string of(const Extents& sizes, int depth = 2);
    /// A 0-d expression that depends on a given variable.
    std::string loss_of(const std::string& value);
    /// A condition that is known only when the program runs.
    std::string condition();
    std::string number();
    std::string constant(const Extents& sizes);

private:
    std::string leaf_of(const Extents& sizes);
    Writer& w_;
};

}  // namespace sifr::test
