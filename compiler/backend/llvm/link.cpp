#include "compiler/backend/llvm/link.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include <lld/Common/Driver.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/raw_ostream.h>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "runtime/embedded.h"

LLD_HAS_DRIVER(elf)

namespace sifr::codegen {

namespace {

[[noreturn]] void machine_lacks(const std::string& text) {
    Diagnostic d;
    d.text = text;
    d.code = "link";
    throw CompileError(d, 3);
}

/// A file in memory that lld reads by its name.
class MemoryFile {
public:
    explicit MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {
        if (fd_ < 0) machine_lacks(fmt::format("cannot make a file in memory: {}", std::strerror(errno)));
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { close(fd_); }

    void write(const void* data, size_t size) const {
        const auto* p = static_cast<const char*>(data);
        while (size > 0) {
            const ssize_t n = ::write(fd_, p, size);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) machine_lacks(fmt::format("cannot write a file in memory: {}", std::strerror(errno)));
            p += n;
            size -= static_cast<size_t>(n);
        }
    }
    [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

private:
    int fd_;
};

/// A folder for what lld writes, removed with it. (lld renames its output into place, so a file in memory will not do.)
class OutputFolder {
public:
    OutputFolder() : path_((std::filesystem::temp_directory_path() / "sifr-XXXXXX").string()) {
        if (!mkdtemp(path_.data())) machine_lacks(fmt::format("cannot make a folder in {}: {}", path_, std::strerror(errno)));
    }
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file() const { return path_ + "/program"; }
    [[nodiscard]] std::vector<std::byte> read() const {
        std::ifstream f(file(), std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>());
        SIFR_CHECK(f && !text.empty(), "reading what was linked");
        const auto* data = reinterpret_cast<const std::byte*>(text.data());
        return {data, data + text.size()};
    }

private:
    std::string path_;
};

/// Where the dynamic loader looks, most usual first.
std::string system_library(const char* name) {
    for (const char* folder : {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib64/", "/usr/lib64/", "/usr/lib/"})
        if (std::string path = std::string(folder) + name; access(path.c_str(), R_OK) == 0) return path;
    machine_lacks(fmt::format("{} is not in the usual folders: a binary cannot be linked", name));
}

/// Runs lld on the objects and the runtime; `options` are what one kind of output has of its own.
std::vector<std::byte> link(const std::vector<std::vector<std::byte>>& objects, std::vector<std::string> options) {
    std::vector<std::unique_ptr<MemoryFile>> programs;
    for (const auto& object : objects) {
        programs.push_back(std::make_unique<MemoryFile>("program.o"));
        programs.back()->write(object.data(), object.size());
    }
    const MemoryFile runtime("runtime.a");
    const OutputFolder out;
    const auto archive = runtime_archive();
    runtime.write(archive.data(), archive.size());
    options.insert(options.begin(), "ld.lld");
    for (const char* o : {"--gc-sections", "--eh-frame-hdr", "-z", "now", "-z", "relro", "--as-needed", "-o"}) options.emplace_back(o);
    options.push_back(out.file());
    for (const auto& program : programs) options.push_back(program->path());
    for (const std::string& o : {runtime.path(), system_library("libm.so.6"), system_library("libc.so.6")})
        options.push_back(o);
    std::vector<const char*> args;
    for (const std::string& o : options) args.push_back(o.c_str());
    std::string text;
    llvm::raw_string_ostream messages(text);
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const lld::Result result = lld::lldMain(args, messages, messages, {{lld::Gnu, &lld::elf::link}});
    SIFR_CHECK(result.retCode == 0 && result.canRunAgain, "linking failed:\n{}", messages.str());
    return out.read();
}

}  // namespace

std::vector<std::byte> link_executable(const std::vector<std::vector<std::byte>>& objects) {
    return link(objects, {"-pie", "--dynamic-linker", "/lib64/ld-linux-x86-64.so.2", "-e", "_start"});
}

std::vector<std::byte> link_shared(const std::vector<std::byte>& object, const std::string& prefix) {
    const MemoryFile exported("exported");
    const std::string script = fmt::format("{{ global: {}_*; local: *; }};\n", prefix);
    exported.write(script.data(), script.size());
    return link({object}, {"-shared", "-soname", fmt::format("lib{}.so", prefix), "-z", "defs", "--version-script", exported.path()});
}

std::vector<std::byte> archive_static(const std::vector<std::byte>& object, const std::string& member) {
    const auto fail = [](llvm::Error error) { internal_error(__FILE__, __LINE__, "LLVM archive", llvm::toString(std::move(error))); };
    const auto bytes = runtime_archive();
    const llvm::MemoryBufferRef runtime(llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "runtime.a");
    llvm::Expected<std::unique_ptr<llvm::object::Archive>> archive = llvm::object::Archive::create(runtime);
    if (!archive) fail(archive.takeError());
    std::vector<llvm::NewArchiveMember> members;
    members.emplace_back(llvm::MemoryBufferRef(llvm::StringRef(reinterpret_cast<const char*>(object.data()), object.size()), member));
    llvm::Error error = llvm::Error::success();
    for (const llvm::object::Archive::Child& child : (*archive)->children(error)) {
        llvm::Expected<llvm::NewArchiveMember> m = llvm::NewArchiveMember::getOldMember(child, true);
        if (!m) fail(m.takeError());
        members.push_back(std::move(*m));
    }
    if (error) fail(std::move(error));
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> out =
        llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU, true, false);
    if (!out) fail(out.takeError());
    const auto* data = reinterpret_cast<const std::byte*>((*out)->getBufferStart());
    return {data, data + (*out)->getBufferSize()};
}

}  // namespace sifr::codegen
