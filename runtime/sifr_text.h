/* Text as Python has it: strings, numbers and their formats, and tensors as PyTorch prints them. */
#ifndef SIFR_TEXT_H
#define SIFR_TEXT_H

#include "sifr_program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------- */
/* Strings                                                                                   (str.cpp, str_methods.cpp) */

/** The calling thread's string region. Everything that was returned after `mark` is freed by `release`: a loop body
 *  that prints is wrapped in the two and allocates nothing in steady state. Marks nest. */
int64_t sifr_str_mark(void);
void sifr_str_release(int64_t mark);
/** Releases, but keeps `count` texts: those that lie after the mark are moved down, in order, and `texts[k]` is updated
 *  (strings that a loop carries). */
void sifr_str_release_keep(int64_t mark, sifr_str* texts, int64_t count);
/** Bytes of uninitialised region memory, for a text that the caller fills. */
char* sifr_str_allocate(int64_t size);
/** A copy in the region. */
sifr_str sifr_str_copy(sifr_str text);

sifr_str sifr_str_concat(sifr_str a, sifr_str b);
/** All `count` parts in a row. */
sifr_str sifr_str_concat_n(const sifr_str* parts, int64_t count);
/** `separator.join(parts)` */
sifr_str sifr_str_join(sifr_str separator, const sifr_str* parts, int64_t count);
/** `text * count`; empty for count <= 0. OverflowError past 2^40 bytes. */
sifr_status sifr_str_repeat(sifr_str text, int64_t count, sifr_str* out);
/** Negative, 0, positive: Python's order (by code point; equal to the order of UTF-8 bytes). */
int32_t sifr_str_compare(sifr_str a, sifr_str b);
bool sifr_str_equal(sifr_str a, sifr_str b);
/** `needle in text` */
bool sifr_str_contains(sifr_str text, sifr_str needle);
/** `len(text)`: code points. */
int64_t sifr_str_length(sifr_str text);
/** `text[index]`, negative from the end. IndexError "string index out of range". */
sifr_status sifr_str_index(sifr_str text, int64_t index, sifr_str* out);
/** A missing bound of a slice. */
#define SIFR_SLICE_NONE INT64_MIN
/** `text[start:stop:step]`; bounds may be SIFR_SLICE_NONE. ValueError "slice step cannot be zero". */
sifr_status sifr_str_slice(sifr_str text, int64_t start, int64_t stop, int64_t step, sifr_str* out);
/** Case mappings follow Unicode 14; NotSupported for letters whose mapping changes the length or depends on neighbours (ß, Σ). */
sifr_status sifr_str_upper(sifr_str text, sifr_str* out);
sifr_status sifr_str_lower(sifr_str text, sifr_str* out);
sifr_status sifr_str_capitalize(sifr_str text, sifr_str* out);
sifr_status sifr_str_title(sifr_str text, sifr_str* out);
sifr_status sifr_str_swapcase(sifr_str text, sifr_str* out);
/** `characters` empty data pointer (null): white space. The three return a part of `text`, without a copy. */
sifr_str sifr_str_strip(sifr_str text, sifr_str characters);
sifr_str sifr_str_lstrip(sifr_str text, sifr_str characters);
sifr_str sifr_str_rstrip(sifr_str text, sifr_str characters);
sifr_str sifr_str_removeprefix(sifr_str text, sifr_str prefix);
sifr_str sifr_str_removesuffix(sifr_str text, sifr_str suffix);
/** `text.replace(old, new, count)`; count < 0: all. An empty `old` matches between code points. */
sifr_str sifr_str_replace(sifr_str text, sifr_str old_text, sifr_str new_text, int64_t count);
bool sifr_str_startswith(sifr_str text, sifr_str prefix);
bool sifr_str_endswith(sifr_str text, sifr_str suffix);
/** Code point index of the first/last occurrence, or -1. */
int64_t sifr_str_find(sifr_str text, sifr_str needle);
int64_t sifr_str_rfind(sifr_str text, sifr_str needle);
/** As find/rfind. ValueError "substring not found". */
sifr_status sifr_str_index_of(sifr_str text, sifr_str needle, int64_t* out);
sifr_status sifr_str_rindex_of(sifr_str text, sifr_str needle, int64_t* out);
/** Non-overlapping occurrences; of the empty text: len + 1. */
int64_t sifr_str_count(sifr_str text, sifr_str needle);
/** `fill` must be one code point: TypeError "The fill character must be exactly one character long". */
sifr_status sifr_str_ljust(sifr_str text, int64_t width, sifr_str fill, sifr_str* out);
sifr_status sifr_str_rjust(sifr_str text, int64_t width, sifr_str fill, sifr_str* out);
sifr_status sifr_str_center(sifr_str text, int64_t width, sifr_str fill, sifr_str* out);
sifr_str sifr_str_zfill(sifr_str text, int64_t width);

