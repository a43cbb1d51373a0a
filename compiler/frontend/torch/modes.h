#pragma once

#include "compiler/frontend/torch/emit.h"

/// Modes of the program: gradients on or off, inference, default dtype and device.
namespace sifr::capture {

/// Sets the grad mode for a C++ scope.
class GradMode {
public:
    GradMode(Interpreter& in, bool on) : in_(in), before_(in.autograd().grad_enabled()) {
        if (on != before_) in.autograd().set_grad_enabled(on);
    }
    ~GradMode() {
        if (in_.autograd().grad_enabled() != before_) in_.autograd().set_grad_enabled(before_);
    }
    GradMode(const GradMode&) = delete;
    GradMode& operator=(const GradMode&) = delete;

private:
    Interpreter& in_;
    bool before_;
};

/// no_grad, enable_grad, set_grad_enabled, inference_mode (context managers and decorators), default dtype and device, seeds,
/// generators, and switches that change nothing here.
void bind_modes(Interpreter& in, const ModuleObject* torch);
/// torch.autograd's detect_anomaly and set_detect_anomaly.
void bind_anomaly(Interpreter& in, const ModuleObject* autograd);

/// The number of a generator object, 0 for None (the default one). Those of the GPU are below 0: -1 is its default one.
int64_t generator_number(Interpreter& in, PyValue generator);
/// The generator of a draw into a tensor that is on the GPU or not, where the script names none. Draws that torch.cuda makes in a way of its own
/// stay with the CPU's numbers, and are warned of.
int64_t generator_for(Interpreter& in, PyValue generator, Op op, bool on_gpu);
/// torch.cuda.manual_seed
void seed_gpu(Interpreter& in, PyValue seed);

}  // namespace sifr::capture
