#include <stdio.h>

#include <sifr/sifr_runtime.h>

int main(void) {
    sifr_str name = sifr_dtype_name(SIFR_F32);
    printf("%.*s has %d bytes\n", (int)name.size, name.data, (int)sifr_dtype_size(SIFR_F32));
    return 0;
}
