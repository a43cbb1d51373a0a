#include "compiler/frontend/torch/known_numbers.h"

#include <algorithm>
#include <cstring>

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {
namespace {

template <class T>
T load(const TensorData& data, int64_t at) {
    T v;
    std::memcpy(&v, data.bytes.data() + static_cast<size_t>(at) * sizeof v, sizeof v);
    return v;
}

PyValue element(const TensorData& data, int64_t at) {
    switch (data.dtype) {
        case DType::Bool: return PyValue::boolean(load<uint8_t>(data, at) != 0);
        case DType::U8: return PyValue::integer(load<uint8_t>(data, at));
        case DType::I32: return PyValue::integer(load<int32_t>(data, at));
        case DType::I64: return PyValue::integer(load<int64_t>(data, at));
        case DType::F32: return PyValue::real(load<float>(data, at));
        case DType::F64: return PyValue::real(load<double>(data, at));
        default: return {};
    }
}

/// `at(k)` is the element k in the order of rows.
PyValue nested(Interpreter& in, const Sizes& sizes, size_t axis, int64_t& next, const std::function<PyValue(int64_t)>& at) {
    if (axis == sizes.size()) return at(next++);
    Values items;
    for (int64_t k = 0; k < sizes[axis]; ++k) items.push_back(nested(in, sizes, axis + 1, next, at));
    return in.list(std::move(items));
}

bool is_written(const Function& f, StorageId storage) {
    return std::any_of(f.insts.begin(), f.insts.end(), [&](const Inst& i) { return i.dest.valid() && f[i.dest].view.storage == storage; });
}

}  // namespace

PyValue known_numbers(Interpreter& in, PyValue tensor) {
    const Function& f = in.function();
    const Inst* made = f.producer(tensor_of(tensor)->value);
    // In another region, a later pass of a loop may write what this one has not.
    if (!made || made->parent != in.builder().region() || is_written(f, view_of(in, tensor).storage)) return PyValue::none();
    const Sizes sizes = type_of(in, tensor).sizes;
    std::string_view name = name_of(made->op);
    int64_t next = 0;
    if (name == "literal") {
        auto data = made->attrs.get<std::shared_ptr<const TensorData>>("data");
        if (type_of(in, tensor).numel() > 0 && element(*data, 0).is_unbound()) return PyValue::none();
        return nested(in, sizes, 0, next, [&](int64_t k) { return element(*data, k); });
    }
    if (name == "eye") return nested(in, sizes, 0, next, [&](int64_t k) { return PyValue::integer(k / sizes[1] == k % sizes[1]); });
    if (name == "full" && f.is_constant(made->operands[0])) {
        PyValue value = in.from_ir(made->operands[0]);
        return value.is_dynamic() ? PyValue::none() : nested(in, sizes, 0, next, [&](int64_t) { return value; });
    }
    return PyValue::none();
}

}  // namespace sifr::capture
