// What became of a function: its program after a stage, every clear and its fate, and what the compiler has to say.
#include <cstdio>
#include <filesystem>
#include <regex>
#include <vector>

#include <sifr/sifr.h>

int main() {
    auto pad = sifr::jit([](sifr::Tensor x) {
        sifr::Tensor framed = sifr::zeros({6, 6});
        framed.index_put_({sifr::Slice(1, 5), sifr::Slice(1, 5)}, x);
        sifr::Tensor sum = sifr::zeros({6});
        sum.add_(framed.sum(0));
        return std::tuple{framed, sum};
    }, {.name = "pad"});

    std::vector<float> x(16, 1);
    auto [framed, sum] = pad(sifr::from_blob(x.data(), {4, 4}));
    std::printf("%s\n", sum.str().c_str());

    // Each line ends with its place in this file: left out here.
    std::printf("%s\n", std::regex_replace(pad.ir("captured"), std::regex(" *@[0-9:]+"), "").c_str());
    for (const sifr::ClearRow& row : pad.ledger())
        std::printf("%s:%d cleared %d bytes: %s, %d are left\n", std::filesystem::path(row.place.file).filename().c_str(), static_cast<int>(row.place.line),
                    static_cast<int>(row.bytes), row.verdict.c_str(), static_cast<int>(row.kept_bytes));
    for (const sifr::Remark& r : pad.remarks()) std::printf("%s\n", r.code.c_str());
}
