// Failures, exceptions, warnings and leaving the program.

#include <stdlib.h>
#include <unistd.h>

#include "runtime/internal.h"
#include "runtime/output.h"

using namespace sifr::rt;

namespace {

// The last failure of the thread. The buffer grows once and is then used again.
thread_local Buffer<char> pending_text;
thread_local sifr_status pending_status = SIFR_OK;
thread_local sifr_host_hooks hooks;

// What was warned about, one key behind the other: size, then `file \0 line \0 category \0 text`.
thread_local Buffer<char> warned_keys;
thread_local Buffer<int64_t> warned_ends;

constexpr const char* status_types[] = {
    "",           "ValueError", "TypeError", "IndexError", "ZeroDivisionError",        "OverflowError", "RuntimeError",
    "KeyError",   "EOFError",   "torch._C._LinAlgError",   "NotSupportedError",        "OSError",       "NotImplementedError",
    "SystemExit",
};

bool already_warned(const Text& key) {
    int64_t begin = 0;
    for (int64_t k = 0; k < warned_ends.size; ++k) {
        const int64_t end = warned_ends[k];
        if (end - begin == key.size && memcmp(warned_keys.data + begin, key.data, static_cast<size_t>(key.size)) == 0) return true;
        begin = end;
    }
    warned_keys.append(key.data, key.size);
    warned_ends.push(warned_keys.size);
    return false;
}

}  // namespace

namespace sifr::rt {

const sifr_host_hooks& host_hooks() {
    return hooks;
}

void* grow_memory(void* old, size_t bytes) {
    void* grown = realloc(old, bytes == 0 ? 1 : bytes);
    if (grown == nullptr) {
        static const char text[] = "sifr: error: out of memory\n";
        if (write(2, text, sizeof text - 1) < 0) _exit(3);
        _exit(3);
    }
    return grown;
}

}  // namespace sifr::rt

extern "C" {

void sifr_set_host_hooks(const sifr_host_hooks* new_hooks) {
    hooks = new_hooks != nullptr ? *new_hooks : sifr_host_hooks{};
}

sifr_status sifr_fail(sifr_status status, sifr_str text) {
    pending_status = status;
    pending_text.size = 0;
    pending_text.append(text.data, text.size);
    return status;
}

const char* sifr_status_type(sifr_status status) {
    return status_types[status];
}

const char* sifr_error_type(void) {
    return status_types[pending_status];
}

sifr_str sifr_error_text(void) {
    return {pending_text.data, pending_text.size};
}

void sifr_raise(const char* type, sifr_str text, const char* file, int32_t line) {
    sifr_flush();
    if (hooks.raise != nullptr) {
        hooks.raise(hooks.user, type, text, file, line);
        abort();  // the hook's contract is not to return
    }
    {
        Text message;
        if (file != nullptr) message << "  File \"" << file << "\", line " << line << '\n';
        message << type;
        if (text.size != 0) message << ": " << text;
        message << '\n';
        write_stderr(message.view());
    }
    exit(1);
}

void sifr_raise_pending(const char* file, int32_t line) {
    sifr_raise(sifr_error_type(), sifr_error_text(), file, line);
}

void sifr_warn(const char* category, sifr_str text, const char* file, int32_t line) {
    const char* name = file != nullptr ? file : "sys";
    Text key;
    key << name << '\0' << line << '\0' << category << '\0' << text;
    if (already_warned(key)) return;
    sifr_flush();
    Text message;
    message << name << ':' << line << ": " << category << ": " << text << '\n';
    write_stderr(message.view());
}

void sifr_warnings_reset(void) {
    warned_keys.size = 0;
    warned_ends.size = 0;
}

void sifr_exit(int32_t code) {
    sifr_flush();
    if (hooks.exit != nullptr) {
        hooks.exit(hooks.user, code);
        abort();
    }
    exit(code);
}

void sifr_fatal(sifr_str text) {
    sifr_flush();
    {
        Text message;
        message << "sifr: error: " << text << '\n';
        write_stderr(message.view());
    }
    sifr_exit(3);
}

}  // extern "C"
