#pragma once

#include <optional>
#include <set>
#include <string>

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

/// What the torch module remembers: modes that a trial must undo. It lives in the interpreter's heap as a native object, so
/// that the heap's journal covers it: read it through `torch_state`, change it through `change_torch_state`.
struct TorchState {
    DType default_dtype = DType::F32;
    PrintSettings print;
    int next_generator = 1;                ///< generator 0 is the default one
    std::set<VariableId> data_aliases;     ///< results of `.data`: writes through them move no counter of the script's
    std::set<std::string> warned;          ///< once-only warnings
    [[nodiscard]] bool is_data_alias(VariableId v) const { return data_aliases.count(v) > 0; }
};

const TorchState& torch_state(Interpreter& in);
TorchState& change_torch_state(Interpreter& in);

}  // namespace sifr::capture
