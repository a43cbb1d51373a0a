#pragma once

#include <optional>
#include <string>

#include "compiler/backend/cuda/nvrtc.h"

namespace sifr::cuda {

/// Compiled code on disk, in SIFR_CACHE_DIR, else in `sifr` in XDG_CACHE_HOME, else in ~/.cache/sifr; an empty SIFR_CACHE_DIR turns it off.
/// The key is everything that the code depends on: the text, the options, NVRTC's version. An entry holds the whole key, so another key with the
/// same name is a miss, and a sum over all of it, so a torn or damaged one is too. Entries appear under their name whole: several
/// processes may write the same one. What goes wrong on disk is never an error.
class Cache {
public:
    Cache();
    explicit Cache(std::string folder) : folder_(std::move(folder)) {}
    [[nodiscard]] std::optional<Compiled> find(const std::string& key) const;
    void put(const std::string& key, const Compiled& c) const;

private:
    [[nodiscard]] std::string path(const std::string& key) const;
    std::string folder_;  ///< empty: none
};

}  // namespace sifr::cuda
