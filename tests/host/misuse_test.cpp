// Wrong uses of sifr in a C++ program, and what each says: misuse.txt has kind and text, without places and the lines they show, which
// compilers count differently. What a compiler refuses already stands in misuse.cpp.txt.

#include <sifr/sifr.h>

#include <cctype>
#include <complex>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/process.h"

struct DLDevice {
    int32_t type, id;
};
struct DLDataType {
    uint8_t code, bits;
    uint16_t lanes;
};
struct DLTensor {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned*);
    uint64_t flags;
    DLTensor dl_tensor;
};

namespace sifr::test {
namespace {

using Floats = std::vector<float>;

constexpr const char* script_text = R"(import torch
w = torch.ones(3)
kept = None

def scale(x, k):
    return x * w * k

def keep(x):
    global kept
    kept = x

def positive(x):
    return x[x > 0]

def name():
    return "scale"
)";

struct Case {
    const char* what;
    std::function<void()> use;
};

std::vector<Case> cases() {
    static Floats x{1, 2, 3, 4, 5, 6}, y{1, 2, 3, 4, 5, 6};
    static const std::vector<int64_t> far{0, 9};
    static std::vector<double> d(4);
    static int64_t sizes[] = {2, 3}, backwards[] = {-3, 1};
    static const auto v = from_blob(x.data(), {2, 3}), w = from_blob(y.data(), {2, 3});
    static const std::string file = (std::filesystem::temp_directory_path() / "sifr-misuse.safetensors").string();
    const auto dl = [](DLDevice device, DLDataType dtype, int64_t* strides = nullptr) {
        static DLManagedTensor t;
        t = {{x.data(), device, 2, dtype, sizes, strides, 0}, nullptr, nullptr};
        return from_dlpack(&t);
    };
    static Tensor left_over;

    return {
        {"sizes that do not fit", [] { jit([](Tensor a, Tensor b) { return a.matmul(b); }, {.argument_names = {"x", "w"}})(v, w); }},
        {"an index that is no integer", [] { jit([](Tensor a, Tensor i) { return index_select(a, 0, i); }, {.argument_names = {"x", "rows"}})(v, from_span(d)); }},
        {"a raise behind a write", [] { jit([](Tensor a, Tensor i) { a.add_(1); return index_select(a, 0, i); }, {.argument_names = {"x", "rows"}})(v, from_span(far)); }},
        {"writing const memory", [] { jit([](Tensor a) { a.zero_(); }, {.name = "clear", .argument_names = {"x"}})(v.as_const()); }},
        {"no memory", [] { jit([](Tensor a) { return a; })(from_blob(static_cast<float*>(nullptr), {2})); }},
        {"an axis that there is not", [] { jit([](Tensor a) { return a * a.size(2); })(v); }},
        {"a number that no int holds", [] { jit([](Scalar k) { return k; })(~uint64_t{0}); }},
        {"two dtypes in one memory", [] { jit([](Tensor a, Tensor b) { a.add_(b); })(v, from_blob(static_cast<void*>(x.data()), {2}, kInt32)); }},
        {"a tensor of an ended trace", [] { jit([](Tensor a) { left_over = a; })(v); jit([](Tensor a) { return a + left_over; })(v); }},
        {"a tensor without a value", [] { jit([](Tensor a) { return a + Tensor(); })(v); }},
        {"a tensor outside of any trace", [] { (void)zeros({2}); }},
        {"a compiled function inside a trace", [] { auto f = jit([](Tensor a) { return a; }, {.name = "inner"}); jit([&](Tensor a) { f(v); return a; })(v); }},
        {"new sizes on every call", [] { auto f = jit([](Tensor a) { return a; }, {.name = "each", .cache_limit = 2}); for (int64_t n = 1; n < 4; ++n) f(from_blob(x.data(), {n})); }},
        {"a function that PyTorch lacks", [] { jit([](Tensor a) { return call("torch.zeroes", a).tensor(); })(v); }},
        {"a method that PyTorch lacks", [] { jit([](Tensor a) { return a.call("summ").tensor(); })(v); }},
        {"a function that takes more", [] { jit([](Tensor a) { return call("torch.matmul", a).tensor(); })(v); }},
        {"the gradient of many elements", [] { jit([](Tensor a) { a.requires_grad_(); (a * 2).backward(); return a.grad(); })(v); }},
        {"a gradient without history", [] { jit([](Tensor a) { (a * 2).sum().backward(); })(v); }},
        {"the gradient that is None", [] { jit([](Tensor a) { a.requires_grad_(); return a.grad(); })(v); }},
        {"overwriting what backward needs", [] { jit([](Tensor a) { a.requires_grad_(); Tensor e = a.exp(), s = e.sum(); e.zero_(); s.backward(); return a.grad(); })(v); }},
        {"writing a leaf", [] { jit([](Tensor a) { a.requires_grad_(); a.add_(1); })(v); }},
        {"a loop that changes a size", [] { jit([](Tensor a, Scalar n) { return for_(0, n, a, [](Scalar, Tensor c) { return cat({c, c}); }); })(v, 3); }},
        {"two arms of two sizes", [] { jit([](Tensor a) { return if_(a.sum() > 0, [&] { return a; }, [&] { return a[0]; }); })(v); }},
        {"a result whose size depends on data", [] { jit([](Tensor a) { return a.index({a > 0}); })(v); }},
        {"a CPU that there is not", [] { jit([](Tensor a) { return a; }, {.target_cpu = "abacus"})(v); }},
        {"IR before the first call", [] { (void)jit([](Tensor a) { return a; }, {.name = "early"}).ir("plan"); }},
        {"IR of no stage", [] { auto f = jit([](Tensor a) { return a; }); f(v); (void)f.ir("machine"); }},
        {"too many axes", [] { (void)from_blob(x.data(), std::vector<int64_t>(17, 1)); }},
        {"a negative stride", [] { (void)from_blob(x.data(), {2, 3}, {-3, 1}); }},
        {"strides for other axes", [] { (void)from_blob(x.data(), {2, 3}, {1}); }},
        {"a negative size", [] { (void)from_blob(x.data(), {-1}); }},
        {"the elements as another type", [] { (void)v.data<double>(); }},
        {"an index past the end", [] { (void)v.at<float>({2, 0}); }},
        {"the item of a complex tensor", [] {
            std::complex<double> z(1, 2);
            (void)from_blob(&z, {}).item<double>();
        }},
        {"the item of many elements", [] { (void)v.item<float>(); }},
        {"DLPack of another device", [dl] { dl({2, 0}, {2, 32, 1}); }},
        {"DLPack of an unknown dtype", [dl] { dl({1, 0}, {10, 8, 1}); }},
        {"DLPack of vectors", [dl] { dl({1, 0}, {2, 32, 4}); }},
        {"DLPack with negative strides", [dl] { dl({1, 0}, {2, 32, 1}, backwards); }},
        {"DLPack of another version", [] {
            DLManagedTensorVersioned t{2, 0, nullptr, nullptr, 0, {x.data(), {1, 0}, 2, {2, 32, 1}, sizes, nullptr, 0}};
            from_dlpack(&t);
        }},
        {"DLPack of nothing", [] { from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }},
        {"a read-only DLPack tensor is written", [] {
            DLManagedTensorVersioned t{1, 0, nullptr, nullptr, 1, {x.data(), {1, 0}, 2, {2, 32, 1}, sizes, nullptr, 0}};
            jit([](Tensor a) { a.zero_(); })(from_dlpack(&t));
        }},
        {"a script that is not there", [] { load("/nowhere/model.py"); }},
        {"a script that is wrong", [] { load_string("import torch\nx = torch.zeros(2, 3) @ torch.zeros(2)\n", "model.py"); }},
        {"a script with a slip", [] { load_string("def f(:\n    pass\n", "model.py"); }},
        {"a function that the script lacks", [] { (void)load_string(script_text, "model.py").function("scal"); }},
        {"a variable that the script lacks", [] { (void)load_string(script_text, "model.py").state("ww"); }},
        {"too few arguments", [] { load_string(script_text, "model.py").function("scale")(v); }},
        {"an argument that does not fit", [] { load_string(script_text, "model.py").function("scale")(from_blob(x.data(), {2}), 2.0); }},
        {"the script's own memory as an argument", [] { Script s = load_string(script_text, "model.py"); s.function("scale")(s.state("w"), 2.0); }},
        {"a script that keeps an argument", [] { load_string(script_text, "model.py").function("keep")(v); }},
        {"a script's result that depends on data", [] { load_string(script_text, "model.py").function("positive")(v); }},
        {"a result that is text", [] { load_string(script_text, "model.py").function("name")(); }},
        {"a number as a tensor", [] { (void)load_string("def f():\n    return 1\n", "model.py").function("f")().tensor(); }},
        {"a result that there is not", [] { (void)load_string("def f():\n    return 1\n", "model.py").function("f")().number<int>(1); }},
        {"a result's name that there is not", [] { (void)load_string("def f():\n    return {'loss': 1}\n", "model.py").function("f")().number<int>("los"); }},
        {"an attribute that the script's variable lacks", [] { (void)load_string(script_text, "model.py").function("w.summ"); }},
        {"memory of another size for a variable", [] { load_string(script_text, "model.py").bind("w", from_blob(x.data(), {2})); }},
        {"const memory for a variable", [] { load_string(script_text, "model.py").bind("w", from_blob(x.data(), {3}).as_const()); }},
        {"state of another script", [] {
            load_string("import torch\nw = torch.ones(4)\n", "other.py").save(file);
            load_string(script_text, "model.py").restore(file);
        }},
        {"state of no script", [] {
            std::ofstream(file) << "text";
            load_string(script_text, "model.py").restore(file);
        }},
        {"state that is damaged", [] {
            load_string(script_text, "model.py").save(file);
            std::filesystem::resize_file(file, std::filesystem::file_size(file) - 4);
            load_string(script_text, "model.py").restore(file);
        }},
        {"state that is not there", [] { load_string(script_text, "model.py").restore("/nowhere/state"); }},
    };
}

/// Without places, which begin a line, and the lines of source that they show.
std::string plain(const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    const std::string temporary = std::filesystem::temp_directory_path().string();
    for (std::string line; std::getline(lines, line);) {
        const size_t first = line.find_first_not_of(' ');
        if (first != std::string::npos && line[0] == ' ' && (line[first] == '|' || std::isdigit(static_cast<unsigned char>(line[first])) != 0)) continue;
        for (const char* severity : {"error: ", "note: ", "warning: "})
            if (const size_t at = line.find(severity); at != std::string::npos && at > 0 && line[at - 1] == ' ') line.erase(0, at);
        for (size_t at = line.find(temporary); at != std::string::npos; at = line.find(temporary)) line.replace(at, temporary.size(), "TMP");
        out += "    " + line + "\n";
    }
    return out;
}

TEST(Misuse, EachSaysWhatIsWrong) {
    static constexpr const char* kinds[] = {"Compile", "Call", "Raise", "Machine", "Internal"};
    std::string out;
    for (const Case& c : cases()) {
        out += std::string(c.what) + "\n";
        try {
            c.use();
            ADD_FAILURE() << c.what << ": nothing was thrown";
        } catch (const Error& e) {
            EXPECT_NE(e.kind(), Error::Kind::Internal) << c.what << ": " << e.what();
            EXPECT_FALSE(e.message().empty()) << c.what;
            out += "  " + std::string(kinds[static_cast<size_t>(e.kind())]) + "\n" + plain(e.what());
        } catch (const std::exception& e) {
            ADD_FAILURE() << c.what << ": " << e.what();
        }
    }
    EXPECT_TRUE(matches_golden(std::filesystem::path(SIFR_TEST_DIR) / "host" / "misuse.txt", out));
}

TEST(Misuse, TheProgramsOwnExceptionPassesThrough) {
    int calls = 0;
    auto f = jit([&](Tensor a) {
        if (++calls == 1) throw std::logic_error("mine");
        return a + 1;
    });
    Floats x{1};
    EXPECT_THROW(f(from_span(x)), std::logic_error);
    EXPECT_EQ(f(from_span(x)).item<float>(), 2);
}

TEST(Misuse, OwnersMayGoFirst) {
    HostTensor weight;
    std::optional<ScriptFunction> scale;
    {
        Script s = load_string(script_text, "model.py");
        weight = s.state("w");
        scale = s.function("scale");
    }
    weight.at<float>({0}) = 5;
    Floats x{1, 1, 1};
    EXPECT_EQ((*scale)(from_span(x), 2.0).tensor().at<float>({0}), 10);
    scale.reset();
    EXPECT_EQ(weight.at<float>({0}), 5);
}

/// misuse.cpp.txt does not compile; a line `// says: TEXT` stands in front of each thing that is wrong in it.
TEST(Misuse, WhatIsWrongInTheCodeIsSaidByTheCompiler) {
    const std::filesystem::path file = std::filesystem::path(SIFR_TEST_DIR) / "host" / "misuse.cpp.txt";
    Command command;
    command.argv = {SIFR_CXX, "-std=c++20", "-fsyntax-only", "-I", SIFR_INCLUDE, "-I", SIFR_INCLUDE_MADE, "-x", "c++", file.string()};
    const CommandResult result = run_command(command);
    EXPECT_TRUE(result.exited(1)) << result.how_it_ended();
    std::istringstream lines(read_file(file));
    const std::string says = "// says: ";
    int seen = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(says)) continue;
        EXPECT_NE(result.err.find(line.substr(says.size())), std::string::npos) << line << "\n" << result.err;
        ++seen;
    }
    EXPECT_EQ(seen, 7);
}

}  // namespace
}  // namespace sifr::test
