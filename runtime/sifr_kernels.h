/* What has no loop form: random streams, sorting, selection, linear algebra; and the threads that kernels run on. */
#ifndef SIFR_KERNELS_H
#define SIFR_KERNELS_H

#include "sifr_program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------- */
/* Random numbers: PyTorch's CPU streams, bit for bit                       (random.cpp, random_normal.cpp, random_more.cpp) */

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
/* Threads                                                                                            (threads.cpp) */

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
/* Kernels that have no loop form                                            (sort.cpp, select.cpp, linalg*.cpp) */

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
/** `unique(dim)`: distinct slices in lexicographic order, or with `consecutive` runs of equal neighbours. Writes for each slice its class to `inverse` (i64, size of dim), for
 *  each class a slice's index to `representatives` and the number of its slices to `counts` (room for size of dim; each may be
 *  null). Returns the number of classes. */
int64_t sifr_unique_dim(const sifr_tensor* in, int32_t dim, bool consecutive, int64_t* representatives, int64_t* inverse, int64_t* counts);
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

#ifdef __cplusplus
}  /* extern "C" */
#endif

#endif /* SIFR_KERNELS_H */
