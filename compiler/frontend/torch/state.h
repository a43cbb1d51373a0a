#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/capture/heap.h"
#include "ir/base/ids.h"
#include "ir/type/dtype.h"

namespace sifr::capture {

class Interpreter;

/// How tensors are printed (`torch.set_printoptions`).
struct PrintSettings {
    int64_t precision = 4, threshold = 1000, edgeitems = 3, linewidth = 80;
    std::optional<bool> sci_mode;
};

struct CustomNode;

/// The classes that the binding makes, and tables by node. Not undone by trials; entries by node are checked when they are read.
struct TorchClasses {
    const ClassObject *tensor = nullptr, *parameter = nullptr, *size = nullptr, *dtype = nullptr, *device = nullptr, *generator = nullptr,
                      *grad_node = nullptr, *hook_handle = nullptr, *function_context = nullptr;
    std::map<std::string, const ClassObject*, std::less<>> return_types;
    std::map<std::string, const ClassObject*> node_classes;  ///< of grad_fn objects, by name
    std::map<uint32_t, const NativeObject*> nodes, leaves;   ///< grad_fn objects by node or leaf
    std::map<uint32_t, std::shared_ptr<CustomNode>> custom;  ///< calls of custom Functions, by node
    std::map<uint32_t, ValueId> made_by;                     ///< the first result of the instruction that a node stands for
};

/// Which Tensor object a variable of the autograd state belongs to. Not undone by trials: an entry is asked only for variables
/// that are alive, and whoever makes a variable writes its entry.
using VariableOwners = std::vector<const TensorObject*>;

/// What the torch module remembers: modes that a trial must undo. It lives in the interpreter's heap as a native object, so
/// that the heap's journal covers it: read it through `torch_state`, change it through `change_torch_state`.
struct TorchState {
    DType default_dtype = DType::F32;
    PrintSettings print;
    int next_generator = 1;                ///< generator 0 is the default one
    PyValue default_seed;                  ///< of generator 0, when the script set it
    PyValue default_device;                ///< torch.set_default_device; unbound: cpu
    std::vector<PyValue> device_stack;     ///< of `with torch.device(…)`: the defaults before
    std::set<VariableId> data_aliases;     ///< results of `.data`: writes through them move no counter of the script's
    std::set<std::string> warned;          ///< once-only warnings
    [[nodiscard]] bool is_data_alias(VariableId v) const { return data_aliases.count(v) > 0; }
};

void make_torch_state(Interpreter& in);
const TorchState& torch_state(Interpreter& in);
TorchState& change_torch_state(Interpreter& in);
TorchClasses& torch_classes(Interpreter& in);
VariableOwners& variable_owners(Interpreter& in);

/// A warning of PyTorch's that comes once in a program.
void warn_once(Interpreter& in, const char* category, const std::string& text);

}  // namespace sifr::capture
