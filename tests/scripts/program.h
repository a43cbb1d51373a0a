#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sifr::test {

/// A script with what `python script.py` does under PyTorch. `out`, `error` and `warnings` are the record that sifr is held to.
struct Program {
    std::string id;    ///< `probe/zeros_out`, `corpus/physics__wave`, `own/growing_list`, `example/heat`: kind and name
    std::string area;  ///< what it is about: `creation`, `physics`, …
    std::filesystem::path path;
    std::string source;                 ///< of a probe, which is no file of its own; else empty
    std::string out;                    ///< standard output
    std::optional<std::string> error;   ///< the exception as Python's last lines show it, `Type: text`; none if it does not raise
    std::vector<std::string> warnings;  ///< `Category: text`

    std::string kind() const { return id.substr(0, id.find('/')); }
};

/// Each `NAME.py` of a folder that has a `NAME.out` beside it, in the order of the names; `NAME.err`, if it is there, has lines
/// `warning: Category: text` and at most one `error: Type: text`, with line breaks inside a text written `\n`. The area is what stands
/// before `__` in the name, or the kind.
std::vector<Program> load_scripts(const std::filesystem::path& folder, const std::string& kind);

/// One JSON object a line: id, area, code, stdout, and where there are any, warnings and error. The code of a probe runs behind a line
/// that imports torch, math, nn and F.
std::vector<Program> load_probes(const std::filesystem::path& file);

}  // namespace sifr::test
