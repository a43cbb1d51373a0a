// Functions of loaded scripts: what can be called, what comes back, whose memory variables lie in.

#include <sifr/sifr.h>

#include <complex>
#include <cstring>
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

namespace {

using Floats = std::vector<float>;

constexpr const char* text = R"(
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.inner = nn.Linear(2, n)
        self.outer = nn.Linear(n, 1)

    def forward(self, x):
        return self.outer(self.encode(x))

    def encode(self, x):
        return torch.tanh(self.inner(x))

torch.manual_seed(0)
net = Net(3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)

def step(x, y):
    optimizer.zero_grad()
    losses = {"data": ((net(x) - y) ** 2).mean(), "size": net.inner.weight.abs().sum() * 0.001}
    sum(losses.values()).backward()
    optimizer.step()
    return {"loss": {k: v.item() for k, v in losses.items()}, "grads": [net.inner.weight.grad, net.outer.bias.grad], 7: 1.5}

def cleared(x):
    z = torch.zeros(4)
    z.copy_(x)
    return z * 2
)";

sifr::TensorView two_by_two(Floats& x) { return sifr::from_blob(x.data(), {2, 2}); }

TEST(Loaded, ComplexVariablesAreComplexTensors) {
    using C = std::complex<float>;
    const sifr::Script script = sifr::load_string(
        "import torch\nz = torch.zeros(2, dtype=torch.complex64)\nw = torch.ones(3, dtype=torch.complex64)[1:]\ndef f(x):\n    z.add_(x * 1j)\n    return z.real.sum(), w\n");
    Floats x{1, 2};
    script.function("f")(sifr::from_span(x));
    EXPECT_EQ(script.state_names(), (std::vector<std::string>{"z", "w"}));
    const sifr::HostTensor z = script.state("z");
    EXPECT_EQ(z.dtype(), sifr::kComplex64);
    EXPECT_EQ(z.at<C>({1}), C(0, 2));
    z.at<C>({1}) = C(5, 6);
    EXPECT_EQ(script.function("f")(sifr::from_span(x)).number<float>(0), 5);
    EXPECT_EQ(script.state("w").at<C>({1}), C(1, 0));
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "sifr-complex-state.safetensors";
    script.save(file.string());
    z.at<C>({1}) = C(0, 0);
    script.restore(file.string());
    EXPECT_EQ(script.state("z").at<C>({1}), C(5, 8));
    std::filesystem::remove(file);
    std::vector<C> own{{1, 1}, {2, 2}};
    script.bind("z", sifr::from_span(own));
    script.function("f")(sifr::from_span(x));
    EXPECT_EQ(own[1], C(2, 4));
}

TEST(Loaded, FunctionsThatNeverComeBackSaySo) {
    // What is raised in any case is known while compiling; the program's end is the caller's to decide.

    const sifr::Script script = sifr::load_string("import sys\nimport torch\nn = torch.zeros(1)\ndef leave():\n    sys.exit(3)\ndef fail(x):\n    raise ValueError(f'{x} is wrong')\n");
    struct Case {
        std::function<void()> run;
        const char* exception;
        sifr::Error::Kind kind;
    };
    for (const auto& [run, exception, kind] : {Case{[&] { script.function("leave")(); }, "SystemExit", sifr::Error::Kind::Raise},
                                               Case{[&] { script.function("fail")(2); }, "ValueError", sifr::Error::Kind::Compile}}) {
        try {
            run();
            ADD_FAILURE() << exception;
        } catch (const sifr::Error& e) {
            EXPECT_EQ(e.kind(), kind) << e.what();
            EXPECT_EQ(e.details().exception, exception) << e.what();
        }
    }
}

TEST(Loaded, ModulesAndMethodsAreFunctions) {
    const sifr::Script script = sifr::load_string(text, "net.py");
    Floats x{1, 2, 3, 4};
    const sifr::HostTensor hidden = script.function("net.encode")(two_by_two(x)).tensor();
    EXPECT_EQ(hidden.size(1), 3);
    const sifr::HostTensor w = script.state("net.outer.weight"), b = script.state("net.outer.bias"), out = script.function("net")(two_by_two(x)).tensor();
    float by_hand = b.at<float>({0});
    for (int64_t k = 0; k < 3; ++k) by_hand += hidden.at<float>({1, k}) * w.at<float>({0, k});
    EXPECT_NEAR(out.at<float>({1, 0}), by_hand, 1e-6);
    EXPECT_THROW((void)script.function("net.decode"), sifr::Error);
    EXPECT_THROW((void)script.function("net.inner.weight"), sifr::Error);
}

