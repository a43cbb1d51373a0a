#include "compiler/frontend/torch/overlapping_writes.h"

#include <algorithm>
#include <cstring>

#include "compiler/frontend/torch/run_time_sizes.h"

namespace sifr::capture {
namespace {

/// The place of each element behind the first one, row by row.
std::vector<int64_t> places_of(const Layout& layout) {
    std::vector<int64_t> places{0};
    for (size_t d = 0; d < layout.sizes.size(); ++d) {
        std::vector<int64_t> longer;
        longer.reserve(places.size() * static_cast<size_t>(layout.sizes[d]));
        for (int64_t place : places)
            for (int64_t i = 0; i < layout.sizes[d]; ++i) longer.push_back(place + i * layout.strides[d]);
        places = std::move(longer);
    }
    return places;
}

PyValue literal(Interpreter& in, const Sizes& sizes, const std::vector<int64_t>& numbers) {
    std::vector<std::byte> bytes(numbers.size() * sizeof(int64_t));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return literal_tensor(in, DType::I64, sizes, std::move(bytes));
}

/// The part of a scatter's source that its index reads.
PyValue corner(Interpreter& in, PyValue source, const Sizes& sizes) {
    for (size_t d = 0; d < sizes.size(); ++d) {
        if (type_of(in, source).sizes[d] == sizes[d]) continue;
        source = emit_one(in, "slice"_op, {source}, attrs({{"dim", static_cast<int64_t>(d)}, {"end", sizes[d]}}));
    }
    return source;
}

}  // namespace

PyValue write_at_places(Interpreter& in, PyValue dest, Op op, const Operands& operands, const Attrs& attributes) {
    const bool along = op == "index_add"_op || op == "index_add.alpha"_op || op == "index_copy"_op || op == "index_fill"_op;
    const bool scattered = op == "scatter"_op || op == "scatter.value"_op || op == "scatter_add"_op;
    if (!along && !scattered && op != "index_put"_op) return {};
    const Layout layout = layout_of(in, dest);
    if (!layout.is_static() || layout.is_injective() || layout.numel() == 0 || has_run_time_size(in, dest)) return {};
    const std::vector<int64_t> places = places_of(layout);
    std::vector<int64_t> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return {};

    PyValue at = literal(in, layout.sizes, places);
    PyValue value = operands.back();
    if (op == "index_put"_op) {
        Operands chosen{at};
        chosen.insert(chosen.end(), operands.begin() + 1, operands.end() - 1);
        at = emit_row(in, "index"_op, chosen).at(0);
    } else {
        value = operands.at(2);
        PyValue index = operands.at(1);
        Attrs how = attrs({{"dim", attributes.get<int64_t>("dim")}});
        if (const char* error = def(op).index_error) how.set("error", std::string(error));
        if (along && type_of(in, index).rank() == 0) index = emit_one(in, "unsqueeze"_op, {index}, attrs({{"dim", int64_t{0}}}));
        at = emit_one(in, along ? "index_select"_op : "gather"_op, {at, index}, how);
        if (op == "index_add.alpha"_op) value = emit_one(in, "mul"_op, {value, operands.at(3)});
        if (scattered && value.is(Kind::Tensor)) value = corner(in, value, type_of(in, at).sizes);
    }
    const DType dtype = type_of(in, dest).dtype;
    if (!value.is(Kind::Tensor)) value = full_tensor(in, dtype, {}, value);
    if (type_of(in, value).dtype != dtype) value = emit_one(in, "cast"_op, {value}, attrs({{"dtype", dtype}}));
    const bool accumulate = op == "index_add"_op || op == "index_add.alpha"_op || op == "scatter_add"_op || attributes.get_or("accumulate", false);
    PyValue memory = emit_one(in, "as_strided"_op, {dest}, attrs({{"size", Sizes{sorted.back() + 1}}, {"stride", Sizes{1}}, {"storage_offset", layout.offset}}));
    emit_write(in, memory, "index_put"_op, {memory, at, value}, attrs({{"accumulate", accumulate}}));
    return dest;
}

}  // namespace sifr::capture
