#include "runtime/embedded.h"

// The assembler copies the archive; the build gives it the folder.
__asm__(
    ".section .rodata.sifr_runtime_archive, \"a\"\n"
    ".balign 16\n"
    ".local sifr_runtime_archive_begin\n"
    "sifr_runtime_archive_begin:\n"
    ".incbin \"sifr_runtime_archive.a\"\n"
    ".local sifr_runtime_archive_end\n"
    "sifr_runtime_archive_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const uint8_t sifr_runtime_archive_begin[];
extern "C" const uint8_t sifr_runtime_archive_end[];

namespace sifr {

std::span<const uint8_t> runtime_archive() {
    return {sifr_runtime_archive_begin, sifr_runtime_archive_end};
}

}  // namespace sifr
