#pragma once

#include <string_view>

namespace sifr::capture {

/// PyTorch 2.15's public names. What stands here and is not implemented is *not supported*; what does not is Python's
/// AttributeError.
bool is_torch_tensor_name(std::string_view name);
/// `module` is the full name: `torch`, `torch.nn.functional`. False for modules that are not listed.
bool is_torch_name(std::string_view module, std::string_view name);

}  // namespace sifr::capture
