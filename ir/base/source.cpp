#include "ir/base/source.h"

#include <algorithm>

namespace sifr {

Location fuse_locations(const Location& a, const Location& b) {
    Location out = a;
    for (const Span& s : b)
        if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
    return out;
}

SourceFile::SourceFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
    line_starts_.push_back(0);
    for (size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n')))
            line_starts_.push_back(i + 1);
}

std::string_view SourceFile::line(uint32_t line) const {
    if (line == 0 || line > line_starts_.size()) return {};
    size_t begin = line_starts_[line - 1];
    size_t end = begin;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != '\r') ++end;
    return std::string_view(text_).substr(begin, end - begin);
}

Span SourceFile::position(size_t offset) const {
    offset = std::min(offset, text_.size());
    size_t line = static_cast<size_t>(std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin());
    uint32_t column = 1;
    for (size_t i = line_starts_[line - 1]; i < offset; ++i)
        if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
    auto l = static_cast<uint32_t>(line);
    return Span{0, l, column, l, column};
}

uint32_t SourceFiles::add(std::string path, std::string text) {
    files_.push_back(std::make_unique<SourceFile>(std::move(path), std::move(text)));
    return static_cast<uint32_t>(files_.size() - 1);
}

}  // namespace sifr
