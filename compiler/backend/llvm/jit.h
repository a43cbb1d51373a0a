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
/// `function`: what is known of it without its code, where the plan was compiled as a function. With SIFR_PERF=1 in the environment, its symbols
/// are added to /tmp/perf-PID.map as `name:symbol`, for perf, and the object is shown to GDB.
std::unique_ptr<JittedProgram> load_object(const std::vector<std::byte>& object, const std::string& name, const sifr_function& function = {});
/// SIFR_PERF=1: code comes with the lines of its source, too.
bool shown_to_tools();

}  // namespace sifr::codegen
