#include "compiler/driver/files.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/driver/messages.h"

namespace sifr::driver {
namespace {

[[noreturn]] void lacking(const Message& message, const std::string& path, int error) {
    throw CompileError(diagnose(message, {}, path, std::strerror(error)), 3);
}

void write_all(int fd, std::span<const std::byte> bytes, const std::string& path, const std::string& temporary) {
    while (!bytes.empty()) {
        ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            int error = errno;
            if (!temporary.empty()) {
                ::close(fd);
                ::unlink(temporary.c_str());
            }
            lacking(cannot_write, path, error);
        }
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
}

}  // namespace

std::string read_file(const std::string& path) {
    int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) lacking(cannot_read, path, errno);
    std::string text;
    char buffer[1 << 16];
    while (true) {
        ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            int error = errno;
            if (fd != STDIN_FILENO) ::close(fd);
            lacking(cannot_read, path, error);
        }
        if (n == 0) break;
        text.append(buffer, static_cast<size_t>(n));
    }
    if (fd != STDIN_FILENO) ::close(fd);
    return text;
}

void write_file(const std::string& path, std::span<const std::byte> bytes, bool executable) {
    if (path.empty() || path == "-") return write_all(STDOUT_FILENO, bytes, "the standard output", {});
    struct stat there {};
    // A device or pipe has no neighbour to be renamed from.
    if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
        if (S_ISDIR(there.st_mode)) lacking(cannot_write, path, EISDIR);
        int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd < 0) lacking(cannot_write, path, errno);
        write_all(fd, bytes, path, {});
        if (::close(fd) != 0) lacking(cannot_write, path, errno);
        return;
    }
    std::string temporary = path + ".partial-XXXXXX";
    int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) lacking(cannot_write, path, errno);
    write_all(fd, bytes, path, temporary);
    mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(fd, static_cast<mode_t>(executable ? 0777 : 0666) & ~mask);
    if (::close(fd) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
        int error = errno;
        ::unlink(temporary.c_str());
        lacking(cannot_write, path, error);
    }
}

void write_file(const std::string& path, const std::string& text) { write_file(path, std::as_bytes(std::span(text.data(), text.size()))); }

}  // namespace sifr::driver
