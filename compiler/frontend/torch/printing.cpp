#include "compiler/frontend/torch/printing.h"

#include "compiler/frontend/torch/dump_bits.h"
#include "compiler/frontend/torch/state.h"

namespace sifr::capture {
namespace {

std::string history_suffix(Interpreter& in, const TensorObject* t) {
    AutogradState& autograd = in.autograd();
    if (std::string name = autograd.grad_fn_name(t->variable); !name.empty()) return fmt::format("grad_fn=<{}>", name);
    return autograd.requires_grad(t->variable) ? "requires_grad=True" : "";
}

PyValue emit_text(Interpreter& in, PyValue tensor, const char* kind, const std::string& suffix = "", std::optional<DType> default_dtype = {}) {
    const TensorObject* t = tensor_of(tensor);
    dump_bits(in, "print", t->value);
    const TorchState& state = torch_state(in);
    const PrintSettings& p = state.print;
    Attrs attributes = attrs({{"kind", std::string(kind)},
                              {"suffix", suffix.empty() ? history_suffix(in, t) : suffix},
                              {"precision", p.precision},
                              {"threshold", p.threshold},
                              {"edgeitems", p.edgeitems},
                              {"linewidth", p.linewidth},
                              {"sci_mode", p.sci_mode ? int64_t{*p.sci_mode} : int64_t{-1}},
                              {"device", t->cuda ? fmt::format("device='cuda:{}'", std::max(t->device_index, 0)) : std::string()},
                              {"default_dtype", default_dtype.value_or(state.default_dtype)}});
    InstId made = in.builder().emit_typed("tensor_str"_op, {t->value}, attributes, {Type::str()});
    return in.from_ir(in.function()[made].results[0]);
}

PyValue set_printoptions(Interpreter& in, Args& args) {
    ArgReader a(in, args, "set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None)");
    TorchState& state = change_torch_state(in);
    auto given = [&](const char* name) { return a.has(name) && !a[name].is_none(); };
    if (given("profile")) {
        std::string profile = in.need_str(a["profile"], "profile");
        state.print = PrintSettings();
        if (profile == "short") state.print.precision = 2, state.print.edgeitems = 2;
        else if (profile == "full") state.print.threshold = INT64_MAX;
    }
    // An infinite threshold never summarises.
    auto number = [&](const char* name, int64_t& to) {
        if (!given(name)) return;
        PyValue v = a[name];
        to = v.is(Kind::Float) ? (v.as_float() > 9e18 ? INT64_MAX : static_cast<int64_t>(v.as_float())) : in.need_int(v, name);
    };
    number("precision", state.print.precision);
    number("threshold", state.print.threshold);
    number("edgeitems", state.print.edgeitems);
    number("linewidth", state.print.linewidth);
    // `sci_mode=None` means automatic, whether it is left out or written.
    state.print.sci_mode.reset();
    if (given("sci_mode")) state.print.sci_mode = in.need_bool(a["sci_mode"], "sci_mode");
    return PyValue::none();
}

}  // namespace

PyValue tensor_repr(Interpreter& in, PyValue tensor) { return emit_text(in, tensor, "str"); }
PyValue complex_tensor_repr(Interpreter& in, PyValue parts, const std::string& suffix) { return emit_text(in, parts, "complex", suffix); }
PyValue plain_tensor_repr(Interpreter& in, PyValue tensor) { return emit_text(in, tensor, "str", "", type_of(in, tensor).dtype); }
PyValue tensor_tolist_repr(Interpreter& in, PyValue tensor) { return emit_text(in, tensor, "tolist"); }

void bind_printing(Interpreter& in, const ModuleObject* torch) { in.add_function(torch, "set_printoptions", set_printoptions); }

}  // namespace sifr::capture
