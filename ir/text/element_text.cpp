#include "ir/text/element_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/ranges.h>

#include "ir/text/lexer.h"
#include "ir/text/place.h"

namespace sifr {
namespace {

template <class T>
T load(const TensorData& data, size_t index) {
    T v;
    std::memcpy(&v, data.bytes.data() + index * sizeof(T), sizeof(T));
    return v;
}

/// f32 by its own shortest text; what is not a number by its bits.
std::string float_text(float v) {
    if (std::isnan(v)) return fmt::format("0x{:08x}", std::bit_cast<uint32_t>(v));
    std::string out = fmt::format("{}", v);
    if (out.find_first_of(".en") == std::string::npos) out += ".0";
    return out;
}
std::string float_text(double v) {
    if (std::isnan(v)) return fmt::format("0x{:016x}", std::bit_cast<uint64_t>(v));
    return number_text(v);
}

}  // namespace

std::string element_text(const TensorData& data, size_t index) {
    switch (data.dtype) {
        case DType::Bool: return load<uint8_t>(data, index) != 0 ? "true" : "false";
        case DType::U8: return std::to_string(load<uint8_t>(data, index));
        case DType::I8: return std::to_string(load<int8_t>(data, index));
        case DType::I16: return std::to_string(load<int16_t>(data, index));
        case DType::I32: return std::to_string(load<int32_t>(data, index));
        case DType::I64: return std::to_string(load<int64_t>(data, index));
        case DType::F16:
        case DType::BF16: return fmt::format("0x{:04x}", load<uint16_t>(data, index));
        case DType::F32: return float_text(load<float>(data, index));
        case DType::F64: return float_text(load<double>(data, index));
        case DType::C64: return float_text(load<float>(data, 2 * index)) + " " + float_text(load<float>(data, 2 * index + 1));
        case DType::C128: return float_text(load<double>(data, 2 * index)) + " " + float_text(load<double>(data, 2 * index + 1));
    }
    SIFR_UNREACHABLE("dtype {}", static_cast<int>(data.dtype));
}

std::string constant_text(const ScalarConstant& c) {
    struct Visitor {
        std::string operator()(std::monostate) const { return "none"; }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return number_text(v); }
        std::string operator()(const std::string& v) const { return quoted(v); }
    };
    return std::visit(Visitor{}, c);
}

std::string attribute_text(const AttrValue& v) {
    struct Visitor {
        std::string operator()(std::monostate) const { return "none"; }
        std::string operator()(bool x) const { return x ? "true" : "false"; }
        std::string operator()(int64_t x) const { return std::to_string(x); }
        std::string operator()(double x) const { return number_text(x); }
        std::string operator()(const std::string& x) const { return quoted(x); }
        std::string operator()(DType x) const { return std::string(name_of(x)); }
        std::string operator()(const std::vector<int64_t>& x) const { return fmt::format("[{}]", fmt::join(x, ",")); }
        std::string operator()(const Layout& x) const {
            return fmt::format("<[{}] {:+} ({})>", fmt::join(x.sizes, ","), x.offset, fmt::join(x.strides, ","));
        }
        std::string operator()(const std::shared_ptr<const TensorData>& x) const {
            if (!x) return "none";
            std::string out = std::string(name_of(x->dtype)) + "{";
            size_t count = x->bytes.size() / static_cast<size_t>(size_of(x->dtype));
            for (size_t k = 0; k < count; ++k) out += (k != 0 ? ", " : "") + element_text(*x, k);
            return out + "}";
        }
    };
    return std::visit(Visitor{}, v);
}

std::optional<Sizes> derived_frame(const Layout& layout) {
    if (layout.offset != 0 || !layout.is_static()) return std::nullopt;
    if (layout.strides == contiguous_strides(layout.sizes)) return layout.sizes;
    if (!layout.is_dense() || layout.numel() == 0) return std::nullopt;
    std::vector<size_t> axes(layout.sizes.size());
    for (size_t d = 0; d < axes.size(); ++d) axes[d] = d;
    std::stable_sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return layout.strides[a] > layout.strides[b]; });
    Sizes frame;
    for (size_t a : axes) frame.push_back(layout.sizes[a]);
    return frame;
}

}  // namespace sifr
