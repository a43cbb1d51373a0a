// matmul, einsum, tensordot: written in mm, bmm, mv and dot, with the reshapes that PyTorch makes around them.

#include <algorithm>
#include <map>
#include <set>

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/run_time_sizes.h"

namespace sifr::capture {
namespace {

Sizes sizes_of(Interpreter& in, PyValue t) { return static_sizes(in, t, "a product"); }
PyValue permute(Interpreter& in, PyValue t, std::vector<int64_t> dims) { return emit_one(in, "permute"_op, {t}, attrs({{"dims", std::move(dims)}})); }
PyValue swap_last(Interpreter& in, PyValue t) { return emit_one(in, "transpose"_op, {t}, attrs({{"dim0", int64_t{-2}}, {"dim1", int64_t{-1}}})); }
PyValue unsqueeze(Interpreter& in, PyValue t, int64_t dim) { return emit_one(in, "unsqueeze"_op, {t}, attrs({{"dim", dim}})); }
PyValue squeeze(Interpreter& in, PyValue t, int64_t dim) { return emit_one(in, "squeeze.dim"_op, {t}, attrs({{"dim", dim}})); }
PyValue expand_to(Interpreter& in, PyValue t, const Sizes& sizes) { return emit_one(in, "expand"_op, {t}, attrs({{"size", sizes}})); }

/// PyTorch's should_fold: a batch of matrices times one matrix (or vector) as one product of the folded batch.
bool should_fold(Interpreter& in, PyValue a, PyValue b) {
    bool a_larger = type_of(in, a).rank() >= type_of(in, b).rank();
    PyValue larger = a_larger ? a : b, smaller = a_larger ? b : a;
    if (type_of(in, larger).rank() < 3 || type_of(in, smaller).rank() > 2) return false;
    if (requires_grad(in, smaller)) return true;
    if (type_of(in, a).rank() == 2) return false;
    Layout layout = layout_of(in, larger);
    if (!a_larger) {
        std::swap(layout.sizes[layout.sizes.size() - 1], layout.sizes[layout.sizes.size() - 2]);
        std::swap(layout.strides[layout.strides.size() - 1], layout.strides[layout.strides.size() - 2]);
    }
    if (layout.numel() == 0) return true;
    for (size_t d = 0; d + 2 < layout.sizes.size(); ++d)
        if (layout.strides[d] != layout.strides[d + 1] * layout.sizes[d + 1]) return false;
    return true;
}

PyValue fold_matmul(Interpreter& in, PyValue a, PyValue b) {
    bool transposed = type_of(in, a).rank() < type_of(in, b).rank();
    PyValue t1 = transposed ? swap_last(in, b) : a;
    PyValue t2 = !transposed ? b : type_of(in, a).rank() == 2 ? emit_one(in, "t"_op, {a}) : a;
    Sizes s1 = sizes_of(in, t1);
    bool matrix = type_of(in, t2).rank() == 2;
    Sizes out(s1.begin(), s1.end() - 1);
    int64_t folded = element_count(out);
    if (matrix) out.push_back(sizes_of(in, t2)[1]);
    PyValue flat = reshape(in, t1, {folded, s1.back()});
    PyValue product = unsafe_view(in, call_rows(in, matrix ? "mm" : "mv", {flat, t2}), out);
    return transposed && matrix ? contiguous(in, swap_last(in, product)) : product;
}

PyValue batched_matmul(Interpreter& in, PyValue a, PyValue b);

}  // namespace

namespace {

/// At the bounds, with zeros behind the sizes, which add nothing.
PyValue matmul_run_time(Interpreter& in, PyValue a, PyValue b) {
    Values x = shape_of(in, a), y = shape_of(in, b);
    const size_t inner_b = y.size() > 1 ? y.size() - 2 : 0;
    if (type_of(in, a).sizes.back() != type_of(in, b).sizes[inner_b]) throw NotSupported("a product along a run-time size of two bounds");
    if (x.back().is_dynamic() || y[inner_b].is_dynamic())
        in.check(in.compare(syntax::CompareOp::Eq, x.back(), y[inner_b]), "RuntimeError", "mat1 and mat2 shapes cannot be multiplied along {} and {}", {x.back(), y[inner_b]});
    PyValue made = matmul(in, zero_behind(in, a), zero_behind(in, b));
    Values sizes = shape_of(in, made);
    // Seen from the end: the columns of b, the rows of a, and the batch of either.
    size_t tail = (y.size() > 1 ? 1 : 0) + (x.size() > 1 ? 1 : 0);
    if (y.size() > 1 && y.back().is_dynamic()) sizes.back() = y.back();
    if (x.size() > 1 && x[x.size() - 2].is_dynamic()) sizes[sizes.size() - tail] = x[x.size() - 2];
    for (const Values* s : {&x, &y})
        for (size_t k = 3; k <= s->size(); ++k) {
            PyValue n = (*s)[s->size() - k];
            if (n.is_dynamic()) sizes[sizes.size() - tail - (k - 2)] = n;
        }
    return with_sizes(in, made, sizes, "UnsafeViewBackward0");
}

}  // namespace

PyValue matmul(Interpreter& in, PyValue a, PyValue b) {
    int ra = type_of(in, a).rank(), rb = type_of(in, b).rank();
    if (ra == 0 || rb == 0) raise("RuntimeError", "both arguments to matmul need to be at least 1D, but they are {}D and {}D", ra, rb);
    if (ra == 1 && rb == 1) return call_rows(in, "dot", {a, b});
    if (ra == 2 && rb == 1) return call_rows(in, "mv", {a, b});
    if (ra == 1 && rb == 2) return squeeze(in, call_rows(in, "mm", {unsqueeze(in, a, 0), b}), 0);
    if (ra == 2 && rb == 2) return call_rows(in, "mm", {a, b});
    if (has_run_time_size(in, a) || has_run_time_size(in, b)) return matmul_run_time(in, a, b);
    if (should_fold(in, a, b)) return fold_matmul(in, a, b);
    return batched_matmul(in, a, b);
}

namespace {

PyValue batched_matmul(Interpreter& in, PyValue a, PyValue b) {
    const Sizes sa = sizes_of(in, a), sb = sizes_of(in, b);
    size_t ra = sa.size(), rb = sb.size();
    if (ra == 3 && rb == 3 && sa[0] != sb[0]) {
        if (sa[0] == 1 && requires_grad(in, a)) return matmul(in, squeeze(in, a, 0), b);
        if (sb[0] == 1 && requires_grad(in, b)) return matmul(in, a, squeeze(in, b, 0));
    }
    int64_t n = ra > 1 ? sa[ra - 2] : 1, m1 = sa.back(), m2 = rb > 1 ? sb[rb - 2] : sb.back(), p = rb > 1 ? sb.back() : 1;
    Sizes batch = broadcast(Sizes(sa.begin(), sa.end() - std::min<ptrdiff_t>(2, static_cast<ptrdiff_t>(ra))), Sizes(sb.begin(), sb.end() - std::min<ptrdiff_t>(2, static_cast<ptrdiff_t>(rb))));
    int64_t count = element_count(batch);
    auto with = [&](std::initializer_list<int64_t> tail) {
        Sizes s = batch;
        s.insert(s.end(), tail);
        return s;
    };
    bool vector = rb == 1;
    PyValue x = reshape(in, expand_to(in, a, with({n, m1})), {count, n, m1});
    PyValue y = vector ? unsqueeze(in, reshape(in, expand_to(in, b, with({m2})), {count, m2}), 2) : reshape(in, expand_to(in, b, with({m2, p})), {count, m2, p});
    Sizes out = batch;
    if (ra > 1) out.push_back(n);
    if (rb > 1) out.push_back(p);
    PyValue product = call_rows(in, "bmm", {x, y});
    return unsafe_view(in, vector ? squeeze(in, product, -1) : product, out);
}

// ---------------------------------------------------------------------------------------------- einsum

PyValue sum_dims(Interpreter& in, PyValue t, const std::vector<int64_t>& dims, bool keep) {
    return emit_one(in, "sum.dim"_op, {t}, attrs({{"dim", dims}, {"keepdim", keep}}));
}

/// The product of two tensors of one rank, summed over `sums` (kept as size 1): one bmm over (batch, left, sum) × (batch, sum, right).
PyValue sum_product(Interpreter& in, PyValue left, PyValue right, const std::vector<int64_t>& sums) {
    if (sums.empty()) return call_rows(in, "mul", {left, right});
    auto rank = static_cast<int64_t>(sizes_of(in, left).size());
    std::vector<int64_t> batch, only_left, only_right, both;
    int64_t batch_size = 1, left_size = 1, right_size = 1, sum_size = 1;
    for (int64_t d = 0; d < rank; ++d) {
        int64_t l = sizes_of(in, left)[static_cast<size_t>(d)], r = sizes_of(in, right)[static_cast<size_t>(d)];
        bool summed = std::find(sums.begin(), sums.end(), d) != sums.end();
        if (summed) {
            if (l != 1 && r != 1) {
                both.push_back(d);
                sum_size *= l;
            } else if (l != 1) {
                left = sum_dims(in, left, {d}, true);
            } else if (r != 1) {
                right = sum_dims(in, right, {d}, true);
            }
        } else if (l != 1 && r != 1) {
            batch.push_back(d);
            batch_size *= l;
        } else if (l != 1) {
            only_left.push_back(d);
            left_size *= l;
        } else {
            only_right.push_back(d);
            right_size *= r;
        }
    }
    auto joined = [](std::initializer_list<std::vector<int64_t>> parts) {
        std::vector<int64_t> out;
        for (const auto& p : parts) out.insert(out.end(), p.begin(), p.end());
        return out;
    };
    Sizes out_sizes;
    for (int64_t d : batch) out_sizes.push_back(sizes_of(in, left)[static_cast<size_t>(d)]);
    for (int64_t d : only_left) out_sizes.push_back(sizes_of(in, left)[static_cast<size_t>(d)]);
    for (size_t k = 0; k < sums.size(); ++k) out_sizes.push_back(1);
    for (int64_t d : only_right) out_sizes.push_back(sizes_of(in, right)[static_cast<size_t>(d)]);
    std::vector<int64_t> all_sums = both, order = joined({batch, only_left, sums, only_right}), back(order.size());
    for (size_t k = 0; k < order.size(); ++k) back[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
    std::vector<int64_t> rest_sums;
    for (int64_t d : sums)
        if (std::find(both.begin(), both.end(), d) == both.end()) rest_sums.push_back(d);
    if (both.empty())
        return permute(in,
                       emit_one(in, "view"_op, {call_rows(in, "mul", {permute(in, left, order), permute(in, right, order)})},
                                attrs({{"size", out_sizes}})),
                       back);
    PyValue l =
        reshape(in, permute(in, left, joined({batch, only_left, all_sums, rest_sums, only_right})), {batch_size, left_size, sum_size});
    PyValue r =
        reshape(in, permute(in, right, joined({batch, all_sums, rest_sums, only_right, only_left})), {batch_size, sum_size, right_size});
    PyValue product = call_rows(in, "bmm", {l, r});
    return permute(in, emit_one(in, "view"_op, {product}, attrs({{"size", out_sizes}})), back);
}

struct Equation {
    std::vector<std::string> inputs;
    std::string output;
};

/// Letters per operand, with `...` spelt out as letters of its own, the same ones for axes that are aligned.
Equation parse(Interpreter& in, std::string text, const Values& operands) {
    std::erase(text, ' ');
    size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow);
    Equation e;
    size_t start = 0;
    while (true) {
        size_t comma = left.find(',', start);
        e.inputs.push_back(left.substr(start, comma == std::string::npos ? comma : comma - start));
        if (comma == std::string::npos) break;
        start = comma + 1;
    }
    if (e.inputs.size() > operands.size()) raise("RuntimeError", "einsum(): more subscripts than operands were provided");
    if (e.inputs.size() < operands.size()) raise("RuntimeError", "einsum(): more operands were provided than specified in the equation");
    size_t most = 0;
    auto dots_of = [](const std::string& s) { return s.find("..."); };
    for (size_t k = 0; k < operands.size(); ++k) {
        const std::string& s = e.inputs[k];
        size_t rank = sizes_of(in, operands[k]).size();
        bool dots = dots_of(s) != std::string::npos;
        size_t letters = dots ? s.size() - 3 : s.size();
        for (char c : s)
            if (!std::isalpha(static_cast<unsigned char>(c)) && c != '.') raise("RuntimeError", "einsum(): invalid subscript given at index {} in the equation string, subscripts must be in [a-zA-Z]", s.find(c));
        if (!dots && letters != rank)
            raise("RuntimeError", "einsum(): the number of subscripts in the equation ({}) does not match the number of dimensions ({}) for operand {} and no ellipsis was given", letters, rank, k);
        if (dots && letters > rank) raise("RuntimeError", "einsum(): the number of subscripts in the equation ({}) is more than the number of dimensions ({}) for operand {}", letters, rank, k);
        if (dots) most = std::max(most, rank - letters);
    }
    // Characters that no subscript can be stand for the axes of `...`.
    std::string ellipsis;
    for (size_t k = 0; k < most; ++k) ellipsis += static_cast<char>(1 + k);
    for (size_t k = 0; k < operands.size(); ++k) {
        std::string& s = e.inputs[k];
        if (size_t at = dots_of(s); at != std::string::npos) {
            size_t count = sizes_of(in, operands[k]).size() - (s.size() - 3);
            s.replace(at, 3, ellipsis.substr(most - count));
        }
    }
    if (arrow != std::string::npos) {
        e.output = text.substr(arrow + 2);
        if (size_t at = dots_of(e.output); at != std::string::npos) e.output.replace(at, 3, ellipsis);
        for (char c : e.output) {
            if (std::count(e.output.begin(), e.output.end(), c) > 1) raise("RuntimeError", "einsum(): output subscript {} appears more than once in the output", c);
            if (std::none_of(e.inputs.begin(), e.inputs.end(), [&](const std::string& s) { return s.find(c) != std::string::npos; }))
                raise("RuntimeError", "einsum(): output subscript {} does not appear in the equation for any input operand", c);
        }
        return e;
    }
    std::map<char, int> counts;
    for (const std::string& s : e.inputs)
        for (char c : s) ++counts[c];
    e.output = ellipsis;
    for (auto [c, n] : counts)
        if (n == 1 && ellipsis.find(c) == std::string::npos) e.output += c;
    return e;
}

/// `einsum(a, [0, 1], b, [1, 2], [0, 2])` as an equation and operands: 0 … 51 are A … Z, a … z.
std::string equation_of_lists(Interpreter& in, const Values& given, Values& operands) {
    auto letters = [&](PyValue list, const char* what) {
        std::string out;
        for (PyValue s : in.iterate(list)) {
            if (s.is(Kind::Ellipsis)) {
                out += "...";
                continue;
            }
            const int64_t n = in.need_int(s, "a subscript");
            if (n < 0 || n >= 52) raise("ValueError", "einsum(): subscript in {} is not within the valid range [0, 52)", what);
            out += static_cast<char>(n < 26 ? 'A' + n : 'a' + n - 26);
        }
        return out;
    };
    std::string equation;
    size_t k = 0;
    for (; k + 1 < given.size(); k += 2) {
        if (k > 0) equation += ',';
        operands.push_back(given[k]);
        equation += letters(given[k + 1], "subscript list");
    }
    if (k < given.size()) equation += "->" + letters(given[k], "output list");
    return equation;
}

PyValue einsum(Interpreter& in, Args& args) {
    if (args.size() < 1)
        raise("ValueError",
              "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list");
    Values operands;
    std::string equation;
    if (args[0].is(Kind::Tensor)) {
        if (args.size() < 2)
            raise("ValueError",
                  "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list");
        equation = equation_of_lists(in, args.positional, operands);
    } else {
        equation = in.need_str(args[0], "the equation");
        operands.assign(args.positional.begin() + 1, args.positional.end());
    }
    if (operands.size() == 1 && (operands[0].is(Kind::List) || operands[0].is(Kind::Tuple))) operands = in.iterate(operands[0]);
    if (operands.empty()) raise("ValueError", "einsum(): must provide at least one operand");
    Equation e = parse(in, equation, operands);
    // All letters: those of the output first, then the summed ones in order of appearance.
    std::string letters = e.output;
    for (const std::string& s : e.inputs)
        for (char c : s)
            if (letters.find(c) == std::string::npos) letters += c;
    std::map<char, int64_t> extent;
    for (size_t k = 0; k < operands.size(); ++k) {
        std::string s = e.inputs[k];
        // A letter that stands twice takes the diagonal.
        for (size_t i = 0; i < s.size(); ++i)
            for (size_t j = s.find(s[i], i + 1); j != std::string::npos; j = s.find(s[i], i + 1)) {
                const Sizes sizes = sizes_of(in, operands[k]);
                if (sizes[i] != sizes[j]) raise("RuntimeError", "einsum(): subscript {} is repeated for operand {} but the sizes don't match, {} != {}", s[i], k, sizes[j], sizes[i]);
                PyValue d = emit_one(in, "diagonal"_op, {operands[k]}, attrs({{"offset", int64_t{0}}, {"dim1", static_cast<int64_t>(i)}, {"dim2", static_cast<int64_t>(j)}}));
                s.erase(j, 1);
                int64_t last = static_cast<int64_t>(s.size()) - 1;
                operands[k] = emit_one(in, "movedim"_op, {d}, attrs({{"source", last}, {"destination", static_cast<int64_t>(i)}}));
            }
        std::vector<int64_t> order;
        std::vector<size_t> missing;
        for (size_t p = 0; p < letters.size(); ++p) {
            size_t at = s.find(letters[p]);
            if (at == std::string::npos) missing.push_back(p);
            else order.push_back(static_cast<int64_t>(at));
        }
        const Sizes sizes = sizes_of(in, operands[k]);
        for (size_t i = 0; i < s.size(); ++i) {
            auto [at, fresh] = extent.try_emplace(s[i], sizes[i]);
            if (fresh || sizes[i] == at->second || sizes[i] == 1) continue;
            if (at->second != 1) raise("RuntimeError", "einsum(): subscript {} has size {} for operand {} which does not broadcast with previously seen size {}", s[i], sizes[i], k, at->second);
            at->second = sizes[i];
        }
        if (!std::is_sorted(order.begin(), order.end())) operands[k] = permute(in, operands[k], order);
        for (size_t p : missing) operands[k] = unsqueeze(in, operands[k], static_cast<int64_t>(p));
    }
    std::vector<int> last_use(letters.size(), -1);
    for (size_t k = 0; k < operands.size(); ++k)
        for (size_t p = e.output.size(); p < letters.size(); ++p)
            if (e.inputs[k].find(letters[p]) != std::string::npos) last_use[p] = static_cast<int>(k);
    PyValue result = operands[0];
    std::vector<int64_t> open;
    for (size_t p = e.output.size(); p < letters.size(); ++p) {
        if (last_use[p] == 0) open.push_back(static_cast<int64_t>(p));
    }
    if (!open.empty() && operands.size() > 1) result = sum_dims(in, result, open, true);
    for (size_t k = 1; k < operands.size(); ++k) {
        std::vector<int64_t> sums;
        for (size_t p = e.output.size(); p < letters.size(); ++p)
            if (last_use[p] == static_cast<int>(k)) sums.push_back(static_cast<int64_t>(p));
        result = sum_product(in, result, operands[k], sums);
    }
    std::vector<int64_t> gone;
    for (size_t p = e.output.size(); p < letters.size(); ++p) gone.push_back(static_cast<int64_t>(p));
    if (gone.empty()) return result;
    if (operands.size() == 1) return sum_dims(in, result, gone, false);
    return emit_one(in, "squeeze.dim"_op, {result}, attrs({{"dim", gone}}));
}

PyValue tensordot(Interpreter& in, Args& args) {
    ArgReader a(in, args, "tensordot(a, b, dims=2)");
    PyValue x = a["a"], y = a["b"], dims = a.has("dims") ? a["dims"] : PyValue::integer(2);
    auto rank_x = static_cast<int64_t>(sizes_of(in, x).size()), rank_y = static_cast<int64_t>(sizes_of(in, y).size());
    std::vector<int64_t> dims_x, dims_y;
    if (dims.is(Kind::Int)) {
        int64_t n = dims.as_int();
        if (n < 0) raise("RuntimeError", "tensordot expects dims >= 0, but got dims={}", n);
        if (n > std::min(rank_x, rank_y)) raise("RuntimeError", "tensordot expects dims < ndim_a or ndim_b, but got dims={}", n);
        for (int64_t k = 0; k < n; ++k) dims_x.push_back(k - n), dims_y.push_back(k);
    } else {
        Values two = in.iterate(dims);
        if (two.size() != 2) raise("RuntimeError", "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got dims={}", in.static_repr(dims));
        dims_x = to_sizes(in, two[0], "dims"), dims_y = to_sizes(in, two[1], "dims");
    }
    if (dims_x.size() != dims_y.size()) raise("RuntimeError", "both dimension lists should have same length");
    if (type_of(in, x).dtype != type_of(in, y).dtype) raise("RuntimeError", "both inputs should have same dtype");
    const std::vector<int64_t> given_x = dims_x, given_y = dims_y;
    auto normalize = [](std::vector<int64_t>& d, int64_t rank) { for (int64_t& v : d) v = normalize_dim(v, rank); };
    normalize(dims_x, rank_x), normalize(dims_y, rank_y);
    std::vector<int64_t> order_x, order_y = dims_y;
    Sizes out;
    int64_t m = 1, n = 1, k = 1;
    for (int64_t d = 0; d < rank_x; ++d)
        if (std::find(dims_x.begin(), dims_x.end(), d) == dims_x.end()) order_x.push_back(d), out.push_back(sizes_of(in, x)[static_cast<size_t>(d)]), m *= out.back();
    for (int64_t d = 0; d < rank_y; ++d)
        if (std::find(dims_y.begin(), dims_y.end(), d) == dims_y.end()) order_y.push_back(d), out.push_back(sizes_of(in, y)[static_cast<size_t>(d)]), n *= out.back();
    for (size_t i = 0; i < dims_x.size(); ++i) {
        int64_t sx = sizes_of(in, x)[static_cast<size_t>(dims_x[i])], sy = sizes_of(in, y)[static_cast<size_t>(dims_y[i])];
        if (sx != sy) raise("RuntimeError", "contracted dimensions need to match, but first has size {} in dim {} and second has size {} in dim {}", sx, given_x[i], sy, given_y[i]);
        k *= sx;
    }
    order_x.insert(order_x.end(), dims_x.begin(), dims_x.end());
    PyValue product = call_rows(in, "mm", {reshape(in, permute(in, x, order_x), {m, k}), reshape(in, permute(in, y, order_y), {k, n})});
    return reshape(in, product, out);
}

NativeCode two_tensors(const char* name, PyValue (*code)(Interpreter&, PyValue, PyValue)) {
    return [name, code, form = fmt::format("{}(input, other)", name)](Interpreter& in, Args& args) {
        PyValue out = args.keyword("out");
        std::erase_if(args.keywords, [](const auto& k) { return *k.first == "out"; });
        ArgReader a(in, args, form);
        for (const char* p : {"input", "other"})
            if (!a[p].is(Kind::Tensor)) raise("TypeError", "{}(): argument '{}' (position {}) must be Tensor, not {}", name, p, *p == 'i' ? 1 : 2, in.type_name(a[p]));
        PyValue made = code(in, a["input"], a["other"]);
        if (!out.is(Kind::Tensor)) return made;
        resize_for_out(in, out, type_of(in, made).sizes);
        return emit_write(in, out, "copy"_op, {made});
    };
}

}  // namespace

void bind_contractions(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor) {
    in.add_function(torch, "matmul", two_tensors("matmul", matmul));
    in.add_method(tensor, "matmul", two_tensors("matmul", matmul));
    in.add_function(torch, "einsum", einsum);
    in.add_function(torch, "tensordot", tensordot);
}

}  // namespace sifr::capture
