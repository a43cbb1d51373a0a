#include "compiler/backend/llvm/runtime_calls.h"

#include <algorithm>
#include <string_view>

#include <llvm/IR/DerivedTypes.h>

#include "compiler/backend/llvm/module_emitter.h"
#include "ir/base/check.h"
#include "runtime/sifr_cuda.h"
#include "runtime/sifr_runtime.h"

namespace sifr::codegen {

namespace {

#define FUNCTION(name, signature) {#name, signature, reinterpret_cast<void*>(&name)}
#define NO_RETURN(name, signature) {#name, signature, reinterpret_cast<void*>(&name), true}
const RuntimeFunction table[] = {
    FUNCTION(sifr_arena_alloc, "p(l)"),
    FUNCTION(sifr_arena_free, "v(pl)"),
    FUNCTION(sifr_argc, "l()"),
    FUNCTION(sifr_argv, "e(lO)"),
    FUNCTION(sifr_bool_str, "s(b)"),
    FUNCTION(sifr_cholesky, "e(i{.dtype}l{.batch}b{.batched}l{.rows}Db{upper}E)"),
    FUNCTION(sifr_complex_str, "s(dd)"),
    FUNCTION(sifr_copy, "v(ppl)"),
    FUNCTION(sifr_cuda_arena, "p()"),
    FUNCTION(sifr_cuda_capability, "l()"),
    FUNCTION(sifr_cuda_constant_data, "p(i)"),
    FUNCTION(sifr_cuda_copy, "v(ppl)"),
    FUNCTION(sifr_cuda_device_name, "e(O)"),
    FUNCTION(sifr_cuda_end, "v()"),
    FUNCTION(sifr_cuda_fetch, "p(pl)"),
    FUNCTION(sifr_cuda_fill, "v(plli)"),
    FUNCTION(sifr_cuda_generator, "p()"),
    FUNCTION(sifr_cuda_generator_new, "p()"),
    FUNCTION(sifr_cuda_launch, "v(ippi)"),
    FUNCTION(sifr_cuda_memory, "l()"),
    FUNCTION(sifr_cuda_publish, "v()"),
    FUNCTION(sifr_cuda_read, "v(ppl)"),
    FUNCTION(sifr_cuda_settle, "v()"),
    FUNCTION(sifr_cuda_stage, "p(pl)"),
    FUNCTION(sifr_cuda_start, "p(p)"),
    FUNCTION(sifr_cuda_step, "v()"),
    FUNCTION(sifr_cuda_synchronize, "v()"),
    FUNCTION(sifr_default_generator, "p()"),
    FUNCTION(sifr_det, "v(i{.dtype}l{.batch}l{.rows}DE)"),
    FUNCTION(sifr_dump_bits, "v(sT)"),
    FUNCTION(sifr_dump_f64, "v(sd)"),
    FUNCTION(sifr_dump_i64, "v(sl)"),
    FUNCTION(sifr_eigh, "e(i{.dtype}l{.batch}b{.batched}l{.rows}Db{.upper}EE)"),
    FUNCTION(sifr_f64_div, "e(ddO)"),
    FUNCTION(sifr_f64_floordiv, "e(ddO)"),
    FUNCTION(sifr_f64_mod, "e(ddO)"),
    FUNCTION(sifr_f64_pow, "e(ddO)"),
    FUNCTION(sifr_f64_round, "e(dO)"),
    FUNCTION(sifr_f64_round_digits, "e(dlO)"),
    FUNCTION(sifr_f64_str, "s(d)"),
    FUNCTION(sifr_f64_to_i64, "e(dO)"),
    FUNCTION(sifr_fill, "v(plpi)"),
    FUNCTION(sifr_float_parse, "e(sO)"),
    FUNCTION(sifr_flush, "v()"),
    FUNCTION(sifr_format_bool, "e(bsO)"),
    FUNCTION(sifr_format_f64, "e(dsO)"),
    FUNCTION(sifr_format_i64, "e(lsO)"),
    FUNCTION(sifr_format_str, "e(ssO)"),
    FUNCTION(sifr_gcd, "v(TTR)"),
    FUNCTION(sifr_generator_get_state, "v(GE)"),
    FUNCTION(sifr_generator_new, "p()"),
    FUNCTION(sifr_generator_set_state, "v(GD)"),
    FUNCTION(sifr_getenv, "b(sO)"),
    FUNCTION(sifr_histc, "e(Td{min}d{max}R)"),
    FUNCTION(sifr_i64_abs, "e(lO)"),
    FUNCTION(sifr_i64_add, "e(llO)"),
    FUNCTION(sifr_i64_floordiv, "e(llO)"),
    FUNCTION(sifr_i64_lshift, "e(llO)"),
    FUNCTION(sifr_i64_mod, "e(llO)"),
    FUNCTION(sifr_i64_mul, "e(llO)"),
    FUNCTION(sifr_i64_neg, "e(lO)"),
    FUNCTION(sifr_i64_pow, "e(llO)"),
    FUNCTION(sifr_i64_rshift, "e(llO)"),
    FUNCTION(sifr_i64_str, "s(l)"),
    FUNCTION(sifr_i64_sub, "e(llO)"),
    FUNCTION(sifr_i64_truediv, "e(llO)"),
    FUNCTION(sifr_input, "e(s{}O)"),
    FUNCTION(sifr_int_parse, "e(si=10O)"),
    FUNCTION(sifr_inverse, "e(i{.dtype}l{.batch}b{.batched}l{.rows}DE)"),
    FUNCTION(sifr_kthvalue, "v(Ti{.dim}l{k}KK)"),
    FUNCTION(sifr_list_append_bool, "v(pb)"),
    FUNCTION(sifr_list_append_f64, "v(pd)"),
    FUNCTION(sifr_list_append_i64, "v(pl)"),
    FUNCTION(sifr_list_append_str, "v(ps)"),
    FUNCTION(sifr_list_argmax, "e(pO)"),
    FUNCTION(sifr_list_argmin, "e(pO)"),
    FUNCTION(sifr_list_clear, "v(p)"),
    FUNCTION(sifr_list_contains, "b(pV)"),
    FUNCTION(sifr_list_copy, "p(p)"),
    FUNCTION(sifr_list_count, "l(pV)"),
    FUNCTION(sifr_list_data, "p(p)"),
    FUNCTION(sifr_list_extend, "v(pp)"),
    FUNCTION(sifr_list_get_bool, "e(plO)"),
    FUNCTION(sifr_list_get_f64, "e(plO)"),
    FUNCTION(sifr_list_get_i64, "e(plO)"),
    FUNCTION(sifr_list_get_str, "e(plO)"),
    FUNCTION(sifr_list_index_of, "e(pVO)"),
    FUNCTION(sifr_list_insert, "v(plV)"),
    FUNCTION(sifr_list_length, "l(p)"),
    FUNCTION(sifr_list_new, "p(il)"),
    FUNCTION(sifr_list_of_tensor, "p(T)"),
    FUNCTION(sifr_list_order, "p(pb{reverse})"),
    FUNCTION(sifr_list_pop, "e(plO)"),
    FUNCTION(sifr_list_reverse, "v(p)"),
    FUNCTION(sifr_list_set, "e(plV)"),
    FUNCTION(sifr_list_slice, "e(plllO)"),
    FUNCTION(sifr_list_sort, "v(pb{reverse})"),
    FUNCTION(sifr_list_str, "s(p)"),
    FUNCTION(sifr_list_sum_f64, "e(pO)"),
    FUNCTION(sifr_list_sum_i64, "e(pO)"),
    FUNCTION(sifr_logcumsumexp, "v(Ti{.dim}R)"),
    FUNCTION(sifr_lu, "v(i{.dtype}l{.batch}l{.rows}l{.columns}DEEE)"),
    FUNCTION(sifr_lu_matrices, "v(i{.dtype}l{.batch}l{.rows}l{.columns}DEEE)"),
    FUNCTION(sifr_manual_seed, "v(Gl)"),
    FUNCTION(sifr_masked_select, "l(TTE)"),
    FUNCTION(sifr_math_call1, "e(idO)"),
    FUNCTION(sifr_math_call2, "e(iddO)"),
    FUNCTION(sifr_math_ceil, "e(dO)"),
    FUNCTION(sifr_math_floor, "e(dO)"),
    FUNCTION(sifr_matrix_exp, "v(i{.dtype}l{.batch}l{.rows}DE)"),
    FUNCTION(sifr_median, "v(Ti{.dim}KK)"),
    FUNCTION(sifr_mode, "v(Ti{.dim}KK)"),
    FUNCTION(sifr_nonzero, "l(TE)"),
    FUNCTION(sifr_parallel_for, "v(ppll)"),
    FUNCTION(sifr_perf_counter, "d()"),
    FUNCTION(sifr_print, "v(s)"),
    FUNCTION(sifr_print_stderr, "v(s)"),
    FUNCTION(sifr_process_time, "d()"),
    FUNCTION(sifr_program_end, "i()"),
    FUNCTION(sifr_program_start, "v(ipp)"),
    FUNCTION(sifr_qr, "v(i{.dtype}l{.batch}l{.rows}l{.columns}Db{.complete}EE)"),
    NO_RETURN(sifr_raise, "v(c{type}sFW)"),
    NO_RETURN(sifr_raise_pending, "v(FW)"),
    FUNCTION(sifr_random_bernoulli, "v(GRNd)"),
    FUNCTION(sifr_random_bernoulli_tensor, "e(GRNT)"),
    FUNCTION(sifr_random_cauchy, "v(GRNdd)"),
    FUNCTION(sifr_random_exponential, "v(GRNd)"),
    FUNCTION(sifr_random_full, "v(GRN)"),
    FUNCTION(sifr_random_geometric, "v(GRNd)"),
    FUNCTION(sifr_random_log_normal, "v(GRNdd)"),
    FUNCTION(sifr_random_multinomial, "e(GTRb{replacement})"),
    FUNCTION(sifr_random_normal, "v(GRNdd)"),
    FUNCTION(sifr_random_normal_tensors, "v(GRTdTd)"),
    FUNCTION(sifr_random_permutation, "v(GR)"),
    FUNCTION(sifr_random_range, "v(GRNll)"),
    FUNCTION(sifr_random_rrelu, "v(GTRRdd)"),
    FUNCTION(sifr_random_skip, "v(Gl)"),
    FUNCTION(sifr_random_skip_normal, "v(Gilb)"),
    FUNCTION(sifr_random_uniform, "v(GRNdd)"),
    FUNCTION(sifr_reinterpret, "v(DEl{.bytes})"),
    FUNCTION(sifr_scratch_give, "v(p)"),
    FUNCTION(sifr_scratch_take, "p(l)"),
    FUNCTION(sifr_searchsorted, "v(TTb{right}R)"),
    FUNCTION(sifr_slogdet, "v(i{.dtype}l{.batch}l{.rows}DEE)"),
    FUNCTION(sifr_solve, "e(i{.dtype}l{.batch}b{.batched}l{.rows}l{.other}DDE)"),
    FUNCTION(sifr_solve_triangular, "v(i{.dtype}l{.batch}l{.rows}l{.other}DDb{upper}b{left}b{unitriangular}E)"),
    FUNCTION(sifr_sort, "v(Ti{.dim}b{descending}RR)"),
    FUNCTION(sifr_str_capitalize, "e(sO)"),
    FUNCTION(sifr_str_center, "e(slsO)"),
    FUNCTION(sifr_str_compare, "i(ss)"),
    FUNCTION(sifr_str_concat, "s(ss)"),
    FUNCTION(sifr_str_concat_n, "s(pl)"),
    FUNCTION(sifr_str_contains, "b(s1s0)"),
    FUNCTION(sifr_str_count, "l(ss)"),
    FUNCTION(sifr_str_endswith, "b(ss)"),
    FUNCTION(sifr_str_equal, "b(ss)"),
    FUNCTION(sifr_str_find, "l(ss)"),
    FUNCTION(sifr_str_index, "e(slO)"),
    FUNCTION(sifr_str_isalnum, "b(s)"),
    FUNCTION(sifr_str_isalpha, "b(s)"),
    FUNCTION(sifr_str_isdigit, "b(s)"),
    FUNCTION(sifr_str_islower, "b(s)"),
    FUNCTION(sifr_str_isspace, "b(s)"),
    FUNCTION(sifr_str_isupper, "b(s)"),
    FUNCTION(sifr_str_join, "s(sA)"),
    FUNCTION(sifr_str_length, "l(s)"),
    FUNCTION(sifr_str_ljust, "e(slsO)"),
    FUNCTION(sifr_str_lower, "e(sO)"),
    FUNCTION(sifr_str_lstrip, "s(ss)"),
    FUNCTION(sifr_str_mark, "l()"),
    FUNCTION(sifr_str_release, "v(l)"),
    FUNCTION(sifr_str_release_keep, "v(lpl)"),
    FUNCTION(sifr_str_removeprefix, "s(ss)"),
    FUNCTION(sifr_str_removesuffix, "s(ss)"),
    FUNCTION(sifr_str_repeat, "e(slO)"),
    FUNCTION(sifr_str_replace, "s(sssl=-1)"),
    FUNCTION(sifr_str_repr, "s(s)"),
    FUNCTION(sifr_str_rfind, "l(ss)"),
    FUNCTION(sifr_str_rjust, "e(slsO)"),
    FUNCTION(sifr_str_rstrip, "s(ss)"),
    FUNCTION(sifr_str_slice, "e(slllO)"),
    FUNCTION(sifr_str_split, "e(sslO)"),
    FUNCTION(sifr_str_split_words, "e(slO)"),
    FUNCTION(sifr_str_startswith, "b(ss)"),
    FUNCTION(sifr_str_strip, "s(ss{})"),
    FUNCTION(sifr_str_swapcase, "e(sO)"),
    FUNCTION(sifr_str_title, "e(sO)"),
    FUNCTION(sifr_str_upper, "e(sO)"),
    FUNCTION(sifr_str_zfill, "s(sl)"),
    FUNCTION(sifr_svd, "e(i{.dtype}l{.batch}b{.batched}l{.rows}l{.columns}Db{full_matrices}EEE)"),
    FUNCTION(sifr_tensor_copy, "v(TR)"),
    FUNCTION(sifr_tensor_str, "s(Tpss)"),
    FUNCTION(sifr_tensor_tolist_str, "s(T)"),
    FUNCTION(sifr_time, "d()"),
    FUNCTION(sifr_topk, "v(Ti{.dim}l{k}b{largest}b{sorted}RR)"),
    FUNCTION(sifr_unique, "l(TERE)"),
    FUNCTION(sifr_unique_consecutive, "l(TERE)"),
    FUNCTION(sifr_unique_dim, "l(Ti{.dim}b{consecutive}EEE)"),
    FUNCTION(sifr_warn, "v(c{category}sFW)"),
    FUNCTION(sifr_zero, "v(pl)"),
    FUNCTION(sifr_zero_pages, "v(pl)"),
};
#undef FUNCTION
#undef NO_RETURN

}  // namespace

std::span<const RuntimeFunction> runtime_functions() { return table; }

const RuntimeFunction* runtime_function(const std::string& name) {
    const auto* end = std::end(table);
    const auto* at = std::lower_bound(std::begin(table), end, name, [](const RuntimeFunction& f, std::string_view n) { return std::string_view(f.name) < n; });
    return at != end && at->name == name ? at : nullptr;
}

llvm::FunctionType* signature_of(const RuntimeFunction& f, ModuleEmitter& m) {
    auto type_of = [&](char c) -> llvm::Type* {
        switch (c) {
            case 'v': return m.void_type();
            case 'p': case 'T': case 'R': case 'G': case 'N': case 'F': case 'V': case 'O': case 'c': case 'D': case 'E': case 'K': return m.ptr();
            case 'l': return m.i64();
            case 'i': case 'e': case 'W': return m.i32();
            case 'b': return m.i1();
            case 'd': return m.f64();
            case 's': return llvm::StructType::get(m.context, {m.ptr(), m.i64()});
        }
        SIFR_UNREACHABLE("signature of {}: '{}'", f.name, c);
    };
    std::vector<llvm::Type*> params;
    for (const char* p = f.signature + 2; *p != ')'; ++p) {
        if (*p == '{') {
            while (*p != '}') ++p;
        } else if (*p == '=' || *p == '-' || (*p >= '0' && *p <= '9')) {
            continue;
        } else if (*p == 's' || *p == 'A') {
            params.push_back(m.ptr());
            params.push_back(m.i64());
        } else {
            params.push_back(type_of(*p));
        }
    }
    return llvm::FunctionType::get(type_of(f.signature[0]), params, false);
}

}  // namespace sifr::codegen