bool sifr_str_isdigit(sifr_str text);
bool sifr_str_isalpha(sifr_str text);
bool sifr_str_isalnum(sifr_str text);
bool sifr_str_isspace(sifr_str text);
bool sifr_str_isupper(sifr_str text);
bool sifr_str_islower(sifr_str text);
/** `repr(text)`: Python's choice of quotes and escapes. */
sifr_str sifr_str_repr(sifr_str text);
/** `chr(value)` / `ord(text)` with Python's errors. */
sifr_status sifr_chr(int64_t value, sifr_str* out);
sifr_status sifr_ord(sifr_str text, int64_t* out);
/** `text.split(separator, limit)`: a new list of str; null separator: by white space. `limit` < 0: none. ValueError "empty separator". */
struct sifr_list;
sifr_status sifr_str_split(sifr_str text, sifr_str separator, int64_t limit, struct sifr_list** out);
/** `text.split(None, limit)` */
sifr_status sifr_str_split_words(sifr_str text, int64_t limit, struct sifr_list** out);
/** Hash for dictionaries of a binary (not Python's, whose order scripts cannot rely on). */
uint64_t sifr_str_hash(sifr_str text);
/** `int(text, base)`: signs, underscores, white space, base prefixes. ValueError "invalid literal for int() with base 10: 'x'";
 *  OverflowError past 64 bits. */
sifr_status sifr_int_parse(sifr_str text, int32_t base, int64_t* out);
/** `float(text)`, correctly rounded. ValueError "could not convert string to float: 'x'". */
sifr_status sifr_float_parse(sifr_str text, double* out);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Python's numbers                                            (number.cpp, format_spec.cpp, percent.cpp, math.cpp) */

/** `str` and `repr` of numbers: the shortest text that reads back as the same value. */
sifr_str sifr_i64_str(int64_t value);
sifr_str sifr_f64_str(double value);
/** "True" / "False"; static text. */
sifr_str sifr_bool_str(bool value);
/** `(1+2j)`, `2j` */
sifr_str sifr_complex_str(double real, double imaginary);

/** `format(value, spec)`: the whole of Python's format mini-language (3.11), with its ValueErrors and their texts. */
sifr_status sifr_format_i64(int64_t value, sifr_str spec, sifr_str* out);
sifr_status sifr_format_f64(double value, sifr_str spec, sifr_str* out);
sifr_status sifr_format_bool(bool value, sifr_str spec, sifr_str* out);
sifr_status sifr_format_str(sifr_str value, sifr_str spec, sifr_str* out);
/** `int` wider than 64 bits that the compiler holds as decimal digits (with an optional '-'). Codes d, n, none, e E f F g G %. */
sifr_status sifr_format_digits(sifr_str digits, sifr_str spec, sifr_str* out);

/** A run-time value of a Python kind, for `%` formatting and mixed lists. */
typedef enum sifr_kind {
    SIFR_KIND_I64 = 0,
    SIFR_KIND_F64 = 1,
    SIFR_KIND_BOOL = 2,
    SIFR_KIND_STR = 3,    /**< `str(x)` and `repr(x)` differ: `text` is the value */
    SIFR_KIND_OTHER = 4,  /**< any other object: `text` is its str(), `other_repr` its repr(), `type_name` its type */
} sifr_kind;
typedef struct sifr_value {
    int32_t kind; /**< sifr_kind */
    int64_t i64;  /**< I64 and BOOL */
    double f64;
    sifr_str text;
    sifr_str other_repr;
    sifr_str type_name;
} sifr_value;

