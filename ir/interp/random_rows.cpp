// Draws: PyTorch's streams, through the runtime.

#include "ir/base/diagnostic.h"
#include "ir/interp/machine.h"
#include "runtime/sifr_cuda.h"

namespace sifr {
namespace {

sifr_generator* generator(const Execution& x) {
    int64_t id = x.inst.attrs.get_or<int64_t>("generator", 0);
    // Below 0: of tensors on the GPU.
    if (id == 0) return sifr_default_generator();
    if (id == -1) return sifr_cuda_generator();
    std::shared_ptr<sifr_generator>& g = (*x.generators)[id];
    if (!g) g = {id < 0 ? sifr_cuda_generator_new() : sifr_generator_new(), sifr_generator_free};
    return g.get();
}

/// An output of the target's type, and the order of the draws: the attribute, else the layout that the script sees, else row-major.
struct Draw {
    explicit Draw(const Execution& x) : out(RunTensor::make(x.target.dtype, x.target.sizes)), c(c_tensor(out)) {
        if (const AttrValue* a = x.inst.attrs.find("order"); a && std::holds_alternative<std::vector<int64_t>>(*a)) order = std::get<std::vector<int64_t>>(*a);
        else if (x.target_strides) order = *x.target_strides;
    }
    [[nodiscard]] const int64_t* strides() const { return order ? order->data() : nullptr; }
    Results done() { return {std::move(out)}; }
    RunTensor out;
    sifr_tensor c;
    std::optional<Strides> order;
};

template <auto function>
Results with_two(const Execution& x) {
    Draw d(x);
    function(generator(x), &d.c, d.strides(), x.f64(0), x.f64(1));
    return d.done();
}
template <auto function>
Results with_one(const Execution& x) {
    Draw d(x);
    function(generator(x), &d.c, d.strides(), x.f64(0));
    return d.done();
}

Results randint(const Execution& x) {
    Draw d(x);
    auto bound = [&](size_t k) { return std::holds_alternative<int64_t>(x.in.at(k)) ? x.i64(k) : static_cast<int64_t>(x.f64(k)); };
    sifr_random_range(generator(x), &d.c, d.strides(), bound(0), bound(1));
    return d.done();
}

Results normal_tensors(const Execution& x) {
    Draw d(x);
    RunTensor mean, deviation;
    sifr_tensor mean_c{}, deviation_c{};
    auto operand = [&](size_t k, RunTensor& t, sifr_tensor& c) -> const sifr_tensor* {
        if (!x.is_tensor(k)) return nullptr;
        t = x.tensor(k).cast(d.out.dtype).expanded(d.out.sizes()).packed();
        c = c_tensor(t);
        return &c;
    };
    const sifr_tensor* m = operand(0, mean, mean_c);
    const sifr_tensor* s = operand(1, deviation, deviation_c);
    sifr_random_normal_tensors(generator(x), &d.c, m, m ? 0 : x.f64(0), s, s ? 0 : x.f64(1));
    return d.done();
}

Results skip(const Execution& x) {
    const auto& kind = x.attr<std::string>("kind");
    DType dtype = x.attr<DType>("dtype");
    int64_t n = element_count(x.attr<Sizes>("sizes"));
    // What a draw leaves of itself is what it does to the generator: draw, and forget.
    RunTensor out = RunTensor::make(dtype, {n});
    sifr_tensor c = c_tensor(out);
    if (kind == "normal") sifr_random_skip_normal(generator(x), static_cast<int32_t>(dtype), n, true);
    else if (kind == "uniform") sifr_random_uniform(generator(x), &c, nullptr, 0, 1);
    else if (kind == "bernoulli") sifr_random_bernoulli(generator(x), &c, nullptr, 0.5);
    else if (kind == "randperm") sifr_random_permutation(generator(x), &c);
    else throw NotSupported(fmt::format("skipping a draw of '{}' in the interpreter", kind));
    return {};
}

const NamedEvaluator table[] = {
    {"manual_seed",
     [](const Execution& x) {
         sifr_manual_seed(generator(x), static_cast<uint64_t>(x.i64(0)));
         return Results{};
     }},
    {"uniform", with_two<sifr_random_uniform>},
    {"normal", with_two<sifr_random_normal>},
    {"normal.tensors", normal_tensors},
    {"randint", randint},
    {"random",
     [](const Execution& x) {
         Draw d(x);
         sifr_random_full(generator(x), &d.c, d.strides());
         return d.done();
     }},
    {"randperm",
     [](const Execution& x) {
         Draw d(x);
         sifr_random_permutation(generator(x), &d.c);
         return d.done();
     }},
    {"bernoulli", with_one<sifr_random_bernoulli>},
    {"bernoulli.tensor",
     [](const Execution& x) {
         Draw d(x);
         RunTensor p = x.tensor(0).packed();
         sifr_tensor c = c_tensor(p);
         x.require(sifr_random_bernoulli_tensor(generator(x), &d.c, d.strides(), &c));
         return d.done();
     }},
    {"exponential", with_one<sifr_random_exponential>},
    {"geometric", with_one<sifr_random_geometric>},
    {"cauchy", with_two<sifr_random_cauchy>},
    {"log_normal", with_two<sifr_random_log_normal>},
    {"multinomial",
     [](const Execution& x) {
         Draw d(x);
         RunTensor p = x.tensor(0).packed();
         sifr_tensor c = c_tensor(p);
         x.require(sifr_random_multinomial(generator(x), &c, &d.c, x.inst.attrs.get_or("replacement", false)));
         return d.done();
     }},
    {"rrelu_with_noise",
     [](const Execution& x) {
         RunTensor in = x.tensor(0).packed();
         Draw out(x), noise(x);
         sifr_tensor c = c_tensor(in);
         sifr_random_rrelu(generator(x), &c, &out.c, &noise.c, x.f64(1), x.f64(2));
         return Results{std::move(out.out), std::move(noise.out)};
     }},
    {"rng_get_state",
     [](const Execution& x) {
         Draw d(x);
         sifr_generator_get_state(generator(x), d.out.memory->data());
         return d.done();
     }},
    {"rng_set_state",
     [](const Execution& x) {
         RunTensor state = x.tensor(0).packed();
         sifr_generator_set_state(generator(x), state.memory->data());
         return Results{};
     }},
    {"rng_skip", skip},
};

}  // namespace

std::span<const NamedEvaluator> random_evaluators() { return table; }

}  // namespace sifr
