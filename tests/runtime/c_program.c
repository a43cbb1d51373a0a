/* The header is C, and the library is complete without any of C++'s. Exits with 0 when a number prints as in Python. */
#include <string.h>

#include "runtime/sifr_runtime.h"

static void fill(void* ctx, int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) ((float*)ctx)[k] = 0.5f;
}

int main(int argc, char** argv) {
    sifr_program_info info = {sizeof info, SIFR_RUNTIME_ABI, 0, NULL};
    float values[64];
    const int64_t size = 64;
    const sifr_tensor tensor = {values, SIFR_F32, 1, &size, NULL};
    double sum = 0;
    int64_t order = 0;
    sifr_str text;
    sifr_program_start(argc, argv, &info);
    sifr_parallel_for(fill, values, size, 4);
    sifr_random_normal(sifr_default_generator(), &tensor, NULL, 0, 1);
    sifr_topk(&tensor, 0, 1, true, true, &tensor, NULL);
    sifr_fill(values, size, "\0\0\0\x3f", 4);
    for (int64_t k = 0; k < size; ++k) sum += sifr_load_f64(&tensor, k);
    if (sifr_i64_pow_mod(3, 5, 7, &order) != SIFR_OK || order != 5) return 2;
    text = sifr_f64_str(sum + 1e22);
    sifr_print(text);
    return text.size == 5 && memcmp(text.data, "1e+22", 5) == 0 ? sifr_program_end() : 1;
}
