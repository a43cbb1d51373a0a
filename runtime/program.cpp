// Start and end of a binary: the CPU, the arguments.

#include <cpuid.h>
#include <stdlib.h>

#include "runtime/internal.h"
#include "runtime/output.h"

using namespace sifr::rt;

namespace {

struct FeatureRow {
    uint64_t bit;
    const char* name;
    uint32_t leaf;      // cpuid leaf (and 0x80000001 for the extended one), subleaf in `subleaf`
    uint32_t subleaf;
    char reg;           // 'a' 'b' 'c' 'd'
    uint32_t shift;
    char state;         // what the OS must save: ' ' nothing more, 'y' ymm, 'z' zmm
};

constexpr FeatureRow features[] = {
    {SIFR_CPU_SSE42, "sse4.2", 1, 0, 'c', 20, ' '},
    {SIFR_CPU_POPCNT, "popcnt", 1, 0, 'c', 23, ' '},
    {SIFR_CPU_AVX, "avx", 1, 0, 'c', 28, 'y'},
    {SIFR_CPU_AVX2, "avx2", 7, 0, 'b', 5, 'y'},
    {SIFR_CPU_FMA, "fma", 1, 0, 'c', 12, 'y'},
    {SIFR_CPU_F16C, "f16c", 1, 0, 'c', 29, 'y'},
    {SIFR_CPU_BMI1, "bmi1", 7, 0, 'b', 3, ' '},
    {SIFR_CPU_BMI2, "bmi2", 7, 0, 'b', 8, ' '},
    {SIFR_CPU_LZCNT, "lzcnt", 0x80000001, 0, 'c', 5, ' '},
    {SIFR_CPU_MOVBE, "movbe", 1, 0, 'c', 22, ' '},
    {SIFR_CPU_AVX512F, "avx512f", 7, 0, 'b', 16, 'z'},
    {SIFR_CPU_AVX512BW, "avx512bw", 7, 0, 'b', 30, 'z'},
    {SIFR_CPU_AVX512DQ, "avx512dq", 7, 0, 'b', 17, 'z'},
    {SIFR_CPU_AVX512VL, "avx512vl", 7, 0, 'b', 31, 'z'},
    {SIFR_CPU_AVX512CD, "avx512cd", 7, 0, 'b', 28, 'z'},
    {SIFR_CPU_AVX512VNNI, "avx512vnni", 7, 0, 'c', 11, 'z'},
    {SIFR_CPU_AVX512BF16, "avx512bf16", 7, 1, 'a', 5, 'z'},
    {SIFR_CPU_AVX512FP16, "avx512fp16", 7, 0, 'd', 23, 'z'},
    {SIFR_CPU_AVXVNNI, "avxvnni", 7, 1, 'a', 4, 'y'},
};

// The random streams and the defined order of reductions need fused multiply-adds.
constexpr uint64_t runtime_features = SIFR_CPU_AVX2 | SIFR_CPU_FMA;

// The register sets that the OS saves: XCR0, 0 without OSXSAVE.
uint64_t saved_state() {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & (1u << 27)) == 0) return 0;
    uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low | (static_cast<uint64_t>(high) << 32);
}

}  // namespace

extern "C" {

uint64_t sifr_cpu_features(void) {
    const uint64_t state = saved_state();
    uint64_t found = 0;
    for (const FeatureRow& row : features) {
        if (row.state == 'y' && (state & 6) != 6) continue;
        if (row.state == 'z' && (state & 0xE6) != 0xE6) continue;
        uint32_t a = 0, b = 0, c = 0, d = 0;
        if (__get_cpuid_count(row.leaf, row.subleaf, &a, &b, &c, &d) == 0) continue;
        if (row.leaf == 7 && row.subleaf == 1) {  // subleaf 1 exists only where subleaf 0 says so
            uint32_t last = 0;
            __get_cpuid_count(7, 0, &last, &b, &c, &d);
            if (last < 1) continue;
        }
        const uint32_t word = row.reg == 'a' ? a : row.reg == 'b' ? b : row.reg == 'c' ? c : d;
        if ((word >> row.shift & 1) != 0) found |= row.bit;
    }
    return found;
}

void sifr_program_start(int argc, char** argv, const sifr_program_info* info) {
    const uint64_t missing = (info->required_features | runtime_features) & ~sifr_cpu_features();
    if (missing != 0) {
        Text message;
        message << "this program needs a CPU with";
        const char* separator = " ";
        for (const FeatureRow& row : features) {
            if ((missing & row.bit) == 0) continue;
            message << separator << row.name;
            separator = ", ";
        }
        message << "; build it with a lower --target-cpu, or run it on a newer machine";
        sifr_fatal(message.view());
    }
    if (info->abi_version != SIFR_RUNTIME_ABI) sifr_fatal(lit("this program was linked with another version of sifr's runtime"));
    sifr_set_argv(argc, argv);
    if (info->script != nullptr) sifr_set_script_name(info->script);
}

int sifr_program_end(void) {
    sifr_flush();
    sifr_threads_stop();
    return stdout_failed() ? 120 : 0;
}

}  // extern "C"
