// Lists that grow while a program runs: of numbers, texts, or blocks (tensors of one size).

#include <math.h>

#include "runtime/internal.h"

using namespace sifr::rt;

// A text in a list is memory of its own: the string region may be released while the list lives.
struct sifr_list {
    int32_t kind;
    int64_t element_bytes;
    int64_t length;
    Buffer<char> bytes;

    [[nodiscard]] char* at(int64_t position) const { return bytes.data + position * element_bytes; }
};

namespace {

template <class T>
const T& element(const sifr_list* list, int64_t position) {
    return *reinterpret_cast<const T*>(list->at(position));
}

sifr_str own_copy(sifr_str text) {
    char* memory = static_cast<char*>(grow_memory(nullptr, static_cast<size_t>(text.size)));
    if (text.size > 0) memcpy(memory, text.data, static_cast<size_t>(text.size));
    return {memory, text.size};
}

/// What the list keeps for a value: a text is copied.
void put(sifr_list* list, int64_t position, const void* value) {
    if (list->kind == SIFR_LIST_STR) {
        const sifr_str copy = own_copy(*static_cast<const sifr_str*>(value));
        memcpy(list->at(position), &copy, sizeof copy);
    } else if (list->element_bytes > 0) {
        memcpy(list->at(position), value, static_cast<size_t>(list->element_bytes));
    }
}

void drop(const sifr_list* list, int64_t position) {
    if (list->kind == SIFR_LIST_STR) free(const_cast<char*>(element<sifr_str>(list, position).data));
}

/// Room for one more at the end, uninitialised.
int64_t grow(sifr_list* list, int64_t count) {
    const int64_t wanted = (list->length + count) * list->element_bytes;
    if (wanted > list->bytes.capacity) list->bytes.reserve(wanted > 2 * list->bytes.capacity ? wanted : 2 * list->bytes.capacity);
    list->bytes.size = wanted;
    const int64_t position = list->length;
    list->length += count;
    return position;
}

sifr_status position_of(const sifr_list* list, int64_t index, const char* message, int64_t* out) {
    if (index < 0) index += list->length;
    if (index < 0 || index >= list->length) return fail(SIFR_INDEX_ERROR, message);
    *out = index;
    return SIFR_OK;
}

/// Python's order: -1, 0, 1; 2 when a NaN makes the two unordered.
int32_t order(const sifr_list* list, const void* a, const void* b) {
    switch (list->kind) {
        case SIFR_LIST_I64: {
            const int64_t x = *static_cast<const int64_t*>(a);
            const int64_t y = *static_cast<const int64_t*>(b);
            return x < y ? -1 : x > y ? 1 : 0;
        }
        case SIFR_LIST_F64: {
            const double x = *static_cast<const double*>(a);
            const double y = *static_cast<const double*>(b);
            return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
        }
        case SIFR_LIST_BOOL: {
            const int32_t x = *static_cast<const uint8_t*>(a);
            const int32_t y = *static_cast<const uint8_t*>(b);
            return x - y;
        }
        default: return sifr_str_compare(*static_cast<const sifr_str*>(a), *static_cast<const sifr_str*>(b));
    }
}

void append_element_str(Text& out, const sifr_list* list, const void* value) {
    switch (list->kind) {
        case SIFR_LIST_I64: out << *static_cast<const int64_t*>(value); break;
        case SIFR_LIST_F64: append_f64(out, *static_cast<const double*>(value)); break;
        case SIFR_LIST_BOOL: out << sifr_bool_str(*static_cast<const uint8_t*>(value) != 0); break;
        default: append_str_repr(out, *static_cast<const sifr_str*>(value)); break;
    }
}

/// A stable sort: of two sorted halves the right one's element is taken only where it stands strictly in front.
void merge_sort(const sifr_list* list, char* data, char* scratch, int64_t count, bool reverse) {
    if (count < 2) return;
    const int64_t size = list->element_bytes;
    const int64_t half = count / 2;
    merge_sort(list, data, scratch, half, reverse);
    merge_sort(list, data + half * size, scratch, count - half, reverse);
    memcpy(scratch, data, static_cast<size_t>(half * size));
    int64_t left = 0;
    int64_t right = half;
    for (int64_t at = 0; left < half; ++at) {
        // Reversed, the order of equal elements stays: Python sorts the mirrored list and mirrors the result.
        const bool take_right = right < count && order(list, data + right * size, scratch + left * size) == (reverse ? 1 : -1);
        memcpy(data + at * size, take_right ? data + right * size : scratch + left * size, static_cast<size_t>(size));
        (take_right ? right : left) += 1;
    }
}

sifr_status extreme(const sifr_list* list, int32_t wanted, const char* message, int64_t* out) {
    if (list->length == 0) return fail(SIFR_VALUE_ERROR, message);
    int64_t best = 0;
    for (int64_t k = 1; k < list->length; ++k) {
        if (order(list, list->at(k), list->at(best)) == wanted) best = k;
    }
    *out = best;
    return SIFR_OK;
}

}  // namespace