TEST(Loaded, ADictGivesItsResultsNames) {
    const sifr::Script script = sifr::load_string(text, "net.py");
    Floats x{1, 2, 3, 4}, y{1, -1};
    const sifr::ScriptResult r = script.function("step")(two_by_two(x), sifr::from_blob(y.data(), {2, 1}));
    EXPECT_EQ(r.names(), (std::vector<std::string>{"loss.data", "loss.size", "grads[0]", "grads[1]", "7"}));
    EXPECT_EQ(r.number<double>("loss.data"), r.number<double>(0));
    EXPECT_GT(r.number<double>("loss.size"), 0);
    EXPECT_EQ(r.tensor("grads[0]").size(0), 3);
    EXPECT_EQ(r.number<double>("7"), 1.5);
    EXPECT_THROW((void)r.tensor("grads"), sifr::Error);
    EXPECT_TRUE(script.function("cleared")(sifr::from_span(x)).names().at(0).empty());
}

TEST(Loaded, VariablesLieInTheHostsMemoryWhereItBindsThem) {
    const sifr::Script script = sifr::load_string(text, "net.py"), other = sifr::load_string(text, "net.py");
    Floats mine(6, 0.25F), x{1, 2, 3, 4}, y{1, -1};
    script.bind("net.inner.weight", sifr::from_blob(mine.data(), {3, 2}));
    EXPECT_EQ(script.state("net.inner.weight").data(), mine.data());
    const auto step = [&](const sifr::Script& s) { return s.function("step")(two_by_two(x), sifr::from_blob(y.data(), {2, 1})).number<double>("loss.data"); };
    // As a script of its own whose elements are written once.
    for (int64_t k = 0; k < 6; ++k) other.state("net.inner.weight").data<float>()[k] = 0.25F;
    for (int k = 0; k < 3; ++k) EXPECT_EQ(step(script), step(other));
    EXPECT_NE(mine[0], 0.25F);
    EXPECT_EQ(mine[5], other.state("net.inner.weight").data<float>()[5]);
    // It stays bound when a state is taken back.
    const std::string file = (std::filesystem::temp_directory_path() / "sifr-bound.safetensors").string();
    script.save(file);
    const Floats saved = mine;
    step(script);
    EXPECT_NE(mine, saved);
    script.restore(file);
    EXPECT_EQ(mine, saved);
    std::filesystem::remove(file);
    EXPECT_THROW(script.bind("net.outer.weight", sifr::from_blob(mine.data(), {1, 3})), sifr::Error) << "another variable's";
}

TEST(Loaded, StatementsBehindTheScriptMakeObjectsOfItsClasses) {
    const sifr::Script script = sifr::load_string(text, "net.py", {.behind = "wide = Net(16)\ndef both(x):\n    return net(x) + wide(x)"});
    Floats x{1, 2, 3, 4};
    EXPECT_EQ(script.state("wide.inner.weight").size(0), 16);
    EXPECT_EQ(script.function("both")(two_by_two(x)).tensor().at<float>({0, 0}),
              script.function("net")(two_by_two(x)).tensor().at<float>({0, 0}) + script.function("wide")(two_by_two(x)).tensor().at<float>({0, 0}));
}

TEST(Loaded, FunctionsShowTheirInside) {
    const sifr::Script script = sifr::load_string(text, "net.py");
    auto cleared = script.function("cleared");
    EXPECT_TRUE(cleared.ledger().empty());
    Floats x{1, 2, 3, 4};
    cleared(sifr::from_span(x));
    ASSERT_EQ(cleared.ledger().size(), 1U);
    EXPECT_EQ(cleared.ledger()[0].verdict, "removed");
    EXPECT_EQ(cleared.ledger()[0].place.file, "net.py");
    EXPECT_TRUE(cleared.remarks().empty());
    // Misaligned memory is copied, and said to be.
    alignas(8) char bytes[20] = {};
    std::memcpy(bytes + 2, x.data(), 16);
    EXPECT_EQ(cleared(sifr::from_blob(static_cast<void*>(bytes + 2), {4}, sifr::kFloat32)).tensor().at<float>({3}), 8);
    ASSERT_FALSE(cleared.remarks().empty());
    EXPECT_EQ(cleared.remarks()[0].code, "copied");
}

}  // namespace
