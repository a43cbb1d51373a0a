#include "tests/runtime/support.h"

using namespace sifr::test;

namespace {

struct List {
    sifr_list* list;
    explicit List(sifr_list_kind kind, int64_t bytes = 0) : list(sifr_list_new(kind, bytes)) {}
    explicit List(sifr_list* owned) : list(owned) {}
    ~List() { sifr_list_free(list); }
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    [[nodiscard]] std::string str() const { return string_of(sifr_list_str(list)); }
};

void fill(List& l, std::initializer_list<int64_t> values) {
    for (const int64_t value : values) sifr_list_append_i64(l.list, value);
}

std::string sliced(const List& l, int64_t start, int64_t stop, int64_t step) {
    sifr_list* out = nullptr;
    if (sifr_list_slice(l.list, start, stop, step, &out) != SIFR_OK) return failure();
    return List(out).str();
}

constexpr int64_t none = SIFR_SLICE_NONE;

}  // namespace

TEST(List, GrowsAndPrintsAsInPython) {
    List numbers(SIFR_LIST_F64);
    EXPECT_EQ(numbers.str(), "[]");
    for (int k = 0; k < 5; ++k) sifr_list_append_f64(numbers.list, k * 0.1);
    EXPECT_EQ(numbers.str(), "[0.0, 0.1, 0.2, 0.30000000000000004, 0.4]");
    List flags(SIFR_LIST_BOOL);
    sifr_list_append_bool(flags.list, true);
    sifr_list_append_bool(flags.list, false);
    EXPECT_EQ(flags.str(), "[True, False]");
    int64_t sum = 0;
    EXPECT_EQ(sifr_list_sum_i64(flags.list, &sum), SIFR_OK);
    EXPECT_EQ(sum, 1);
    List texts(SIFR_LIST_STR);
    const int64_t mark = sifr_str_mark();
    sifr_list_append_str(texts.list, sifr_i64_str(17));
    sifr_str_release(mark);
    (void)sifr_i64_str(99);  // overwrites the released text, not the list's
    sifr_list_append_str(texts.list, text("it's"));
    EXPECT_EQ(texts.str(), "['17', \"it's\"]");
}

TEST(List, IndicesAreChecked) {
    List l(SIFR_LIST_I64);
    fill(l, {10, 20, 30});
    int64_t value = 0;
    EXPECT_EQ(sifr_list_get_i64(l.list, -1, &value), SIFR_OK);
    EXPECT_EQ(value, 30);
    EXPECT_EQ(sifr_list_get_i64(l.list, 3, &value), SIFR_INDEX_ERROR);
    EXPECT_EQ(failure(), "IndexError: list index out of range");
    value = 7;
    EXPECT_EQ(sifr_list_set(l.list, -4, &value), SIFR_INDEX_ERROR);
    EXPECT_EQ(failure(), "IndexError: list assignment index out of range");
    EXPECT_EQ(sifr_list_set(l.list, 0, &value), SIFR_OK);
    EXPECT_EQ(sifr_list_pop(l.list, 1, &value), SIFR_OK);
    EXPECT_EQ(value, 20);
    EXPECT_EQ(l.str(), "[7, 30]");
    EXPECT_EQ(sifr_list_pop(l.list, 5, &value), SIFR_INDEX_ERROR);
    EXPECT_EQ(failure(), "IndexError: pop index out of range");
    sifr_list_clear(l.list);
    EXPECT_EQ(sifr_list_pop(l.list, -1, &value), SIFR_INDEX_ERROR);
    EXPECT_EQ(failure(), "IndexError: pop from empty list");
    EXPECT_EQ(sifr_list_argmin(l.list, &value), SIFR_VALUE_ERROR);
    EXPECT_EQ(failure(), "ValueError: min() arg is an empty sequence");
}

