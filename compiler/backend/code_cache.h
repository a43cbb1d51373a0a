#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sifr {

struct CompiledCode {
    std::vector<std::byte> bytes;
    std::string log;  ///< what the compiler said
};

/// Compiled code on disk, in a given folder; without one in SIFR_CACHE_DIR, else in `sifr` in XDG_CACHE_HOME, else in ~/.cache/sifr. An empty
/// folder, and an empty SIFR_CACHE_DIR, turn it off. The key is everything that the code depends on: the text, the options, the compiler's version. An entry holds the whole key, so another key with the
/// same name is a miss, and a sum over all of it, so a torn or damaged one is too. Entries appear under their name whole: several
/// processes may write the same one. What goes wrong on disk is never an error.
class CodeCache {
public:
    CodeCache();
    explicit CodeCache(std::string folder) : folder_(std::move(folder)) {}
    [[nodiscard]] std::optional<CompiledCode> find(const std::string& key) const;
    void put(const std::string& key, const CompiledCode& c) const;

private:
    [[nodiscard]] std::string path(const std::string& key) const;
    std::string folder_;  ///< empty: none
};

}  // namespace sifr
