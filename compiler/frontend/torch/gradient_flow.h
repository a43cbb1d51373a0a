#pragma once

#include <vector>

#include "compiler/frontend/torch/autograd.h"

namespace sifr::capture {

/// The gradients that flow from the losses of `call` into `targets`, as fresh tensors; unbound where nothing flows. `ran`: the
/// nodes that the engine runs. Without hooks and custom Functions on the way this is one `backward` instruction. Each of those is a
/// place where the gradient stops, is handed to the script, and flows on from what comes back:
///
///   y (hooked) = f(x); loss = g(y)      %gy = backward %loss wrt %y            stops at %y
///                                       … the hook on %gy gives %h …
///                                       %gx = backward %y from %h wrt %x
///
/// Places are taken in the engine's order: latest node first.
Values flow(Interpreter& in, const BackwardCall& call, const Values& targets, const std::vector<NodeId>& ran);

}  // namespace sifr::capture
