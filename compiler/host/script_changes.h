#pragma once

#include <string>
#include <vector>

#include "compiler/host/script.h"

namespace sifr::host {

/// A call that changed the form of what a script keeps, so that the form can be reached again.
struct Change {
    std::string form;  ///< before it
    std::string function;
    ArgumentShape shape;
    std::vector<ScriptCapture::Argument> arguments;
};

/// A text that goes with saved tensors, and its inverse. `path`: of the file, for messages.
std::string text_of_changes(const std::vector<Change>& changes);
std::vector<Change> changes_of_text(const std::string& text, const std::string& path);

}  // namespace sifr::host
