#include <algorithm>
#include <filesystem>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/capture.h"
#include "compiler/frontend/syntax/parser.h"
#include "compiler/frontend/torch/known_names.h"
#include "ir/interp/interp.h"
#include "ir/verify/verify.h"
#include "runtime/sifr_runtime.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;

/// What the script prints when its captured form is interpreted, and then the error that ends it.
std::string run(const std::string& path, const std::string& text) {
    SourceFiles files;
    uint32_t file = files.add(path, text);
    std::string out;
    capture::CaptureOptions options;
    options.script_path = path;
    options.bindings.push_back(capture::bind_torch);
    std::optional<capture::CaptureResult> captured;
    try {
        std::unique_ptr<syntax::Module> module = syntax::parse_module(files.file(file), file);
        captured = capture::capture(*module, files, options);
        verify(captured->captured, "capture");
    } catch (const CompileError& e) {
        return render(e.diagnostic, files, {false, false});
    }
    sifr_host_hooks hooks{};
    hooks.user = &out;
    hooks.write_stdout = [](void* user, const char* data, int64_t size) { static_cast<std::string*>(user)->append(data, static_cast<size_t>(size)); };
    sifr_set_host_hooks(&hooks);
    std::string end;
    try {
        evaluate(captured->captured.function, Stage::Captured);
    } catch (const RunTimeRaise& e) {
        end = fmt::format("{}: {}\n", e.type, e.text);
    }
    sifr_flush();
    sifr_set_host_hooks(nullptr);
    return out + end;
}

/// The `.out` files are what PyTorch prints.
TEST(Torch, ScriptsPrintWhatPyTorchPrints) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(fs::path(SIFR_TEST_DIR) / "torch" / "run"))
        if (entry.path().extension() == ".py") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    ASSERT_FALSE(paths.empty());
    for (const fs::path& path : paths) {
        SCOPED_TRACE(path.filename().string());
        EXPECT_EQ(run(path.filename().string(), test::read_file(path)), test::read_file(fs::path(path).replace_extension(".out")));
    }
}

TEST(Torch, NamesOfPyTorchAreNotSupportedRatherThanUnknown) {
    EXPECT_NE(run("t.py", "import torch\ntorch.stft(torch.ones(8), 4)\n").find("not supported: torch.stft"), std::string::npos);
    EXPECT_NE(run("t.py", "import torch\ntorch.ones(2).to_sparse_bsr(1)\n").find("not supported: Tensor.to_sparse_bsr"), std::string::npos);
    EXPECT_NE(run("t.py", "import torch\ntorch.ones(2).no_such_thing\n").find("AttributeError: 'Tensor' object has no attribute 'no_such_thing'"), std::string::npos);
}

TEST(Torch, ListsOfNamesAnswerExactly) {
    EXPECT_TRUE(capture::is_torch_tensor_name("zero_"));
    EXPECT_FALSE(capture::is_torch_tensor_name("zero"));
    EXPECT_TRUE(capture::is_torch_name("torch.nn.functional", "relu"));
    EXPECT_FALSE(capture::is_torch_name("torch.nn.functional", "rel"));
    EXPECT_FALSE(capture::is_torch_name("no.such.module", "relu"));
}

}  // namespace
}  // namespace sifr
