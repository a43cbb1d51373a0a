// Rows on whole tensors while a plan is interpreted: text of tensors, random fills, kernels of the runtime.

#include <map>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/plan/host_value.h"

namespace sifr {

namespace {

using Values = std::vector<HostValue>;
using Call = HostCall;

Values tensor_str(const Call& c) {
    const sifr_tensor& t = c.tensors[0];
    auto kind = c.attrs.get_or<std::string>("kind", "str");
    std::string out;
    if (kind == "tolist") {
        out = HostValue::of(sifr_tensor_tolist_str(&t)).text;
    } else {
        sifr_print_options o = sifr_default_print_options();
        auto set = [&](const char* name, auto& field) {
            using Field = std::remove_reference_t<decltype(field)>;
            field = static_cast<Field>(c.attrs.get_or<int64_t>(name, field));
        };
        set("precision", o.precision);
        set("threshold", o.threshold);
        set("edgeitems", o.edgeitems);
        set("linewidth", o.linewidth);
        set("sci_mode", o.sci_mode);
        o.default_dtype = static_cast<int32_t>(c.attrs.get_or<DType>("default_dtype", static_cast<DType>(o.default_dtype)));
        o.pairs = kind == "complex" ? 1 : 0;
        auto suffix = c.attrs.get_or<std::string>("suffix", ""), device = c.attrs.get_or<std::string>("device", "");
        auto text = [](const std::string& s) { return sifr_str{s.data(), static_cast<int64_t>(s.size())}; };
        out = HostValue::of(sifr_tensor_str(&t, &o, text(device), text(suffix))).text;
    }
    // Later lines stand under the column where the text begins.
    if (int64_t indent = c.attrs.get_or<int64_t>("indent", 0); indent > 0) {
        std::string moved;
        for (char ch : out) {
            moved += ch;
            if (ch == '\n') moved.append(static_cast<size_t>(indent), ' ');
        }
        out = std::move(moved);
    }
    return {HostValue::of(out)};
}

/// Generators are numbered; number 0 is the default one. The others are made at their first use and live as long as the process.
sifr_generator* generator(const Call& c) {
    int64_t id = c.attrs.get_or<int64_t>("generator", 0);
    if (id == 0) return sifr_default_generator();
    static std::map<int64_t, std::unique_ptr<sifr_generator, void (*)(sifr_generator*)>> others;
    auto& g = others.try_emplace(id, nullptr, sifr_generator_free).first->second;
    if (!g) g.reset(sifr_generator_new());
    return g.get();
}
/// A number of either kind as a double.
double number(const HostValue& v) { return v.kind == Type::Kind::F64 ? v.f64 : static_cast<double>(v.i64); }
/// The strides that decide the order of draws; null: those of the result.
const int64_t* draw_order(const Call& c, std::vector<int64_t>& keep) {
    const AttrValue* a = c.attrs.find("order");
    const auto* list = a ? std::get_if<std::vector<int64_t>>(a) : nullptr;
    if (!list) return nullptr;
    keep = *list;
    return keep.data();
}

template <class F>
HostRow draw(F f) {
    return [f](const Call& c) {
        std::vector<int64_t> keep;
        f(c, generator(c), &c.tensors.back(), draw_order(c, keep));
        return Values{};
    };
}

Values rng_skip(const Call& c) {
    auto kind = c.attrs.get<std::string>("kind");
    DType dtype = c.attrs.get<DType>("dtype");
    Sizes sizes = c.attrs.get<std::vector<int64_t>>("sizes");
    int64_t n = element_count(sizes);
    if (kind == "normal") {
        sifr_random_skip_normal(generator(c), static_cast<int32_t>(dtype), n, true);
        return {};
    }
    // Draws into memory that nobody reads move the generator as far as the draw itself.
    std::vector<std::byte> memory(static_cast<size_t>(n * size_of(dtype) + 16));
    sifr_tensor t{memory.data(), static_cast<int32_t>(dtype), static_cast<int32_t>(sizes.size()), sizes.data(), nullptr};
    if (kind == "uniform") sifr_random_uniform(generator(c), &t, nullptr, 0, 1);
    else if (kind == "randint") sifr_random_range(generator(c), &t, nullptr, 0, 2);
    else if (kind == "bernoulli") sifr_random_bernoulli(generator(c), &t, nullptr, 0.5);
    else if (kind == "randperm") sifr_random_permutation(generator(c), &t);
    else if (kind == "exponential") sifr_random_exponential(generator(c), &t, nullptr, 1);
    else throw NotSupported(fmt::format("skipping a draw of '{}'", kind));
    return {};
}

const std::map<std::string_view, HostRow>& rows() {
    using G = sifr_generator*;
    using T = const sifr_tensor*;
    using O = const int64_t*;
    static const std::map<std::string_view, HostRow> table = {
        {"tensor_str", tensor_str},
        {"manual_seed", [](const Call& c) {
             sifr_manual_seed(generator(c), static_cast<uint64_t>(c.i(0)));
             return Values{};
         }},
        {"uniform", draw([](const Call& c, G g, T t, O o) { sifr_random_uniform(g, t, o, number(c.args[0]), number(c.args[1])); })},
        {"normal", draw([](const Call& c, G g, T t, O o) { sifr_random_normal(g, t, o, number(c.args[0]), number(c.args[1])); })},
        {"normal.tensors", [](const Call& c) {
             // A number stands where a tensor is not: one of the two operands is a tensor, at least.
             const sifr_tensor *mean = nullptr, *std = nullptr;
             double mean_number = 0, std_number = 1;
             if (c.args.empty()) mean = &c.tensors[0], std = &c.tensors[1];
             else throw NotSupported("torch.normal of a number and a tensor, in plans");
             sifr_random_normal_tensors(generator(c), &c.tensors.back(), mean, mean_number, std, std_number);
             return Values{};
         }},
        {"randint", draw([](const Call& c, G g, T t, O o) { sifr_random_range(g, t, o, c.i(0), c.i(1)); })},
        {"random", draw([](const Call&, G g, T t, O o) { sifr_random_full(g, t, o); })},
        {"randperm", draw([](const Call&, G g, T t, O) { sifr_random_permutation(g, t); })},
        {"bernoulli", draw([](const Call& c, G g, T t, O o) { sifr_random_bernoulli(g, t, o, number(c.args[0])); })},
        {"bernoulli.tensor", draw([](const Call& c, G g, T t, O o) { c.done(sifr_random_bernoulli_tensor(g, t, o, &c.tensors[0])); })},
        {"exponential", draw([](const Call& c, G g, T t, O o) { sifr_random_exponential(g, t, o, number(c.args[0])); })},
        {"geometric", draw([](const Call& c, G g, T t, O o) { sifr_random_geometric(g, t, o, number(c.args[0])); })},
        {"cauchy", draw([](const Call& c, G g, T t, O o) { sifr_random_cauchy(g, t, o, number(c.args[0]), number(c.args[1])); })},
        {"log_normal", draw([](const Call& c, G g, T t, O o) { sifr_random_log_normal(g, t, o, number(c.args[0]), number(c.args[1])); })},
        {"multinomial", [](const Call& c) {
             c.done(sifr_random_multinomial(generator(c), &c.tensors[0], &c.tensors[1], c.attrs.get_or("replacement", false)));
             return Values{};
         }},
        {"rrelu_with_noise", [](const Call& c) {
             sifr_random_rrelu(generator(c), &c.tensors[0], &c.tensors[1], &c.tensors[2], number(c.args[0]), number(c.args[1]));
             return Values{};
         }},
        {"rng_get_state", [](const Call& c) {
             sifr_generator_get_state(generator(c), c.tensors[0].data);
             return Values{};
         }},
        {"rng_set_state", [](const Call& c) {
             sifr_generator_set_state(generator(c), c.tensors[0].data);
             return Values{};
         }},
        {"rng_skip", rng_skip},
    };
    return table;
}

}  // namespace

const HostRow* tensor_row(std::string_view name) {
    auto it = rows().find(name);
    return it == rows().end() ? nullptr : &it->second;
}

}  // namespace sifr
