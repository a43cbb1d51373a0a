#include "compiler/frontend/torch/devices.h"

#include <algorithm>

#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

constexpr const char* device_types[] = {"cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone"};

/// A CUDA device is there only under `--device=cuda`; else it is a machine without CUDA. Programs use the first one.
void require_cuda(Interpreter& in, PyValue device) {
    if (!in.options().cuda) raise("AssertionError", "Torch not compiled with CUDA enabled");
    if (device.device_index() > 0) throw NotSupported(fmt::format("the device 'cuda:{}'", device.device_index()), "programs use one GPU: 'cuda'; CUDA_VISIBLE_DEVICES says which that is");
}

}  // namespace

PyValue parse_device(Interpreter& in, PyValue v) {
    if (v.is(Kind::Device)) return v;
    if (v.is(Kind::Int) && !v.is(Kind::Bool)) return PyValue::device(true, static_cast<int>(v.as_int()));
    std::string text = in.need_str(v, "a device");
    std::string type = text.substr(0, text.find(':'));
    int index = -1;
    if (type.size() < text.size()) {
        std::string digits = text.substr(type.size() + 1);
        bool good = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) && digits.size() < 4 && (digits.size() == 1 || digits[0] != '0');
        if (!good) raise("RuntimeError", "Invalid device string: '{}'", text);
        index = std::stoi(digits);
    }
    if (std::find(std::begin(device_types), std::end(device_types), type) == std::end(device_types))
        raise("RuntimeError", "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: {}", type);
    if (type == "cpu") return PyValue::device(false, index);
    if (type == "cuda") return PyValue::device(true, index);
    throw NotSupported(fmt::format("the device '{}'", type), "use 'cpu' or 'cuda'");
}

std::string device_text(PyValue device) {
    std::string type = device.device_is_cuda() ? "cuda" : "cpu";
    return device.device_index() < 0 ? type : fmt::format("{}:{}", type, device.device_index());
}

PyValue device_of(const TensorObject* t) { return PyValue::device(t->cuda, t->cuda ? std::max(t->device_index, 0) : -1); }

void place_on_device(Interpreter& in, PyValue tensor, PyValue device, const TensorObject* like) {
    if (device.is_unbound() || device.is_none()) {
        if (!like) {
            device = torch_state(in).default_device;
            if (device.is_unbound()) return;
        } else {
            TensorObject& t = in.heap().change(tensor_of(tensor));
            t.cuda = like->cuda;
            t.device_index = like->device_index;
            return;
        }
    }
    PyValue d = parse_device(in, device);
    if (d.device_is_cuda()) require_cuda(in, d);
    if (tensor_of(tensor)->cuda == d.device_is_cuda() && tensor_of(tensor)->device_index == std::max(d.device_index(), 0)) return;
    TensorObject& t = in.heap().change(tensor_of(tensor));
    t.cuda = d.device_is_cuda();
    t.device_index = std::max(d.device_index(), 0);
}

PyValue to_device(Interpreter& in, PyValue tensor, PyValue device) {
    PyValue d = parse_device(in, device);
    const TensorObject* t = tensor_of(tensor);
    if (d.device_is_cuda()) require_cuda(in, d);
    if (t->cuda == d.device_is_cuda() && (!t->cuda || d.device_index() < 0 || d.device_index() == t->device_index)) return tensor;
    // Another place of the script's world: a copy of its own, whose history leads to the source.
    PyValue moved = emit_one(in, "cast"_op, {tensor}, attrs({{"dtype", type_of(in, tensor).dtype}}));
    place_on_device(in, moved, d, nullptr);
    return moved;
}

}  // namespace sifr::capture
