#include "compiler/frontend/torch/prelude_functions.h"

#include <algorithm>

#include "compiler/frontend/torch/emit.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

/// Where functions of torch stand, by topic. The last one needs torch.nn.
constexpr const char* topics[] = {"shapes", "numbers", "statistics", "matrices", "complex", "sparse", "networks"};

PyValue find_function(Interpreter& in, const std::string& topic, std::string_view name) {
    if (name.empty() || name[0] == '_') return {};
    const ModuleObject* m = in.import("torch._functions." + topic);
    PyValue found = m->variables->variables.get(symbol(std::string(name)));
    return found.is(Kind::Function) ? found : PyValue();
}

PyValue find_in_topics(Interpreter& in, std::string_view name) {
    for (const char* topic : topics)
        if (PyValue found = find_function(in, topic, name); !found.is_unbound()) return found;
    return {};
}

}  // namespace

PyValue prelude_function(Interpreter& in, std::string_view name) {
    PyValue function = find_in_topics(in, name);
    if (function.is_unbound()) return {};
    return in.overridable(std::string(name), [function](Interpreter& i, Args& args) {
        Args own = args;
        auto at = std::find_if(own.keywords.begin(), own.keywords.end(), [](const auto& k) { return *k.first == "out"; });
        PyValue out;
        if (at != own.keywords.end()) {
            if (!at->second.is_none()) out = at->second;
            own.keywords.erase(at);
        }
        PyValue result = i.call(function, own);
        if (!out.is(Kind::Tensor) || !result.is(Kind::Tensor)) return result;
        resize_for_out(i, out, type_of(i, result).sizes);
        return emit_write(i, out, "copy"_op, {result});
    });
}

PyValue prelude_member(Interpreter& in, const std::string& topic, std::string_view name) { return find_function(in, topic, name); }

PyValue prelude_method(Interpreter& in, std::string_view name, PyValue self) {
    PyValue function = find_function(in, "methods", name);
    if (function.is_unbound() || self.is_unbound()) return function;
    return in.overridable(std::string(name), [function, self](Interpreter& i, Args& args) {
        Args own = args;
        own.positional.insert(own.positional.begin(), self);
        return i.call(function, own);
    }, self);
}

}  // namespace sifr::capture
