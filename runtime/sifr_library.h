/** What the code of a library says of itself to the runtime: functions of a script, compiled ahead of time, and what the script's variables
 *  keep between calls. Compiled code fills these tables; a host sees the header that `sifr build --emit=header` writes.
 *
 *  What is kept has a *form*: how many pieces of memory, how many numbers. A call may change it (an optimizer makes its buffers in the first
 *  step), and then other code is called from there on. So there is one row of code per form and function.
 */
#ifndef SIFR_LIBRARY_H
#define SIFR_LIBRARY_H

#include "runtime/sifr_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A tensor of a variable: `model.weight`. */
typedef struct sifr_library_tensor {
    const char* name;
    const int64_t* sizes;
    const int64_t* strides; /**< in elements */
    int64_t offset;         /**< in bytes, from the piece's first */
    int32_t piece;
    int32_t dtype;
    int32_t dim;
    int32_t reserved;
} sifr_library_tensor;

typedef struct sifr_library_form {
    int32_t pieces;
    int32_t tensors;
    const int64_t* bytes; /**< per piece */
    const sifr_library_tensor* tensor;
} sifr_library_form;

/** One function in one form. The code's arguments are: pieces, the caller's tensors, the caller's results, new pieces; its numbers: kept ones,
 *  the caller's; its number results: the caller's, those to keep. */
typedef struct sifr_library_code {
    sifr_function function;
    int32_t next_form;
    int32_t arguments;          /**< of the caller: tensors and results together */
    int32_t numbers;            /**< of the caller */
    int32_t results;            /**< numbers for the caller */
    int32_t kept_in;            /**< number parameters in front of the caller's */
    int32_t kept_out;           /**< number results behind the caller's */
    const int32_t* piece_from;  /**< per piece of the next form: the piece that it is, -1: a new one */
    const int32_t* number_from; /**< per kept number parameter: the kept number that it is, -1: `initial` */
    const int64_t* initial;
} sifr_library_code;

typedef struct sifr_library {
    uint32_t struct_size;
    int32_t functions;
    int32_t forms;
    int32_t reserved;
    const sifr_library_form* form;
    const sifr_library_code* code; /**< [form][function] */
    const sifr_library_code* top;  /**< the script's top level, from nothing to form 0; null: there is nothing to do */
} sifr_library;

/** What a host keeps: a context, and what the script's variables hold. */
typedef struct sifr_library_context sifr_library_context;

/** Runs the top level. Null without memory; where the top level raises, every call gives what it raised. */
sifr_library_context* sifr_library_new(const sifr_library* library, const sifr_context_options* options);
void sifr_library_free(sifr_library_context* context);
void sifr_library_seed(sifr_library_context* context, uint64_t seed);
sifr_status sifr_library_call(sifr_library_context* context, int32_t function, void* const* arguments, const int64_t* numbers, int64_t* results);
const char* sifr_library_error(const sifr_library_context* context);
int32_t sifr_library_error_line(const sifr_library_context* context, const char** file);
/** Tensor `index` of the variables, as they stand now: 0, or -1 past the last. */
int32_t sifr_library_state(const sifr_library_context* context, int32_t index, const char** name, sifr_tensor* tensor);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SIFR_LIBRARY_H */
