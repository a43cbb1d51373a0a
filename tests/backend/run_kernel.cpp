#include "tests/backend/run_kernel.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "compiler/backend/backend.h"
#include "ir/base/check.h"
#include "ir/loop/scalar_value.h"

namespace sifr::test {

Kernel parsed_kernel(const std::string& text) {
    SourceFile file("kernel.sifr", text);
    size_t offset = 0;
    Kernel k = parse_kernel(file, offset);
    verify(k);
    return k;
}

std::vector<std::vector<std::byte>> random_arguments(const Kernel& k, uint32_t seed, bool specials) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-2.0, 2.0);
    const double special[] = {0.0, -0.0, 1.0, -1.0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(), 1e-41, 3e9, -3e9, 0.5, 2.5, -1.5, 1e30};
    std::vector<std::vector<std::byte>> all;
    for (const Buffer& b : k.buffers) {
        if (b.scratch) continue;
        std::vector<std::byte> bytes(static_cast<size_t>(b.extent * size_of(b.type)));
        for (int64_t i = 0; i < b.extent; ++i) {
            ScalarValue v;
            double x = specials && random() % 4 == 0 ? special[random() % std::size(special)] : uniform(random);
            if (b.type == DType::F64) v.f64 = x;
            else if (is_float(b.type)) v.f32 = static_cast<float>(x);
            else if (b.type == DType::Bool) v.i64 = random() & 1;
            else if (b.name.starts_with("index")) v.i64 = random() % 8;
            else if (specials) v.i64 = static_cast<int64_t>((uint64_t{random()} << 32) | random());
            else v.i64 = static_cast<int64_t>(random() % 201) - 100;
            store_value(b.type, bytes.data() + i * size_of(b.type), v);
        }
        all.push_back(std::move(bytes));
    }
    return all;
}

namespace {

bool is_nan(DType t, ScalarValue v) { return t == DType::F64 ? std::isnan(v.f64) : is_float(t) && std::isnan(v.f32); }

}  // namespace

std::string compare_with_interpreter(const Kernel& k, std::vector<int64_t> scalars, uint32_t seed, bool specials, const std::string& cpu) {
    Plan plan;
    plan.kernels.push_back(k);
    BackendOptions options;
    options.target_cpu = cpu;
    auto program = backend_named("llvm").load(plan, options);
    auto expected = random_arguments(k, seed, specials);
    auto got = expected;
    auto pointers = [](std::vector<std::vector<std::byte>>& v) {
        std::vector<void*> p;
        for (auto& b : v) p.push_back(b.data());
        return p;
    };
    KernelStatus expected_status, got_status;
    interpret(k, pointers(expected).data(), scalars.data(), &expected_status);
    program->launch(k.name, pointers(got).data(), scalars.data(), &got_status);
    size_t at = 0;
    for (const Buffer& b : k.buffers) {
        if (b.scratch) continue;
        for (int64_t i = 0; i < b.extent; ++i) {
            const int64_t size = size_of(b.type);
            const std::byte *e = expected[at].data() + i * size, *g = got[at].data() + i * size;
            if (std::memcmp(e, g, static_cast<size_t>(size)) == 0) continue;
            ScalarValue ev = load_value(b.type, e), gv = load_value(b.type, g);
            if (is_nan(b.type, ev) && is_nan(b.type, gv)) continue;
            auto show = [&](ScalarValue v) {
                if (b.type == DType::F64) return fmt::format("{:.17g}", v.f64);
                return is_float(b.type) ? fmt::format("{:.9g}", v.f32) : fmt::format("{}", v.i64);
            };
            return fmt::format("{}[{}] is {}, the interpreter gives {}", b.name, i, show(gv), show(ev));
        }
        ++at;
    }
    if (std::memcmp(&expected_status, &got_status, sizeof expected_status) != 0)
        return fmt::format("status is ({}, {}, {}), the interpreter gives ({}, {}, {})", got_status.site, got_status.position, got_status.value,
                           expected_status.site, expected_status.position, expected_status.value);
    return {};
}

std::string assembly_of(const Kernel& k, const std::string& cpu) {
    Plan plan;
    plan.kernels.push_back(k);
    BackendOptions options;
    options.target_cpu = cpu;
    const std::vector<std::byte> text = backend_named("llvm").compile(plan, Emit::Assembly, options);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace sifr::test
