/// Scripts of PyTorch's, loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sifr/jit.h>
#include <sifr/memory.h>

namespace sifr {

/// An argument of a script's function: memory, a number that the code gets when it runs, or something that the code is compiled for.
class ScriptArg {
public:
    enum class Kind : uint8_t { None, Tensor, Number, Static, Text } kind = Kind::None;
    TensorView tensor;
    detail::Result number;
    std::string text;

    ScriptArg(std::nullptr_t) {}                                            // NOLINT: None
    ScriptArg(const TensorView& t) : kind(Kind::Tensor), tensor(t) {}       // NOLINT
    ScriptArg(const HostTensor& t) : kind(Kind::Tensor), tensor(t) {}       // NOLINT
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
    ScriptArg(N v) : kind(Kind::Number), number(detail::Param<Scalar>::Given(v).r) {}  // NOLINT
    ScriptArg(std::string_view v) : kind(Kind::Text), text(v) {}            // NOLINT
    ScriptArg(const char* v) : kind(Kind::Text), text(v) {}                 // NOLINT
};
/// A number that is known while compiling, for what a script uses as a size or an index of a list. One compilation for each value.
template <class N>
ScriptArg fixed(N v) {
    ScriptArg a(v);
    a.kind = ScriptArg::Kind::Static;
    return a;
}

/// What a script's function gave: the members of a tuple, list or dict, nested ones in a row; one for anything else; none for None.
class ScriptResult {
public:
    ScriptResult() = default;
    ScriptResult(std::vector<detail::Result> r, std::shared_ptr<const std::vector<std::string>> names) : results_(std::move(r)), names_(std::move(names)) {}
    [[nodiscard]] size_t size() const { return results_.size(); }
    /// What a dict's members are called, `loss` or `layers[0].weight`; empty for members of tuples.
    [[nodiscard]] const std::vector<std::string>& names() const { return *names_; }
    /// Throws where the result is a number.
    [[nodiscard]] SIFR_API const HostTensor& tensor(size_t i = 0) const;
    /// A number, or the only element of a tensor.
    template <class N>
    [[nodiscard]] N number(size_t i = 0) const {
        const detail::Result& r = at(i);
        return r.kind == 0 ? r.tensor.template item<N>() : detail::Number{r}.as<N>();
    }
    /// A dict's member.
    [[nodiscard]] const HostTensor& tensor(std::string_view name) const { return tensor(position(name)); }
    template <class N>
    [[nodiscard]] N number(std::string_view name) const {
        return number<N>(position(name));
    }

private:
    [[nodiscard]] SIFR_API const detail::Result& at(size_t i) const;
    [[nodiscard]] SIFR_API size_t position(std::string_view name) const;
    std::vector<detail::Result> results_;
    std::shared_ptr<const std::vector<std::string>> names_ = std::make_shared<const std::vector<std::string>>();
};

struct LoadOptions {
    std::string behind{};               ///< run behind the script, as if it stood at its end: `model = Net(4, 8)` of a class that it has
    std::string target_cpu = "native";
    Device device = Device::CPU;        ///< as of JitOptions; the script sees a machine with CUDA
    std::string cache_folder{};         ///< as of JitOptions
};

namespace detail {
class ScriptState;
}

/// A function of a loaded script. Copies are the same function; it keeps the script alive.
class SIFR_API ScriptFunction {
public:
    /// Calls with positional arguments. Compiles where the arguments, or what the script keeps between calls, have a form that is new.
    ScriptResult operator()(const std::vector<ScriptArg>& arguments) const;
    template <class... A, class = std::enable_if_t<(std::is_convertible_v<A, ScriptArg> && ...)>>
    ScriptResult operator()(const A&... a) const {
        return (*this)(std::vector<ScriptArg>{ScriptArg(a)...});
    }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// As of Jitted, for the call of this script that was made last.
    [[nodiscard]] std::string ir(std::string_view stage) const;
    [[nodiscard]] std::string source(Device device) const;
    [[nodiscard]] std::vector<Remark> remarks() const;
    [[nodiscard]] std::vector<ClearRow> ledger() const;

private:
    friend class Script;
    std::shared_ptr<detail::ScriptState> state_;
    std::string name_;
};

/// A script, loaded: its top level has run once. What its variables hold (parameters of modules, buffers of optimizers, counters) is kept in
/// memory of this object between calls, and the host may read and write it. Calls of one Script take turns; two Scripts share nothing.
class SIFR_API Script {
public:
    /// A variable's tensor: `model.weight`, `optimizer.state[0]`. The memory is the script's own: what is written there is what the next call
    /// sees. Not to be used while a call runs on another thread.
    [[nodiscard]] HostTensor state(const std::string& name) const;
    /// The names of all of them, in a fixed order.
    [[nodiscard]] std::vector<std::string> state_names() const;
    /// Writes all of them to a safetensors file, and reads them back. Throws where names, dtypes or sizes differ.
    void save(const std::string& path) const;
    void restore(const std::string& path) const;
    /// From now on the variable lies in the caller's memory, which must stay: what is there is its value, and what the script writes in place
    /// (an optimizer's step) is written there. Contiguous, of its dtype and sizes. Given other memory by the script, it is no longer there.
    void bind(const std::string& name, const TensorView& memory) const;
    /// A function of the top level, a module or another object that can be called, or an attribute of one: `step`, `model`, `model.encode`.
    /// Throws where there is no such thing.
    [[nodiscard]] ScriptFunction function(const std::string& name) const;

private:
    friend SIFR_API Script load(const std::string& path);
    friend SIFR_API Script load_string(const std::string& text, const std::string& name);
    friend SIFR_API Script load(const std::string& path, const LoadOptions& options);
    friend SIFR_API Script load_string(const std::string& text, const std::string& name, const LoadOptions& options);
    std::shared_ptr<detail::ScriptState> state_;
};

/// Loads a script of PyTorch's, and runs its top level (which may print, and draw random numbers). Throws for what is wrong with it.
SIFR_API Script load(const std::string& path);
/// The same for a text; `name` stands for the file in messages.
SIFR_API Script load_string(const std::string& text, const std::string& name = "<script>");
SIFR_API Script load(const std::string& path, const LoadOptions& options);
SIFR_API Script load_string(const std::string& text, const std::string& name, const LoadOptions& options);

}  // namespace sifr
