#include "compiler/backend/cuda/nvrtc.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <dlfcn.h>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"

namespace sifr::cuda {

namespace fs = std::filesystem;

struct Program_;
using Program = Program_*;

struct Nvrtc::Functions {
    const char* (*nvrtcGetErrorString)(int);
    int (*nvrtcVersion)(int*, int*);
    int (*nvrtcGetNumSupportedArchs)(int*);
    int (*nvrtcGetSupportedArchs)(int*);
    int (*nvrtcCreateProgram)(Program*, const char* source, const char* name, int headers, const char* const* texts, const char* const* names);
    int (*nvrtcDestroyProgram)(Program*);
    int (*nvrtcCompileProgram)(Program, int count, const char* const* options);
    int (*nvrtcGetProgramLogSize)(Program, size_t*);
    int (*nvrtcGetProgramLog)(Program, char*);
    int (*nvrtcGetCUBINSize)(Program, size_t*);
    int (*nvrtcGetCUBIN)(Program, char*);
    int (*nvrtcGetPTXSize)(Program, size_t*);
    int (*nvrtcGetPTX)(Program, char*);
};

namespace {

std::string variable(const char* name) {
    const char* v = std::getenv(name);
    return v ? v : "";
}

/// Subfolders of `parent` whose names start with `prefix`, the last by name first.
std::vector<fs::path> folders(const fs::path& parent, const std::string& prefix) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored))
        if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
    std::sort(found.rbegin(), found.rend());
    return found;
}

/// Folders where the library may lie, in the order of nvrtc.h.
std::vector<fs::path> places() {
    std::vector<fs::path> all;
    auto toolkit = [&](const fs::path& p) {
        all.push_back(p / "lib64");
        all.push_back(p / "lib");
        all.push_back(p / "targets/x86_64-linux/lib");
    };
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (std::string p = variable(name); !p.empty()) toolkit(p);
    toolkit("/usr/local/cuda");
    for (const fs::path& p : folders("/usr/local", "cuda-")) toolkit(p);
    auto python = [&](const fs::path& lib, const char* packages) {
        for (const fs::path& version : folders(lib, "python3"))
            for (const fs::path& package : folders(version / packages / "nvidia", "cu")) all.push_back(package / "lib");
    };
    if (std::string p = variable("VIRTUAL_ENV"); !p.empty()) python(fs::path(p) / "lib", "site-packages");
    if (std::string p = variable("HOME"); !p.empty()) python(fs::path(p) / ".local/lib", "site-packages");
    for (const char* packages : {"dist-packages", "site-packages"})
        for (const char* lib : {"/usr/local/lib", "/usr/lib"}) python(lib, packages);
    return all;
}

constexpr const char* names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

}  // namespace

Nvrtc& Nvrtc::instance() {
    static Nvrtc* one = [] {
        auto* n = new Nvrtc;  // never unloaded
        n->why_not_ = n->load();
        return n;
    }();
    return *one;
}

std::string Nvrtc::missing() { return instance().why_not_; }

const Nvrtc& Nvrtc::get() {
    Nvrtc& n = instance();
    if (n.why_not_.empty()) return n;
    Diagnostic d;
    d.code = "nvrtc-missing";
    d.text = n.why_not_;
    d.help = "install the CUDA toolkit or NVIDIA's package nvidia-cuda-nvrtc, or set SIFR_NVRTC to the library; a binary needs none of it when it runs";
    throw CompileError(d, 3);
}

std::string Nvrtc::load() {
    void* library = nullptr;
    std::vector<std::string> tried;
    auto open = [&](const std::string& path) {
        if (library) return;
        tried.push_back(path);
        library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library) path_ = path;
    };
    if (std::string given = variable("SIFR_NVRTC"); !given.empty()) {
        open(given);
        if (!library) return fmt::format("NVRTC, which compiles kernels for NVIDIA GPUs, cannot be loaded from SIFR_NVRTC: {}", dlerror());
    }
    for (const char* name : names) open(name);
    std::vector<std::string> looked;
    for (const fs::path& folder : places()) {
        std::error_code ignored;
        if (library || !fs::exists(folder, ignored)) continue;
        for (const char* name : names)
            if (fs::exists(folder / name, ignored)) open((folder / name).string());
        looked.push_back(folder.string());
    }
    if (!library)
        return fmt::format("NVRTC, which compiles kernels for NVIDIA GPUs, is not on this machine; tried {}{}", fmt::join(tried, ", "),
                           looked.empty() ? "" : fmt::format(", and looked in {}", fmt::join(looked, ", ")));
    auto* f = new Functions;
    functions_ = f;
    const std::pair<const char*, void**> rows[] = {
#define ROW(name) {#name, reinterpret_cast<void**>(&f->name)}
        ROW(nvrtcGetErrorString), ROW(nvrtcVersion), ROW(nvrtcGetNumSupportedArchs), ROW(nvrtcGetSupportedArchs), ROW(nvrtcCreateProgram),
        ROW(nvrtcDestroyProgram), ROW(nvrtcCompileProgram), ROW(nvrtcGetProgramLogSize), ROW(nvrtcGetProgramLog), ROW(nvrtcGetCUBINSize),
        ROW(nvrtcGetCUBIN), ROW(nvrtcGetPTXSize), ROW(nvrtcGetPTX)};
