// Groups whose elements lie at run-time indices. An index is checked where it is read, in the loop that its place depends on; the
// loops inside of that one know it as a number. What is written at indices that may repeat is written in order, serially; axes
// behind the indexed ones are vectors.
//
//   %y = index_select %x, dim=0, %i     =>   parallel i { let j = index[i]; check j; let row = clamp(j); vector k { y[i,k] = x[row,k] } }

#include <algorithm>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "passes/fusion/nest.h"

namespace sifr {

namespace {

/// How a row addresses `self`: the space that it walks, and which axes of self an index gives.
struct Indexing {
    Sizes self;                         ///< axes that are addressed
    Sizes space;                        ///< of the result (gather) or of what is written (scatter)
    size_t known_at = 0;                ///< the indices are known when so many axes of the space are
    std::vector<ValueId> index;         ///< per axis of self: the index tensor; invalid: an axis of the space
    std::vector<int> axis;              ///< per axis of self without an index: the axis of the space
    Sizes index_sizes;                  ///< what index tensors are broadcast to
    size_t index_at = 0;                ///< where their axes stand in the space
};

Indexing indexing_of(const Function& f, const Inst& inst) {
    Sizes self = f.type(inst.operands[0]).sizes;
    Indexing x;
    // A 0-d tensor is addressed as one axis of one element.
    if (self.empty() && inst.attrs.find("dim")) self = {1};
    x.self = self;
    x.index.resize(self.size());
    x.axis.assign(self.size(), -1);
    bool several = inst.attrs.find("dim") == nullptr;  // index, index_put: an index or None for each axis
    if (several) {
        bool put = def(inst.op).lower == Lower::Scatter;
        size_t count = inst.operands.size() - (put ? 2 : 1);
        std::vector<size_t> indexed;
        for (size_t k = 0; k < count; ++k) {
            ValueId v = inst.operands[k + 1];
            if (!f.type(v).is_tensor()) continue;
            x.index[k] = v;
            indexed.push_back(k);
            x.index_sizes = broadcast(x.index_sizes, f.type(v).sizes);
        }
        bool adjacent = true;
        for (size_t i = 1; i < indexed.size(); ++i) adjacent &= indexed[i] == indexed[i - 1] + 1;
        x.index_at = adjacent && !indexed.empty() ? indexed[0] : 0;
        for (size_t d = 0; d < self.size(); ++d) {
            if (x.index[d].valid()) continue;
            x.axis[d] = static_cast<int>(x.space.size() + (x.space.size() >= x.index_at ? x.index_sizes.size() : 0));
            x.space.push_back(self[d]);
        }
        x.space.insert(x.space.begin() + static_cast<std::ptrdiff_t>(x.index_at), x.index_sizes.begin(), x.index_sizes.end());
        x.known_at = x.index_at + x.index_sizes.size();
        return x;
    }
    size_t dim = dim_attribute(inst, self.size());
    Sizes index = f.type(inst.operands[1]).sizes;
    if (index.empty()) index = {1};
    x.index[dim] = inst.operands[1];
    // An index vector names places of one axis; an index of self's rank names one for each element.
    bool vector = name_of(inst.op) != "gather" && name_of(inst.op).substr(0, 7) != "scatter";
    x.space = vector ? self : index;
    if (vector) x.space[dim] = element_count(index);
    x.index_sizes = index;
    for (size_t d = 0; d < self.size(); ++d) {
        if (d != dim) x.axis[d] = static_cast<int>(d);
    }
    x.index_at = vector ? dim : 0;
    x.known_at = vector ? dim + 1 : x.space.size();
    return x;
}

/// `Type: text`, with the axis and its size in place of the second and third `{}`.
CheckSite site_of(const Inst& inst, size_t axis, int64_t size) {
    std::string text = inst.attrs.get_or<std::string>("error", def(inst.op).index_error ? def(inst.op).index_error : "IndexError: index out of range");
    CheckSite s;
    s.location = inst.location;
    size_t colon = text.find(": ");
    s.exception = text.substr(0, colon);
    text.erase(0, colon + 2);
    int number = 0;
    for (size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}", at)) {
        if (number == 0) at += 2;
        else text.replace(at, 2, std::to_string(number == 1 ? static_cast<int64_t>(axis) : size));
        ++number;
    }
    s.text = std::move(text);
    return s;
}

/// Loops over axes [begin, end) of the space; `ordered` ones run in order.
void axes(Emitter& e, const Sizes& space, size_t begin, size_t end, bool ordered, std::vector<Affine>& at, const std::function<void()>& body) {
    while (begin < end && space[begin] == 1) ++begin;
    if (begin >= end) return body();
    static constexpr const char* names[] = {"i", "j", "k", "l", "m", "n"};
    e.open();
    VarId v = e.loop_var(names[std::min<size_t>(begin, 5)], space[begin]);
    at[begin] = Affine::of(v);
    axes(e, space, begin + 1, end, ordered, at, body);
    at[begin] = Affine{};
    Block b = e.close();
    e.append(Stmt{For{.var = v, .lo = Affine::constant(0), .hi = Affine::constant(space[begin]),
                      .kind = ordered ? For::Kind::Serial : For::Kind::Vector, .body = std::move(b)}, {}});
}

class Reader {
public:
    Reader(Emitter& e, const Inst& inst, const Indexing& x) : e_(e), inst_(inst), x_(x) {}

