#pragma once

#include "ir/op/rules/nn_rules.h"

// Sliding windows are an extract that overlaps itself; what they give back is an `insert_add` through the same layout.

namespace sifr::rules {

inline Sizes join(Sizes a, const Sizes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
inline Sizes first_axes(const Sizes& s, int64_t n) { return {s.begin(), s.begin() + n}; }
inline Sizes last_axes(const Sizes& s, int64_t n) { return {s.end() - n, s.end()}; }

/// `x` (lead axes, then the windowed ones) with `fill` around it.
inline V pad_around(V x, const Windows& w, double fill) {
    if (!w.padded()) return x;
    Sizes lead = first_axes(sizes_of(x), rank_of(x) - w.rank());
    Sizes frame = lead;
    for (int64_t s : w.padded_input()) frame.push_back(s);
    Layout inner = Layout::contiguous(frame);
    inner.sizes = sizes_of(x);
    for (size_t d = 0; d < w.padding.size(); ++d) inner.offset += w.padding[d] * inner.strides[lead.size() + d];
    return insert(full_of(*x.b, dtype_of(x), frame, fill), inner, x);
}
inline V without_padding(V padded, const Windows& w, const Sizes& lead) {
    if (!w.padded()) return padded;
    Layout inner = Layout::contiguous(sizes_of(padded));
    for (size_t d = 0; d < w.padding.size(); ++d) {
        inner.offset += w.padding[d] * inner.strides[lead.size() + d];
        inner.sizes[lead.size() + d] = w.input[d];
    }
    return extract(padded, inner);
}
/// lead, windows, kernel
inline V windows_over(V x, const Windows& w, double fill) {
    Sizes lead = first_axes(sizes_of(x), rank_of(x) - w.rank());
    return extract(pad_around(x, w, fill), w.layout(lead));
}
/// The transpose of `windows_over`: each window's elements are added where they came from. An element of the input takes its windows in
/// their order; with the last place of the kernel first, that is one whole plane of windows after the other.
inline V fold(V pieces, const Windows& w, const Sizes& lead) {
    Sizes frame = lead;
    for (int64_t s : w.padded_input()) frame.push_back(s);
    const size_t first = lead.size(), rank = w.kernel.size();
    auto kernel_outside = [&](const Layout& l) {
        Layout out = l;
        for (size_t d = 0; d < rank; ++d) {
            const size_t kernel = first + rank + d, window = first + d;
            out.offset += l.strides[kernel] * (l.sizes[kernel] - 1);
            out.sizes[first + d] = l.sizes[kernel];
            out.strides[first + d] = -l.strides[kernel];
            out.sizes[first + rank + d] = l.sizes[window];
            out.strides[first + rank + d] = l.strides[window];
        }
        return out;
    };
    V planes = extract(pieces, kernel_outside(Layout::contiguous(sizes_of(pieces))));
    return without_padding(insert_add(zeros(pieces, frame), kernel_outside(w.layout(lead)), planes), w, lead);
}

}  // namespace sifr::rules
