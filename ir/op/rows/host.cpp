#include "ir/op/rows/rows.h"
#include "ir/op/rules/structural_rules.h"

// Strings, prints, errors, clocks and lists: functions of the runtime on the host.

namespace sifr::rows {
namespace {

/// `os.environ.get(name)`: a text or None.
std::vector<Type> env_result(const OpCall&) { return {Type::optional({Type::str()})}; }

}  // namespace

Rows host() {
    using namespace rules;
    constexpr Lower L = Lower::Host;
    constexpr Effect H = Effect::Host, C = Effect::Check;
    return {
        // Strings are values: making one is pure.
        {.name = "format", .sig = "(V[] args, *, string spec) -> str", .lower = L, .effect = C, .runtime = "sifr_format"},
        {.name = "str_concat", .sig = "(str a, str b) -> str", .lower = L, .runtime = "sifr_str_concat"},
        {.name = "str_eq", .sig = "(str a, str b) -> b8", .lower = L, .runtime = "sifr_str_equal"},
        {.name = "str_lt", .sig = "(str a, str b) -> b8", .lower = L, .runtime = "sifr_str_compare"},
        {.name = "str_len", .sig = "(str a) -> i64", .lower = L, .runtime = "sifr_str_length"},
        {.name = "complex_str", .sig = "(f64 real, f64 imaginary) -> str", .lower = L, .runtime = "sifr_complex_str"},
        {.name = "str_repr", .sig = "(str a) -> str", .lower = L, .runtime = "sifr_str_repr"},
        {.name = "str_slice", .sig = "(str a, i64 start, i64 stop, i64 step) -> str", .lower = L, .effect = C, .runtime = "sifr_str_slice"},
        {.name = "str_index", .sig = "(str a, i64 index) -> str", .lower = L, .effect = C, .runtime = "sifr_str_index"},
        {.name = "str_mul", .sig = "(str a, i64 count) -> str", .lower = L, .effect = C, .runtime = "sifr_str_repeat"},
        {.name = "str_in", .sig = "(str needle, str a) -> b8", .lower = L, .runtime = "sifr_str_contains"},
        {.name = "str_join", .sig = "(str separator, V[] parts) -> str", .lower = L, .runtime = "sifr_str_join"},
        {.name = "str_lower", .sig = "(str a) -> str", .lower = L, .effect = C, .runtime = "sifr_str_lower"},
        {.name = "str_upper", .sig = "(str a) -> str", .lower = L, .effect = C, .runtime = "sifr_str_upper"},
        {.name = "str_strip", .sig = "(str a) -> str", .lower = L, .runtime = "sifr_str_strip"},
        {.name = "str_lstrip", .sig = "(str a, str characters) -> str", .lower = L, .runtime = "sifr_str_lstrip"},
        {.name = "str_rstrip", .sig = "(str a, str characters) -> str", .lower = L, .runtime = "sifr_str_rstrip"},
        {.name = "str_capitalize", .sig = "(str a) -> str", .lower = L, .effect = C, .runtime = "sifr_str_capitalize"},
        {.name = "str_title", .sig = "(str a) -> str", .lower = L, .effect = C, .runtime = "sifr_str_title"},
        {.name = "str_swapcase", .sig = "(str a) -> str", .lower = L, .effect = C, .runtime = "sifr_str_swapcase"},
        {.name = "str_isdigit", .sig = "(str a) -> b8", .lower = L, .runtime = "sifr_str_isdigit"},
        {.name = "str_isalpha", .sig = "(str a) -> b8", .lower = L, .runtime = "sifr_str_isalpha"},
        {.name = "str_isalnum", .sig = "(str a) -> b8", .lower = L, .runtime = "sifr_str_isalnum"},
        {.name = "str_isspace", .sig = "(str a) -> b8", .lower = L, .runtime = "sifr_str_isspace"},
        {.name = "str_isupper", .sig = "(str a) -> b8", .lower = L, .runtime = "sifr_str_isupper"},
        {.name = "str_islower", .sig = "(str a) -> b8", .lower = L, .runtime = "sifr_str_islower"},
        {.name = "str_find", .sig = "(str a, str needle) -> i64", .lower = L, .runtime = "sifr_str_find"},
        {.name = "str_rfind", .sig = "(str a, str needle) -> i64", .lower = L, .runtime = "sifr_str_rfind"},
        {.name = "str_count", .sig = "(str a, str needle) -> i64", .lower = L, .runtime = "sifr_str_count"},
        {.name = "str_removeprefix", .sig = "(str a, str prefix) -> str", .lower = L, .runtime = "sifr_str_removeprefix"},
        {.name = "str_removesuffix", .sig = "(str a, str suffix) -> str", .lower = L, .runtime = "sifr_str_removesuffix"},
        {.name = "str_zfill", .sig = "(str a, i64 width) -> str", .lower = L, .runtime = "sifr_str_zfill"},
        {.name = "str_ljust", .sig = "(str a, i64 width, str fill) -> str", .lower = L, .effect = C, .runtime = "sifr_str_ljust"},
        {.name = "str_rjust", .sig = "(str a, i64 width, str fill) -> str", .lower = L, .effect = C, .runtime = "sifr_str_rjust"},
        {.name = "str_center", .sig = "(str a, i64 width, str fill) -> str", .lower = L, .effect = C, .runtime = "sifr_str_center"},
        // Lists of str: by a separator, by white space.
        {.name = "str_split", .sig = "(str a, str separator, i64 limit) -> V", .lower = L, .effect = H, .infer = typed_only, .runtime = "sifr_str_split"},
        {.name = "str_split_words", .sig = "(str a, i64 limit) -> V", .lower = L, .effect = H, .infer = typed_only, .runtime = "sifr_str_split_words"},
        {.name = "str_replace", .sig = "(str a, str old_text, str new_text) -> str", .lower = L, .runtime = "sifr_str_replace"},
        {.name = "str_startswith", .sig = "(str a, str prefix) -> b8", .lower = L, .runtime = "sifr_str_startswith"},
        {.name = "str_endswith", .sig = "(str a, str suffix) -> b8", .lower = L, .runtime = "sifr_str_endswith"},
        {.name = "str_split_count", .sig = "(str a, str separator) -> i64", .lower = L, .runtime = "sifr_str_split_count"},
        {.name = "str_split_get", .sig = "(str a, str separator, i64 index) -> str", .lower = L, .effect = C,
         .runtime = "sifr_str_split_get"},
        {.name = "str_to_int", .sig = "(str a) -> i64", .lower = L, .effect = C, .runtime = "sifr_int_parse"},
        {.name = "str_to_float", .sig = "(str a) -> f64", .lower = L, .effect = C, .runtime = "sifr_float_parse"},
        {.name = "tensor_str",
         .sig = "(T self, *, string kind='str', string suffix='', int precision=4, int threshold=1000, int edgeitems=3, int linewidth=80, "
                "int sci_mode=-1, int indent=0, string device='', dtype? default_dtype=None) -> str",
         .lower = L, .runtime = "sifr_tensor_str", .run_time_sizes = true},

        // The world outside.
        {.name = "print", .sig = "(str text) -> ()", .lower = L, .effect = H, .runtime = "sifr_print"},
        {.name = "print_stderr", .sig = "(str text) -> ()", .lower = L, .effect = H, .runtime = "sifr_print_stderr"},
        // `--dump-bits`: a line of raw bits.
        {.name = "dump_bits", .sig = "(str label, T self) -> ()", .lower = L, .effect = H, .runtime = "sifr_dump_bits", .run_time_sizes = true},
        {.name = "dump_f64", .sig = "(str label, f64 value) -> ()", .lower = L, .effect = H, .runtime = "sifr_dump_f64"},
        {.name = "dump_i64", .sig = "(str label, i64 value) -> ()", .lower = L, .effect = H, .runtime = "sifr_dump_i64"},
        {.name = "warn", .sig = "(str text, *, string category='UserWarning') -> ()", .lower = L, .effect = H, .runtime = "sifr_warn"},
        {.name = "raise", .sig = "(str text, *, string type) -> ()", .lower = L, .effect = H, .runtime = "sifr_raise"},
        {.name = "check", .sig = "(b8 ok, V[] args, *, string type, string text) -> ()", .lower = L, .effect = C},
        {.name = "clock", .sig = "(*, string which='time') -> f64", .lower = L, .effect = H},
        // The GPU that the program runs on.
        {.name = "gpu_name", .sig = "() -> str", .lower = L, .effect = H, .runtime = "sifr_cuda_device_name"},
        {.name = "gpu_memory", .sig = "() -> i64", .lower = L, .effect = H, .runtime = "sifr_cuda_memory"},
        {.name = "gpu_capability", .sig = "() -> i64", .lower = L, .effect = H, .runtime = "sifr_cuda_capability"},
        {.name = "argc", .sig = "() -> i64", .lower = L, .effect = H, .runtime = "sifr_argc"},
        {.name = "argv", .sig = "(i64 index) -> str", .lower = L, .effect = H, .runtime = "sifr_argv"},
        {.name = "input", .sig = "() -> str", .lower = L, .effect = H, .runtime = "sifr_input"},
        {.name = "env", .sig = "(str name) -> V", .lower = L, .effect = H, .infer = env_result, .runtime = "sifr_getenv"},

        // Lists that grow; a trailing `*` in a runtime name stands for the kind of the element.
        {.name = "list_new", .sig = "() -> V", .lower = L, .effect = H, .infer = typed_only, .runtime = "sifr_list_new"},
        {.name = "list_append", .sig = "(V list, V value) -> ()", .lower = L, .effect = H, .runtime = "sifr_list_append_*"},
        {.name = "list_len", .sig = "(V list) -> i64", .lower = L, .effect = H, .runtime = "sifr_list_length"},
        {.name = "list_get", .sig = "(V list, i64 index) -> V", .lower = L, .effect = H,
         .infer = list_element, .runtime = "sifr_list_get_*"},
        {.name = "list_set", .sig = "(V list, i64 index, V value) -> ()", .lower = L, .effect = H, .runtime = "sifr_list_set"},
        {.name = "list_pop", .sig = "(V list, i64 index) -> V", .lower = L, .effect = H, .infer = list_element, .runtime = "sifr_list_pop"},
        {.name = "list_slice", .sig = "(V list, i64 start, i64 stop, i64 step) -> V", .lower = L, .effect = H,
         .infer = same_as_first, .runtime = "sifr_list_slice"},
        {.name = "list_copy", .sig = "(V list) -> V", .lower = L, .effect = H, .infer = same_as_first, .runtime = "sifr_list_copy"},
        {.name = "list_extend", .sig = "(V list, V other) -> ()", .lower = L, .effect = H, .runtime = "sifr_list_extend"},
        {.name = "list_insert", .sig = "(V list, i64 index, V value) -> ()", .lower = L, .effect = H, .runtime = "sifr_list_insert"},
        {.name = "list_clear", .sig = "(V list) -> ()", .lower = L, .effect = H, .runtime = "sifr_list_clear"},
        {.name = "list_reverse", .sig = "(V list) -> ()", .lower = L, .effect = H, .runtime = "sifr_list_reverse"},
        {.name = "list_sort", .sig = "(V list, *, bool reverse=False) -> ()", .lower = L, .effect = H, .runtime = "sifr_list_sort"},
        {.name = "list_contains", .sig = "(V list, V value) -> b8", .lower = L, .effect = H, .runtime = "sifr_list_contains"},
        {.name = "list_index_of", .sig = "(V list, V value) -> i64", .lower = L, .effect = H, .runtime = "sifr_list_index_of"},
        {.name = "list_count", .sig = "(V list, V value) -> i64", .lower = L, .effect = H, .runtime = "sifr_list_count"},
        {.name = "list_sum", .sig = "(V list) -> V", .lower = L, .effect = H, .infer = list_sum_result, .runtime = "sifr_list_sum_*"},
        {.name = "list_min", .sig = "(V list) -> V", .lower = L, .effect = H, .infer = list_element, .runtime = "sifr_list_argmin"},
        {.name = "list_max", .sig = "(V list) -> V", .lower = L, .effect = H, .infer = list_element, .runtime = "sifr_list_argmax"},
        {.name = "list_sorted", .sig = "(V list, *, bool reverse=False) -> V", .lower = L, .effect = H,
         .infer = same_as_first, .runtime = "sifr_list_sort"},
        // The positions of the elements in their order: sorting by keys.
        {.name = "list_order", .sig = "(V list, *, bool reverse=False) -> V", .lower = L, .effect = H, .infer = typed_only, .runtime = "sifr_list_order"},
        {.name = "list_str", .sig = "(V list) -> str", .lower = L, .effect = H, .runtime = "sifr_list_str"},
        {.name = "tensor_to_list", .sig = "(T self) -> V", .lower = L, .effect = H, .infer = typed_only, .runtime = "sifr_list_of_tensor", .run_time_sizes = true,
         .method = false, .function = false},
        {.name = "list_to_tensor", .sig = "(V list, *, dtype dtype) -> T", .lower = L, .effect = H, .infer = typed_only},
    };
}

}  // namespace sifr::rows
