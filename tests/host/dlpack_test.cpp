// DLPack both ways, in both forms, for every dtype.

#include <sifr/sifr.h>

#include <gtest/gtest.h>

struct DLDevice {
    int32_t type, id;
};
struct DLDataType {
    uint8_t code, bits;
    uint16_t lanes;
};
struct DLTensor {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned*);
    uint64_t flags;
    DLTensor dl_tensor;
};

namespace {

using sifr::HostTensor;

int freed = 0;

template <class Managed>
struct Foreign {
    Managed managed{};
    int64_t sizes[2] = {2, 3}, strides[2] = {1, 2};
    alignas(16) char elements[96] = {};
};

template <class Managed>
Managed* foreign(DLDataType dtype, bool with_strides = true, uint64_t offset = 0) {
    auto* f = new Foreign<Managed>;
    f->managed.dl_tensor = {f->elements, {1, 0}, 2, dtype, f->sizes, with_strides ? f->strides : nullptr, offset};
    f->managed.manager_ctx = f;
    f->managed.deleter = [](Managed* m) {
        ++freed;
        delete static_cast<Foreign<Managed>*>(m->manager_ctx);
    };
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) f->managed.major = 1;
    return &f->managed;
}

template <class Managed>
class DlPack : public ::testing::Test {};
using Forms = ::testing::Types<DLManagedTensor, DLManagedTensorVersioned>;
TYPED_TEST_SUITE(DlPack, Forms);

TYPED_TEST(DlPack, ComesInWithoutACopyAndGoesBackOnce) {
    freed = 0;
    TypeParam* m = foreign<TypeParam>({2, 32, 1});
    auto* elements = static_cast<float*>(m->dl_tensor.data);
    for (int k = 0; k < 6; ++k) elements[k] = static_cast<float>(k);
    {
        HostTensor t = sifr::from_dlpack(m);
        EXPECT_EQ(t.data(), elements);
        EXPECT_EQ(t.at<float>({0, 1}), 2);
        EXPECT_EQ(t.at<float>({1, 0}), 1);
        auto twice = sifr::jit([](sifr::Tensor x) { x.mul_(2); });
        twice(t);
        EXPECT_EQ(elements[5], 10);
        const HostTensor copy = t;
        t = HostTensor();
        EXPECT_EQ(freed, 0);
        EXPECT_EQ(copy.at<float>({1, 2}), 10);
    }
    EXPECT_EQ(freed, 1);
}

TYPED_TEST(DlPack, WithoutStridesItIsContiguousAndItMayBeginLater) {
    freed = 0;
    TypeParam* m = foreign<TypeParam>({2, 32, 1}, false, 8);
    auto* elements = static_cast<float*>(m->dl_tensor.data);
    elements[2 + 3] = 7;
    {
        const HostTensor t = sifr::from_dlpack(m);
        EXPECT_EQ(t.at<float>({1, 0}), 7);
    }
    EXPECT_EQ(freed, 1);
}

TYPED_TEST(DlPack, WhatIsRefusedStaysTheCallers) {
    freed = 0;
    TypeParam* m = foreign<TypeParam>({10, 8, 1});
    EXPECT_THROW(sifr::from_dlpack(m), sifr::Error);
    EXPECT_EQ(freed, 0);
    m->deleter(m);
    EXPECT_EQ(freed, 1);
}

TYPED_TEST(DlPack, GoesOutAndKeepsTheMemoryAlive) {
    const auto give = [](const HostTensor& t) {
        if constexpr (std::is_same_v<TypeParam, DLManagedTensor>) return sifr::to_dlpack(t);
        else return sifr::to_dlpack_versioned(t);
    };
    TypeParam* m = nullptr;
    std::weak_ptr<void> memory;
    {
        const HostTensor t = sifr::zeros_host({2, 3}, sifr::kFloat64);
        t.at<double>({1, 2}) = 5;
        memory = t.owner();
        m = give(t);
    }
    EXPECT_FALSE(memory.expired());
    EXPECT_EQ(m->dl_tensor.ndim, 2);
    EXPECT_EQ(m->dl_tensor.shape[1], 3);
    EXPECT_EQ(m->dl_tensor.strides[0], 3);
    EXPECT_EQ(m->dl_tensor.device.type, 1);
    EXPECT_EQ(m->dl_tensor.dtype.bits, 64);
    EXPECT_EQ(static_cast<double*>(m->dl_tensor.data)[5], 5);
    if constexpr (std::is_same_v<TypeParam, DLManagedTensorVersioned>) {
        EXPECT_EQ(m->major, 1U);
    }
    // And in again.
    {
        const HostTensor back = sifr::from_dlpack(m);
        EXPECT_EQ(back.at<double>({1, 2}), 5);
    }
    EXPECT_TRUE(memory.expired());
}

TEST(DlPackDtypes, AllGoThereAndBack) {
    for (int d = 0; d < 12; ++d) {
        const HostTensor t = sifr::zeros_host({3}, static_cast<sifr::Dtype>(d));
        const HostTensor back = sifr::from_dlpack(sifr::to_dlpack(t));
        EXPECT_EQ(back.dtype(), t.dtype());
        EXPECT_EQ(back.data(), t.data());
        EXPECT_EQ(sifr::from_dlpack(sifr::to_dlpack_versioned(t)).dtype(), t.dtype());
    }
}

TEST(DlPackConst, ReadOnlyStaysReadOnly) {
    const float x[] = {1, 2};
    const HostTensor t(sifr::from_blob(x, {2}), nullptr);
    DLManagedTensorVersioned* m = sifr::to_dlpack_versioned(t);
    EXPECT_EQ(m->flags & 1, 1U);
    EXPECT_TRUE(sifr::from_dlpack(m).is_const());
}

}  // namespace
