/* sifr's runtime: a C ABI, linked into every binary that sifr makes and into the compiler itself (the interpreters
 * and compile-time formatting call the very same functions). It depends on libc, libm and pthread alone.
 *
 * Conventions
 * - Text is `sifr_str` (UTF-8, not zero-terminated). A returned text lives in the calling thread's string region until the
 *   region is released past it (section 3), unless its comment says that it is static.
 * - Whatever can fail returns a `sifr_status`: 0, or a code that stands for a Python exception type. The result goes
 *   through the last pointer, and is untouched on failure. The exception's text is kept for the calling thread:
 *   `sifr_error_type()`, `sifr_error_text()`; `sifr_raise_pending(file, line)` raises it.
 * - Functions that take no status never fail, but for a machine without memory (message on stderr, exit code 3).
 * - Lines of code count from 1. `file` may be null where a place is not known; then no `File` line is printed.
 * - Integers are Python's as far as 64 bits go; a result that needs more is an OverflowError.
 */
#ifndef SIFR_RUNTIME_H
#define SIFR_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SIFR_NORETURN [[noreturn]]
extern "C" {
#else
#define SIFR_NORETURN _Noreturn
#include <stdbool.h>
#endif

/** Grows when a function changes its meaning or signature; `sifr_program_info::abi_version` must be equal. */
#define SIFR_RUNTIME_ABI 1

/* ---------------------------------------------------------------------------------------------------------------- */
/* Basic types                                                                                                       */

/** Text: `size` bytes of UTF-8 at `data`. The empty text has size 0 (and any data). Passed in two registers. */
typedef struct sifr_str {
    const char* data;
    int64_t size;
} sifr_str;

/** Element types of tensors; the numbers are part of the ABI. */
typedef enum sifr_dtype {
    SIFR_BOOL = 0,  /**< one byte, 0 or 1 */
    SIFR_U8 = 1,
    SIFR_I8 = 2,
    SIFR_I16 = 3,
    SIFR_I32 = 4,
    SIFR_I64 = 5,
    SIFR_F16 = 6,
    SIFR_BF16 = 7,
    SIFR_F32 = 8,
    SIFR_F64 = 9,
    SIFR_C64 = 10,  /**< two f32: real, imaginary */
    SIFR_C128 = 11, /**< two f64 */
} sifr_dtype;

/** A strided tensor in memory. Sizes and strides count elements; strides may be 0 or negative. Null `strides`: row-major
 *  contiguous. `ndim == 0`: one element. Any size 0: no element, and `data` is never read. */
typedef struct sifr_tensor {
    void* data;
    int32_t dtype; /**< sifr_dtype */
    int32_t ndim;
    const int64_t* sizes;
    const int64_t* strides;
} sifr_tensor;

/** Bytes of one element. */
int64_t sifr_dtype_size(int32_t dtype);
/** "float32", "int64", …: PyTorch's name without `torch.`. Static text. */
sifr_str sifr_dtype_name(int32_t dtype);
/** The number of elements. */
int64_t sifr_tensor_numel(const sifr_tensor* tensor);

/** 0 is success; the others name the Python exception. */
typedef enum sifr_status_code {
    SIFR_OK = 0,
    SIFR_VALUE_ERROR = 1,
    SIFR_TYPE_ERROR = 2,
    SIFR_INDEX_ERROR = 3,
    SIFR_ZERO_DIVISION_ERROR = 4,
    SIFR_OVERFLOW_ERROR = 5,
    SIFR_RUNTIME_ERROR = 6,
    SIFR_KEY_ERROR = 7,
    SIFR_EOF_ERROR = 8,
    SIFR_LINALG_ERROR = 9,     /**< torch._C._LinAlgError */
    SIFR_NOT_SUPPORTED = 10,   /**< valid Python that sifr does not do; never to be caught by the script's `try` */
    SIFR_OS_ERROR = 11,
    SIFR_NOT_IMPLEMENTED_ERROR = 12,
    SIFR_SYSTEM_EXIT = 13,     /**< `sys.exit()` in a function that a host called; never a status of the runtime's own functions */
} sifr_status_code;
typedef int32_t sifr_status;

/* ---------------------------------------------------------------------------------------------------------------- */
/* 1. Program, errors, warnings                                                                (error.cpp, program.cpp) */

/** CPU features, for `sifr_program_info::required_features`. */
#define SIFR_CPU_SSE42 (1ull << 0)
#define SIFR_CPU_POPCNT (1ull << 1)
#define SIFR_CPU_AVX (1ull << 2)
#define SIFR_CPU_AVX2 (1ull << 3)
#define SIFR_CPU_FMA (1ull << 4)
#define SIFR_CPU_F16C (1ull << 5)
#define SIFR_CPU_BMI1 (1ull << 6)
#define SIFR_CPU_BMI2 (1ull << 7)
#define SIFR_CPU_LZCNT (1ull << 8)
#define SIFR_CPU_MOVBE (1ull << 9)
#define SIFR_CPU_AVX512F (1ull << 10)
#define SIFR_CPU_AVX512BW (1ull << 11)
#define SIFR_CPU_AVX512DQ (1ull << 12)
#define SIFR_CPU_AVX512VL (1ull << 13)
#define SIFR_CPU_AVX512CD (1ull << 14)
#define SIFR_CPU_AVX512VNNI (1ull << 15)
#define SIFR_CPU_AVX512BF16 (1ull << 16)
#define SIFR_CPU_AVX512FP16 (1ull << 17)
#define SIFR_CPU_AVXVNNI (1ull << 18)
/** The psABI levels. */
#define SIFR_CPU_V3 ((1ull << 10) - 1)
#define SIFR_CPU_V4 (SIFR_CPU_V3 | SIFR_CPU_AVX512F | SIFR_CPU_AVX512BW | SIFR_CPU_AVX512DQ | SIFR_CPU_AVX512VL | SIFR_CPU_AVX512CD)

/** The features of this machine that the OS has enabled. Works on every x86-64. */
uint64_t sifr_cpu_features(void);

/** What a binary says about itself. Zero-filled fields are defaults. */
typedef struct sifr_program_info {
    uint32_t struct_size;       /**< sizeof(sifr_program_info) */
    uint32_t abi_version;       /**< SIFR_RUNTIME_ABI */
    uint64_t required_features; /**< SIFR_CPU_… bits; at least those that the runtime itself needs are always checked */
    const char* script;         /**< `sys.argv[0]`; null: the binary's own name */
} sifr_program_info;

/** First call of a binary's main: checks the CPU (exit code 3 and a message when a feature is missing), keeps the
 *  arguments, seeds the default generator from the OS. */
void sifr_program_start(int argc, char** argv, const sifr_program_info* info);
/** Last call: flushes stdout, stops the threads. Returns the exit code (0, or 120 when stdout could not be written, as Python). */
int sifr_program_end(void);

/** Where text and exceptions go in a process that is not sifr's own (the compiler, a C++ host). A null function keeps
 *  the program's behaviour. `raise` and `exit` must not return. They may `longjmp`; they may throw a C++
 *  exception only if every frame up to the handler has unwind tables (the runtime's frames do; compiled code has them
 *  when its functions carry `uwtable` and its frames are registered). The runtime holds no lock and owns no memory when it calls them. */
typedef struct sifr_host_hooks {
    void* user;
    void (*write_stdout)(void* user, const char* data, int64_t size);
    void (*write_stderr)(void* user, const char* data, int64_t size);
    void (*raise)(void* user, const char* type, sifr_str text, const char* file, int32_t line);
    void (*exit)(void* user, int32_t code);
} sifr_host_hooks;

/** Copies the hooks; null restores the program's behaviour. Per thread. Without `exit`, sifr_exit and sifr_fatal end the process. */
void sifr_set_host_hooks(const sifr_host_hooks* hooks);

/** Raises: flushes stdout, prints `  File "t.py", line 5` and `Type: text` (`Type` when the text is empty) on
 *  stderr, exits with 1. With a host hook: calls it. */
SIFR_NORETURN void sifr_raise(const char* type, sifr_str text, const char* file, int32_t line);
/** Raises what the last failing function of this thread left. */
SIFR_NORETURN void sifr_raise_pending(const char* file, int32_t line);
/** The last failure of this thread: "ValueError", … (static text). Empty when there was none. */
const char* sifr_error_type(void);
/** Its text; valid until the next failure. */
sifr_str sifr_error_text(void);
/** Records a failure and returns its status: for code outside of the runtime that follows its conventions. */
sifr_status sifr_fail(sifr_status status, sifr_str text);
/** "ValueError" for SIFR_VALUE_ERROR, …; static text. */
const char* sifr_status_type(sifr_status status);

/** Prints `t.py:5: UserWarning: text` on stderr, once for each (place, category, text), as Python's default filter. */
void sifr_warn(const char* category, sifr_str text, const char* file, int32_t line);
/** Forgets which warnings were printed (a host that runs several programs). */
void sifr_warnings_reset(void);

/** `sys.exit(code)`: flushes and ends the process (or calls the host's hook). */
SIFR_NORETURN void sifr_exit(int32_t code);
/** The machine lacks something: `sifr: error: text` on stderr, exit code 3, without Python's form. */
SIFR_NORETURN void sifr_fatal(sifr_str text);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 2. Output                                                                                              (output.cpp) */

/** Writes to stdout, buffered; flushed by lines when stdout is a terminal, else when 64 KiB are full, before an error and
 *  at the end. */
void sifr_print(sifr_str text);
/** Writes to stderr at once (stdout is flushed first). */
void sifr_print_stderr(sifr_str text);
void sifr_flush(void);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 3. Strings                                                                                   (str.cpp, str_methods.cpp) */

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
/* 4. Python's numbers                                            (number.cpp, format_spec.cpp, percent.cpp, math.cpp) */

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
/* 5. Printing tensors                                                                  (tensor_str.cpp, tensor_item.cpp) */

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

/* ---------------------------------------------------------------------------------------------------------------- */
/* 6. Random numbers: PyTorch's CPU streams, bit for bit                       (random.cpp, random_normal.cpp, random_more.cpp) */

typedef struct sifr_generator sifr_generator;

/** The generator that `torch.manual_seed` seeds. Before that it is seeded from the OS. */
sifr_generator* sifr_default_generator(void);
/** `torch.Generator()`: a new one with seed 67280421310721. */
sifr_generator* sifr_generator_new(void);
void sifr_generator_free(sifr_generator* generator);
/** `manual_seed(seed)`: forgets cached normals. Negative Python seeds: the two's complement bits. */
void sifr_manual_seed(sifr_generator* generator, uint64_t seed);
/** `seed()`: a new seed from the OS; returns it. */
uint64_t sifr_seed_from_os(sifr_generator* generator);
uint64_t sifr_initial_seed(const sifr_generator* generator);
/** State as bytes for `get_state` / `set_state` within sifr (the layout is not PyTorch's). */
int64_t sifr_generator_state_size(void);
void sifr_generator_get_state(const sifr_generator* generator, void* bytes);
void sifr_generator_set_state(sifr_generator* generator, const void* bytes);
uint32_t sifr_random_u32(sifr_generator* generator);
uint64_t sifr_random_u64(sifr_generator* generator);

/* The fills. `out` is what is written. `order`: the strides of the tensor as the script sees it, which decide the order of
 * the draws and, for normals, the path (null: those of `out`). Empty tensors draw nothing. Not for bool and integer dtypes unless said. */

/** `uniform_(from, to)`: floating dtypes. */
void sifr_random_uniform(sifr_generator* g, const sifr_tensor* out, const int64_t* order, double from, double to);
/** `normal_(mean, std)`, randn: floating and complex dtypes. */
void sifr_random_normal(sifr_generator* g, const sifr_tensor* out, const int64_t* order, double mean, double std);
/** `random_(low, high)`, randint: all dtypes; low < high. */
void sifr_random_range(sifr_generator* g, const sifr_tensor* out, const int64_t* order, int64_t low, int64_t high);
/** `random_()` */
void sifr_random_full(sifr_generator* g, const sifr_tensor* out, const int64_t* order);
/** `bernoulli_(p)`: all dtypes; writes 0 and 1. */
void sifr_random_bernoulli(sifr_generator* g, const sifr_tensor* out, const int64_t* order, double p);
/** `bernoulli(P)`: `p` floating, of `out`'s shape. RuntimeError when an element is outside of [0, 1]. */
sifr_status sifr_random_bernoulli_tensor(sifr_generator* g, const sifr_tensor* out, const int64_t* order, const sifr_tensor* p);
void sifr_random_exponential(sifr_generator* g, const sifr_tensor* out, const int64_t* order, double lambda);
void sifr_random_geometric(sifr_generator* g, const sifr_tensor* out, const int64_t* order, double p);
void sifr_random_cauchy(sifr_generator* g, const sifr_tensor* out, const int64_t* order, double median, double sigma);
void sifr_random_log_normal(sifr_generator* g, const sifr_tensor* out, const int64_t* order, double mean, double std);
/** `torch.normal(mean, std)` with tensors: draws standard normals for `out`, then out·std + mean; mean or std null:
 *  `mean_scalar`, `std_scalar`. */
void sifr_random_normal_tensors(sifr_generator* g, const sifr_tensor* out, const sifr_tensor* mean, double mean_scalar,
                                const sifr_tensor* std, double std_scalar);
/** randperm(n) for any dtype of `out` (1-d). */
void sifr_random_permutation(sifr_generator* g, const sifr_tensor* out);
/** multinomial(weights, samples, replacement): `weights` floating [n] or [rows, n], `out` i64 [samples] or [rows, samples].
 *  RuntimeError with PyTorch's texts for bad weights. */
sifr_status sifr_random_multinomial(sifr_generator* g, const sifr_tensor* weights, const sifr_tensor* out, bool replacement);
/** Leaves the generator as if `draws` 32-bit outputs had been drawn (an unused `rand`: numel, f64: 2·numel). */
void sifr_random_skip(sifr_generator* g, uint64_t draws);
/** `rrelu` while training: elements <= 0 are multiplied by numbers drawn from [lower, upper), in row-major order; `noise` has the factors. */
void sifr_random_rrelu(sifr_generator* g, const sifr_tensor* in, const sifr_tensor* out, const sifr_tensor* noise, double lower, double upper);
/** Leaves the generator as after `sifr_random_normal` of a tensor of this dtype, size and contiguity. */
void sifr_random_skip_normal(sifr_generator* g, int32_t dtype, int64_t numel, bool contiguous);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 7. Memory                                                                                              (memory.cpp) */

/** `bytes` of zero pages, aligned to 2 MiB and advised to be huge pages. Never null: without memory, a message that names `bytes`,
 *  exit code 3. 0 bytes: a valid pointer to nothing. */
void* sifr_arena_alloc(int64_t bytes);
void sifr_arena_free(void* arena, int64_t bytes);
/** Gives whole pages of a range back to the OS; they read as zero afterwards. Partial pages at the ends are cleared. For ranges
 *  of `sifr_arena_alloc` memory. */
void sifr_zero_pages(void* data, int64_t bytes);
/** Clears; past a threshold that depends on the CPU with the way of writing that is fastest there. */
void sifr_zero(void* data, int64_t bytes);
/** Fills `count` elements of `element_size` (1, 2, 4, 8, 16) bytes with the pattern at `element`. */
void sifr_fill(void* data, int64_t count, const void* element, int32_t element_size);
/** Copies; the ranges must not overlap. */
void sifr_copy(void* to, const void* from, int64_t bytes);
/** Memory of the calling thread, aligned to 64 bytes, with undefined contents. It is given back by the same thread, last taken first;
 *  the thread keeps it for the next take. */
void* sifr_scratch_take(int64_t bytes);
void sifr_scratch_give(void* taken);
/** Bytes above which stores go past the caches on this CPU. */
int64_t sifr_streaming_threshold(void);
/** malloc/free for host structures of compiled code; never null. */
void* sifr_alloc(int64_t bytes);
void sifr_free(void* data);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 8. Threads                                                                                            (threads.cpp) */

/** Calls body(ctx, begin, end) for consecutive pieces of [0, n), each a multiple of `grain` long (but the last), on all threads;
 *  returns when all are done. The calling thread takes part. One piece and no thread when n <= grain, and inside of another
 *  parallel_for or region. The pieces depend on n, grain and the number of threads only. A body must not raise: it writes what went
 *  wrong to a status word, and the caller raises afterwards. */
void sifr_parallel_for(void (*body)(void* ctx, int64_t begin, int64_t end), void* ctx, int64_t n, int64_t grain);
/** Calls body(ctx, thread, threads) once on each thread. Inside, `sifr_barrier` waits for all of them, and `sifr_share` deals out loops.
 *  Nested: body(ctx, 0, 1). */
void sifr_parallel_region(void (*body)(void* ctx, int32_t thread, int32_t threads), void* ctx);
/** All threads of the region wait for one another; what was written before is seen by all after. Outside of a region: nothing. */
void sifr_barrier(void);
/** This thread's piece of [0, n), as `sifr_parallel_for` deals it out. May be empty (begin == end). */
void sifr_share(int64_t n, int64_t grain, int32_t thread, int32_t threads, int64_t* begin, int64_t* end);
/** Threads that work takes: SIFR_NUM_THREADS, or the CPUs that this process may use. */
int32_t sifr_num_threads(void);
/** `torch.set_num_threads(n)`, n >= 1. Not inside of a region. */
void sifr_set_num_threads(int32_t n);
/** Ends the worker threads; they start again when needed. */
void sifr_threads_stop(void);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 9. Lists that grow                                                                                       (list.cpp) */

/** What a list holds. A str element is copied into the list; a tensor element is a block of `element_bytes` bytes, copied. */
typedef enum sifr_list_kind {
    SIFR_LIST_I64 = 0,
    SIFR_LIST_F64 = 1,
    SIFR_LIST_BOOL = 2,
    SIFR_LIST_STR = 3,
    SIFR_LIST_TENSOR = 4,
} sifr_list_kind;
typedef struct sifr_list sifr_list;

/** `element_bytes` is for tensors only. */
sifr_list* sifr_list_new(int32_t kind, int64_t element_bytes);
void sifr_list_free(sifr_list* list);
int64_t sifr_list_length(const sifr_list* list);
/** The elements in a row: int64_t, double, uint8_t, sifr_str, or blocks. Valid until the list changes. */
void* sifr_list_data(sifr_list* list);
void sifr_list_clear(sifr_list* list);
/** The elements, row-major, as numbers: f64 of floats, bool of bools, else i64. */
sifr_list* sifr_list_of_tensor(const sifr_tensor* tensor);
void sifr_list_append_i64(sifr_list* list, int64_t value);
void sifr_list_append_f64(sifr_list* list, double value);
void sifr_list_append_bool(sifr_list* list, bool value);
void sifr_list_append_str(sifr_list* list, sifr_str value);
/** Copies a block of element_bytes. */
void sifr_list_append_tensor(sifr_list* list, const void* block);
/** `list.extend(other)` of the same kind; `other` may be `list`. */
void sifr_list_extend(sifr_list* list, const sifr_list* other);
sifr_list* sifr_list_copy(const sifr_list* list);
/** `list[start:stop:step]` as a new list. */
sifr_status sifr_list_slice(const sifr_list* list, int64_t start, int64_t stop, int64_t step, sifr_list** out);
/** Turns a Python index (negative from the end) into a position. IndexError "list index out of range". */
sifr_status sifr_list_position(const sifr_list* list, int64_t index, int64_t* out);
/** `list[index]`. IndexError "list index out of range". A str is a copy in the region; a tensor is a pointer into the list. */
sifr_status sifr_list_get_i64(const sifr_list* list, int64_t index, int64_t* out);
sifr_status sifr_list_get_f64(const sifr_list* list, int64_t index, double* out);
sifr_status sifr_list_get_bool(const sifr_list* list, int64_t index, bool* out);
sifr_status sifr_list_get_str(const sifr_list* list, int64_t index, sifr_str* out);
sifr_status sifr_list_get_tensor(const sifr_list* list, int64_t index, const void** out);
/** `list[index] = value`. IndexError "list assignment index out of range". `value` points at an element. */
sifr_status sifr_list_set(sifr_list* list, int64_t index, const void* value);
/** `list.pop(index)`: copies the element to `out` (a str into the region; a tensor's block), and removes it. IndexError "pop from
 *  empty list", "pop index out of range". */
sifr_status sifr_list_pop(sifr_list* list, int64_t index, void* out);
/** `list.insert(index, value)` */
void sifr_list_insert(sifr_list* list, int64_t index, const void* value);
void sifr_list_reverse(sifr_list* list);
/** `list.sort(reverse=…)`: stable, with Python's `<` (NaN is unordered: then the order is unspecified). Not for tensors. */
void sifr_list_sort(sifr_list* list, bool reverse);
/** The positions of the elements in the order that sifr_list_sort would give them: a new list of i64. */
sifr_list* sifr_list_order(const sifr_list* list, bool reverse);
/** `value in list`, `list.index(value)` (ValueError "2 is not in list"), `list.count(value)`; `value` points at an element. Not
 *  for tensors. */
bool sifr_list_contains(const sifr_list* list, const void* value);
sifr_status sifr_list_index_of(const sifr_list* list, const void* value, int64_t* out);
int64_t sifr_list_count(const sifr_list* list, const void* value);
/** `sum(list)` from 0, left to right (as Python 3.11). OverflowError for ints. Of bools: an int. */
sifr_status sifr_list_sum_i64(const sifr_list* list, int64_t* out);
sifr_status sifr_list_sum_f64(const sifr_list* list, double* out);
/** `min(list)` / `max(list)`: position of the first one by Python's `<`. ValueError "min() arg is an empty sequence". */
sifr_status sifr_list_argmin(const sifr_list* list, int64_t* out);
sifr_status sifr_list_argmax(const sifr_list* list, int64_t* out);
/** Element by element, then by length: -1, 0, 1 (2: unordered because of a NaN). Same kind, not tensors. */
int32_t sifr_list_compare(const sifr_list* a, const sifr_list* b);
/** `str(list)`. Not for tensors (the compiler prints those element by element). */
sifr_str sifr_list_str(const sifr_list* list);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 10. Kernels that have no loop form                                            (sort.cpp, select.cpp, linalg*.cpp) */

/** Sorts along `dim` (0 <= dim < ndim, or ndim == 0). Stable; NaN counts as the largest. `values` (dtype of `in`) and `indices`
 *  (i64) have `in`'s shape; either may be null. Real dtypes. */
void sifr_sort(const sifr_tensor* in, int32_t dim, bool descending, const sifr_tensor* values, const sifr_tensor* indices);
/** `topk`: the outputs have size k along `dim`, 0 <= k <= size. The order of equal elements is PyTorch's. */
void sifr_topk(const sifr_tensor* in, int32_t dim, int64_t k, bool largest, bool sorted, const sifr_tensor* values,
               const sifr_tensor* indices);
/** `kthvalue` (k from 1): outputs have size 1 along `dim`. NaN counts as the largest. */
void sifr_kthvalue(const sifr_tensor* in, int32_t dim, int64_t k, const sifr_tensor* values, const sifr_tensor* indices);
/** `median(dim)`: the lower median; NaN wins, with its first index. Outputs have size 1 along `dim`. */
void sifr_median(const sifr_tensor* in, int32_t dim, const sifr_tensor* values, const sifr_tensor* indices);
/** `mode(dim)`: the most frequent value, the smallest of those; the last index of it. Outputs have size 1 along `dim`. */
void sifr_mode(const sifr_tensor* in, int32_t dim, const sifr_tensor* values, const sifr_tensor* indices);
/** `unique(sorted=True)` of all elements: writes the distinct values in ascending order to `values` (room for numel), for each
 *  element its position to `inverse` (i64, `in`'s shape), and counts (i64, room for numel); the two may be null. Returns the
 *  number of distinct values. Each NaN is distinct. */
int64_t sifr_unique(const sifr_tensor* in, void* values, const sifr_tensor* inverse, int64_t* counts);
/** The same for runs of equal neighbours. */
int64_t sifr_unique_consecutive(const sifr_tensor* in, void* values, const sifr_tensor* inverse, int64_t* counts);
/** `unique(dim)`: distinct slices in lexicographic order. Writes for each slice its class to `inverse` (i64, size of dim), for
 *  each class a slice's index to `representatives` and the number of its slices to `counts` (room for size of dim; each may be
 *  null). Returns the number of classes. */
int64_t sifr_unique_dim(const sifr_tensor* in, int32_t dim, int64_t* representatives, int64_t* inverse, int64_t* counts);
/** `searchsorted(sorted, values, right)`: `sorted` is 1-d, or has `values`' leading sizes; `out` is i64 or i32 of `values`'
 *  shape. The two have one dtype. */
void sifr_searchsorted(const sifr_tensor* sorted, const sifr_tensor* values, bool right, const sifr_tensor* out);
/** `nonzero`: writes the indices, row-major [count, ndim], to `out` (room for numel · ndim; null: only counts). Returns count. */
int64_t sifr_nonzero(const sifr_tensor* in, int64_t* out);
/** `masked_select` of equal shapes, with a bool or u8 mask: writes the chosen elements to `out` (room for numel). Returns their number. */
int64_t sifr_masked_select(const sifr_tensor* in, const sifr_tensor* mask, void* out);
/** `bincount`: `in` i64/i32/i16/i8/u8 1-d. The number of bins, max(largest + 1, minlength); RuntimeError for negative values. */
sifr_status sifr_bincount_size(const sifr_tensor* in, int64_t minlength, int64_t* out);
/** Counts into `out` (i64 [bins]), or adds `weights` in order (f64 [bins], or f32 when `out` is f32). */
void sifr_bincount(const sifr_tensor* in, const sifr_tensor* weights, const sifr_tensor* out);
/** `histc(bins, min, max)`: f32 or f64; min == max: the data's own range. RuntimeError for ranges that are not finite or reversed. */
sifr_status sifr_histc(const sifr_tensor* in, double min, double max, const sifr_tensor* out);

/** Running log-sum-exp along `dim`; floats. */
void sifr_logcumsumexp(const sifr_tensor* in, int32_t dim, const sifr_tensor* out);
/** Greatest common divisors of two integer tensors of one shape, row-major, element by element; never negative. */
void sifr_gcd(const sifr_tensor* a, const sifr_tensor* b, const sifr_tensor* out);
/** The same bytes under another dtype. */
void sifr_reinterpret(const void* in, void* out, int64_t bytes);

/* Linear algebra: f32 or f64, each row-major contiguous, `batch` matrices one behind the other. LinAlgError with PyTorch's texts
 * (the text names the batch element when `batched`). In and out may be the same memory, unless said. */

/** Lower factor L (or upper, U) of a symmetric positive-definite [n, n]; the other triangle is zero. */
sifr_status sifr_cholesky(int32_t dtype, int64_t batch, bool batched, int64_t n, const void* in, bool upper, void* out);
/** Packed LU with partial pivoting of [m, n]; pivots as i32 [min(m, n)], from 1. Never fails; a zero on the diagonal is the first one's
 *  index + 1 in `info` (i32 [batch]). */
void sifr_lu(int32_t dtype, int64_t batch, int64_t m, int64_t n, const void* in, void* out, int32_t* pivots, int32_t* info);
/** A = P L U of [m, n] by the same elimination: P [m, m], L [m, k] with ones on its diagonal, U [k, n], k = min(m, n). */
void sifr_lu_matrices(int32_t dtype, int64_t batch, int64_t m, int64_t n, const void* in, void* p, void* l, void* u);
/** The exponential of [n, n]. */
void sifr_matrix_exp(int32_t dtype, int64_t batch, int64_t n, const void* in, void* out);
/** X with A X = B: A [n, n], B [n, k]. */
sifr_status sifr_solve(int32_t dtype, int64_t batch, bool batched, int64_t n, int64_t k, const void* a, const void* b, void* x);
sifr_status sifr_inverse(int32_t dtype, int64_t batch, bool batched, int64_t n, const void* in, void* out);
void sifr_det(int32_t dtype, int64_t batch, int64_t n, const void* in, void* out);
/** Sign and natural logarithm of |det|. */
void sifr_slogdet(int32_t dtype, int64_t batch, int64_t n, const void* in, void* sign, void* logabsdet);
/** Triangular solve: A X = B, or (`left` false) X A = B with B [k, n]. */
void sifr_solve_triangular(int32_t dtype, int64_t batch, int64_t n, int64_t k, const void* a, const void* b, bool upper, bool left,
                           bool unitriangular, void* x);
/** QR of [m, n] by Householder reflections (LAPACK's signs): Q [m, k], R [k, n], k = min(m, n) or (`complete`) m. */
void sifr_qr(int32_t dtype, int64_t batch, int64_t m, int64_t n, const void* in, bool complete, void* q, void* r);
/** Eigenvalues, ascending, and (not null) eigenvectors as columns of a symmetric [n, n] (lower triangle is read, or upper). */
sifr_status sifr_eigh(int32_t dtype, int64_t batch, bool batched, int64_t n, const void* in, bool upper, void* values, void* vectors);
/** SVD of [m, n]: U [m, k], S [k] descending, Vh [k, n], k = min(m, n); `full`: U [m, m], Vh [n, n]. U and Vh may be null. */
sifr_status sifr_svd(int32_t dtype, int64_t batch, bool batched, int64_t m, int64_t n, const void* in, bool full, void* u, void* s,
                     void* vh);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 11. The world outside                                                                                 (system.cpp) */

/** `time.time()`, `time.perf_counter()`, `time.process_time()`: seconds. */
double sifr_time(void);
double sifr_perf_counter(void);
double sifr_process_time(void);
/** `time.sleep(s)`. ValueError "sleep length must be non-negative". Flushes nothing. */
sifr_status sifr_sleep(double seconds);
/** `sys.argv`: the script's name, then the arguments. A host sets them with sifr_set_argv. The texts are static. */
int64_t sifr_argc(void);
/** IndexError "list index out of range". */
sifr_status sifr_argv(int64_t index, sifr_str* out);
/** Keeps the pointers, not copies. */
void sifr_set_argv(int32_t argc, const char* const* argv);
/** What `sys.argv[0]` is, in place of the first argument. Keeps the pointer. */
void sifr_set_script_name(const char* name);
/** `os.environ.get(name)`: false when unset. */
bool sifr_getenv(sifr_str name, sifr_str* out);
/** `input(prompt)`. EOFError "EOF when reading a line". */
sifr_status sifr_input(sifr_str prompt, sifr_str* out);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 12. Bits of what is printed, for comparing stages                                                       (dump.cpp) */

/** True when SIFR_DUMP_BITS (or sifr_dump_open) names a file. */
bool sifr_dump_enabled(void);
/** Starts dumping to a file (null: stops). Overrides the environment. False when it cannot be written. */
bool sifr_dump_open(const char* path);
/** One line per call: `label dtype[sizes] hex hex …`, elements in row-major order, each as its raw bits. */
void sifr_dump_bits(sifr_str label, const sifr_tensor* tensor);
void sifr_dump_f64(sifr_str label, double value);
void sifr_dump_i64(sifr_str label, int64_t value);

/* ---------------------------------------------------------------------------------------------------------------- */
/* 13. Functions that a host calls                                                                         (host.cpp) */

/** What a compiled function needs beside its arguments: memory for intermediate values, the random generator, where its text goes, the
 *  last failure. One thread uses a context at a time; a host that calls from many threads makes one for each. */
typedef struct sifr_context sifr_context;

/** Zero-filled fields are defaults; set `struct_size` to sizeof(sifr_context_options). */
typedef struct sifr_context_options {
    uint32_t struct_size;
    uint32_t seeded;  /**< not 0: the generator starts from `seed`, as after torch.manual_seed; 0: from the OS */
    uint64_t seed;
    void* user;       /**< handed to the writers */
    void (*write_stdout)(void* user, const char* data, int64_t size); /**< null: the process's stdout */
    void (*write_stderr)(void* user, const char* data, int64_t size);
} sifr_context_options;

/** Compiled code. `arena` has `arena_bytes` bytes at a multiple of 64. `arguments`: tensor parameters, then tensor results; `numbers` and
 *  `results`: the others, an f64 as its bits, a bool as 0 or 1. */
typedef void sifr_entry(void* arena, void* const* arguments, const int64_t* numbers, int64_t* results);
typedef struct sifr_function {
    uint32_t struct_size;       /**< sizeof(sifr_function) */
    uint32_t abi_version;       /**< SIFR_RUNTIME_ABI */
    uint64_t required_features; /**< SIFR_CPU_… bits */
    int64_t arena_bytes;
    sifr_entry* entry;
} sifr_function;

/** Null options: all defaults. Null without memory. Nothing large is allocated before the first call. */
sifr_context* sifr_context_new(const sifr_context_options* options);
void sifr_context_free(sifr_context* context);
/** `torch.manual_seed(seed)` for the calls to come. */
void sifr_context_seed(sifr_context* context, uint64_t seed);
/** Calls. SIFR_OK, or what the function raised: then results are undefined, and arguments that it updates hold what was written so far. */
sifr_status sifr_context_call(sifr_context* context, const sifr_function* function, void* const* arguments, const int64_t* numbers, int64_t* results);
/** `Type: text` of what the last call raised; empty after a good one. Valid until the next call. */
const char* sifr_context_error(const sifr_context* context);
/** Its line in the source that the function was compiled from, 0 where that is not known; `file` (may be null) gets the path, or null. */
int32_t sifr_context_error_line(const sifr_context* context, const char** file);

#ifdef __cplusplus
}  /* extern "C" */
#endif

#endif /* SIFR_RUNTIME_H */
