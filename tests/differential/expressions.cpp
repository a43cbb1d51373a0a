#include "tests/differential/writer.h"

namespace sifr::test {

std::string tuple_text(const Extents& sizes) { return sizes.size() == 1 ? Text{"({},)", sizes[0]}.text : Text{"({})", fmt::join(sizes, ", ")}.text; }

std::string Expressions::number() { return w_.word({"0.5", "2", "-1", "1.5", "3", "-0.25", "0.0", "1", "-2.0"}); }

std::string Expressions::constant(const Extents& sizes) {
    int64_t n = 1;
    for (int64_t e : sizes) n *= e;
    switch (w_.pick(5)) {
        case 0: return Text{"torch.zeros{}", sizes.empty() ? "(())" : tuple_text(sizes)}.text;
        case 1: return Text{"torch.ones{}", sizes.empty() ? "(())" : tuple_text(sizes)}.text;
        case 2: return Text{"torch.full({}, {})", tuple_text(sizes), w_.word({"0.5", "-1.0", "2.0", "0.0"})}.text;
        case 3: return Text{"torch.arange({}.).reshape({})", n, tuple_text(sizes)}.text;
        default: return Text{"(torch.arange({}.) - {}).reshape({})", n, n / 2, tuple_text(sizes)}.text;
    }
}

std::string Expressions::leaf_of(const Extents& sizes) {
    std::vector<std::string> found;
    for (const Variable& v : w_.variables) {
        if (v.dtype != 'f') continue;
        if (v.sizes == sizes) {
            found.push_back(v.name);
            found.push_back(v.name);
        } else if (v.sizes.size() == sizes.size() && sizes.size() == 2 && v.sizes[0] == sizes[1] && v.sizes[1] == sizes[0]) {
            found.push_back(v.name + ".t()");
        } else if (!v.sizes.empty() && !sizes.empty() && v.sizes.size() == sizes.size() + 1 && Extents(v.sizes.begin() + 1, v.sizes.end()) == sizes && v.sizes[0] > 0) {
            found.push_back(Text{"{}[{}]", v.name, v.sizes[0] >= 3 && !w_.indices.empty() ? w_.one_of(w_.indices) : std::to_string(w_.pick(static_cast<int>(v.sizes[0])))}.text);
        } else if (v.sizes.size() == sizes.size() + 1) {
            for (size_t d = 0; d < v.sizes.size(); ++d) {
                Extents rest = v.sizes;
                rest.erase(rest.begin() + static_cast<ptrdiff_t>(d));
                if (rest == sizes && v.sizes[d] > 0) found.push_back(Text{"{}.{}({})", v.name, w_.chance(60) ? "sum" : "amax", d}.text);
            }
        }
    }
    if (found.empty() || w_.chance(10)) return constant(sizes);
    return w_.one_of(found);
}

std::string Expressions::of(const Extents& sizes, int depth) {
    if (depth == 0 || w_.chance(25)) return leaf_of(sizes);
    switch (w_.pick(13)) {
        case 0: case 1: return Text{"({} + {})", of(sizes, depth - 1), of(sizes, depth - 1)}.text;
        case 2: case 3: return Text{"{} * {}", leaf_of(sizes), of(sizes, depth - 1)}.text;
        case 4: return Text{"({} - {})", of(sizes, depth - 1), leaf_of(sizes)}.text;
        case 5: return Text{"({} * {})", of(sizes, depth - 1), number()}.text;
        case 6: return Text{"torch.{}({})", w_.word({"relu", "abs", "neg", "sign", "square"}), of(sizes, depth - 1)}.text;
        case 7: {
            w_.note("op: smooth function");
            return Text{"torch.{}({} * 0.125)", w_.word({"tanh", "sigmoid", "exp", "sin"}), of(sizes, depth - 1)}.text;
        }
        case 8: return Text{"torch.where({} > {}, {}, {})", leaf_of(sizes), number(), leaf_of(sizes), of(sizes, depth - 1)}.text;
        case 9: {  // broadcasting: one axis of size 1
            if (sizes.empty()) return Text{"{}.sum()", of({w_.chance(50) ? 3 : 2, 4}, depth - 1)}.text;
            Extents narrow = sizes;
            narrow[static_cast<size_t>(w_.pick(static_cast<int>(narrow.size())))] = 1;
            w_.note("op: broadcasting");
            return Text{"({} {} {})", of(sizes, depth - 1), w_.word({"+", "*", "-"}), of(narrow, depth - 1)}.text;
        }
        case 10: {
            if (sizes.size() != 2) return leaf_of(sizes);
            w_.note("op: matmul");
            int64_t k = 1 + w_.pick(4);
            return Text{"({} @ {})", of({sizes[0], k}, depth - 1), of({k, sizes[1]}, depth - 1)}.text;
        }
        case 11: {
            if (sizes.empty()) return Text{"{}.{}()", of({2, 3}, depth - 1), w_.word({"sum", "max", "min"})}.text;
            w_.note("op: reduction");
            Extents wide = sizes;
            auto d = static_cast<size_t>(w_.pick(static_cast<int>(sizes.size()) + 1));
            wide.insert(wide.begin() + static_cast<ptrdiff_t>(d), 2);
            return Text{"{}.{}({})", of(wide, depth - 1), w_.word({"sum", "mean", "amax"}), d}.text;
        }
        default: {
            if (sizes.empty() || sizes[0] < 2) return leaf_of(sizes);
            w_.note("op: cat or stack");
            Extents first = sizes, rest = sizes;
            first[0] = 1 + w_.pick(static_cast<int>(sizes[0]) - 1);
            rest[0] = sizes[0] - first[0];
            return Text{"torch.cat([{}, {}])", of(first, depth - 1), of(rest, depth - 1)}.text;
        }
    }
}

std::string Expressions::loss_of(const std::string& value) {
    switch (w_.pick(5)) {
        case 0: return Text{"({0} * {0}).sum()", value}.text;
        case 1: return Text{"{}.mean()", value}.text;
        case 2: return Text{"(({} - 1) ** 2).sum()", value}.text;
        case 3: return Text{"F.mse_loss({0}, torch.ones_like({0}))", value}.text;
        default: return Text{"{}.sum()", value}.text;
    }
}

std::string Expressions::condition() {
    std::vector<std::string> floats;
    for (const Variable& v : w_.variables)
        if (v.dtype == 'f' && v.count() > 0) floats.push_back(v.name);
    std::string x = floats.empty() ? constant({2, 2}) : w_.one_of(floats);
    switch (w_.pick(5)) {
        case 0: return Text{"{}.sum().item() > {}", x, number()}.text;
        case 1: return Text{"({} > {}).any()", x, number()}.text;
        case 2: return Text{"{}.max().item() {} {}", x, w_.word({">", "<", ">="}), number()}.text;
        case 3: return Text{"bool(({} == 0).all())", x}.text;
        default: return Text{"{}.sum() < {}", x, number()}.text;
    }
}

}  // namespace sifr::test
