#pragma once

#include <optional>
#include <string>

#include "ir/func/stage.h"

namespace sifr {

/// Something that a function at a stage must not be.
struct Fault {
    InstId inst;  ///< where; invalid when it is the function as a whole
    std::string text;
};

/// The first fault of `f` at `stage`, in program order. What is proved, and what not, stands in verify.cpp.
std::optional<Fault> find_fault(const Function& f, Stage stage);

/// Throws InternalError with the faulty instruction's text: for the output of a pass. `after` names the pass.
void verify(const Function& f, Stage stage, const std::string& after = {});
template <Stage S>
void verify(const At<S>& f, const std::string& after = {}) {
    verify(f.function, S, after);
}

/// What in `inst` does not agree with its row's signature: operand count and kinds, attribute names and kinds. Rules may rely
/// on nothing more than this.
std::optional<std::string> signature_fault(const Function& f, const Inst& inst);

}  // namespace sifr
