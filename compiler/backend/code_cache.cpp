#include "compiler/backend/code_cache.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include <fmt/format.h>

namespace sifr {

namespace fs = std::filesystem;

namespace {

constexpr char magic[] = "sifr-code-cache-1\n";

uint64_t sum_of(std::string_view text, uint64_t seed) {
    uint64_t h = 0xcbf29ce484222325ull ^ seed;
    for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return h ^ (h >> 31);
}

void put_text(std::string& out, std::string_view text) {
    const uint64_t size = text.size();
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out.append(text);
}

bool take_text(std::string_view& in, std::string_view& text) {
    uint64_t size = 0;
    if (in.size() < sizeof size) return false;
    std::memcpy(&size, in.data(), sizeof size);
    in.remove_prefix(sizeof size);
    if (in.size() < size) return false;
    text = in.substr(0, size);
    in.remove_prefix(size);
    return true;
}

}  // namespace

CodeCache::CodeCache() {
    if (const char* given = std::getenv("SIFR_CACHE_DIR")) folder_ = given;
    else if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) folder_ = std::string(xdg) + "/sifr";
    else if (const char* home = std::getenv("HOME"); home && *home) folder_ = std::string(home) + "/.cache/sifr";
}

std::string CodeCache::path(const std::string& key) const { return fmt::format("{}/{:016x}{:016x}.code", folder_, sum_of(key, 1), sum_of(key, 2)); }

std::optional<CompiledCode> CodeCache::find(const std::string& key) const {
    if (folder_.empty()) return {};
    std::ifstream f(path(key), std::ios::binary);
    if (!f) return {};
    const std::string file((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>());
    std::string_view left = file, sum, body, its_key, bytes, log;
    if (!left.starts_with(magic)) return {};
    left.remove_prefix(sizeof magic - 1);
    if (!take_text(left, sum) || !take_text(left, body) || !left.empty() || sum != fmt::format("{:016x}", sum_of(body, 3))) return {};
    if (!take_text(body, its_key) || !take_text(body, bytes) || !take_text(body, log) || its_key != key) return {};
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    return CompiledCode{{data, data + bytes.size()}, std::string(log)};
}

void CodeCache::put(const std::string& key, const CompiledCode& c) const {
    if (folder_.empty()) return;
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed) return;
    std::string body, file = magic;
    put_text(body, key);
    put_text(body, {reinterpret_cast<const char*>(c.bytes.data()), c.bytes.size()});
    put_text(body, c.log);
    put_text(file, fmt::format("{:016x}", sum_of(body, 3)));
    put_text(file, body);
    std::string temporary = folder_ + "/new-XXXXXX";
    const int fd = ::mkstemp(temporary.data());
    if (fd < 0) return;
    bool good = true;
    for (size_t at = 0; good && at < file.size();) {
        const ssize_t n = ::write(fd, file.data() + at, file.size() - at);
        good = n > 0;
        if (good) at += static_cast<size_t>(n);
    }
    good = ::close(fd) == 0 && good;
    if (!good || std::rename(temporary.c_str(), path(key).c_str()) != 0) ::unlink(temporary.c_str());
}

}  // namespace sifr