extern "C" {

sifr_list* sifr_list_new(int32_t kind, int64_t element_bytes) {
    static constexpr int64_t bytes[] = {8, 8, 1, sizeof(sifr_str)};
    sifr_list* list = static_cast<sifr_list*>(grow_memory(nullptr, sizeof(sifr_list)));
    *list = {kind, kind == SIFR_LIST_TENSOR ? element_bytes : bytes[kind], 0, {}};
    adopt_list(list);
    return list;
}

void sifr_list_free(sifr_list* list) {
    if (list == nullptr) return;
    sifr_list_clear(list);
    list->bytes.free_memory();
    free(list);
}

int64_t sifr_list_length(const sifr_list* list) {
    return list->length;
}

void* sifr_list_data(sifr_list* list) {
    return list->bytes.data;
}

void sifr_list_clear(sifr_list* list) {
    for (int64_t k = 0; k < list->length; ++k) drop(list, k);
    list->length = 0;
    list->bytes.size = 0;
}

sifr_list* sifr_list_of_tensor(const sifr_tensor* tensor) {
    const bool floats = tensor->dtype == SIFR_F16 || tensor->dtype == SIFR_BF16 || tensor->dtype == SIFR_F32 || tensor->dtype == SIFR_F64;
    const bool bools = tensor->dtype == SIFR_BOOL;
    sifr_list* list = sifr_list_new(floats ? SIFR_LIST_F64 : bools ? SIFR_LIST_BOOL : SIFR_LIST_I64, 0);
    const int64_t n = sifr_tensor_numel(tensor);
    for (int64_t k = 0; k < n; ++k) {
        if (floats) sifr_list_append_f64(list, sifr_load_f64(tensor, k));
        else if (bools) sifr_list_append_bool(list, sifr_load_i64(tensor, k) != 0);
        else sifr_list_append_i64(list, sifr_load_i64(tensor, k));
    }
    return list;
}

void sifr_list_append_i64(sifr_list* list, int64_t value) {
    put(list, grow(list, 1), &value);
}

void sifr_list_append_f64(sifr_list* list, double value) {
    put(list, grow(list, 1), &value);
}

void sifr_list_append_bool(sifr_list* list, bool value) {
    const uint8_t byte = value ? 1 : 0;
    put(list, grow(list, 1), &byte);
}

void sifr_list_append_str(sifr_list* list, sifr_str value) {
    put(list, grow(list, 1), &value);
}

void sifr_list_append_tensor(sifr_list* list, const void* block) {
    put(list, grow(list, 1), block);
}

void sifr_list_extend(sifr_list* list, const sifr_list* other) {
    const int64_t count = other->length;
    const int64_t first = grow(list, count);  // `other` may be `list`: its memory may have moved, its first elements have not changed
    for (int64_t k = 0; k < count; ++k) put(list, first + k, other->at(k));
}

sifr_list* sifr_list_copy(const sifr_list* list) {
    sifr_list* copy = sifr_list_new(list->kind, list->element_bytes);
    sifr_list_extend(copy, list);
    return copy;
}

sifr_status sifr_list_slice(const sifr_list* list, int64_t start, int64_t stop, int64_t step, sifr_list** out) {
    if (step == SIFR_SLICE_NONE) step = 1;
    if (step == 0) return fail(SIFR_VALUE_ERROR, "slice step cannot be zero");
    const int64_t count = slice_bounds(list->length, step, start, stop);
    sifr_list* slice = sifr_list_new(list->kind, list->element_bytes);
    const int64_t first = grow(slice, count);
    for (int64_t k = 0; k < count; ++k) put(slice, first + k, list->at(start + k * step));
    *out = slice;
    return SIFR_OK;
}

sifr_status sifr_list_position(const sifr_list* list, int64_t index, int64_t* out) {
    return position_of(list, index, "list index out of range", out);
}

sifr_status sifr_list_get_i64(const sifr_list* list, int64_t index, int64_t* out) {
    int64_t position = 0;
    if (const sifr_status status = sifr_list_position(list, index, &position)) return status;
    *out = element<int64_t>(list, position);
    return SIFR_OK;
}

sifr_status sifr_list_get_f64(const sifr_list* list, int64_t index, double* out) {
    int64_t position = 0;
    if (const sifr_status status = sifr_list_position(list, index, &position)) return status;
    *out = element<double>(list, position);
    return SIFR_OK;
}

sifr_status sifr_list_get_bool(const sifr_list* list, int64_t index, bool* out) {
    int64_t position = 0;
    if (const sifr_status status = sifr_list_position(list, index, &position)) return status;
    *out = element<uint8_t>(list, position) != 0;
    return SIFR_OK;
}

sifr_status sifr_list_get_str(const sifr_list* list, int64_t index, sifr_str* out) {
    int64_t position = 0;
    if (const sifr_status status = sifr_list_position(list, index, &position)) return status;
    *out = sifr_str_copy(element<sifr_str>(list, position));
    return SIFR_OK;
}

sifr_status sifr_list_get_tensor(const sifr_list* list, int64_t index, const void** out) {
    int64_t position = 0;
    if (const sifr_status status = sifr_list_position(list, index, &position)) return status;
    *out = list->at(position);
    return SIFR_OK;
}

sifr_status sifr_list_set(sifr_list* list, int64_t index, const void* value) {
    int64_t position = 0;
    if (const sifr_status status = position_of(list, index, "list assignment index out of range", &position)) return status;
    sifr_str old = {nullptr, 0};
    if (list->kind == SIFR_LIST_STR) old = element<sifr_str>(list, position);
    put(list, position, value);  // before the old text is freed: it may be the value
    free(const_cast<char*>(old.data));
    return SIFR_OK;
}

sifr_status sifr_list_pop(sifr_list* list, int64_t index, void* out) {
    if (list->length == 0) return fail(SIFR_INDEX_ERROR, "pop from empty list");
    int64_t position = 0;
    if (const sifr_status status = position_of(list, index, "pop index out of range", &position)) return status;
    if (list->kind == SIFR_LIST_STR) {
        const sifr_str copy = sifr_str_copy(element<sifr_str>(list, position));
        drop(list, position);
        memcpy(out, &copy, sizeof copy);
    } else if (list->element_bytes > 0) {
        memcpy(out, list->at(position), static_cast<size_t>(list->element_bytes));
    }
    const int64_t behind = (list->length - position - 1) * list->element_bytes;
    if (behind > 0) memmove(list->at(position), list->at(position + 1), static_cast<size_t>(behind));
    --list->length;
    list->bytes.size = list->length * list->element_bytes;
    return SIFR_OK;
}

void sifr_list_insert(sifr_list* list, int64_t index, const void* value) {
    const int64_t length = list->length;
    if (index < 0) index += length;
    if (index < 0) index = 0;
    if (index > length) index = length;
    grow(list, 1);
    const int64_t behind = (length - index) * list->element_bytes;
    if (behind > 0) memmove(list->at(index + 1), list->at(index), static_cast<size_t>(behind));
    put(list, index, value);
}

void sifr_list_reverse(sifr_list* list) {
    Scratch<char> held(list->element_bytes);
    const auto size = static_cast<size_t>(list->element_bytes);
    for (int64_t low = 0, high = list->length - 1; low < high; ++low, --high) {
        memcpy(held.data, list->at(low), size);
        memcpy(list->at(low), list->at(high), size);
        memcpy(list->at(high), held.data, size);
    }
}

void sifr_list_sort(sifr_list* list, bool reverse) {
    Scratch<char> scratch(list->length / 2 * list->element_bytes);
    merge_sort(list, list->bytes.data, scratch.data, list->length, reverse);
}

sifr_list* sifr_list_order(const sifr_list* list, bool reverse) {
    const int64_t count = list->length;
    sifr_list* positions = sifr_list_new(SIFR_LIST_I64, 0);
    for (int64_t k = 0; k < count; ++k) sifr_list_append_i64(positions, k);
    auto* sorted = static_cast<int64_t*>(sifr_list_data(positions));
    Scratch<int64_t> scratch(count);
    // Merges runs of 1, 2, 4, … positions; of two equal elements the first stays in front.
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t low = 0; low < count; low += 2 * width) {
            const int64_t middle = low + width < count ? low + width : count;
            const int64_t high = low + 2 * width < count ? low + 2 * width : count;
            int64_t left = low;
            int64_t right = middle;
            for (int64_t at = low; at < high; ++at) {
                const bool take_right = left == middle || (right < high && order(list, list->at(sorted[right]), list->at(sorted[left])) == (reverse ? 1 : -1));
                scratch.data[at] = take_right ? sorted[right++] : sorted[left++];
            }
        }
        memcpy(sorted, scratch.data, static_cast<size_t>(count) * sizeof(int64_t));
    }
    return positions;
}

