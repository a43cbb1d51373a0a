#include "compiler/frontend/torch/known_names.h"

#include <algorithm>
#include <map>
#include <vector>

namespace sifr::capture {
namespace {

struct ModuleNames {
    std::string_view module;
    std::string_view names;  ///< sorted, separated by spaces
};
constexpr ModuleNames known_names[] = {
#include "compiler/frontend/torch/known_names.inc"
};

using Names = std::vector<std::string_view>;

const std::map<std::string_view, Names>& by_module() {
    static const std::map<std::string_view, Names> all = [] {
        std::map<std::string_view, Names> out;
        for (const ModuleNames& m : known_names) {
            Names& names = out[m.module];
            for (size_t at = 0; at < m.names.size();) {
                size_t end = std::min(m.names.find(' ', at), m.names.size());
                names.push_back(m.names.substr(at, end - at));
                at = end + 1;
            }
            std::sort(names.begin(), names.end());
        }
        return out;
    }();
    return all;
}

}  // namespace

bool is_torch_name(std::string_view module, std::string_view name) {
    auto at = by_module().find(module);
    return at != by_module().end() && std::binary_search(at->second.begin(), at->second.end(), name);
}

bool is_torch_tensor_name(std::string_view name) { return is_torch_name("torch.Tensor", name); }

}  // namespace sifr::capture
