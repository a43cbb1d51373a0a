#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/frontend/syntax/ast.h"
#include "compiler/host/arguments.h"

namespace sifr::host {

/// A script whose functions are compiled one by one, with what its variables hold between calls as parameters.
///
/// The top level is captured once, as a function whose results are the *pieces* of memory that tensors of the variables lie in. For a call,
/// another function is begun on the same heap: each piece becomes a parameter, each run-time number of a variable too, and each tensor a view
/// of its piece; then the script's function is captured. What can be reached behind it is the state for the next call. So lists, modules and
/// optimizers stay what they are while compiling, and only elements of tensors and changing numbers live between calls.
class ScriptCapture {
public:
    ScriptCapture(SourceFiles& files, std::string path, std::string text, const DiagnosticSink& sink);
    ~ScriptCapture();

    struct Piece {
        std::string name;  ///< of the variable that was found first: `model.weight`
        DType dtype = DType::F32;
        Sizes frame;
    };
    /// What is kept, now.
    [[nodiscard]] const std::vector<Piece>& pieces() const { return now_.pieces; }
    [[nodiscard]] size_t numbers() const { return now_.numbers.size(); }
    /// The names of the variables that hold the numbers, in the order of `numbers`.
    [[nodiscard]] const std::vector<std::string>& number_names() const { return now_.number_names; }
    [[nodiscard]] Type::Kind number_kind(size_t k) const { return now_.number_kinds[k]; }
    /// A text that is equal for two forms of the state that compile to the same code.
    [[nodiscard]] const std::string& form() const { return now_.form; }
    /// Where tensors of variables lie, by name.
    struct Named {
        std::string name;
        uint32_t piece;
        DType dtype;  ///< complex where the piece holds real and imaginary parts
        Layout layout;
    };
    [[nodiscard]] const std::vector<Named>& named() const { return now_.named; }

    /// The top level: gives all pieces and numbers, as results.
    Captured take_top_level();

    struct Call {
        Captured captured;
        std::vector<ResultShape> results;   ///< the function's own; those that are views of memory count pieces of state first, then arguments
        std::vector<int> piece_from;        ///< per piece of the new state: the piece of the old one that it is, or -1: the next further result
        size_t new_pieces = 0;              ///< further tensor results, behind the function's own
        std::vector<std::optional<int64_t>> initial;  ///< per number parameter: its value where it was known until now
        size_t numbers_in = 0, numbers_out = 0;  ///< of the state: parameters in front of the function's own, results behind them
        bool steady = false;                ///< the form is as it was
        size_t state_pieces = 0;
    };
    /// An argument: memory (by number among `shape.tensors`), a number (by number among `shape.numbers`), or a value that is known.
    struct Argument {
        enum class Kind : uint8_t { None, Tensor, Number, Int, Float, Bool, Text } kind = Kind::None;
        int64_t integer = 0;
        double real = 0;
        std::string text;
    };
    /// Captures a call. The state is the new one only after `keep()`; `undo()` takes everything back.
    /// `copy_views`: a result that is a view of an argument or of the state is a result of its own.
    Call capture(const std::string& function, const ArgumentShape& shape, const std::vector<Argument>& arguments, bool copy_views = false);
    void keep();
    void undo();
    /// Throws CompileError's ScriptError where the top level has no such function.
    void require_function(const std::string& name);
    /// What `name` stands for: a variable, or an attribute of one (`model.encode`).
    capture::PyValue callable(const std::string& name);
    /// The parameters of `name`, with the string or name behind the colon; empty where there is none.
    struct Parameter {
        std::string name, annotation;
        bool has_default = false;
    };
    std::vector<Parameter> parameters(const std::string& name);

private:
    void begin(const std::string& name);
    struct Found {
        std::vector<Piece> pieces;
        std::vector<StorageId> storages;
        std::vector<ValueId> numbers;
        std::vector<std::string> number_names;
        std::vector<Type::Kind> number_kinds;
        std::vector<Named> named;
        std::string form;
        std::vector<std::pair<std::string, capture::PyValue>> statics;  ///< numbers that are known, by path
    };
    Found scan();
    bool widen(const std::vector<std::pair<std::string, capture::PyValue>>& before);

    std::unique_ptr<syntax::Module> module_;
    std::unique_ptr<capture::Interpreter> in_;
    std::map<std::string, Type::Kind> widened_;                ///< paths whose numbers have been seen to change
    /// What heap values mean: kept while a call is tried.
    struct Meaning;
    std::unique_ptr<Meaning> meaning_;
    void take_back();
    Found now_, next_, entered_;  ///< what can be reached; values are of the function that was captured last
};

}  // namespace sifr::host
