#include "compiler/frontend/torch/state.h"

#include "compiler/frontend/capture/interpreter.h"

namespace sifr::capture {
namespace {

struct TorchStateObject : NativeObjectOf<TorchStateObject> {
    using NativeObjectOf::NativeObjectOf;
    TorchState state;
    // Shared by all copies: these are not undone.
    std::shared_ptr<TorchClasses> classes = std::make_shared<TorchClasses>();
    std::shared_ptr<VariableOwners> owners = std::make_shared<VariableOwners>();
};

const TorchStateObject* object(Interpreter& in) {
    SIFR_CHECK(in.binding_state, "the torch module is not bound");
    return static_cast<const TorchStateObject*>(in.binding_state);
}

}  // namespace

void make_torch_state(Interpreter& in) { in.binding_state = in.heap().make<TorchStateObject>(in.builtin_class("object")); }
const TorchState& torch_state(Interpreter& in) { return object(in)->state; }
TorchState& change_torch_state(Interpreter& in) { return in.heap().change(object(in)).state; }
TorchClasses& torch_classes(Interpreter& in) { return *object(in)->classes; }
VariableOwners& variable_owners(Interpreter& in) { return *object(in)->owners; }

void warn_once(Interpreter& in, const char* category, const std::string& text) {
    if (torch_state(in).warned.count(text)) return;
    change_torch_state(in).warned.insert(text);
    in.script_warning(category, text);
}

}  // namespace sifr::capture
