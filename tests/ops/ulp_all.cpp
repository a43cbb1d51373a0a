#include <bit>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "ir/math/scalar_math.h"
#include "tests/ops/functions.h"

// sifr-ulp [NAME]: the worst error of a transcendental function in F32, over all floats. Minutes for each.

int main(int argc, char** argv) {
    for (const sifr::test::RealFunction& f : sifr::test::real_functions) {
        if (argc > 1 && std::string_view(argv[1]) != f.name) continue;
        double worst = 0;
        float at = 0;
        for (uint64_t bits = 0; bits < (uint64_t{1} << 32); ++bits) {
            auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
            double u = sifr::test::units_apart(sifr::eval_unary(f.op, x), f.exact(x));
            if (u > worst) {
                worst = u;
                at = x;
            }
        }
        std::printf("%-6s %.4f at %a\n", f.name, worst, static_cast<double>(at));
    }
}