TEST(List, SlicesAndInsertions) {
    List l(SIFR_LIST_I64);
    fill(l, {0, 1, 2, 3, 4, 5});
    EXPECT_EQ(sliced(l, 1, -1, 2), "[1, 3]");
    EXPECT_EQ(sliced(l, none, none, -2), "[5, 3, 1]");
    EXPECT_EQ(sliced(l, 4, 100, none), "[4, 5]");
    EXPECT_EQ(sliced(l, 0, 1, 0), "ValueError: slice step cannot be zero");
    sifr_list_extend(l.list, l.list);
    EXPECT_EQ(sifr_list_length(l.list), 12);
    const int64_t value = 9;
    sifr_list_insert(l.list, -100, &value);
    sifr_list_insert(l.list, 100, &value);
    EXPECT_EQ(l.str(), "[9, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 9]");
    sifr_list_reverse(l.list);
    EXPECT_EQ(sifr_list_count(l.list, &value), 2);
    int64_t position = 0;
    const int64_t missing = 77;
    EXPECT_EQ(sifr_list_index_of(l.list, &missing, &position), SIFR_VALUE_ERROR);
    EXPECT_EQ(failure(), "ValueError: 77 is not in list");
}

TEST(List, SortingIsStableBothWays) {
    List l(SIFR_LIST_F64);
    for (const double value : {0.0, 3.0, -0.0, 1.0, -2.0}) sifr_list_append_f64(l.list, value);
    sifr_list_sort(l.list, false);
    EXPECT_EQ(l.str(), "[-2.0, 0.0, -0.0, 1.0, 3.0]");
    sifr_list_sort(l.list, true);
    EXPECT_EQ(l.str(), "[3.0, 1.0, 0.0, -0.0, -2.0]");
    List texts(SIFR_LIST_STR);
    for (const char* word : {"b", "abc", "é", "ab"}) sifr_list_append_str(texts.list, text(word));
    sifr_list_sort(texts.list, false);
    EXPECT_EQ(texts.str(), "['ab', 'abc', 'b', 'é']");
    int64_t position = 0;
    EXPECT_EQ(sifr_list_argmax(texts.list, &position), SIFR_OK);
    EXPECT_EQ(position, 3);
}

TEST(List, TensorsAreCopiedBlocks) {
    List l(SIFR_LIST_TENSOR, 8);
    float row[2] = {1, 2};
    for (int k = 0; k < 100; ++k) {
        row[0] = static_cast<float>(k);
        sifr_list_append_tensor(l.list, row);
    }
    const void* block = nullptr;
    ASSERT_EQ(sifr_list_get_tensor(l.list, 42, &block), SIFR_OK);
    EXPECT_EQ(static_cast<const float*>(block)[0], 42);
    EXPECT_EQ(static_cast<const float*>(sifr_list_data(l.list))[2 * 99], 99);
}

TEST(List, ASumThatNeedsMoreThan64BitsRaises) {
    List l(SIFR_LIST_I64);
    fill(l, {INT64_MAX, 1});
    int64_t sum = 0;
    EXPECT_EQ(sifr_list_sum_i64(l.list, &sum), SIFR_OVERFLOW_ERROR);
}

TEST(Str, SplitsAsInPython) {
    sifr_list* parts = nullptr;
    ASSERT_EQ(sifr_str_split(text("a,b,,c"), text(","), -1, &parts), SIFR_OK);
    EXPECT_EQ(List(parts).str(), "['a', 'b', '', 'c']");
    ASSERT_EQ(sifr_str_split(text(" a  b \n c "), {nullptr, 0}, -1, &parts), SIFR_OK);
    EXPECT_EQ(List(parts).str(), "['a', 'b', 'c']");
    ASSERT_EQ(sifr_str_split(text(" a  b \n c "), {nullptr, 0}, 1, &parts), SIFR_OK);
    EXPECT_EQ(List(parts).str(), "['a', 'b \\n c ']");
    ASSERT_EQ(sifr_str_split(text(""), {nullptr, 0}, -1, &parts), SIFR_OK);
    EXPECT_EQ(List(parts).str(), "[]");
    EXPECT_EQ(sifr_str_split(text("a"), text(""), -1, &parts), SIFR_VALUE_ERROR);
    EXPECT_EQ(failure(), "ValueError: empty separator");
}
