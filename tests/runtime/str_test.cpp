// Strings: Python's methods, and the region that keeps them.

#include "tests/runtime/support.h"

using namespace sifr::test;

namespace {

using Mapper = sifr_status (*)(sifr_str, sifr_str*);

std::string mapped(Mapper method, const std::string& s) {
    sifr_str out = {};
    return result(method(text(s), &out), out);
}

std::string sliced(const std::string& s, int64_t start, int64_t stop, int64_t step) {
    sifr_str out = {};
    return result(sifr_str_slice(text(s), start, stop, step, &out), out);
}

constexpr int64_t none = SIFR_SLICE_NONE;

}  // namespace

TEST(Str, PositionsCountCodePoints) {
    const std::string s = "héllo日本";
    EXPECT_EQ(sifr_str_length(text(s)), 7);
    sifr_str out = {};
    EXPECT_EQ(result(sifr_str_index(text(s), -1, &out), out), "本");
    EXPECT_EQ(result(sifr_str_index(text(s), 1, &out), out), "é");
    EXPECT_EQ(result(sifr_str_index(text(s), 7, &out), out), "IndexError: string index out of range");
    EXPECT_EQ(sliced(s, 1, 4, 1), "éll");
    EXPECT_EQ(sliced(s, none, none, -1), "本日olléh");
    EXPECT_EQ(sliced(s, none, none, 3), "hl本");
    EXPECT_EQ(sliced(s, 100, -100, -2), "本olh");
    EXPECT_EQ(sliced(s, 5, 2, 1), "");
    EXPECT_EQ(sliced(s, none, none, INT64_MIN + 1), "本");
    EXPECT_EQ(sliced(s, none, none, 0), "ValueError: slice step cannot be zero");
    EXPECT_EQ(sifr_str_find(text(s), text("日")), 5);
    EXPECT_EQ(sifr_str_rfind(text(s), text("l")), 3);
    EXPECT_EQ(sifr_str_find(text(s), text("x")), -1);
}

TEST(Str, CaseMappingsFollowUnicode) {
    EXPECT_EQ(mapped(sifr_str_upper, "abc é ÿ ж"), "ABC É Ÿ Ж");
    EXPECT_EQ(mapped(sifr_str_lower, "ABC É Ω"), "abc é ω");
    EXPECT_EQ(mapped(sifr_str_title, "they're bill's 3rd"), "They'Re Bill'S 3Rd");
    EXPECT_EQ(mapped(sifr_str_capitalize, "hELLO World"), "Hello world");
    EXPECT_EQ(mapped(sifr_str_swapcase, "aBc"), "AbC");
    sifr_str out = {};
    EXPECT_EQ(sifr_str_upper(text("straße"), &out), SIFR_NOT_SUPPORTED);
}

TEST(Str, StrippingAndReplacing) {
    const std::string s = " \t xyx \n\u3000";
    EXPECT_EQ(string_of(sifr_str_strip(text(s), {nullptr, 0})), "xyx");
    EXPECT_EQ(string_of(sifr_str_strip(text("xyx"), text("x"))), "y");
    EXPECT_EQ(string_of(sifr_str_strip(text("xyx"), text(""))), "xyx");
    EXPECT_EQ(string_of(sifr_str_lstrip(text("aab"), text("a"))), "b");
    EXPECT_EQ(string_of(sifr_str_rstrip(text("baa"), text("a"))), "b");
    EXPECT_EQ(string_of(sifr_str_replace(text("aaa"), text("a"), text("bc"), 2)), "bcbca");
    EXPECT_EQ(string_of(sifr_str_replace(text("é1"), text(""), text("-"), -1)), "-é-1-");
    EXPECT_EQ(string_of(sifr_str_replace(text(""), text(""), text("-"), -1)), "-");
    EXPECT_EQ(string_of(sifr_str_removeprefix(text("abc"), text("ab"))), "c");
    EXPECT_EQ(string_of(sifr_str_removesuffix(text("abc"), text("x"))), "abc");
    EXPECT_EQ(sifr_str_count(text("aaaa"), text("aa")), 2);
    EXPECT_EQ(sifr_str_count(text("é1"), text("")), 3);
}

