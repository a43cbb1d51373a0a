// Bits of what a program prints, so that two ways of running it can be compared exactly.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

int file = -1;
bool asked = false;  // was the environment looked at, or a file named?

void write_line(const Text& line) {
    const char* data = line.data;
    int64_t rest = line.size;
    while (rest > 0) {
        const ssize_t count = write(file, data, static_cast<size_t>(rest));
        if (count <= 0) return;  // a full disk ends the dump, not the program
        data += count;
        rest -= count;
    }
}

void append_hex(Text& line, const unsigned char* bytes, int64_t count) {
    static constexpr char digits[] = "0123456789abcdef";
    for (int64_t k = count - 1; k >= 0; --k) line << digits[bytes[k] >> 4] << digits[bytes[k] & 15];
}

}  // namespace

extern "C" {

bool sifr_dump_open(const char* path) {
    if (file >= 0) close(file);
    file = -1;
    asked = true;
    if (path == nullptr) return true;
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return file >= 0;
}

bool sifr_dump_enabled(void) {
    if (!asked) {
        const char* path = getenv("SIFR_DUMP_BITS");
        sifr_dump_open(path != nullptr && path[0] != '\0' ? path : nullptr);
    }
    return file >= 0;
}

void sifr_dump_bits(sifr_str label, const sifr_tensor* tensor) {
    if (!sifr_dump_enabled()) return;
    Text line;
    line << label << ' ' << sifr_dtype_name(tensor->dtype) << '[';
    for (int32_t d = 0; d < tensor->ndim; ++d) {
        if (d > 0) line << ',';
        line << tensor->sizes[d];
    }
    line << ']';
    const int64_t size = sifr_dtype_size(tensor->dtype);
    const int64_t count = sifr_tensor_numel(tensor);
    for (int64_t k = 0; k < count; ++k) {
        line << ' ';
        append_hex(line, static_cast<const unsigned char*>(tensor->data) + element_offset(*tensor, k) * size, size);
    }
    line << '\n';
    write_line(line);
}

void sifr_dump_f64(sifr_str label, double value) {
    const sifr_tensor scalar = {&value, SIFR_F64, 0, nullptr, nullptr};
    sifr_dump_bits(label, &scalar);
}

void sifr_dump_i64(sifr_str label, int64_t value) {
    const sifr_tensor scalar = {&value, SIFR_I64, 0, nullptr, nullptr};
    sifr_dump_bits(label, &scalar);
}

}  // extern "C"
