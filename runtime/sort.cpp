// sort, topk, kthvalue, median, mode: one row along an axis at a time.
//
// Where PyTorch's order of equal elements is that of an unstable library algorithm (topk, median, mode), the same algorithm of the same
// library is used, on the same comparisons.

#include <algorithm>

#include "runtime/radix.h"

using namespace sifr::rt;

namespace {

template <class Key>
void load_row(const Rows& rows, int64_t row, Scratch<Keyed<Key>>& items) {
    const int64_t start = rows.start(row);
    items.resize(rows.size);
    for (int64_t k = 0; k < rows.size; ++k) {
        load_key(rows.t, start + k * rows.step, items[k].key);
        items[k].index = k;
    }
}

/// Writes the chosen ones of a row: `count` positions.
template <class Key>
void store_row(const Rows& in, int64_t row, const Keyed<Key>* chosen, int64_t count, int32_t dim, const sifr_tensor* values,
               const sifr_tensor* indices) {
    const int64_t start = in.start(row);
    if (values != nullptr && values->data != nullptr) {
        const Rows out(*values, dim);
        const int64_t to = out.start(row);
        for (int64_t k = 0; k < count; ++k) copy_element(in.t, start + chosen[k].index * in.step, *values, to + k * out.step);
    }
    if (indices != nullptr && indices->data != nullptr) {
        const Rows out(*indices, dim);
        const int64_t to = out.start(row);
        for (int64_t k = 0; k < count; ++k) static_cast<int64_t*>(indices->data)[to + k * out.step] = chosen[k].index;
    }
}

template <class Key>
bool item_less(const Keyed<Key>& a, const Keyed<Key>& b) {
    return less(a.key, b.key);
}
template <class Key>
bool item_greater(const Keyed<Key>& a, const Keyed<Key>& b) {
    return greater(a.key, b.key);
}

template <class Key, class Before>
void top_of_row(Keyed<Key>* items, int64_t size, int64_t k, bool sorted, Before before) {
    if (k * 64 <= size) {
        std::partial_sort(items, items + k, items + size, before);
        return;
    }
    std::nth_element(items, items + k - 1, items + size, before);
    if (sorted) std::sort(items, items + k - 1, before);
}

/// Partitions so that position k holds what a sort would put there. Hoare's selection with the median of three as pivot; which of
/// several equal elements ends there is part of the result.
template <class Key>
void select_position(Scratch<Keyed<Key>>& items, int64_t k) {
    int64_t low = 0;
    int64_t high = items.size - 1;
    const auto after = [&](int64_t a, int64_t b) { return greater(items[a].key, items[b].key); };
    const auto swap = [&](int64_t a, int64_t b) { std::swap(items[a], items[b]); };
    while (high > low + 1) {
        swap(low + (high - low) / 2, low + 1);
        if (after(low + 1, high)) swap(low + 1, high);
        if (after(low, high)) swap(low, high);
        if (after(low + 1, low)) swap(low + 1, low);
        const Key pivot = items[low].key;
        int64_t up = low + 1;
        int64_t down = high;
        for (;;) {
            do ++up;
            while (greater(pivot, items[up].key));
            do --down;
            while (greater(items[down].key, pivot));
            if (down < up) break;
            swap(up, down);
        }
        swap(low, down);
        if (down <= k) low = up;
        if (down >= k) high = down - 1;
    }
    if (high == low + 1 && after(low, high)) swap(low, high);
}

}  // namespace

