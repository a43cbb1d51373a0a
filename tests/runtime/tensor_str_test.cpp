// Tensors print as PyTorch prints them (data/tensor_str.txt holds what PyTorch 2.15 printed).

#include "tests/runtime/support.h"

using namespace sifr::test;

namespace {

void fill_from_bits(OwnedTensor& tensor, const std::string& bits) {
    size_t at = 0;
    const size_t size = static_cast<size_t>(sifr_dtype_size(tensor.view.dtype));
    if (bits.empty()) return;
    for (const std::string& item : split(bits, ' ')) {
        const auto star = item.find('*');
        const std::string digits = item.substr(0, star);
        ASSERT_EQ(digits.size(), 2 * size);
        for (long count = star == std::string::npos ? 1 : std::stol(item.substr(star + 1)); count > 0; --count) {
            for (size_t k = 0; k < size; ++k) {
                tensor.bytes.at(at + size - 1 - k) = static_cast<unsigned char>(std::stoul(digits.substr(2 * k, 2), nullptr, 16));
            }
            at += size;
        }
    }
    ASSERT_EQ(at, tensor.bytes.size());
}

std::string shown(OwnedTensor& tensor) {
    return string_of(sifr_tensor_str(&tensor.view, nullptr, {}, {}));
}

}  // namespace

TEST(TensorStr, RecordedTensorsPrintAsInPyTorch) {
    for (const auto& row : recorded("tensor_str.txt")) {
        ASSERT_EQ(row.size(), 6u);
        std::vector<int64_t> sizes;
        if (!row[1].empty()) {
            for (const std::string& size : split(row[1], ',')) sizes.push_back(std::stoll(size));
        }
        OwnedTensor tensor(dtype_of(row[0]), sizes);
        fill_from_bits(tensor, row[4]);
        const auto numbers = split(row[2], ' ');
        sifr_print_options options = sifr_default_print_options();
        options.precision = std::stoi(numbers[0]);
        options.edgeitems = std::stoi(numbers[1]);
        options.threshold = std::stoll(numbers[2]);
        options.linewidth = std::stoi(numbers[3]);
        options.sci_mode = std::stoi(numbers[4]);
        options.default_dtype = std::stoi(numbers[5]);
        EXPECT_EQ(string_of(sifr_tensor_str(&tensor.view, &options, {}, text(row[3]))), unescape(row[5])) << row[0] << ' ' << row[1];
    }
}

TEST(TensorStr, StridesDecideWhatIsPrinted) {
    OwnedTensor tensor(SIFR_I64, {2, 3});
    tensor.set<int64_t>({1, 2, 3, 4, 5, 6});
    const int64_t sizes[] = {3, 2};
    const int64_t strides[] = {1, 3};
    const sifr_tensor transposed = {tensor.view.data, SIFR_I64, 2, sizes, strides};
    EXPECT_EQ(string_of(sifr_tensor_str(&transposed, nullptr, {}, {})), "tensor([[1, 4],\n        [2, 5],\n        [3, 6]])");
    EXPECT_EQ(string_of(sifr_tensor_tolist_str(&transposed)), "[[1, 4], [2, 5], [3, 6]]");
    const int64_t repeated[] = {0, 1};
    const sifr_tensor expanded = {tensor.view.data, SIFR_I64, 2, sizes, repeated};
    EXPECT_EQ(string_of(sifr_tensor_tolist_str(&expanded)), "[[1, 2], [1, 2], [1, 2]]");
    const int64_t backwards[] = {-1, 1};
    const sifr_tensor reversed = {tensor.data<int64_t>() + 2, SIFR_I64, 2, sizes, backwards};
    EXPECT_EQ(string_of(sifr_tensor_tolist_str(&reversed)), "[[3, 4], [2, 3], [1, 2]]");
}

TEST(TensorStr, EmptyTensorsNameTheirSizes) {
    OwnedTensor flat(SIFR_F32, {0});
    EXPECT_EQ(shown(flat), "tensor([])");
    OwnedTensor matrix(SIFR_I64, {2, 0});
    EXPECT_EQ(shown(matrix), "tensor([], size=(2, 0), dtype=torch.int64)");
    EXPECT_EQ(string_of(sifr_tensor_tolist_str(&matrix.view)), "[[], []]");
}

TEST(TensorStr, TheDeviceStandsFirstAmongTheSuffixes) {
    OwnedTensor tensor(SIFR_F64, {1});
    tensor.set<double>({1.5});
    EXPECT_EQ(string_of(sifr_tensor_str(&tensor.view, nullptr, text("device='cuda:0'"), text("requires_grad=True"))),
              "tensor([1.5000], device='cuda:0', dtype=torch.float64, requires_grad=True)");
}

TEST(TensorItem, ItemsAreWidenedExactly) {
    OwnedTensor tensor(SIFR_F32, {1});
    tensor.set<float>({0.1f});
    EXPECT_EQ(string_of(sifr_f64_str(sifr_load_f64(&tensor.view, 0))), "0.10000000149011612");
    EXPECT_EQ(string_of(sifr_size_str(tensor.sizes.data(), 1)), "torch.Size([1])");
}

TEST(TensorItem, StoresRoundToTheType) {
    OwnedTensor half(SIFR_F16, {4});
    for (const auto& [index, value] : {std::pair<int64_t, double>{0, 65519.0}, {1, 65520.0}, {2, 1e-8}, {3, 0.1}}) {
        sifr_store_f64(&half.view, index, value);
    }
    EXPECT_EQ(string_of(sifr_tensor_tolist_str(&half.view)), "[65504.0, inf, 0.0, 0.0999755859375]");
    OwnedTensor brain(SIFR_BF16, {2});
    sifr_store_f64(&brain.view, 0, 1.00390625);  // a tie: to even
    sifr_store_f64(&brain.view, 1, __builtin_nan(""));
    EXPECT_EQ(string_of(sifr_tensor_tolist_str(&brain.view)), "[1.0, nan]");
    OwnedTensor byte(SIFR_U8, {2});
    sifr_store_f64(&byte.view, 0, -1.5);
    sifr_store_i64(&byte.view, 1, 300);
    EXPECT_EQ(string_of(sifr_tensor_tolist_str(&byte.view)), "[255, 44]");
}

TEST(TensorItem, EveryHalfSurvivesTheRoundTrip) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float wide = sifr_f16_to_f32(static_cast<uint16_t>(bits));
        if (wide != wide) continue;
        ASSERT_EQ(sifr_f32_to_f16(wide), bits);
    }
}