    /// Reads and checks the indices at this place; false if no index can be right (the axis is empty).
    bool read(const std::vector<Affine>& at) {
        const Function& f = e_.function();
        const Sizes& self = x_.self;
        Affine position;
        Strides strides = contiguous_strides(x_.space);
        for (size_t d = 0; d < x_.known_at; ++d) {
            if (x_.space[d] != 1) position.add(at[d], strides[d]);
        }
        ExprArena& x = e_.kernel.exprs;
        places_.assign(self.size(), Affine{});
        bool possible = true;
        for (size_t d = 0; d < self.size(); ++d) {
            if (!x_.index[d].valid()) continue;
            Coords c;
            for (size_t k = 0; k < x_.index_sizes.size(); ++k) c.at.push_back(at[x_.index_at + k]);
            const Sizes& own = f.type(x_.index[d]).sizes;
            auto mine = own.empty() ? std::optional(Coords{}) : broadcast_coords(own, x_.index_sizes, c);
            ExprId raw = e_.bind(e_.cast(e_.element(x_.index[d], *mine), DType::I64), "index");
            ExprId index = raw, zero = x.constant_int(DType::I64, 0);
            if (def(inst_.op).negative_index)
                index = e_.bind(x.ternary(ScalarOp::Select, x.binary(ScalarOp::Lt, raw, zero), x.binary(ScalarOp::Add, raw, x.constant_int(DType::I64, self[d])), raw), "place");
            ExprId size = x.constant_int(DType::I64, self[d]);
            ExprId ok = x.binary(ScalarOp::And, x.binary(ScalarOp::Le, zero, index), x.binary(ScalarOp::Lt, index, size));
            e_.append(Stmt{Check{ok, site(d, self[d]), position, raw}, inst_.location});
            if (self[d] == 0) {
                possible = false;
                continue;
            }
            ExprId last = x.constant_int(DType::I64, self[d] - 1);
            ExprId safe = e_.bind(x.binary(ScalarOp::Max, x.binary(ScalarOp::Min, index, last), zero), "safe");
            if (x[safe].op == ScalarOp::Var) places_[d] = Affine::of(x[safe].var);
        }
        return possible;
    }
    /// The element of self at this place.
    [[nodiscard]] Coords self(const std::vector<Affine>& at) const {
        Coords c;
        if (e_.function().type(inst_.operands[0]).rank() == 0) return c;
        for (size_t d = 0; d < places_.size(); ++d) c.at.push_back(x_.index[d].valid() ? places_[d] : at[static_cast<size_t>(x_.axis[d])]);
        return c;
    }

private:
    uint32_t site(size_t axis, int64_t size) {
        e_.kernel.sites.push_back(site_of(inst_, axis, size));
        return static_cast<uint32_t>(e_.kernel.sites.size() - 1);
    }
    Emitter& e_;
    const Inst& inst_;
    const Indexing& x_;
    std::vector<Affine> places_;
};

}  // namespace

void GroupLowering::gather() {
    const Output& o = outputs_.at(0);
    const Inst& inst = e_.producer(o.value);
    Indexing x = indexing_of(f_, inst);
    Reader reader(e_, inst, x);
    std::vector<Affine> at(x.space.size());
    axes(e_, x.space, 0, x.known_at, false, at, [&] {
        bool possible = reader.read(at);
        if (!possible) return;
        axes(e_, x.space, x.known_at, x.space.size(), false, at, [&] {
            ExprId v = e_.element(inst.operands[0], reader.self(at));
            e_.append(Stmt{Store{o.buffer, linear(Coords{false, at}, x.space), v}, {}});
        });
    });
}

