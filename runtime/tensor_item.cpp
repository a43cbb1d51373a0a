// Elements of tensors as Python's numbers, and the walk over strided memory.

#include <math.h>

#include "runtime/internal.h"

namespace sifr::rt {

void contiguous_strides(const sifr_tensor& t, int64_t* strides) {
    int64_t stride = 1;
    for (int32_t d = t.ndim - 1; d >= 0; --d) {
        strides[d] = stride;
        stride *= t.sizes[d] > 1 ? t.sizes[d] : 1;
    }
}

bool is_contiguous(const sifr_tensor& t) {
    if (t.strides == nullptr || sifr_tensor_numel(&t) == 0) return true;
    int64_t stride = 1;
    for (int32_t d = t.ndim - 1; d >= 0; --d) {
        if (t.sizes[d] == 1) continue;
        if (t.strides[d] != stride) return false;
        stride *= t.sizes[d];
    }
    return true;
}

int64_t element_offset(const sifr_tensor& t, int64_t index) {
    if (t.strides == nullptr) return index;
    int64_t offset = 0;
    for (int32_t d = t.ndim - 1; d >= 0; --d) {
        offset += index % t.sizes[d] * t.strides[d];
        index /= t.sizes[d];
    }
    return offset;
}

double load_f64_at(const void* data, int32_t dtype, int64_t offset) {
    switch (dtype) {
        case SIFR_BOOL: return static_cast<const uint8_t*>(data)[offset] != 0 ? 1 : 0;
        case SIFR_U8: return static_cast<const uint8_t*>(data)[offset];
        case SIFR_I8: return static_cast<const int8_t*>(data)[offset];
        case SIFR_I16: return static_cast<const int16_t*>(data)[offset];
        case SIFR_I32: return static_cast<const int32_t*>(data)[offset];
        case SIFR_I64: return static_cast<double>(static_cast<const int64_t*>(data)[offset]);
        case SIFR_F16: return sifr_f16_to_f32(static_cast<const uint16_t*>(data)[offset]);
        case SIFR_BF16: return sifr_bf16_to_f32(static_cast<const uint16_t*>(data)[offset]);
        case SIFR_F32: return static_cast<const float*>(data)[offset];
        case SIFR_F64: return static_cast<const double*>(data)[offset];
        case SIFR_C64: return static_cast<const float*>(data)[2 * offset];
        default: return static_cast<const double*>(data)[2 * offset];
    }
}

double load_imaginary_at(const void* data, int32_t dtype, int64_t offset) {
    if (dtype == SIFR_C64) return static_cast<const float*>(data)[2 * offset + 1];
    if (dtype == SIFR_C128) return static_cast<const double*>(data)[2 * offset + 1];
    return 0;
}

int64_t load_i64_at(const void* data, int32_t dtype, int64_t offset) {
    if (dtype == SIFR_I64) return static_cast<const int64_t*>(data)[offset];
    return static_cast<int64_t>(load_f64_at(data, dtype, offset));
}

/// A double as PyTorch converts it to an integer type: towards zero through 64 bits, then the low bits. NaN, infinities and what 64 bits
/// cannot hold become the smallest int64, as the x86 instruction does.
int64_t wrap_to_i64(double value) {
    return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : INT64_MIN;
}

void store_i64_at(void* data, int32_t dtype, int64_t offset, int64_t value) {
    switch (dtype) {
        case SIFR_BOOL: static_cast<uint8_t*>(data)[offset] = value != 0 ? 1 : 0; break;
        case SIFR_U8: static_cast<uint8_t*>(data)[offset] = static_cast<uint8_t>(value); break;
        case SIFR_I8: static_cast<int8_t*>(data)[offset] = static_cast<int8_t>(value); break;
        case SIFR_I16: static_cast<int16_t*>(data)[offset] = static_cast<int16_t>(value); break;
        case SIFR_I32: static_cast<int32_t*>(data)[offset] = static_cast<int32_t>(value); break;
        case SIFR_I64: static_cast<int64_t*>(data)[offset] = value; break;
        case SIFR_F32: static_cast<float*>(data)[offset] = static_cast<float>(value); break;
        case SIFR_C64:
            static_cast<float*>(data)[2 * offset] = static_cast<float>(value);
            static_cast<float*>(data)[2 * offset + 1] = 0;
            break;
        // PyTorch's narrow floats take an integer through f32: one rounding to f32, one to the type.
        case SIFR_F16: static_cast<uint16_t*>(data)[offset] = sifr_f32_to_f16(static_cast<float>(value)); break;
        case SIFR_BF16: static_cast<uint16_t*>(data)[offset] = sifr_f32_to_bf16(static_cast<float>(value)); break;
        default: store_f64_at(data, dtype, offset, static_cast<double>(value)); break;
    }
}

void store_f64_at(void* data, int32_t dtype, int64_t offset, double value) {
    switch (dtype) {
        case SIFR_BOOL: static_cast<uint8_t*>(data)[offset] = value != 0 ? 1 : 0; break;
        case SIFR_F16: static_cast<uint16_t*>(data)[offset] = sifr_f64_to_f16(value); break;
        case SIFR_BF16: static_cast<uint16_t*>(data)[offset] = sifr_f64_to_bf16(value); break;
        case SIFR_F32: static_cast<float*>(data)[offset] = static_cast<float>(value); break;
        case SIFR_F64: static_cast<double*>(data)[offset] = value; break;
        case SIFR_C64:
            static_cast<float*>(data)[2 * offset] = static_cast<float>(value);
            static_cast<float*>(data)[2 * offset + 1] = 0;
            break;
        case SIFR_C128:
            static_cast<double*>(data)[2 * offset] = value;
            static_cast<double*>(data)[2 * offset + 1] = 0;
            break;
        default: store_i64_at(data, dtype, offset, wrap_to_i64(value)); break;
    }
}

bool is_complex(int32_t dtype) {
    return dtype == SIFR_C64 || dtype == SIFR_C128;
}

bool is_floating(int32_t dtype) {
    return dtype >= SIFR_F16 && dtype <= SIFR_F64;
}

void append_element(Text& out, const sifr_tensor& t, int64_t offset) {
    if (is_complex(t.dtype)) {
        append_complex(out, load_f64_at(t.data, t.dtype, offset), load_imaginary_at(t.data, t.dtype, offset));
    } else if (is_floating(t.dtype)) {
        append_f64(out, load_f64_at(t.data, t.dtype, offset));
    } else if (t.dtype == SIFR_BOOL) {
        out << sifr_bool_str(load_i64_at(t.data, t.dtype, offset) != 0);
    } else {
        out << load_i64_at(t.data, t.dtype, offset);
    }
}

}  // namespace sifr::rt

