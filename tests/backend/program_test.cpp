// Whole plans: the same program in this process and as an executable on disk, with what it prints and how it ends.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "compiler/backend/backend.h"
#include "runtime/sifr_runtime.h"
#include "tests/backend/run_kernel.h"
#include "tests/support/process.h"

namespace sifr::test {
namespace {

/// Builds a plan step by step.
struct PlanBuilder {
    Plan plan;
    std::vector<PlanBlock*> blocks{&plan.body};

    PlanScalar scalar(Type type, ScalarConstant constant = {}) {
        plan.scalars.push_back({std::move(type), std::move(constant), "s"});
        return PlanScalar(plan.scalars.size() - 1);
    }
    PlanScalar number(int64_t v) { return scalar(Type::i64(), v); }
    PlanScalar number(double v) { return scalar(Type::f64(), v); }
    PlanScalar text(std::string v) { return scalar(Type::str(), std::move(v)); }
    PlanBuffer arena(DType type, Sizes sizes) {
        BufferDef b;
        b.type = type;
        b.sizes = std::move(sizes);
        b.bytes = element_count(b.sizes) * size_of(type);
        b.offset = plan.arena_bytes;
        plan.arena_bytes += (b.bytes + 63) / 64 * 64;
        plan.buffers.push_back(b);
        return PlanBuffer(plan.buffers.size() - 1);
    }
    PlanBuffer rotating(DType type, Sizes sizes) {
        BufferDef b;
        b.kind = BufferDef::Kind::Rotating;
        b.type = type;
        b.sizes = std::move(sizes);
        plan.buffers.push_back(b);
        return PlanBuffer(plan.buffers.size() - 1);
    }
    PlanInst& add(PlanInst::Kind kind) {
        PlanInst inst{};
        inst.kind = kind;
        inst.location = {Span{0, static_cast<uint32_t>(10 + blocks.back()->insts.size()), 1, 0, 0}};
        blocks.back()->insts.push_back(std::move(inst));
        return blocks.back()->insts.back();
    }
    PlanScalar op(const char* name, Type result, std::vector<PlanScalar> operands, const std::vector<std::pair<const char*, AttrValue>>& attrs = {}) {
        PlanInst& inst = add(PlanInst::Kind::Scalar);
        inst.op = *op_named(name);
        inst.scalars = std::move(operands);
        for (const auto& [key, value] : attrs) inst.attrs.set(key, value);
        const PlanScalar r = scalar(std::move(result));
        blocks.back()->insts.back().results = {r};
        return r;
    }
    void print(PlanScalar text) {
        PlanInst& inst = add(PlanInst::Kind::Call);
        inst.op = *op_named("print");
        inst.scalars = {text};
    }
    void print_formatted(const std::string& spec, std::vector<PlanScalar> args) { print(op("format", Type::str(), std::move(args), {{"spec", spec}})); }
    void launch(const std::string& kernel, std::vector<PlanBuffer> buffers, std::vector<PlanScalar> scalars = {}) {
        plan.kernels.push_back(parsed_kernel(kernel));
        PlanInst& inst = add(PlanInst::Kind::Launch);
        inst.kernel = KernelId(plan.kernels.size() - 1);
        inst.buffers = std::move(buffers);
        inst.scalars = std::move(scalars);
    }
    PlanScalar item(PlanBuffer b, int64_t element) {
        PlanInst& inst = add(PlanInst::Kind::Item);
        inst.buffers = {b};
        inst.begin = element;
        const PlanScalar r = scalar(Type::f64());
        blocks.back()->insts.back().results = {r};
        return r;
    }
};

struct Ended {
    std::string out, error;
    int code = 0;
    bool operator==(const Ended&) const = default;
};
std::ostream& operator<<(std::ostream& o, const Ended& e) { return o << "code " << e.code << "\n" << e.out << "----\n" << e.error; }

Ended run_executable(const Plan& plan, const std::vector<std::string>& arguments) {
    BackendOptions options;
    options.script_path = "t.py";
    options.target_cpu = "x86-64-v3";
    const auto bytes = backend_named("llvm").compile(plan, Emit::Executable, options);
    const TempDir folder;
    const auto path = folder.path() / "program";
    {
        std::ofstream f(path, std::ios::binary);
        f.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::vector<std::string> command{path.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Command run;
    run.argv = command;
    const CommandResult r = run_command(run);
    return {r.out, r.err, r.exit_code};
}

struct Raised {};

Ended run_here(const Plan& plan, std::vector<std::string> arguments) {
    BackendOptions options;
    options.script_path = "t.py";
    auto program = backend_named("llvm").load(plan, options);
    Ended e;
    sifr_host_hooks hooks{};
    hooks.user = &e;
    hooks.write_stdout = [](void* user, const char* data, int64_t size) { static_cast<Ended*>(user)->out.append(data, static_cast<size_t>(size)); };
    hooks.write_stderr = [](void* user, const char* data, int64_t size) { static_cast<Ended*>(user)->error.append(data, static_cast<size_t>(size)); };
    hooks.raise = [](void* user, const char* type, sifr_str text, const char* file, int32_t line) {
        static_cast<Ended*>(user)->error += fmt::format("  File \"{}\", line {}\n{}: {}\n", file, line, type, std::string_view(text.data, static_cast<size_t>(text.size)));
        throw Raised();
    };
    sifr_set_host_hooks(&hooks);
    arguments.insert(arguments.begin(), "t.py");
    try {
        e.code = program->run(arguments);
    } catch (const Raised&) {
        e.code = 1;
    }
    sifr_flush();
    sifr_set_host_hooks(nullptr);
    return e;
}

void expect_both(const Plan& plan, const Ended& expected, const std::vector<std::string>& arguments = {}) {
    EXPECT_EQ(run_here(plan, arguments), expected);
    EXPECT_EQ(run_executable(plan, arguments), expected);
}

TEST(Program, PrintsHello) {
    PlanBuilder p;
    p.print(p.text("hello\n"));
    expect_both(p.plan, {"hello\n", "", 0});
}

TEST(Program, AnEmptyPlanEndsWell) { expect_both(Plan(), {"", "", 0}); }

TEST(Program, KernelsItemsFillsAndCopies) {
    PlanBuilder p;
    const PlanBuffer x = p.arena(DType::F32, {100}), y = p.arena(DType::F32, {100});
    PlanInst& fill = p.add(PlanInst::Kind::Fill);
    fill.buffers = {x};
    fill.size = 400;
    fill.pattern = 0x4000000040000000;  // 2.0 twice
    p.launch("kernel @scale(x: read f32[100], y: write f32[100]; a: f64) {\n    vector i in 0..100 {\n        y[i] = (x[i] * f32(a)) + f32(i)\n    }\n}\n", {x, y}, {p.number(1.5)});
    PlanInst& copy = p.add(PlanInst::Kind::Copy);
    copy.buffers = {x, y};
    copy.size = 400;
    p.print_formatted("{} {:.3f} {{}}\n", {p.item(x, 7), p.item(y, 99)});
    expect_both(p.plan, {"10.0 102.000 {}\n", "", 0});
}

TEST(Program, LoopsCarryScalarsTextsAndBuffers) {
    PlanBuilder p;
    const PlanBuffer a = p.arena(DType::F64, {1}), b = p.arena(DType::F64, {1});
    for (const auto& [buffer, value] : {std::pair(a, uint64_t{0}), std::pair(b, std::bit_cast<uint64_t>(1.0))}) {
        PlanInst& fill = p.add(PlanInst::Kind::Fill);
        fill.buffers = {buffer};
        fill.size = 8;
        fill.pattern = value;
    }
    // for i in range(1, 10, 2): a, b = b, a + b; total += i; text = text + "x"
    p.plan.kernels.push_back(parsed_kernel("kernel @add(a: readwrite f64[1], b: read f64[1]) {\n    a[0] = a[0] + b[0]\n}\n"));
    PlanInst loop{};
    loop.kind = PlanInst::Kind::For;
    const PlanScalar total0 = p.number(int64_t{0}), text0 = p.text("");
    loop.scalars = {p.number(int64_t{1}), p.number(int64_t{10}), p.number(int64_t{2}), total0, text0};
    loop.buffers = {a, b};
    loop.induction = p.scalar(Type::i64());
    loop.params = {p.scalar(Type::i64()), p.scalar(Type::str())};
    const PlanBuffer pa = p.rotating(DType::F64, {1}), pb = p.rotating(DType::F64, {1}), ra = p.rotating(DType::F64, {1}), rb = p.rotating(DType::F64, {1});
    loop.buffer_params = {pa, pb};
    loop.buffer_results = {ra, rb};
    loop.results = {p.scalar(Type::i64()), p.scalar(Type::str())};
    loop.blocks.resize(1);
    p.blocks.push_back(&loop.blocks[0]);
    PlanInst& launch = p.add(PlanInst::Kind::Launch);
    launch.kernel = KernelId(0);
    launch.buffers = {pa, pb};
    const PlanScalar total = p.op("iadd", Type::i64(), {loop.params[0], loop.induction});
    const PlanScalar text = p.op("str_concat", Type::str(), {loop.params[1], p.text("x")});
    p.print_formatted("{:d}:{}\n", {loop.induction, text});
    p.blocks.pop_back();
    loop.yields = {{total, text}};
    loop.buffer_yields = {{pb, pa}};
    const auto results = loop.results;
    p.plan.body.insts.push_back(std::move(loop));
    p.print_formatted("{} {} {} {}\n", {results[0], results[1], p.item(ra, 0), p.item(rb, 0)});
    expect_both(p.plan, {"1:x\n3:xx\n5:xxx\n7:xxxx\n9:xxxxx\n25 xxxxx 5.0 8.0\n", "", 0});
}

TEST(Program, WhileAndIfAndArguments) {
    PlanBuilder p;
    // n = int(sys.argv[1]); while n > 1: n = n // 2 if n % 2 == 0 else 3 * n + 1; print(n)
    const PlanScalar n0 = p.op("str_to_int", Type::i64(), {p.op("argv", Type::str(), {p.number(int64_t{1})})});
    PlanInst loop{};
    loop.kind = PlanInst::Kind::While;
    loop.scalars = {n0};
    loop.params = {p.scalar(Type::i64())};
    loop.results = {p.scalar(Type::i64())};
    loop.blocks.resize(2);
    p.blocks.push_back(&loop.blocks[0]);
    const PlanScalar more = p.op("igt", Type::boolean(), {loop.params[0], p.number(int64_t{1})});
    p.blocks.back() = &loop.blocks[1];
    const PlanScalar even = p.op("ieq", Type::boolean(), {p.op("imod", Type::i64(), {loop.params[0], p.number(int64_t{2})}), p.number(int64_t{0})});
    PlanInst branch{};
    branch.kind = PlanInst::Kind::If;
    branch.scalars = {even};
    branch.blocks.resize(2);
    branch.results = {p.scalar(Type::i64())};
    p.blocks.push_back(&branch.blocks[0]);
    const PlanScalar half = p.op("ifloordiv", Type::i64(), {loop.params[0], p.number(int64_t{2})});
    p.blocks.back() = &branch.blocks[1];
    const PlanScalar odd = p.op("iadd", Type::i64(), {p.op("imul", Type::i64(), {loop.params[0], p.number(int64_t{3})}), p.number(int64_t{1})});
    p.blocks.pop_back();
    branch.yields = {{half}, {odd}};
    const PlanScalar next = branch.results[0];
    loop.blocks[1].insts.push_back(std::move(branch));
    p.print_formatted("{} ", {next});
    p.blocks.pop_back();
    loop.yields = {{more}, {next}};
    p.plan.body.insts.push_back(std::move(loop));
    expect_both(p.plan, {"3 10 5 16 8 4 2 1 ", "", 0}, {"6"});
}

TEST(Program, OverflowRaisesAtTheScriptsLine) {
    PlanBuilder p;
    const PlanScalar big = p.op("str_to_int", Type::i64(), {p.op("argv", Type::str(), {p.number(int64_t{1})})});
    p.print(p.text("before\n"));
    p.print_formatted("{}", {p.op("imul", Type::i64(), {big, big})});
    const Ended e = run_here(p.plan, {"4000000000"});
    EXPECT_EQ(e.out, "before\n");
    EXPECT_EQ(e.code, 1);
    EXPECT_NE(e.error.find("line 13\nOverflowError"), std::string::npos) << e.error;
    EXPECT_EQ(run_executable(p.plan, {"4000000000"}), e);
    EXPECT_EQ(run_here(p.plan, {"3"}).out, "before\n9");
}

TEST(Program, AFailedCheckOfAKernelRaises) {
    PlanBuilder p;
    const PlanBuffer x = p.arena(DType::I64, {40});
    p.launch("kernel @fill(x: write i64[40]) {\n    vector i in 0..40 {\n        x[i] = i\n    }\n}\n", {x});
    p.launch("kernel @check(x: read i64[40]; n: i64) {\n    site \"IndexError\" \"index {} is out of bounds\" @7:3\n    vector i in 0..40 {\n        check x[i] < n, site 0, position i, value x[i]\n    }\n}\n",
             {x}, {p.op("argc", Type::i64(), {})});
    p.print(p.text("not reached\n"));
    expect_both(p.plan, {"", "  File \"t.py\", line 7\nIndexError: index 2 is out of bounds\n", 1}, {"one"});
}

TEST(Program, OptionalsListsAndFormats) {
    PlanBuilder p;
    const PlanScalar list = p.op("list_new", Type::list(Type::f64()), {});
    for (double v : {2.5, -1.0, 4.0}) {
        PlanInst& append = p.add(PlanInst::Kind::Call);
        append.op = *op_named("list_append");
        append.scalars = {list, p.number(v)};
    }
    p.print_formatted("{} {} {} {:>6.2f}|{!r:>5}|\n", {list, p.op("list_len", Type::i64(), {list}), p.op("list_max", Type::f64(), {list}),
                                                     p.op("list_sum", Type::f64(), {list}), p.text("a")});
    const Type maybe = Type::optional({Type::f64()});
    const PlanScalar some = p.op("some", maybe, {p.number(3.0)}), none = p.op("none", maybe, {});
    p.print_formatted("{} {} {}\n", {p.op("is_none", Type::boolean(), {some}), p.op("is_none", Type::boolean(), {none}),
                                     p.op("unwrap", Type::f64(), {some}, {{"error", std::string("TypeError: x")}})});
    p.op("unwrap", Type::f64(), {none}, {{"error", std::string("TypeError: unsupported operand")}});
    const Ended e = run_here(p.plan, {});
    EXPECT_EQ(e.out, "[2.5, -1.0, 4.0] 3 4.0   5.50|  'a'|\nFalse True 3.0\n");
    EXPECT_NE(e.error.find("TypeError: unsupported operand"), std::string::npos) << e.error;
    EXPECT_EQ(run_executable(p.plan, {}), e);
}

TEST(Program, DebugLinesNameTheScript) {
    PlanBuilder p;
    const PlanBuffer x = p.arena(DType::F32, {4000});
    p.launch("kernel @fill(x: write f32[4000]) @5:1 {\n    vector i in 0..4000 @6:2 {\n        x[i] = f32(i) @7:3\n    }\n}\n", {x});
    BackendOptions options;
    options.script_path = "folder/t.py";
    options.debug_lines = true;
    const auto bytes = backend_named("llvm").compile(p.plan, Emit::Assembly, options);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_NE(text.find("\"t.py\""), std::string::npos);
    EXPECT_NE(text.find("\t.loc\t0 7 3"), std::string::npos) << text;
    EXPECT_NE(text.find("\t.loc\t0 10 1"), std::string::npos) << "of the launch";
}

TEST(Program, TinyKernelsAreInlined) {
    PlanBuilder p;
    const PlanBuffer x = p.arena(DType::F32, {4}), y = p.arena(DType::F32, {4000});
    p.launch("kernel @small(x: write f32[4]) {\n    vector i in 0..4 {\n        x[i] = 2.0\n    }\n}\n", {x});
    p.launch("kernel @large(y: write f32[4000]) {\n    vector i in 0..4000 {\n        y[i] = 2.0\n    }\n}\n", {y});
    const auto bytes = backend_named("llvm").compile(p.plan, Emit::LlvmIr, {});
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_EQ(text.find("call void @kernel.small"), std::string::npos) << text;
    EXPECT_NE(text.find("call void @kernel.large"), std::string::npos) << text;
}

TEST(Program, RandomTensorsArePrinted) {
    PlanBuilder p;
    const PlanBuffer x = p.arena(DType::F32, {2, 3});
    PlanInst& seed = p.add(PlanInst::Kind::Call);
    seed.op = *op_named("manual_seed");
    seed.scalars = {p.number(int64_t{0})};
    PlanInst& draw = p.add(PlanInst::Kind::Call);
    draw.op = *op_named("uniform");
    draw.scalars = {p.number(0.0), p.number(1.0)};
    draw.buffers = {x};
    PlanInst& show = p.add(PlanInst::Kind::Call);
    show.op = *op_named("tensor_str");
    show.buffers = {x};
    show.attrs.set("kind", std::string("str"));
    show.attrs.set("suffix", std::string("requires_grad=True"));
    const PlanScalar text = p.scalar(Type::str());
    p.plan.body.insts.back().results = {text};
    p.print(text);
    expect_both(p.plan, {"tensor([[0.4963, 0.7682, 0.0885],\n        [0.1320, 0.3074, 0.6341]], requires_grad=True)", "", 0});
}

}  // namespace
}  // namespace sifr::test
