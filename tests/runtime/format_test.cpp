// Numbers and format specs against what Python printed (data/format.txt, data/percent.txt).

#include "tests/runtime/support.h"

using namespace sifr::test;

TEST(Format, RecordedSpecsAndNumbersPrintAsInPython) {
    for (const auto& row : recorded("format.txt")) {
        ASSERT_EQ(row.size(), 4u);
        const std::string& kind = row[0];
        const std::string spec = unescape(row[2]);
        std::string got;
        sifr_str out = {};
        if (kind == "int") got = result(sifr_format_i64(std::stoll(row[1]), text(spec), &out), out);
        if (kind == "float") got = result(sifr_format_f64(double_of(row[1]), text(spec), &out), out);
        if (kind == "bool") got = result(sifr_format_bool(row[1] == "1", text(spec), &out), out);
        if (kind == "repr") got = string_of(sifr_f64_str(double_of(row[1])));
        if (kind == "str") {
            const std::string value = unescape(row[1]);
            got = result(sifr_format_str(text(value), text(spec), &out), out);
        }
        if (kind == "round") {
            double rounded = 0;
            ASSERT_EQ(sifr_f64_round_digits(double_of(row[1]), std::stoll(spec), &rounded), SIFR_OK);
            got = string_of(sifr_f64_str(rounded));
        }
        EXPECT_EQ(got, unescape(row[3])) << kind << ' ' << row[1] << " with '" << spec << "'";
    }
}

TEST(Format, RecordedPercentFormatsPrintAsInPython) {
    for (const auto& row : recorded("percent.txt")) {
        ASSERT_GE(row.size(), 2u);
        std::vector<std::vector<std::string>> kept(row.size());
        std::vector<sifr_value> values;
        for (size_t k = 1; k + 1 < row.size(); ++k) {
            const std::string field = unescape(row[k]);
            const std::string rest = field.substr(1);
            sifr_value value = {};
            kept[k] = field[0] == 'o' ? split(rest, '|') : std::vector<std::string>{rest};
            switch (field[0]) {
                case 'i': value.kind = SIFR_KIND_I64; value.i64 = std::stoll(rest); break;
                case 'f': value.kind = SIFR_KIND_F64; value.f64 = double_of(rest); break;
                case 'b': value.kind = SIFR_KIND_BOOL; value.i64 = rest == "1"; break;
                case 's': value.kind = SIFR_KIND_STR; value.text = text(kept[k][0]); break;
                default:
                    value.kind = SIFR_KIND_OTHER;
                    value.type_name = text(kept[k][0]);
                    value.text = text(kept[k][1]);
                    value.other_repr = text(kept[k][2]);
                    break;
            }
            values.push_back(value);
        }
        const std::string format = unescape(row[0]);
        sifr_str out = {};
        const sifr_status status = sifr_percent_format(text(format), values.data(), static_cast<int64_t>(values.size()), false, &out);
        EXPECT_EQ("=" + result(status, out), unescape(row.back())) << format;
    }
}

TEST(Format, AValueLeftOverIsNoErrorForAMapping) {
    sifr_value value = {};
    sifr_str out = {};
    EXPECT_EQ(result(sifr_percent_format(text("abc"), &value, 1, true, &out), out), "abc");
    EXPECT_EQ(result(sifr_percent_format(text("abc"), &value, 1, false, &out), out),
              "TypeError: not all arguments converted during string formatting");
}

TEST(Format, DigitsWiderThan64Bits) {
    sifr_str out = {};
    EXPECT_EQ(result(sifr_format_digits(text("-100000000000000000000"), text(","), &out), out), "-100,000,000,000,000,000,000");
    EXPECT_EQ(result(sifr_format_digits(text("100000000000000000000"), text(".3e"), &out), out), "1.000e+20");
}

