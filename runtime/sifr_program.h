/* The types that all of the runtime shares, how a program starts and ends, how it raises, warns and writes, and what it asks the system. */
#ifndef SIFR_PROGRAM_H
#define SIFR_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SIFR_NORETURN [[noreturn]]
#else
#define SIFR_NORETURN _Noreturn
#include <stdbool.h>
#endif

/** Grows when a function changes its meaning or signature; `sifr_program_info::abi_version` must be equal. */
#define SIFR_RUNTIME_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

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
/* Program, errors, warnings                                                                (error.cpp, program.cpp) */

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
/* Output                                                                                              (output.cpp) */

/** Writes to stdout, buffered; flushed by lines when stdout is a terminal, else when 64 KiB are full, before an error and
 *  at the end. */
void sifr_print(sifr_str text);
/** Writes to stderr at once (stdout is flushed first). */
void sifr_print_stderr(sifr_str text);
void sifr_flush(void);

/* ---------------------------------------------------------------------------------------------------------------- */
/* The world outside                                                                                 (system.cpp) */

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
/* Bits of what is printed, for comparing stages                                                       (dump.cpp) */

/** True when SIFR_DUMP_BITS (or sifr_dump_open) names a file. */
bool sifr_dump_enabled(void);
/** Starts dumping to a file (null: stops). Overrides the environment. False when it cannot be written. */
bool sifr_dump_open(const char* path);
/** One line per call: `label dtype[sizes] hex hex …`, elements in row-major order, each as its raw bits. */
void sifr_dump_bits(sifr_str label, const sifr_tensor* tensor);
void sifr_dump_f64(sifr_str label, double value);
void sifr_dump_i64(sifr_str label, int64_t value);

#ifdef __cplusplus
}  /* extern "C" */
#endif

#endif /* SIFR_PROGRAM_H */
