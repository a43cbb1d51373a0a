// The world outside: clocks, arguments, environment, input.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/internal.h"
#include "runtime/output.h"

using namespace sifr::rt;

namespace {

int32_t argument_count = 0;
const char* const* arguments = nullptr;
const char* script_name = nullptr;

// What was read from stdin and not asked for yet.
Buffer<char> input_bytes;
int64_t input_at = 0;

double seconds(clockid_t clock) {
    timespec now = {};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Reads more of stdin; false at its end.
bool read_more() {
    if (input_at > 0) {
        memmove(input_bytes.data, input_bytes.data + input_at, static_cast<size_t>(input_bytes.size - input_at));
        input_bytes.size -= input_at;
        input_at = 0;
    }
    input_bytes.reserve(input_bytes.size + 4096);
    ssize_t count;
    do {
        count = read(0, input_bytes.data + input_bytes.size, 4096);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    input_bytes.size += count;
    return true;
}

}  // namespace

extern "C" {

double sifr_time(void) {
    return seconds(CLOCK_REALTIME);
}

double sifr_perf_counter(void) {
    return seconds(CLOCK_MONOTONIC);
}

double sifr_process_time(void) {
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

sifr_status sifr_sleep(double duration) {
    if (isnan(duration)) return fail(SIFR_VALUE_ERROR, "Invalid value NaN (not a number)");
    if (duration < 0) return fail(SIFR_VALUE_ERROR, "sleep length must be non-negative");
    if (duration > 9.0e9) return fail(SIFR_OVERFLOW_ERROR, "timestamp too large to convert to C _PyTime_t");
    timespec rest = {};
    rest.tv_sec = static_cast<time_t>(duration);
    rest.tv_nsec = static_cast<long>((duration - static_cast<double>(rest.tv_sec)) * 1e9);
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
    return SIFR_OK;
}

void sifr_set_argv(int32_t argc, const char* const* argv) {
    argument_count = argc;
    arguments = argv;
    script_name = nullptr;
}

void sifr_set_script_name(const char* name) {
    script_name = name;
}

int64_t sifr_argc(void) {
    return argument_count;
}

sifr_status sifr_argv(int64_t index, sifr_str* out) {
    if (index < 0) index += argument_count;
    if (index < 0 || index >= argument_count) return fail(SIFR_INDEX_ERROR, "list index out of range");
    *out = c_str(index == 0 && script_name != nullptr ? script_name : arguments[index]);
    return SIFR_OK;
}

bool sifr_getenv(sifr_str name, sifr_str* out) {
    Text terminated;
    terminated << name << '\0';
    const char* value = getenv(terminated.data);
    if (value == nullptr) return false;
    *out = sifr_str_copy(c_str(value));
    return true;
}

sifr_status sifr_input(sifr_str prompt, sifr_str* out) {
    sifr_print(prompt);
    sifr_flush();
    int64_t searched = 0;
    for (;;) {
        for (int64_t k = input_at + searched; k < input_bytes.size; ++k) {
            if (input_bytes[k] != '\n') continue;
            *out = sifr_str_copy({input_bytes.data + input_at, k - input_at});
            input_at = k + 1;
            return SIFR_OK;
        }
        searched = input_bytes.size - input_at;
        if (read_more()) continue;
        if (searched == 0) return fail(SIFR_EOF_ERROR, "EOF when reading a line");
        *out = sifr_str_copy({input_bytes.data + input_at, searched});  // a last line without a line break
        input_at = input_bytes.size;
        return SIFR_OK;
    }
}

}  // extern "C"
