#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sifr {

/// A piece of a source file. Lines and columns count from 1; columns count code points; the end is exclusive.
/// `line == 0` is "no place" (an instruction made by hand in a test). File 0 is the script that is compiled;
/// the embedded prelude modules follow. IR text carries file 0 only: what a prelude line does is located at
/// the script's call of it.
struct Span {
    uint32_t file = 0;
    uint32_t line = 0;
    uint32_t column = 0;
    uint32_t end_line = 0;
    uint32_t end_column = 0;

    [[nodiscard]] bool known() const { return line != 0; }
    bool operator==(const Span&) const = default;
};

/// One place, or the places of several instructions that a pass made one of.
using Location = std::vector<Span>;

/// The union of two locations, without repetition, in order of first appearance.
Location fuse_locations(const Location& a, const Location& b);

/// A source text with its line table.
class SourceFile {
public:
    SourceFile(std::string path, std::string text);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] size_t line_count() const { return line_starts_.size(); }
    /// The text of line `line` (from 1) without its line break; empty past the end.
    [[nodiscard]] std::string_view line(uint32_t line) const;
    /// The (line, column) of a byte offset.
    [[nodiscard]] Span position(size_t offset) const;

private:
    std::string path_;
    std::string text_;
    std::vector<size_t> line_starts_;
};

/// The files of one compilation; index = `Span::file`.
class SourceFiles {
public:
    uint32_t add(std::string path, std::string text);
    [[nodiscard]] const SourceFile& file(uint32_t index) const { return *files_.at(index); }
    [[nodiscard]] size_t size() const { return files_.size(); }

private:
    std::vector<std::unique_ptr<SourceFile>> files_;
};

}  // namespace sifr
