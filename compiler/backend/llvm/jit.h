#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/backend/backend.h"

namespace sifr::codegen {

/// An object file of a plan in this process.
class JittedProgram : public LoadedProgram {
public:
    /// A function or table of the object, by its name there.
    virtual void* address(const std::string& symbol) = 0;
};
/// `function`: what is known of it without its code, where the plan was compiled as a function.
std::unique_ptr<JittedProgram> load_object(const std::vector<std::byte>& object, const sifr_function& function = {});

}  // namespace sifr::codegen
