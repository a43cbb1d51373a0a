// What programs that are linked already have compiled into themselves: sizes, alignments and offsets of the public types, and the numbers
// of enumerators. Private members are laid down with the rest, so this file is compiled without access checks. A difference breaks such
// programs: raise SIFR_ABI_VERSION (for the C interfaces SIFR_RUNTIME_ABI), SOVERSION and the version in exported.map together, and accept
// the new list with SIFR_UPDATE=1.

#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sifr/sifr.h>

#include "runtime/sifr_library.h"
#include "score.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

struct Field {
    const char* name;
    size_t offset;
};
struct Row {
    const char* name;
    size_t size, align;
    std::vector<Field> fields;
};
struct Enumerator {
    const char* name;
    long long value;
};

#if defined(__GNUC__)
// Types with bases have no offsets by the standard; by the platform's C++ ABI, which is what is tested here, they have.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif
#define TYPE(T, ...)                               \
    {                                              \
        #T, sizeof(T), alignof(T), { __VA_ARGS__ } \
    }
#define AT(T, f) {#f, offsetof(T, f)}
#define NUMBER(e) {#e, static_cast<long long>(e)}

using Details = Error::Details;
using detail::Arg;
using detail::Callable;
using detail::CallArguments;
using detail::Handle;
using detail::Place;
using detail::TraceCall;
using CallResult = detail::Result;
using Step = Jitted<Tensor, std::tuple<Tensor>>;

const std::vector<Row>& cpp_types() {
    static const std::vector<Row> rows = {
        TYPE(Ints, AT(Ints, values_)),
        TYPE(SourcePlace, AT(SourcePlace, file), AT(SourcePlace, line), AT(SourcePlace, column), AT(SourcePlace, text)),
        TYPE(Error, AT(Error, details_)),
        TYPE(Details, AT(Details, kind), AT(Details, code), AT(Details, message), AT(Details, exception), AT(Details, exception_text),
             AT(Details, places), AT(Details, help), AT(Details, written)),
        TYPE(TensorView, AT(TensorView, data_), AT(TensorView, dtype_), AT(TensorView, const_), AT(TensorView, dim_),
             AT(TensorView, sizes_), AT(TensorView, strides_)),
        TYPE(HostTensor, AT(HostTensor, data_), AT(HostTensor, owner_)),
        TYPE(Tensor, AT(Tensor, handle_)),
        TYPE(Scalar, AT(Scalar, arg_)),
        TYPE(Object, AT(Object, handle_)),
        TYPE(NoGradGuard, AT(NoGradGuard, before_)),
        TYPE(JitOptions, AT(JitOptions, name), AT(JitOptions, argument_names), AT(JitOptions, target_cpu), AT(JitOptions, cache_limit),
             AT(JitOptions, device), AT(JitOptions, cache_folder)),
        TYPE(LoadOptions, AT(LoadOptions, behind), AT(LoadOptions, target_cpu), AT(LoadOptions, device), AT(LoadOptions, cache_folder)),
        TYPE(ClearRow, AT(ClearRow, place), AT(ClearRow, bytes), AT(ClearRow, kept_bytes), AT(ClearRow, verdict), AT(ClearRow, reason)),
        TYPE(Remark, AT(Remark, code), AT(Remark, text), AT(Remark, place)),
        TYPE(Step, AT(Step, body_), AT(Step, callable_)),
        TYPE(Script, AT(Script, state_)),
        TYPE(ScriptFunction, AT(ScriptFunction, state_), AT(ScriptFunction, name_)),
        TYPE(ScriptArg, AT(ScriptArg, kind), AT(ScriptArg, tensor), AT(ScriptArg, number), AT(ScriptArg, text)),
        TYPE(ScriptResult, AT(ScriptResult, results_), AT(ScriptResult, names_)),
        TYPE(Place, AT(Place, file), AT(Place, line), AT(Place, column)),
        TYPE(Handle, AT(Handle, trace), AT(Handle, index)),
        TYPE(Arg, AT(Arg, kind), AT(Arg, handle), AT(Arg, integer), AT(Arg, real), AT(Arg, text), AT(Arg, ints), AT(Arg, items),
             AT(Arg, keyword)),
        TYPE(CallResult, AT(CallResult, tensor), AT(CallResult, bits), AT(CallResult, kind)),
        TYPE(CallArguments, AT(CallArguments, tensors), AT(CallArguments, numbers), AT(CallArguments, statics)),
        TYPE(TraceCall, AT(TraceCall, tensors), AT(TraceCall, numbers), AT(TraceCall, results)),
        TYPE(Callable, AT(Callable, impl_)),
    };
    return rows;
}