/** `format % (values…)` with flags, widths, `*`, precisions and %%; TypeError and ValueError texts as Python's. Mapping keys
 *  (`%(name)s`) are the compiler's to resolve. `mapping`: the right side was one object that may be subscripted (a dict, a list); then a
 *  value that is left over is no error. */
sifr_status sifr_percent_format(sifr_str format, const sifr_value* values, int64_t count, bool mapping, sifr_str* out);

/** `a // b`, `a % b`: rounding towards minus infinity. ZeroDivisionError; OverflowError for min // -1. */
sifr_status sifr_i64_floordiv(int64_t a, int64_t b, int64_t* out);
sifr_status sifr_i64_mod(int64_t a, int64_t b, int64_t* out);
/** `a / b` of ints: correctly rounded. */
sifr_status sifr_i64_truediv(int64_t a, int64_t b, double* out);
/** Checked arithmetic. OverflowError "integer overflow: …". */
sifr_status sifr_i64_add(int64_t a, int64_t b, int64_t* out);
sifr_status sifr_i64_sub(int64_t a, int64_t b, int64_t* out);
sifr_status sifr_i64_mul(int64_t a, int64_t b, int64_t* out);
sifr_status sifr_i64_neg(int64_t a, int64_t* out);
sifr_status sifr_i64_abs(int64_t a, int64_t* out);
/** ValueError "negative shift count". */
sifr_status sifr_i64_lshift(int64_t a, int64_t b, int64_t* out);
sifr_status sifr_i64_rshift(int64_t a, int64_t b, int64_t* out);
/** `a ** b` for b >= 0. A negative b gives a float in Python: NotSupported (the compiler knows the sign, or says so);
 *  0 to a negative power is a ZeroDivisionError. */
sifr_status sifr_i64_pow(int64_t a, int64_t b, int64_t* out);
/** `pow(a, b, m)` */
sifr_status sifr_i64_pow_mod(int64_t a, int64_t b, int64_t m, int64_t* out);

sifr_status sifr_f64_div(double a, double b, double* out);
sifr_status sifr_f64_floordiv(double a, double b, double* out);
sifr_status sifr_f64_mod(double a, double b, double* out);
/** `a ** b` of floats. OverflowError "(34, 'Numerical result out of range')", ZeroDivisionError; a negative base with a
 *  fractional exponent gives a complex number: NotSupported. */
sifr_status sifr_f64_pow(double a, double b, double* out);
/** `int(x)`; ValueError for NaN, OverflowError for infinities and past 64 bits. */
sifr_status sifr_f64_to_i64(double value, int64_t* out);
/** Comparison of an int with a float without rounding: -1, 0, 1; 2 when the float is NaN. */
int32_t sifr_i64_f64_compare(int64_t a, double b);
/** `round(x)` (to int, half to even), `round(x, n)`: correctly rounded in decimal, half to even. */
sifr_status sifr_f64_round(double value, int64_t* out);
sifr_status sifr_f64_round_digits(double value, int64_t digits, double* out);
sifr_status sifr_i64_round_digits(int64_t value, int64_t digits, int64_t* out);

