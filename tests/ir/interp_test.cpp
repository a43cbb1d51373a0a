#include <filesystem>

#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "runtime/sifr_runtime.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;

std::string shown(const RunValue& v) {
    struct Visitor {
        std::string operator()(std::monostate) const { return "None"; }
        std::string operator()(bool x) const { return x ? "True" : "False"; }
        std::string operator()(int64_t x) const { return std::to_string(x); }
        std::string operator()(double x) const {
            sifr_str s = sifr_f64_str(x);
            return {s.data, static_cast<size_t>(s.size)};
        }
        std::string operator()(const std::string& x) const { return '"' + x + '"'; }
        std::string operator()(const RunTensor& t) const {
            sifr_tensor c{t.at(t.layout.offset), static_cast<int32_t>(t.dtype), static_cast<int32_t>(t.sizes().size()), t.layout.sizes.data(), t.layout.strides.data()};
            sifr_str s = sifr_tensor_str(&c, nullptr, sifr_str{"", 0}, sifr_str{"", 0});
            return {s.data, static_cast<size_t>(s.size)};
        }
        std::string operator()(const std::shared_ptr<RunOptional>& x) const { return x->some ? "some" : "none"; }
        std::string operator()(const std::shared_ptr<RunList>& x) const { return "list of " + std::to_string(x->items.size()); }
        std::string operator()(const Poison& x) const { return x.type; }
    };
    return std::visit(Visitor{}, v);
}

/// What the function prints, then what it yields, then what it raises.
std::string run(const std::string& text) {
    ParsedFunction f = parse_function(SourceFile("run.sifr", text));
    std::string out;
    sifr_host_hooks hooks{};
    hooks.user = &out;
    hooks.write_stdout = [](void* user, const char* data, int64_t size) { static_cast<std::string*>(user)->append(data, static_cast<size_t>(size)); };
    sifr_set_host_hooks(&hooks);
    std::string end;
    try {
        for (const RunValue& v : evaluate(f.function, f.stage)) end += shown(v) + "\n";
    } catch (const RunTimeRaise& e) {
        end = fmt::format("line {}: {}: {}\n", e.location.empty() ? 0 : e.location[0].line, e.type, e.text);
    }
    sifr_flush();
    sifr_set_host_hooks(nullptr);
    return out + end;
}

TEST(Interpreter, GoldenRuns) {
    for (const auto& entry : fs::directory_iterator(fs::path(SIFR_TEST_DIR) / "ir" / "run")) {
        if (entry.path().extension() != ".sifr") continue;
        SCOPED_TRACE(entry.path().filename().string());
        EXPECT_TRUE(test::matches_golden(fs::path(entry.path()).replace_extension(".out"), run(test::read_file(entry.path()))));
    }
}

}  // namespace
}  // namespace sifr