void GroupLowering::scatter() {
    const Output& o = outputs_.at(0);
    const Inst& inst = e_.producer(o.value);
    const Type self = f_.type(inst.operands[0]);
    e_.kernel.buffers[o.buffer.index].access = Buffer::Access::ReadWrite;
    std::vector<Affine> at;
    if (!in_place_[o.result]) {
        loops(self.sizes, std::vector<bool>(self.sizes.size(), true), at, [&] {
            Coords c{false, at};
            e_.append(Stmt{Store{o.buffer, linear(c, self.sizes), e_.element(inst.operands[0], c)}, {}});
        });
    }
    std::optional<Combine> combine;
    if (const char* r = def(inst.op).reduction) {
        SIFR_CHECK(std::string_view(r) == "sum", "a scatter by '{}'", r);
        combine = Combine::Sum;
    }
    if (inst.attrs.get_or("accumulate", false) || inst.op == "insert_add"_op) combine = Combine::Sum;
    if (const AttrValue* how = inst.attrs.find("reduce")) {
        const auto& name = std::get<std::string>(*how);
        for (auto [text, c] : {std::pair{"sum", Combine::Sum}, {"prod", Combine::Prod}, {"amax", Combine::Max}, {"amin", Combine::Min}}) {
            if (name == text) combine = c;
        }
        if (!combine || !inst.attrs.get_or("include_self", true)) throw NotSupported("this scatter_reduce in compiled code");
    }
    auto write = [&](const Affine& place, ExprId v, bool may_repeat) {
        if (!combine) return e_.append(Stmt{Store{o.buffer, place, v}, inst.location});
        if (may_repeat) return e_.append(Stmt{Accumulate{o.buffer, place, *combine, v}, inst.location});
        ExprArena& x = e_.kernel.exprs;
        DType wide = self.dtype == DType::F16 || self.dtype == DType::BF16 ? DType::F32 : self.dtype;
        ScalarOp op = *combine == Combine::Sum ? ScalarOp::Add : *combine == Combine::Prod ? ScalarOp::Mul : *combine == Combine::Max ? ScalarOp::Max : ScalarOp::Min;
        ExprId sum = x.binary(op, e_.cast(x.load(o.buffer, self.dtype, place), wide), e_.cast(v, wide));
        e_.append(Stmt{Store{o.buffer, place, e_.cast(sum, self.dtype)}, inst.location});
    };
    if (const AttrValue* a = inst.attrs.find("layout")) {
        // insert_add and insert_seq: a layout that names places twice, element by element. Writes go by falling strides, the
        // smallest innermost; additions go in row-major order.
        const Layout layout = std::get<Layout>(*a);
        std::vector<size_t> order;
        for (size_t d = 0; d < layout.sizes.size(); ++d) order.push_back(d);
        if (!combine) {
            std::stable_sort(order.begin(), order.end(), [&](size_t p, size_t q) {
                int64_t sp = std::abs(layout.strides[p]), sq = std::abs(layout.strides[q]);
                return sp != sq ? sp > sq : layout.sizes[p] > layout.sizes[q];
            });
        }
        std::vector<VarId> indices = e_.index_vars(inst);
        at.assign(layout.sizes.size(), Affine{});
        // Iterations are independent where what is walked inside of them reaches no place of the next one.
        std::vector<bool> ordered(order.size());
        int64_t span = 0;
        for (size_t n = order.size(); n-- > 0;) {
            const int64_t stride = std::abs(layout.strides[order[n]]);
            ordered[n] = stride <= span;
            span += stride * (layout.sizes[order[n]] - 1);
        }
        std::function<void(size_t)> level = [&](size_t n) {
            if (n == order.size()) {
                Coords c{false, at};
                return write(*place_in_frame(layout, c, indices), e_.element(inst.operands[1], c), true);
            }
            size_t d = order[n];
            axes(e_, layout.sizes, d, d + 1, ordered[n], at, [&] { level(n + 1); });
        };
        return level(0);
    }
    Indexing x = indexing_of(f_, inst);
    Reader reader(e_, inst, x);
    ValueId source = inst.operands.back();
    const Sizes& from = f_.type(source).sizes;
    at.assign(x.space.size(), Affine{});
    bool whole = x.known_at == x.space.size();
    axes(e_, x.space, 0, x.known_at, true, at, [&] {
        if (!reader.read(at)) return;
        axes(e_, x.space, x.known_at, x.space.size(), false, at, [&] {
            Coords c{false, at};
            std::optional<Coords> mine = from.size() == x.space.size() && inst.attrs.find("dim") ? std::optional(c) : broadcast_coords(from, x.space, c);
            write(linear(reader.self(at), self.sizes), e_.element(source, *mine), whole);
        });
    });
}

}  // namespace sifr