/** Python's `math` with its errors ("math domain error", "math range error"). */
typedef enum sifr_math1 {
    SIFR_MATH_SQRT, SIFR_MATH_EXP, SIFR_MATH_EXPM1, SIFR_MATH_LOG, SIFR_MATH_LOG2, SIFR_MATH_LOG10, SIFR_MATH_LOG1P,
    SIFR_MATH_SIN, SIFR_MATH_COS, SIFR_MATH_TAN, SIFR_MATH_ASIN, SIFR_MATH_ACOS, SIFR_MATH_ATAN,
    SIFR_MATH_SINH, SIFR_MATH_COSH, SIFR_MATH_TANH, SIFR_MATH_ASINH, SIFR_MATH_ACOSH, SIFR_MATH_ATANH,
    SIFR_MATH_ERF, SIFR_MATH_ERFC, SIFR_MATH_GAMMA, SIFR_MATH_LGAMMA, SIFR_MATH_FABS,
    SIFR_MATH_DEGREES, SIFR_MATH_RADIANS, SIFR_MATH_CBRT, SIFR_MATH_EXP2,
} sifr_math1;
typedef enum sifr_math2 {
    SIFR_MATH_POW, SIFR_MATH_FMOD, SIFR_MATH_ATAN2, SIFR_MATH_HYPOT, SIFR_MATH_COPYSIGN, SIFR_MATH_LOG_BASE, SIFR_MATH_REMAINDER,
} sifr_math2;
sifr_status sifr_math_call1(int32_t function, double x, double* out);
sifr_status sifr_math_call2(int32_t function, double x, double y, double* out);
/** `math.floor`, `math.ceil`, `math.trunc`. */
sifr_status sifr_math_floor(double x, int64_t* out);
sifr_status sifr_math_ceil(double x, int64_t* out);
sifr_status sifr_math_gcd(int64_t a, int64_t b, int64_t* out);
sifr_status sifr_math_isqrt(int64_t n, int64_t* out);
sifr_status sifr_math_factorial(int64_t n, int64_t* out);
sifr_status sifr_math_comb(int64_t n, int64_t k, int64_t* out);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Printing tensors                                                                  (tensor_str.cpp, tensor_item.cpp) */

typedef struct sifr_print_options {
    int32_t precision;     /**< 4 */
    int32_t edgeitems;     /**< 3 */
    int64_t threshold;     /**< 1000; INT64_MAX: never summarise */
    int32_t linewidth;     /**< 80 */
    int32_t sci_mode;      /**< -1 automatic, 0 never, 1 always */
    int32_t default_dtype; /**< the default floating dtype (SIFR_F32): it and its complex partner print no `dtype=` */
    int32_t pairs;         /**< not 0: the last axis, of two floats side by side, is the parts of complex numbers */
} sifr_print_options;
/** PyTorch's defaults. */
sifr_print_options sifr_default_print_options(void);

/** `str(tensor)` as PyTorch prints it. `options` null: the defaults. `device`: a text such as `device='cuda:0'`, printed first
 *  among the suffixes, or empty. `suffix`: `grad_fn=<AddBackward0>` or `requires_grad=True`, printed last, or empty. Sizes of
 *  empty tensors and `dtype=` are added here. */
sifr_str sifr_tensor_str(const sifr_tensor* tensor, const sifr_print_options* options, sifr_str device, sifr_str suffix);
/** `str(tensor.tolist())`: Python's numbers, full precision. 0-d: the number. */
sifr_str sifr_tensor_tolist_str(const sifr_tensor* tensor);
/** `str(tensor.shape)`: `torch.Size([2, 3])`. */
sifr_str sifr_size_str(const int64_t* sizes, int64_t count);

/** Element `index` (row-major, logical) as Python's number. f64: floats widened exactly, ints and bools converted, a complex
 *  number's real part. i64: floats truncated (must be in range), bool 0 or 1. The index must be in range. */
double sifr_load_f64(const sifr_tensor* tensor, int64_t index);
int64_t sifr_load_i64(const sifr_tensor* tensor, int64_t index);
/** The imaginary part (0 for real dtypes). */
double sifr_load_imaginary(const sifr_tensor* tensor, int64_t index);
/** Writes element `index`; the value is rounded to the dtype as PyTorch's `fill_`. */
void sifr_store_f64(const sifr_tensor* tensor, int64_t index, double value);
void sifr_store_i64(const sifr_tensor* tensor, int64_t index, int64_t value);
/** Copies all elements, converting as PyTorch's `copy_`; equal shapes; the two must not overlap. Serial: for host work. */
void sifr_tensor_copy(const sifr_tensor* from, const sifr_tensor* to);
/** Conversions, round to nearest even. */
float sifr_f16_to_f32(uint16_t bits);
uint16_t sifr_f32_to_f16(float value);
float sifr_bf16_to_f32(uint16_t bits);
uint16_t sifr_f32_to_bf16(float value);
uint16_t sifr_f64_to_f16(double value);  /**< as PyTorch: through f32 */
uint16_t sifr_f64_to_bf16(double value); /**< as PyTorch: through f32 */

#ifdef __cplusplus
}  /* extern "C" */
#endif

#endif /* SIFR_TEXT_H */
