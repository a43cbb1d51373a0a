// Matrix products of the LLVM back end alone: GFLOP/s for sizes and transpositions.
//
// usage: sifr-bench-gemm [f32|f64] [m n k]…        SIFR_NUM_THREADS=1 for one core
//        sifr-bench-gemm --llvm-ir m n k           the code of one product, for LLVM's own tools
//        sifr-bench-gemm --serve                   seconds of CPU time for each line `f32 NT m n k [epilogue]` of the input (products.py)

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compiler/backend/backend.h"

using namespace sifr;

namespace {

struct Size {
    int64_t m, n, k;
};

/// CPU time of this thread: other programs on the machine disturb it least.
double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// With an epilogue: the rectified sum of the product and a row.
Kernel product(DType type, const Size& s, bool at, bool bt, bool epilogue = false) {
    Kernel k;
    k.name = "gemm";
    Contract c;
    c.m = s.m;
    c.n = s.n;
    c.k = s.k;
    c.type = type;
    c.a = k.add_buffer({.name = "a", .type = type, .extent = s.m * s.k, .access = Buffer::Access::Read});
    c.b = k.add_buffer({.name = "b", .type = type, .extent = s.k * s.n, .access = Buffer::Access::Read});
    const BufferId out = k.add_buffer({.name = "out", .type = type, .extent = s.m * s.n, .access = Buffer::Access::Write});
    c.a_m = at ? 1 : s.k;
    c.a_k = at ? s.m : 1;
    c.b_k = bt ? 1 : s.n;
    c.b_n = bt ? s.k : 1;
    c.batch_var = k.add_var("batch");
    c.m_var = k.add_var("i");
    c.n_var = k.add_var("j");
    c.acc = k.add_var("acc", type);
    Affine at_element = Affine::of(c.m_var, s.n);
    at_element.add(Affine::of(c.n_var));
    ExprId value = k.exprs.var(c.acc, type);
    if (epilogue) {
        const BufferId row = k.add_buffer({.name = "row", .type = type, .extent = s.n, .access = Buffer::Access::Read});
        value = k.exprs.binary(ScalarOp::Add, value, k.exprs.load(row, type, Affine::of(c.n_var)));
        value = k.exprs.binary(ScalarOp::Max, value, k.exprs.constant_bits(type, 0));
    }
    c.epilogue.push_back({Store{out, at_element, value}, {}});
    k.body.push_back({c, {}});
    return k;
}

/// A product in memory, ready to run.
class Loaded {
public:
    Loaded(DType type, const Size& s, bool at, bool bt, bool epilogue) {
        Plan plan;
        plan.kernels.push_back(product(type, s, at, bt, epilogue));
        program_ = backend_named("llvm").load(plan, {});
        std::mt19937 random(1);
        for (int64_t count : {s.m * s.k, s.k * s.n, s.m * s.n, s.n}) {
            data_.emplace_back(static_cast<size_t>(count * size_of(type) + 64));
            char* p = data_.back().data();
            p += (64 - reinterpret_cast<uintptr_t>(p) % 64) % 64;
            for (int64_t i = 0; i < count; ++i) {
                const double v = static_cast<double>(random() % 1000) / 500 - 1;
                const auto f = static_cast<float>(v);
                if (type == DType::F64)
                    std::memcpy(p + i * 8, &v, 8);
                else
                    std::memcpy(p + i * 4, &f, 4);
            }
            pointers_.push_back(p);
        }
        run(1);
    }
    /// Seconds of CPU time for one.
    double run(int repeats) {
        const double begin = now();
        for (int r = 0; r < repeats; ++r) program_->launch("gemm", pointers_.data(), nullptr, nullptr);
        return (now() - begin) / repeats;
    }

private:
    std::unique_ptr<LoadedProgram> program_;
    std::vector<std::vector<char>> data_;
    std::vector<void*> pointers_;
};

double flops_of(const Size& s) { return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k); }

void measure(DType type, const Size& s, bool at, bool bt) {
    Plan plan;
    plan.kernels.push_back(product(type, s, at, bt));
    auto& backend = backend_named("llvm");
    auto timed = [](const auto& work) {
        const double start = now();
        work();
        return (now() - start) * 1e3;
    };
    const double ir = timed([&] { (void)backend.compile(plan, Emit::LlvmIr, {}); });
    const double object = timed([&] { (void)backend.compile(plan, Emit::Object, {}); });
    std::unique_ptr<Loaded> program;
    const double loaded = timed([&] { program = std::make_unique<Loaded>(type, s, at, bt, false); });
    const int repeats = std::max(3, static_cast<int>(4e8 / flops_of(s)));
    double best = 1e30;
    for (int round = 0; round < 7; ++round) best = std::min(best, program->run(repeats));
    fmt::print("{} {}{} {} {} {} {:.2f}   # ms: IR {:.1f}, object {:.1f}, loaded {:.1f}\n", name_of(type), at ? 'T' : 'N', bt ? 'T' : 'N',
               s.m, s.n, s.k, flops_of(s) / best / 1e9, ir, object, loaded);
    std::fflush(stdout);
}

int serve() {
    std::map<std::string, std::unique_ptr<Loaded>> programs;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string type, transposed, epilogue;
        Size s{};
        words >> type >> transposed >> s.m >> s.n >> s.k >> epilogue;
        if (!dtype_named(type) || transposed.size() != 2) return 2;
        std::unique_ptr<Loaded>& program = programs[line];
        if (!program)
            program = std::make_unique<Loaded>(*dtype_named(type), s, transposed[0] == 'T', transposed[1] == 'T', !epilogue.empty());
        fmt::print("{:.9e}\n", program->run(std::max(1, static_cast<int>(2e9 / flops_of(s)))));
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "--serve") return serve();
    if (argc == 5 && std::string(argv[1]) == "--llvm-ir") {
        Plan plan;
        plan.kernels.push_back(product(DType::F32, {std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4])}, false, false));
        const auto text = backend_named("llvm").compile(plan, Emit::LlvmIr, {});
        std::fwrite(text.data(), 1, text.size(), stdout);
        return 0;
    }
    std::vector<Size> sizes;
    DType type = DType::F32;
    int at = 1;
    if (argc > 1 && dtype_named(argv[1])) type = *dtype_named(argv[at++]);
    for (; at + 2 < argc; at += 3) sizes.push_back({std::atoll(argv[at]), std::atoll(argv[at + 1]), std::atoll(argv[at + 2])});
    if (sizes.empty()) {
        for (int64_t n : {192, 200, 333, 384, 512, 768, 1000, 1152}) sizes.push_back({n, n, n});
        sizes.insert(sizes.end(), {{128, 784, 512}, {512, 128, 784}, {4096, 64, 64}, {1, 1024, 1024}});
    }
    for (const Size& s : sizes)
        for (bool transposed_a : {false, true})
            for (bool transposed_b : {false, true}) measure(type, s, transposed_a, transposed_b);
    return 0;
}