const std::vector<Row>& c_types() {
    static const std::vector<Row> rows = {
        TYPE(score_options, AT(score_options, struct_size), AT(score_options, seeded), AT(score_options, seed), AT(score_options, user),
             AT(score_options, write_stdout), AT(score_options, write_stderr)),
        TYPE(score_tensor, AT(score_tensor, data), AT(score_tensor, dtype), AT(score_tensor, ndim), AT(score_tensor, sizes),
             AT(score_tensor, strides)),
        TYPE(sifr_str, AT(sifr_str, data), AT(sifr_str, size)),
        TYPE(sifr_tensor, AT(sifr_tensor, data), AT(sifr_tensor, dtype), AT(sifr_tensor, ndim), AT(sifr_tensor, sizes),
             AT(sifr_tensor, strides)),
        TYPE(sifr_program_info, AT(sifr_program_info, struct_size), AT(sifr_program_info, abi_version),
             AT(sifr_program_info, required_features), AT(sifr_program_info, script)),
        TYPE(sifr_host_hooks, AT(sifr_host_hooks, user), AT(sifr_host_hooks, write_stdout), AT(sifr_host_hooks, write_stderr),
             AT(sifr_host_hooks, raise), AT(sifr_host_hooks, exit)),
        TYPE(sifr_context_options, AT(sifr_context_options, struct_size), AT(sifr_context_options, seeded), AT(sifr_context_options, seed),
             AT(sifr_context_options, user), AT(sifr_context_options, write_stdout), AT(sifr_context_options, write_stderr)),
        TYPE(sifr_function, AT(sifr_function, struct_size), AT(sifr_function, abi_version), AT(sifr_function, required_features),
             AT(sifr_function, arena_bytes), AT(sifr_function, entry)),
        TYPE(sifr_library_tensor, AT(sifr_library_tensor, name), AT(sifr_library_tensor, sizes), AT(sifr_library_tensor, strides),
             AT(sifr_library_tensor, offset), AT(sifr_library_tensor, piece), AT(sifr_library_tensor, dtype), AT(sifr_library_tensor, dim)),
        TYPE(sifr_library_form, AT(sifr_library_form, pieces), AT(sifr_library_form, tensors), AT(sifr_library_form, bytes),
             AT(sifr_library_form, tensor)),
        TYPE(sifr_library_code, AT(sifr_library_code, function), AT(sifr_library_code, next_form), AT(sifr_library_code, arguments),
             AT(sifr_library_code, numbers), AT(sifr_library_code, results), AT(sifr_library_code, kept_in),
             AT(sifr_library_code, kept_out), AT(sifr_library_code, piece_from), AT(sifr_library_code, number_from),
             AT(sifr_library_code, initial)),
        TYPE(sifr_library, AT(sifr_library, struct_size), AT(sifr_library, functions), AT(sifr_library, forms), AT(sifr_library, form),
             AT(sifr_library, code), AT(sifr_library, top)),
        TYPE(sifr_print_options, AT(sifr_print_options, precision), AT(sifr_print_options, edgeitems), AT(sifr_print_options, threshold),
             AT(sifr_print_options, linewidth), AT(sifr_print_options, sci_mode), AT(sifr_print_options, default_dtype),
             AT(sifr_print_options, pairs)),
    };
    return rows;
}

