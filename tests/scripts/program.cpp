#include "tests/scripts/program.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"

namespace sifr::test {

namespace fs = std::filesystem;

namespace {

constexpr const char* probe_prelude = "import torch, math; import torch.nn as nn; import torch.nn.functional as F\n";

std::string with_line_breaks(std::string text) {
    for (size_t at = 0; (at = text.find("\\n", at)) != std::string::npos; ++at) text.replace(at, 2, "\n");
    return text;
}

void read_err(const fs::path& file, Program& program) {
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("error: ")) {
            program.error = with_line_breaks(line.substr(7));
        } else if (line.starts_with("warning: ")) {
            program.warnings.push_back(with_line_breaks(line.substr(9)));
        } else {
            throw std::runtime_error(fmt::format("{}: neither `error: ` nor `warning: `: {}", file.string(), line));
        }
    }
}

}  // namespace

std::vector<Program> load_scripts(const fs::path& folder, const std::string& kind) {
    std::vector<Program> programs;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        fs::path out = entry.path(), err = entry.path();
        out.replace_extension(".out");
        err.replace_extension(".err");
        if (entry.path().extension() != ".py" || !fs::exists(out)) continue;
        std::string name = entry.path().stem().string();
        size_t mark = name.find("__");
        Program program{.id = kind + "/" + name,
                        .area = mark == std::string::npos ? kind : name.substr(0, mark),
                        .path = entry.path(),
                        .out = read_file(out)};
        if (fs::exists(err)) read_err(err, program);
        programs.push_back(std::move(program));
    }
    std::sort(programs.begin(), programs.end(), [](const Program& a, const Program& b) { return a.id < b.id; });
    return programs;
}

std::vector<Program> load_probes(const fs::path& file) {
    std::vector<Program> programs;
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);) {
        nlohmann::json record = nlohmann::json::parse(line);
        Program program{.id = "probe/" + record.at("id").get<std::string>(),
                        .area = record.at("area"),
                        .source = probe_prelude + record.at("code").get<std::string>() + "\n",
                        .out = record.at("stdout")};
        if (record.contains("error")) program.error = record["error"].get<std::string>();
        if (record.contains("warnings")) program.warnings = record["warnings"].get<std::vector<std::string>>();
        programs.push_back(std::move(program));
    }
    return programs;
}

}  // namespace sifr::test