TEST(Numbers, DivisionRoundsTowardsMinusInfinity) {
    int64_t out = 0;
    ASSERT_EQ(sifr_i64_floordiv(-7, 2, &out), SIFR_OK);
    EXPECT_EQ(out, -4);
    ASSERT_EQ(sifr_i64_mod(-7, 2, &out), SIFR_OK);
    EXPECT_EQ(out, 1);
    ASSERT_EQ(sifr_i64_mod(7, -2, &out), SIFR_OK);
    EXPECT_EQ(out, -1);
    EXPECT_EQ(sifr_i64_floordiv(INT64_MIN, -1, &out), SIFR_OVERFLOW_ERROR);
    EXPECT_EQ(sifr_i64_mod(1, 0, &out), SIFR_ZERO_DIVISION_ERROR);
    EXPECT_EQ(failure(), "ZeroDivisionError: integer modulo by zero");
    double quotient = 0;
    ASSERT_EQ(sifr_i64_truediv(INT64_MAX, 3, &quotient), SIFR_OK);
    EXPECT_EQ(quotient, 3.0744573456182584e18);
    ASSERT_EQ(sifr_i64_truediv(1, INT64_MAX, &quotient), SIFR_OK);
    EXPECT_EQ(quotient, 1.0842021724855044e-19);
    ASSERT_EQ(sifr_f64_floordiv(-0.5, 0.1, &quotient), SIFR_OK);
    EXPECT_EQ(quotient, -5.0);
    ASSERT_EQ(sifr_f64_mod(-1.0, 3.0, &quotient), SIFR_OK);
    EXPECT_EQ(quotient, 2.0);
}

TEST(Numbers, IntAndFloatCompareWithoutRounding) {
    EXPECT_EQ(sifr_i64_f64_compare(9007199254740993, 9007199254740992.0), 1);
    EXPECT_EQ(sifr_i64_f64_compare(INT64_MAX, 0x1p63), -1);
    EXPECT_EQ(sifr_i64_f64_compare(-3, -3.5), 1);
    EXPECT_EQ(sifr_i64_f64_compare(0, __builtin_nan("")), 2);
}

TEST(Numbers, ParsingFollowsPythonsGrammar) {
    int64_t number = 0;
    double real = 0;
    ASSERT_EQ(sifr_int_parse(text(" -1_000\n"), 10, &number), SIFR_OK);
    EXPECT_EQ(number, -1000);
    ASSERT_EQ(sifr_int_parse(text("0x1f"), 16, &number), SIFR_OK);
    EXPECT_EQ(number, 31);
    EXPECT_EQ(sifr_int_parse(text("1__0"), 10, &number), SIFR_VALUE_ERROR);
    EXPECT_EQ(failure(), "ValueError: invalid literal for int() with base 10: '1__0'");
    EXPECT_EQ(sifr_int_parse(text("9223372036854775808"), 10, &number), SIFR_OVERFLOW_ERROR);
    ASSERT_EQ(sifr_float_parse(text("1_0.5e-1"), &real), SIFR_OK);
    EXPECT_EQ(real, 1.05);
    EXPECT_EQ(sifr_float_parse(text("1._5"), &real), SIFR_VALUE_ERROR);
    EXPECT_EQ(failure(), "ValueError: could not convert string to float: '1._5'");
}

TEST(Numbers, MathRaisesWherePythonDoes) {
    double out = 0;
    EXPECT_EQ(sifr_math_call1(SIFR_MATH_SQRT, -1, &out), SIFR_VALUE_ERROR);
    EXPECT_EQ(failure(), "ValueError: math domain error");
    EXPECT_EQ(sifr_math_call1(SIFR_MATH_EXP, 1000, &out), SIFR_OVERFLOW_ERROR);
    EXPECT_EQ(failure(), "OverflowError: math range error");
    EXPECT_EQ(sifr_math_call1(SIFR_MATH_LOG, 0, &out), SIFR_VALUE_ERROR);
    ASSERT_EQ(sifr_math_call2(SIFR_MATH_LOG_BASE, 8, 2, &out), SIFR_OK);
    EXPECT_EQ(out, 3.0);
    int64_t whole = 0;
    ASSERT_EQ(sifr_math_comb(60, 30, &whole), SIFR_OK);
    EXPECT_EQ(whole, 118264581564861424);
    EXPECT_EQ(sifr_math_factorial(21, &whole), SIFR_OVERFLOW_ERROR);
}