bool sifr_list_contains(const sifr_list* list, const void* value) {
    for (int64_t k = 0; k < list->length; ++k) {
        if (order(list, list->at(k), value) == 0) return true;
    }
    return false;
}

sifr_status sifr_list_index_of(const sifr_list* list, const void* value, int64_t* out) {
    for (int64_t k = 0; k < list->length; ++k) {
        if (order(list, list->at(k), value) != 0) continue;
        *out = k;
        return SIFR_OK;
    }
    Text message;
    append_element_str(message, list, value);
    message << " is not in list";
    return fail(SIFR_VALUE_ERROR, message);
}

int64_t sifr_list_count(const sifr_list* list, const void* value) {
    int64_t count = 0;
    for (int64_t k = 0; k < list->length; ++k) count += order(list, list->at(k), value) == 0 ? 1 : 0;
    return count;
}

sifr_status sifr_list_sum_i64(const sifr_list* list, int64_t* out) {
    int64_t sum = 0;
    for (int64_t k = 0; k < list->length; ++k) {
        const int64_t value = list->kind == SIFR_LIST_BOOL ? element<uint8_t>(list, k) : element<int64_t>(list, k);
        if (const sifr_status status = sifr_i64_add(sum, value, &sum)) return status;
    }
    *out = sum;
    return SIFR_OK;
}

