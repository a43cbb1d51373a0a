/* What a program keeps: memory of its own, lists that grow, and the state of functions that a host calls. */
#ifndef SIFR_VALUES_H
#define SIFR_VALUES_H

#include "sifr_program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------- */
/* Memory                                                                                              (memory.cpp) */

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
/* Lists that grow                                                                                       (list.cpp) */

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
/* Functions that a host calls                                                                         (host.cpp) */

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

#endif /* SIFR_VALUES_H */
