#include "compiler/frontend/torch/devices.h"

#include <algorithm>

#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

constexpr const char* device_types[] = {"cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone"};

/// Ops that PyTorch checks argument by argument, with the name of the function that does it; the others are element by element, and checked as a whole.
struct Checked {
    const char *op, *method, *in_place;
};
constexpr Checked checked_ops[] = {{"mm", "mm", "mm_out_out"},
                                   {"bmm", "bmm", "bmm_out_out"},
                                   {"dot", "_dot", "_dot"},
                                   {"mv", "addmv_out_out", "addmv_out_out"},
                                   {"addmm", "addmm", "addmm_"},
                                   {"addmv", "addmv", "addmv_"},
                                   {"baddbmm", "baddbmm", "baddbmm_"},
                                   {"cat", "cat", "cat_out_out"},
                                   {"stack", "cat", "cat_out_out"},
                                   {"gather", "gather", "gather_out_out"},
                                   {"index_select", "_index_select", "_index_select"},
                                   {"embedding", "_index_select", "_index_select"},
                                   {"index_add", "index_add", "index_add_"},
                                   {"index_copy", "index_copy", "index_copy_"},
                                   {"scatter", "scatter_src", "scatter__src"},
                                   {"scatter_add", "scatter_add", "scatter_add_"},
                                   {"scatter_reduce", "scatter_reduce_two", "scatter_reduce__two"},
                                   {"take", "_take", "_take"},
                                   {"nll_loss", "nll_loss_forward", "nll_loss_forward"}};

/// What PyTorch's check calls an operand.
std::string operand_name(Op op, size_t index) {
    if (op == "embedding"_op) return index == 0 ? "self" : "index";
    std::string last;
    for (const Param& p : signature(op).params) {
        if (!p.is_operand()) continue;
        last = p.name;
        if (index-- == 0) break;
    }
    return last;
}

/// A CUDA device is there only under `--device=cuda`; else it is a machine without CUDA. Programs use the first one.
void require_cuda(Interpreter& in, PyValue device) {
    if (!in.options().cuda) raise("RuntimeError", no_cuda_driver);
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

void check_devices(Interpreter& in, Op op, const Values& operands, PyValue written) {
    // Copies are what moves elements from one device to another.
    if (op == "copy"_op) return;
    const Checked* checked = nullptr;
    for (const Checked& c : checked_ops)
        if (def(op).name == std::string_view(c.op)) checked = &c;
    Values all = operands;
    if (written.is(Kind::Tensor)) all.push_back(written);
    const TensorObject *on_gpu = nullptr, *first = nullptr;
    for (PyValue v : all) {
        if (!v.is(Kind::Tensor)) continue;
        if (!first) first = tensor_of(v);
        if (tensor_of(v)->cuda && !on_gpu) on_gpu = tensor_of(v);
    }
    if (!on_gpu) return;
    auto name = [](const TensorObject* t) { return device_text(device_of(t)); };
    for (size_t i = 0; i < all.size(); ++i) {
        if (!all[i].is(Kind::Tensor)) continue;
        const TensorObject* t = tensor_of(all[i]);
        const bool number = !t->cuda && in.function().type(t->value).rank() == 0;
        if (checked && t->cuda != first->cuda && !number)
            raise("RuntimeError", "Expected all tensors to be on the same device, but got {} is on {}, different from other tensors on {} (when checking argument in method wrapper_CUDA_{})",
                  operand_name(op, i), name(t), name(first), written.is_unbound() ? checked->method : checked->in_place);
        // Element by element, a number on the CPU goes with everything.
        if (!checked && !t->cuda && !number) {
            if (op == "masked_fill"_op) raise("RuntimeError", "expected self and mask to be on the same device, but got mask on {} and self on {}", name(tensor_of(all[1])), name(tensor_of(all[0])));
            raise("RuntimeError", "Expected all tensors to be on the same device, but found at least two devices, {} and {}!", name(on_gpu), name(t));
        }
    }
}

}  // namespace sifr::capture