using namespace sifr::rt;

namespace {

void append_list(Text& out, const sifr_tensor& t, const int64_t* strides, int32_t axis, int64_t offset) {
    if (axis == t.ndim) {
        append_element(out, t, offset);
        return;
    }
    out << '[';
    for (int64_t k = 0; k < t.sizes[axis]; ++k) {
        if (k > 0) out << ", ";
        append_list(out, t, strides, axis + 1, offset + k * strides[axis]);
    }
    out << ']';
}

}  // namespace

extern "C" {

int64_t sifr_tensor_numel(const sifr_tensor* tensor) {
    int64_t count = 1;
    for (int32_t d = 0; d < tensor->ndim; ++d) count *= tensor->sizes[d];
    return count;
}

double sifr_load_f64(const sifr_tensor* tensor, int64_t index) {
    return load_f64_at(tensor->data, tensor->dtype, element_offset(*tensor, index));
}

int64_t sifr_load_i64(const sifr_tensor* tensor, int64_t index) {
    return load_i64_at(tensor->data, tensor->dtype, element_offset(*tensor, index));
}

double sifr_load_imaginary(const sifr_tensor* tensor, int64_t index) {
    return load_imaginary_at(tensor->data, tensor->dtype, element_offset(*tensor, index));
}

void sifr_store_f64(const sifr_tensor* tensor, int64_t index, double value) {
    store_f64_at(tensor->data, tensor->dtype, element_offset(*tensor, index), value);
}

void sifr_store_i64(const sifr_tensor* tensor, int64_t index, int64_t value) {
    store_i64_at(tensor->data, tensor->dtype, element_offset(*tensor, index), value);
}

void sifr_tensor_copy(const sifr_tensor* from, const sifr_tensor* to) {
    const int64_t count = sifr_tensor_numel(from);
    if (from->dtype == to->dtype && is_contiguous(*from) && is_contiguous(*to)) {
        if (count > 0) memcpy(to->data, from->data, static_cast<size_t>(count * sifr_dtype_size(from->dtype)));
        return;
    }
    const Offsets source_offset(*from);
    const Offsets target_offset(*to);
    for (int64_t k = 0; k < count; ++k) {
        const int64_t source = source_offset(k);
        const int64_t target = target_offset(k);
        if (from->dtype == SIFR_I64 && !is_complex(to->dtype)) {
            store_i64_at(to->data, to->dtype, target, static_cast<const int64_t*>(from->data)[source]);
            continue;
        }
        const double real = load_f64_at(from->data, from->dtype, source);
        const double imaginary = load_imaginary_at(from->data, from->dtype, source);
        store_f64_at(to->data, to->dtype, target, real);
        if (to->dtype == SIFR_BOOL && imaginary != 0) static_cast<uint8_t*>(to->data)[target] = 1;
        if (to->dtype == SIFR_C64) static_cast<float*>(to->data)[2 * target + 1] = static_cast<float>(imaginary);
        if (to->dtype == SIFR_C128) static_cast<double*>(to->data)[2 * target + 1] = imaginary;
    }
}

sifr_str sifr_tensor_tolist_str(const sifr_tensor* tensor) {
    Text text;
    int64_t own[max_dims];
    if (tensor->strides == nullptr) contiguous_strides(*tensor, own);
    append_list(text, *tensor, tensor->strides != nullptr ? tensor->strides : own, 0, 0);
    return text.done();
}

sifr_str sifr_size_str(const int64_t* sizes, int64_t count) {
    Text text;
    text << "torch.Size([";
    for (int64_t k = 0; k < count; ++k) {
        if (k > 0) text << ", ";
        text << sizes[k];
    }
    text << "])";
    return text.done();
}

}  // extern "C"