extern "C" {

void sifr_sort(const sifr_tensor* in, int32_t dim, bool descending, const sifr_tensor* values, const sifr_tensor* indices) {
    const Rows rows(*in, dim);
    with_key(in->dtype, [&](auto kind) {
        Scratch<Keyed<uint64_t>> items(rows.size);
        Scratch<Keyed<uint64_t>> other(rows.size);
        for (int64_t row = 0; row < rows.count && rows.size > 0; ++row) {
            const int64_t start = rows.start(row);
            for (int64_t k = 0; k < rows.size; ++k) {
                decltype(kind) key{};
                load_key(rows.t, start + k * rows.step, key);
                const uint64_t bits = ordered_bits(key);
                items[k] = {descending ? ~bits : bits, k};
            }
            radix_sort(items.data, other.data, rows.size);
            store_row(rows, row, items.data, rows.size, dim, values, indices);
        }
    });
}

void sifr_topk(const sifr_tensor* in, int32_t dim, int64_t k, bool largest, bool sorted, const sifr_tensor* values,
               const sifr_tensor* indices) {
    const Rows rows(*in, dim);
    if (in->ndim == 0) k = 1;  // a 0-d tensor gives itself, whatever k says
    with_key(in->dtype, [&](auto kind) {
        using Key = decltype(kind);
        Scratch<Keyed<Key>> items;
        for (int64_t row = 0; row < rows.count && k > 0; ++row) {
            load_row(rows, row, items);
            if (largest) {
                top_of_row(items.data, rows.size, k, sorted, item_greater<Key>);
            } else {
                top_of_row(items.data, rows.size, k, sorted, item_less<Key>);
            }
            store_row(rows, row, items.data, k, dim, values, indices);
        }
    });
}

void sifr_kthvalue(const sifr_tensor* in, int32_t dim, int64_t k, const sifr_tensor* values, const sifr_tensor* indices) {
    const Rows rows(*in, dim);
    with_key(in->dtype, [&](auto kind) {
        Scratch<Keyed<decltype(kind)>> items;
        for (int64_t row = 0; row < rows.count; ++row) {
            load_row(rows, row, items);
            select_position(items, k - 1);
            store_row(rows, row, items.data + k - 1, 1, dim, values, indices);
        }
    });
}

void sifr_median(const sifr_tensor* in, int32_t dim, const sifr_tensor* values, const sifr_tensor* indices) {
    const Rows rows(*in, dim);
    with_key(in->dtype, [&](auto kind) {
        using Key = decltype(kind);
        Scratch<Keyed<Key>> items;
        for (int64_t row = 0; row < rows.count; ++row) {
            load_row(rows, row, items);
            int64_t chosen = 0;
            while (chosen < rows.size && !is_nan(items[chosen].key)) ++chosen;
            if (chosen == rows.size) {
                chosen = (rows.size - 1) / 2;
                // Of equal elements, the one that a stable sort puts there.
                std::nth_element(items.data, items.data + chosen, items.data + rows.size, [](const Keyed<Key>& a, const Keyed<Key>& b) {
                    return a.key < b.key || (a.key == b.key && a.index < b.index);
                });
            }
            store_row(rows, row, items.data + chosen, 1, dim, values, indices);
        }
    });
}

void sifr_mode(const sifr_tensor* in, int32_t dim, const sifr_tensor* values, const sifr_tensor* indices) {
    const Rows rows(*in, dim);
    with_key(in->dtype, [&](auto kind) {
        using Key = decltype(kind);
        Scratch<Keyed<Key>> items;
        for (int64_t row = 0; row < rows.count; ++row) {
            load_row(rows, row, items);
            // By `<` alone, as PyTorch: a NaN stays about where it is.
            std::sort(items.data, items.data + rows.size, [](const Keyed<Key>& a, const Keyed<Key>& b) { return a.key < b.key; });
            int64_t best = 0;
            int64_t most = 0;
            int64_t run = 0;
            for (int64_t k = 0; k < rows.size; ++k) {
                ++run;
                if (k + 1 < rows.size && items[k].key == items[k + 1].key) continue;
                if (run > most) {
                    most = run;
                    best = k;
                }
                run = 0;
            }
            store_row(rows, row, items.data + best, 1, dim, values, indices);
        }
    });
}

}  // extern "C"