#undef ROW
    for (const auto& [name, place] : rows) {
        *place = dlsym(library, name);
        if (!*place) return fmt::format("NVRTC in {} is too old: it has no {}; 11.2 is the oldest that serves", path_, name);
    }
    f->nvrtcVersion(&major_, &minor_);
    int count = 0;
    f->nvrtcGetNumSupportedArchs(&count);
    architectures_.resize(static_cast<size_t>(count));
    f->nvrtcGetSupportedArchs(architectures_.data());
    return {};
}

std::string Nvrtc::version_text() const { return fmt::format("{}.{}", major_, minor_); }

Compiled Nvrtc::compile(const std::string& source, const std::vector<std::string>& options, bool ptx) const {
    const Functions& f = *functions_;
    Program program = nullptr;
    auto must = [&](int result, const char* call) { SIFR_CHECK(result == 0, "{}: {}", call, f.nvrtcGetErrorString(result)); };
    must(f.nvrtcCreateProgram(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
    std::vector<const char*> words;
    for (const std::string& o : options) words.push_back(o.c_str());
    const int result = f.nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data());
    Compiled c;
    size_t size = 0;
    if (f.nvrtcGetProgramLogSize(program, &size) == 0 && size > 1) {
        c.log.resize(size);
        f.nvrtcGetProgramLog(program, c.log.data());
        c.log.resize(size - 1);
    }
    // The text is ours: that it does not compile is our fault, whatever the script. `#line` makes the log name the script's lines.
    SIFR_CHECK(result == 0, "NVRTC {} refuses the text of a kernel ({}):\n{}", version_text(), f.nvrtcGetErrorString(result), c.log);
    must(ptx ? f.nvrtcGetPTXSize(program, &size) : f.nvrtcGetCUBINSize(program, &size), "the size of the code");
    c.bytes.resize(size);
    auto* to = reinterpret_cast<char*>(c.bytes.data());
    must(ptx ? f.nvrtcGetPTX(program, to) : f.nvrtcGetCUBIN(program, to), "the code");
    f.nvrtcDestroyProgram(&program);
    return c;
}

std::vector<Resources> resources_of(const std::string& log) {
    std::vector<Resources> all;
    std::istringstream lines(log);
    auto number_before = [](const std::string& line, const char* what) -> int64_t {
        const size_t at = line.find(what);
        if (at == std::string::npos || at < 2) return 0;
        size_t from = at;
        while (from > 0 && (line[from - 1] == ' ' || std::isdigit(static_cast<unsigned char>(line[from - 1])))) --from;
        return std::atoll(line.c_str() + from);
    };
    for (std::string line; std::getline(lines, line);) {
        if (const size_t at = line.find("Compiling entry function '"); at != std::string::npos) {
            const size_t from = at + 26;
            all.push_back({});
            all.back().symbol = line.substr(from, line.find('\'', from) - from);
        }
        if (all.empty()) continue;
        Resources& r = all.back();
        if (line.find("bytes stack frame") != std::string::npos) {
            r.stack_bytes = number_before(line, " bytes stack frame");
            r.spill_bytes = number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
        }
        if (line.find(" registers") != std::string::npos) {
            r.registers = static_cast<int>(number_before(line, " registers"));
            r.shared_bytes = number_before(line, " bytes smem");
        }
    }
    return all;
}

std::string warnings_of(const std::string& log) {
    std::string text;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && !line.starts_with("ptxas info") && !line.starts_with("ptxas         .") && line.find_first_not_of(" \t") != std::string::npos) text += line + "\n";
    return text;
}

}  // namespace sifr::cuda
