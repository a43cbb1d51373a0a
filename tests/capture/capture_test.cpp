#include <filesystem>

#include "compiler/frontend/capture/capture.h"
#include "compiler/frontend/syntax/parser.h"
#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "runtime/sifr_runtime.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;
using capture::CaptureOptions;
using capture::CaptureResult;
using capture::LoopMode;

/// Run-time numbers for scripts without tensors: a time that never stands still cannot be compared, the arguments can.
const char* const arguments[] = {"t.py", "7", "2.5", "word", "0"};

struct Shown {
    std::string out;
    std::string loops;
    std::string ir;
};

/// What the script prints, and then the error that ends it.
Shown run(const std::string& path, const std::string& text, LoopMode loops) {
    SourceFiles files;
    uint32_t file = files.add(path, text);
    Shown r;
    std::string end;
    std::optional<CaptureResult> captured;
    CaptureOptions options;
    options.loops = loops;
    options.script_path = path;
    try {
        std::unique_ptr<syntax::Module> module = syntax::parse_module(files.file(file), file);
        captured = capture::capture(*module, files, options);
        verify(captured->captured, "capture");
        r.loops = capture::loop_report_text(captured->loops, files);
        r.ir = print(captured->captured);
    } catch (const CompileError& e) {
        r.out = render(e.diagnostic, files, {false, false});
        return r;
    }
    sifr_host_hooks hooks{};
    hooks.user = &r.out;
    hooks.write_stdout = [](void* user, const char* data, int64_t size) { static_cast<std::string*>(user)->append(data, static_cast<size_t>(size)); };
    sifr_set_host_hooks(&hooks);
    sifr_set_argv(static_cast<int32_t>(std::size(arguments)), arguments);
    try {
        evaluate(captured->captured.function, Stage::Captured);
    } catch (const RunTimeRaise& e) {
        end = fmt::format("{}: line {}: {}\n", e.type, e.location.empty() ? 0 : e.location[0].line, e.text);
    }
    sifr_flush();
    sifr_set_host_hooks(nullptr);
    r.out += end;
    return r;
}

std::vector<fs::path> scripts(const char* folder) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(fs::path(SIFR_TEST_DIR) / "capture" / folder))
        if (entry.path().extension() == ".py") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// The `.out` files are what Python prints; they are compared in all modes of loops.
TEST(Capture, ScriptsPrintWhatPythonPrints) {
    for (const fs::path& path : scripts("run")) {
        std::string text = test::read_file(path), golden = test::read_file(fs::path(path).replace_extension(".out"));
        for (LoopMode mode : {LoopMode::Auto, LoopMode::Unroll, LoopMode::Roll}) {
            SCOPED_TRACE(fmt::format("{} in mode {}", path.filename().string(), static_cast<int>(mode)));
            EXPECT_EQ(run(path.filename().string(), text, mode).out, golden);
        }
    }
}

TEST(Capture, ErrorsHavePythonsWordsAndAPlace) {
    for (const fs::path& path : scripts("errors")) {
        SCOPED_TRACE(path.filename().string());
        EXPECT_TRUE(test::matches_golden(fs::path(path).replace_extension(".out"), run(path.filename().string(), test::read_file(path), LoopMode::Auto).out));
    }
}

TEST(Capture, IrAndLoopReportsAreGolden) {
    for (const fs::path& path : scripts("ir")) {
        SCOPED_TRACE(path.filename().string());
        Shown r = run(path.filename().string(), test::read_file(path), LoopMode::Roll);
        EXPECT_TRUE(test::matches_golden(fs::path(path).replace_extension(".out"), r.loops + r.ir + r.out));
    }
}

}  // namespace

/// `capture_test FILE.py [roll|unroll]` shows one script: its loops, its IR and what it prints.
int show(int argc, char** argv) {
    LoopMode mode = argc > 2 && std::string(argv[2]) == "roll" ? LoopMode::Roll : argc > 2 && std::string(argv[2]) == "unroll" ? LoopMode::Unroll : LoopMode::Auto;
    Shown r = run(argv[1], test::read_file(argv[1]), mode);
    fmt::print("{}{}{}", r.loops, r.ir, r.out);
    return 0;
}

}  // namespace sifr

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]).ends_with(".py")) return sifr::show(argc, argv);
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
