#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sifr/memory.h>

namespace sifr::host {

/// A file of named tensors: a header in JSON, then the elements.
void write_safetensors(const std::string& path, const std::vector<std::pair<std::string, HostTensor>>& tensors, const std::map<std::string, std::string>& texts);

/// Such a file, read whole and looked through. Throws Error (Machine) where it is none, or is damaged.
class SafetensorsFile {
public:
    explicit SafetensorsFile(const std::string& path);

    struct Entry {
        std::string dtype;  ///< as in the file: `F32`
        std::vector<int64_t> sizes;
        std::string_view elements;
    };
    /// Null where there is no such tensor.
    [[nodiscard]] const Entry* find(const std::string& name) const;
    /// A text that goes with the tensors; empty where there is none.
    [[nodiscard]] std::string text(const std::string& key) const;
    /// Copies the tensor of this name into memory of its dtype and sizes. Throws Error (Call) where there is none, or another.
    void read(const std::string& name, const TensorView& into) const;
    /// The same without copying.
    void check(const std::string& name, const TensorView& into) const;

private:
    std::string path_, all_;
    std::map<std::string, Entry> entries_;
    std::map<std::string, std::string> texts_;
};

}  // namespace sifr::host