const std::vector<Enumerator>& enumerators() {
    using ArgKind = Arg::Kind;
    using ErrorKind = Error::Kind;
    using ScriptArgKind = ScriptArg::Kind;
    static const std::vector<Enumerator> rows = {
        NUMBER(SIFR_ABI_VERSION),
        NUMBER(SIFR_RUNTIME_ABI),
        NUMBER(TensorView::max_dims),
        NUMBER(Dtype::Bool),
        NUMBER(Dtype::UInt8),
        NUMBER(Dtype::Int8),
        NUMBER(Dtype::Int16),
        NUMBER(Dtype::Int32),
        NUMBER(Dtype::Int64),
        NUMBER(Dtype::Float16),
        NUMBER(Dtype::BFloat16),
        NUMBER(Dtype::Float32),
        NUMBER(Dtype::Float64),
        NUMBER(Dtype::Complex64),
        NUMBER(Dtype::Complex128),
        NUMBER(Device::CPU),
        NUMBER(Device::CUDA),
        NUMBER(ErrorKind::Compile),
        NUMBER(ErrorKind::Call),
        NUMBER(ErrorKind::Raise),
        NUMBER(ErrorKind::Machine),
        NUMBER(ErrorKind::Internal),
        NUMBER(ArgKind::None),
        NUMBER(ArgKind::Left_out),
        NUMBER(ArgKind::Handle),
        NUMBER(ArgKind::Bool),
        NUMBER(ArgKind::Int),
        NUMBER(ArgKind::Float),
        NUMBER(ArgKind::Str),
        NUMBER(ArgKind::Dtype),
        NUMBER(ArgKind::Ints),
        NUMBER(ArgKind::List),
        NUMBER(ArgKind::Slice),
        NUMBER(ArgKind::Ellipsis), NUMBER(ArgKind::Complex),
        NUMBER(ScriptArgKind::None),
        NUMBER(ScriptArgKind::Tensor),
        NUMBER(ScriptArgKind::Number),
        NUMBER(ScriptArgKind::Static),
        NUMBER(ScriptArgKind::Text),
        NUMBER(SIFR_BOOL),
        NUMBER(SIFR_U8),
        NUMBER(SIFR_I8),
        NUMBER(SIFR_I16),
        NUMBER(SIFR_I32),
        NUMBER(SIFR_I64),
        NUMBER(SIFR_F16),
        NUMBER(SIFR_BF16),
        NUMBER(SIFR_F32),
        NUMBER(SIFR_F64),
        NUMBER(SIFR_C64),
        NUMBER(SIFR_C128),
        NUMBER(SIFR_OK),
        NUMBER(SIFR_VALUE_ERROR),
        NUMBER(SIFR_TYPE_ERROR),
        NUMBER(SIFR_INDEX_ERROR),
        NUMBER(SIFR_ZERO_DIVISION_ERROR),
        NUMBER(SIFR_OVERFLOW_ERROR),
        NUMBER(SIFR_RUNTIME_ERROR),
        NUMBER(SIFR_KEY_ERROR),
        NUMBER(SIFR_EOF_ERROR),
        NUMBER(SIFR_LINALG_ERROR),
        NUMBER(SIFR_NOT_SUPPORTED),
        NUMBER(SIFR_OS_ERROR),
        NUMBER(SIFR_NOT_IMPLEMENTED_ERROR),
        NUMBER(SIFR_SYSTEM_EXIT),
        NUMBER(SIFR_LIST_I64),
        NUMBER(SIFR_LIST_F64),
        NUMBER(SIFR_LIST_BOOL),
        NUMBER(SIFR_LIST_STR),
        NUMBER(SIFR_LIST_TENSOR),
    };
    return rows;
}

std::string text(const std::vector<Row>& rows) {
    std::string out;
    for (const Row& r : rows) {
        out += fmt::format("{}: {} bytes, aligned to {}\n", r.name, r.size, r.align);
        for (const Field& f : r.fields) out += fmt::format("  {:>4} {}\n", f.offset, f.name);
    }
    return out;
}

TEST(Layout, OfThePublicTypesIsTheListedOne) {
#ifndef __GLIBCXX__
    GTEST_SKIP() << "the list is of libstdc++'s strings and vectors";
#endif
    std::string out = "C++\n\n" + text(cpp_types()) + "\nC\n\n" + text(c_types()) + "\nNumbers\n\n";
    for (const Enumerator& e : enumerators()) out += fmt::format("{} = {}\n", e.name, e.value);
    EXPECT_TRUE(matches_golden(std::filesystem::path(SIFR_TEST_DIR) / "host" / "layout.txt", out));
}

TEST(Layout, OneNumberStandsForADtypeEverywhere) {
    static_assert(static_cast<int>(Dtype::Bool) == SIFR_BOOL && static_cast<int>(Dtype::UInt8) == SIFR_U8 &&
                  static_cast<int>(Dtype::Float16) == SIFR_F16 && static_cast<int>(Dtype::BFloat16) == SIFR_BF16 &&
                  static_cast<int>(Dtype::Float32) == SIFR_F32 && static_cast<int>(Dtype::Complex128) == SIFR_C128);
    for (int k = SIFR_BOOL; k <= SIFR_C128; ++k)
        EXPECT_EQ(static_cast<int64_t>(element_size(static_cast<Dtype>(k))), sifr_dtype_size(k)) << k;
}

}  // namespace
}  // namespace sifr::test
