// torch.cuda, torch.backends, torch.version: what a script asks about the machine. CUDA is there under `--device=cuda`.

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/known_names.h"
#include "compiler/frontend/torch/modes.h"

namespace sifr::capture {
namespace {

NativeCode gives(PyValue v) {
    return [v](Interpreter&, Args&) { return v; };
}

/// PyTorch's usual build for Linux, with CUDA.
constexpr const char* version = "2.15.0+cu132";

/// What only the machine knows on which the program runs.
NativeCode asks(Op op) {
    return [op](Interpreter& in, Args&) { return in.emit_scalar(op, {}); };
}

PyValue no_cuda(Interpreter&, Args&) { raise("RuntimeError", no_cuda_driver); }
PyValue insufficient_cuda(Interpreter&, Args&) { raise("AcceleratorError", insufficient_cuda_driver); }

void fill_cuda(Interpreter& in, const ModuleObject* m) {
    bool there = in.options().cuda;
    in.add_function(m, "is_available", gives(PyValue::boolean(there)));
    in.add_function(m, "is_initialized", gives(PyValue::boolean(there)));
    in.add_function(m, "device_count", gives(PyValue::integer(there ? 1 : 0)));
    in.add_function(m, "current_device", there ? gives(PyValue::integer(0)) : no_cuda);
    in.add_function(m, "is_bf16_supported", gives(PyValue::boolean(there)));
    // What these do has no effect on results: the compiler plans memory and order by itself.
    for (const char* name : {"empty_cache", "seed", "seed_all"}) in.add_function(m, name, gives(PyValue::none()));
    for (const char* name : {"synchronize", "init", "ipc_collect"}) in.add_function(m, name, there ? gives(PyValue::none()) : no_cuda);
    for (const char* name : {"reset_peak_memory_stats", "reset_max_memory_allocated"})
        in.add_function(m, name, [](Interpreter& i, Args&) -> PyValue {
            if (!i.options().cuda) raise("RuntimeError", "invalid argument to reset_peak_memory_stats");
            return PyValue::none();
        });
    if (!there)
        for (const char* name : {"get_device_properties", "mem_get_info", "initial_seed", "get_rng_state", "current_stream", "default_stream", "can_device_access_peer"})
            in.add_function(m, name, no_cuda);
    for (const char* name : {"manual_seed", "manual_seed_all"})
        in.add_function(m, name, [](Interpreter& i, Args& args) {
            ArgReader a(i, args, "manual_seed(seed)");
            if (i.options().cuda) seed_gpu(i, a["seed"]);
            return PyValue::none();
        });
    // All memory is allocated when the program starts, and kept.
    for (const char* name : {"memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"})
        in.add_function(m, name, there ? asks("gpu_memory"_op) : gives(PyValue::integer(0)));
    in.add_function(m, "get_device_name", there ? asks("gpu_name"_op) : no_cuda);
    if (!there) in.add_function(m, "_new_stream", insufficient_cuda);
    in.set_global(m, "OutOfMemoryError", PyValue(in.exception_class("OutOfMemoryError")));
    in.set_global(m, "AcceleratorError", PyValue(in.exception_class("AcceleratorError")));
    in.add_function(m, "_capability", there ? asks("gpu_capability"_op) : no_cuda);
    bind_cuda_classes(in, m);
    in.heap().change(m).missing = [](Interpreter& i, Symbol name) -> PyValue {
        for (const char* known : {"Event", "Stream", "stream", "device", "set_device", "current_stream", "default_stream", "get_device_capability", "get_arch_list"})
            if (*name == known) return i.get_attr(PyValue(i.import("torch._cuda")), known);
        if (is_torch_name("torch.cuda", *name)) throw NotSupported(fmt::format("torch.cuda.{}", *name));
        return {};
    };
}

/// A namespace with switches that scripts set.
void fill_switches(Interpreter& in, const ModuleObject* m, std::initializer_list<std::pair<const char*, bool>> switches) {
    for (auto [name, value] : switches) in.set_global(m, name, PyValue::boolean(value));
}

}  // namespace

void bind_machine(Interpreter& in, const ModuleObject* torch) {
    for (const char* name : {"AcceleratorError", "OutOfMemoryError"})
        in.set_global(torch, name, PyValue(in.add_exception_class(name, in.exception_class("RuntimeError"), "torch")));
    in.add_module("torch.cuda", fill_cuda);
    in.add_module("torch.mps", [](Interpreter& i, const ModuleObject* m) { i.add_function(m, "is_available", gives(PyValue::boolean(false))); });
    in.add_module("torch.xpu", [](Interpreter& i, const ModuleObject* m) { i.add_function(m, "is_available", gives(PyValue::boolean(false))); });
    in.add_module("torch.accelerator", [](Interpreter& i, const ModuleObject* m) {
        bool there = i.options().cuda;
        i.add_function(m, "is_available", gives(PyValue::boolean(there)));
        i.add_function(m, "device_count", gives(PyValue::integer(there ? 1 : 0)));
        // The kind of accelerator that PyTorch is built for; whether there is one is asked on request only.
        i.add_function(m, "current_accelerator", [there](Interpreter& i2, Args& args) {
            ArgReader a(i2, args, "current_accelerator(check_available=False)");
            const bool asked = a.has("check_available") && i2.need_bool(a["check_available"], "check_available");
            return there || !asked ? PyValue::device(true, -1) : PyValue::none();
        });
        i.add_function(m, "synchronize", there ? gives(PyValue::none()) : no_cuda);
    });
    in.add_module("torch.backends", [](Interpreter&, const ModuleObject*) {});
    in.add_module("torch.backends.cudnn", [](Interpreter& i, const ModuleObject* m) {
        fill_switches(i, m, {{"deterministic", false}, {"benchmark", false}, {"enabled", true}, {"allow_tf32", true}});
        i.add_function(m, "is_available", gives(PyValue::boolean(true)));
        i.add_function(m, "version", gives(PyValue::integer(92600)));
    });
    in.add_module("torch.backends.cuda", [](Interpreter& i, const ModuleObject* m) {
        i.add_function(m, "is_built", gives(PyValue::boolean(true)));
        i.heap().change(m).missing = [](Interpreter&, Symbol name) -> PyValue {
            if (is_torch_name("torch.backends.cuda", *name)) throw NotSupported(fmt::format("torch.backends.cuda.{}", *name));
            return {};
        };
    });
    in.add_module("torch.backends.cuda.matmul", [](Interpreter& i, const ModuleObject* m) { fill_switches(i, m, {{"allow_tf32", false}}); });
    in.add_module("torch.backends.mps", [](Interpreter& i, const ModuleObject* m) {
        i.add_function(m, "is_available", gives(PyValue::boolean(false)));
        i.add_function(m, "is_built", gives(PyValue::boolean(false)));
    });
    in.add_module("torch.version", [](Interpreter& i, const ModuleObject* m) {
        i.set_global(m, "__version__", i.str(version));
        i.set_global(m, "cuda", i.str("13.2"));
        i.set_global(m, "hip", PyValue::none());
    });
    in.set_global(torch, "__version__", in.str(version));
    // Compiling is what happens anyway.
    in.add_function(torch, "compile", [](Interpreter& i, Args& args) {
        if (args.size() > 0 && !args[0].is_none()) return args[0];
        return i.native("compile", [](Interpreter&, Args& a) { return a[0]; });
    });
}

}  // namespace sifr::capture
