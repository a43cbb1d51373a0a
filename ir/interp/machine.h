#pragma once

#include <map>
#include <span>

#include "ir/func/builder.h"
#include "ir/interp/interp.h"
#include "ir/op/op_def.h"
#include "runtime/sifr_runtime.h"

namespace sifr {

/// The generators of `torch.Generator()`, made when they are first used; 0, the default one, is the runtime's.
using Generators = std::map<int64_t, std::shared_ptr<sifr_generator>>;

/// What an evaluator of a row sees of one execution of an instruction.
struct Execution {
    const Function& f;
    const Inst& inst;
    std::vector<RunValue> in;                ///< operands
    Type target;                             ///< of the result, or of what is written: a tensor's dtype and sizes as they are now
    std::optional<Strides> target_strides;   ///< CAPTURED: of the result or destination as the script sees it
    Generators* generators = nullptr;

    [[nodiscard]] const RunTensor& tensor(size_t k) const { return std::get<RunTensor>(in.at(k)); }
    [[nodiscard]] bool is_tensor(size_t k) const { return k < in.size() && std::holds_alternative<RunTensor>(in[k]); }
    [[nodiscard]] bool is_none(size_t k) const { return k >= in.size() || std::holds_alternative<std::monostate>(in[k]); }
    [[nodiscard]] int64_t i64(size_t k) const { return std::get<int64_t>(in.at(k)); }
    [[nodiscard]] double f64(size_t k) const;  ///< of any number
    [[nodiscard]] bool boolean(size_t k) const { return std::get<bool>(in.at(k)); }
    [[nodiscard]] const std::string& str(size_t k) const { return std::get<std::string>(in.at(k)); }
    template <class T>
    [[nodiscard]] const T& attr(std::string_view name) const {
        return inst.attrs.get<T>(name);
    }
    /// Throws RunTimeRaise (or NotSupported) for a failed call of the runtime.
    void require(sifr_status status) const;
    [[noreturn]] void raise(std::string type, std::string text) const { throw RunTimeRaise(std::move(type), std::move(text), inst.location); }
};

using Results = std::vector<RunValue>;
using Evaluator = Results (*)(const Execution&);

/// The evaluators of rows, by name; each file of this folder has one table.
struct NamedEvaluator {
    const char* name;
    Evaluator evaluate;
};
std::span<const NamedEvaluator> scalar_evaluators();
std::span<const NamedEvaluator> string_evaluators();
std::span<const NamedEvaluator> host_evaluators();
std::span<const NamedEvaluator> list_evaluators();
std::span<const NamedEvaluator> fill_evaluators();
std::span<const NamedEvaluator> random_evaluators();
std::span<const NamedEvaluator> index_evaluators();
std::span<const NamedEvaluator> library_evaluators();
std::vector<std::span<const NamedEvaluator>> all_evaluators();
/// By name, or null.
Evaluator evaluator_of(Op op);

/// Rows that are evaluated by their class and columns alone.
Results evaluate_pointwise(const Execution& x);
Results evaluate_reduction(const Execution& x);

/// All values of a straight line of FUNCTIONAL rows, by ValueId.
std::vector<RunValue> evaluate_all(const Function& f, std::vector<RunValue> arguments, Generators& generators);

/// `data`, with sizes and strides that live as long as the tensor does.
sifr_tensor c_tensor(const RunTensor& t);
inline sifr_str c_str(const std::string& s) { return {s.data(), static_cast<int64_t>(s.size())}; }
inline std::string cpp_str(sifr_str s) { return std::string(s.data, static_cast<size_t>(s.size)); }

}  // namespace sifr