sifr_status sifr_list_sum_f64(const sifr_list* list, double* out) {
    double sum = 0;
    for (int64_t k = 0; k < list->length; ++k) sum += element<double>(list, k);
    *out = sum;
    return SIFR_OK;
}

sifr_status sifr_list_argmin(const sifr_list* list, int64_t* out) {
    return extreme(list, -1, "min() arg is an empty sequence", out);
}

sifr_status sifr_list_argmax(const sifr_list* list, int64_t* out) {
    return extreme(list, 1, "max() arg is an empty sequence", out);
}

int32_t sifr_list_compare(const sifr_list* a, const sifr_list* b) {
    for (int64_t k = 0; k < a->length && k < b->length; ++k) {
        const int32_t result = order(a, a->at(k), b->at(k));
        if (result != 0) return result;
    }
    return a->length < b->length ? -1 : a->length > b->length ? 1 : 0;
}

sifr_str sifr_list_str(const sifr_list* list) {
    Text text;
    text << '[';
    for (int64_t k = 0; k < list->length; ++k) {
        if (k > 0) text << ", ";
        append_element_str(text, list, list->at(k));
    }
    text << ']';
    return text.done();
}

sifr_status sifr_str_split_words(sifr_str text, int64_t limit, sifr_list** out) { return sifr_str_split(text, {nullptr, 0}, limit, out); }

sifr_status sifr_str_split(sifr_str text, sifr_str separator, int64_t limit, sifr_list** out) {
    if (separator.data != nullptr && separator.size == 0) return fail(SIFR_VALUE_ERROR, "empty separator");
    sifr_list* parts = sifr_list_new(SIFR_LIST_STR, 0);
    if (limit < 0) limit = INT64_MAX;
    if (separator.data != nullptr) {
        for (; limit > 0; --limit) {
            const void* match = memmem(text.data, static_cast<size_t>(text.size), separator.data, static_cast<size_t>(separator.size));
            const char* found = static_cast<const char*>(match);
            if (found == nullptr) break;
            sifr_list_append_str(parts, {text.data, found - text.data});
            const char* rest = found + separator.size;
            text = {rest, text.data + text.size - rest};
        }
        sifr_list_append_str(parts, text);
        *out = parts;
        return SIFR_OK;
    }
    for (text = sifr_str_lstrip(text, {nullptr, 0}); text.size > 0; text = sifr_str_lstrip(text, {nullptr, 0})) {
        if (limit-- == 0) {
            sifr_list_append_str(parts, text);  // what is left keeps its white space at the end
            break;
        }
        const char* p = text.data;
        const char* end = text.data + text.size;
        const char* word_end = p;
        while (p < end && !is_space(next_code_point(p, end))) word_end = p;
        sifr_list_append_str(parts, {text.data, word_end - text.data});
        text = {word_end, end - word_end};
    }
    *out = parts;
    return SIFR_OK;
}

}  // extern "C"
