#include "ir/base/diagnostic.h"
#include "ir/op/rows/rows.h"
#include "ir/op/rules/creation_rules.h"
#include "ir/op/rules/structural_rules.h"

// Draws from a generator, in PyTorch's own streams. Generator 0 is the default one. `order`: the strides that decide the order
// of the draws, where they are not the result's own.

namespace sifr::rows {
namespace {

std::vector<Type> randperm_result(const OpCall& call) {
    auto n = call.attrs.get<int64_t>("n");
    if (n < 0) raise("RuntimeError", "n must be non-negative, got {}", n);
    return {Type::tensor(call.attrs.get_or("dtype", DType::I64), {n})};
}

std::vector<Type> integers_result(const OpCall& call) {
    return {Type::tensor(call.attrs.get_or("dtype", DType::I64), call.attrs.get_or("sizes", Sizes{}))};
}

std::vector<Type> bernoulli_result(const OpCall& call) {
    if (!is_float(call.types[0].dtype)) raise("NotImplementedError", "\"bernoulli_tensor_cpu_p_\" not implemented for '{}'", scalar_name(call.types[0].dtype));
    return {call.types[0]};
}

std::vector<Type> multinomial_result(const OpCall& call) {
    const Type& p = call.types[0];
    if (p.rank() != 1 && p.rank() != 2) raise("RuntimeError", "prob_dist must be 1 or 2 dim");
    auto samples = call.attrs.get<int64_t>("num_samples");
    if (samples <= 0) raise("RuntimeError", "cannot sample n_sample <= 0 samples");
    if (!call.attrs.get_or("replacement", false) && samples > p.sizes.back())
        raise("RuntimeError", "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    Sizes sizes = p.sizes;
    sizes.back() = samples;
    return {Type::tensor(DType::I64, sizes)};
}

}  // namespace

Rows random() {
    using namespace rules;
    constexpr Lower L = Lower::Random;
    constexpr Effect R = Effect::Random;
    return {
        {.name = "manual_seed", .sig = "(i64 seed, *, int generator=0) -> ()", .lower = L, .effect = R,
         .runtime = "sifr_manual_seed", .inplace = false, .method = false, .function = false},
        {.name = "uniform",
         .sig = "(Scalar from=0, Scalar to=1, *, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T", .lower = L,
         .effect = R, .infer = sized_result, .node = "UniformBackward0", .runtime = "sifr_random_uniform", .function = false},
        {.name = "normal",
         .sig = "(Scalar mean=0, Scalar std=1, *, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T", .lower = L,
         .effect = R, .infer = sized_result, .node = "NormalBackward0", .runtime = "sifr_random_normal", .function = false},
        // torch.normal with tensors: standard normals · std + mean.
        {.name = "normal.tensors", .sig = "(N mean, N std, *, int generator=0) -> T", .lower = L, .effect = R,
         .infer = broadcast_float_result, .node = "NormalBackward3", .runtime = "sifr_random_normal_tensors", .inplace = false,
         .method = false},
        {.name = "randint",
         .sig = "(Scalar low, Scalar high, *, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T", .lower = L,
         .effect = R, .infer = integers_result, .node = "RandomBackward0", .runtime = "sifr_random_range", .method = false,
         .function = false},
        // `random_()`: integers of 0 up to the largest that the dtype holds, or holds exactly.
        {.name = "random", .sig = "(*, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T", .lower = L, .effect = R,
         .infer = integers_result, .node = "RandomBackward0", .runtime = "sifr_random_full", .method = false, .function = false},
        {.name = "randperm", .sig = "(int n, *, dtype? dtype=None, int generator=0) -> T", .lower = L, .effect = R,
         .infer = randperm_result, .runtime = "sifr_random_permutation", .inplace = false, .method = false},
        {.name = "bernoulli",
         .sig = "(Scalar p=0.5, *, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T", .lower = L, .effect = R,
         .infer = sized_result, .node = "BernoulliBackward0", .runtime = "sifr_random_bernoulli", .function = false},
        {.name = "bernoulli.tensor", .sig = "(T self, *, int generator=0, int[]? order=None) -> T", .lower = L, .effect = R,
         .infer = bernoulli_result, .layout = LayoutRule::Like, .node = "BernoulliBackward0", .runtime = "sifr_random_bernoulli_tensor"},
        {.name = "exponential",
         .sig = "(Scalar lambd=1, *, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T", .lower = L, .effect = R,
         .infer = sized_result, .node = "ExponentialBackward0", .runtime = "sifr_random_exponential", .function = false},
        {.name = "geometric",
         .sig = "(Scalar p, *, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T", .lower = L, .effect = R,
         .infer = sized_result, .node = "GeometricBackward0", .runtime = "sifr_random_geometric", .function = false},
        {.name = "cauchy",
         .sig = "(Scalar median=0, Scalar sigma=1, *, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T",
         .lower = L, .effect = R, .infer = sized_result, .node = "CauchyBackward0", .runtime = "sifr_random_cauchy", .function = false},
        {.name = "log_normal",
         .sig = "(Scalar mean=1, Scalar std=2, *, int[] sizes=[], dtype? dtype=None, int generator=0, int[]? order=None) -> T", .lower = L,
         .effect = R, .infer = sized_result, .node = "LogNormalBackward0", .runtime = "sifr_random_log_normal", .function = false},
        {.name = "multinomial", .sig = "(T self, int num_samples, bool replacement=False, *, int generator=0) -> T", .lower = L,
         .effect = R, .infer = multinomial_result, .runtime = "sifr_random_multinomial", .inplace = false},
        // `noise` is the factor of each element: 1, or drawn where the element is not positive.
        {.name = "rrelu_with_noise", .sig = "(T self, Scalar lower, Scalar upper, *, int generator=0) -> (T output, T noise)", .lower = L,
         .effect = R, .infer = [](const OpCall& c) -> std::vector<Type> { return {c.types[0], c.types[0]}; },
         .saves = {save_in(0), save_out(1)}, .node = "RreluWithNoiseBackward0",
         .vjp = [](Vjp& v) -> std::vector<ValueId> {
             if (!v.needs(0)) return std::vector<ValueId>(3);
             return {v.to(0, v.b.emit("mul"_op, {v.grad(), v.out(1)})), ValueId(), ValueId()};
         },
         .runtime = "sifr_random_rrelu", .inplace = false, .method = false, .function = false},
        // The whole state of a generator as bytes.
        {.name = "rng_get_state", .sig = "(*, int generator=0) -> T", .lower = L, .effect = R,
         .infer = [](const OpCall&) -> std::vector<Type> { return {Type::tensor(DType::U8, {5056})}; },
         .runtime = "sifr_generator_get_state", .inplace = false, .method = false, .function = false},
        {.name = "rng_set_state", .sig = "(T state, *, int generator=0) -> ()", .lower = L, .effect = R,
         .runtime = "sifr_generator_set_state", .inplace = false, .method = false, .function = false},
        // What an unused draw leaves of itself: the generator moves on as if `kind` had been drawn.
        {.name = "rng_skip", .sig = "(*, string kind, int[] sizes, dtype dtype, int generator=0) -> ()", .lower = L, .effect = R,
         .runtime = "sifr_random_skip", .inplace = false, .method = false, .function = false},
    };
}

}  // namespace sifr::rows