TEST(Str, PaddingIsPythons) {
    sifr_str out = {};
    EXPECT_EQ(result(sifr_str_center(text("ab"), 5, text("*"), &out), out), "**ab*");
    EXPECT_EQ(result(sifr_str_center(text("abc"), 6, text("*"), &out), out), "*abc**");
    EXPECT_EQ(result(sifr_str_rjust(text("é"), 3, text("日"), &out), out), "日日é");
    EXPECT_EQ(result(sifr_str_ljust(text("a"), 3, text("--"), &out), out),
              "TypeError: The fill character must be exactly one character long");
    EXPECT_EQ(string_of(sifr_str_zfill(text("-7"), 4)), "-007");
}

TEST(Str, ReprChoosesQuotesAndEscapes) {
    EXPECT_EQ(string_of(sifr_str_repr(text("it's"))), "\"it's\"");
    EXPECT_EQ(string_of(sifr_str_repr(text("'\"\\\n\x01é\u200b"))), "'\\'\"\\\\\\n\\x01é\\u200b'");
}

TEST(Str, Predicates) {
    EXPECT_TRUE(sifr_str_isdigit(text("12²")));
    EXPECT_FALSE(sifr_str_isdigit(text("")));
    EXPECT_TRUE(sifr_str_isalpha(text("aé日")));
    EXPECT_TRUE(sifr_str_isupper(text("A1")));
    EXPECT_FALSE(sifr_str_isupper(text("1")));
    EXPECT_TRUE(sifr_str_contains(text("abc"), text("")));
    EXPECT_LT(sifr_str_compare(text("ab"), text("abc")), 0);
    EXPECT_GT(sifr_str_compare(text("é"), text("z")), 0);
}

TEST(StrRegion, ReleasingGivesTheMemoryBackForTheNextPass) {
    const int64_t outer = sifr_str_mark();
    const char* first = nullptr;
    for (int pass = 0; pass < 1000; ++pass) {
        const int64_t mark = sifr_str_mark();
        std::vector<sifr_str> parts;
        for (int k = 0; k < 300; ++k) parts.push_back(sifr_f64_str(k + 0.125));
        const sifr_str joined = sifr_str_join(text(", "), parts.data(), 300);
        if (pass == 0) first = joined.data;
        EXPECT_EQ(joined.data, first);
        EXPECT_EQ(joined.size, 2588);
        sifr_str_release(mark);
    }
    EXPECT_EQ(sifr_str_mark(), outer);
}

TEST(StrRegion, LargeTextsAndNestedMarks) {
    const int64_t outer = sifr_str_mark();
    sifr_str big = {};
    ASSERT_EQ(sifr_str_repeat(text("abc"), 100000, &big), SIFR_OK);
    const int64_t inner = sifr_str_mark();
    const sifr_str more = sifr_str_concat(big, text("!"));
    EXPECT_EQ(more.size, 300001);
    EXPECT_EQ(more.data[300000], '!');
    sifr_str_release(inner);
    EXPECT_EQ(big.data[299999], 'c');
    sifr_str_release(outer);
}

TEST(StrRegion, KeptTextsMoveDown) {
    const int64_t outer = sifr_str_mark();
    const sifr_str old_text = sifr_str_copy(text("old"));
    sifr_str carried = sifr_str_copy(text("start"));
    const int64_t mark = sifr_str_mark();
    int64_t level = 0;
    for (int pass = 0; pass < 100; ++pass) {
        (void)sifr_i64_str(pass);
        carried = sifr_str_concat(sifr_i64_str(pass), text("x"));
        sifr_str texts[] = {old_text, carried, text("static")};
        sifr_str_release_keep(mark, texts, 3);
        carried = texts[1];
        EXPECT_EQ(texts[0].data, old_text.data);
        EXPECT_EQ(string_of(carried), std::to_string(pass) + "x");
        level = sifr_str_mark();
    }
    EXPECT_LE(level - mark, 8);
    sifr_str_release(outer);
}
