// Functions that a host calls. A context holds what a call needs beside its arguments: memory for intermediate values, the random
// generator, where text goes, and the last failure. One thread uses a context at a time; any number of threads use one function.
//
// A raise leaves the function by longjmp: the runtime owns nothing when it raises, compiled code has no destructors, and workers of the
// thread pool never raise (they note what went wrong, and the caller looks).

#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/internal.h"
#include "runtime/output.h"
#include "runtime/random.h"

using namespace sifr::rt;

struct sifr_context {
    sifr_host_hooks hooks;  // of the host: only the two writers are set
    void* arena;
    int64_t arena_bytes;
    uint64_t features;
    sifr_generator generator;
    bool seeded;
    Buffer<sifr_list*> lists;  // that the running call has made
    // The last failure.
    Buffer<char> error;  // `Type: text`, zero-terminated
    int64_t type_size;
    const char* file;
    int32_t line;
    sifr_status status;
    jmp_buf leave;
};

namespace {

thread_local sifr_context* running = nullptr;

void keep_error(sifr_context* c, sifr_status status, sifr_str type, sifr_str text, const char* file, int32_t line) {
    c->status = status;
    c->file = file;
    c->line = line;
    c->error.size = 0;
    c->error.append(type.data, type.size);
    c->type_size = type.size;
    if (text.size > 0) {
        c->error.append(": ", 2);
        c->error.append(text.data, text.size);
    }
    c->error.push('\0');
}

sifr_status status_of(const char* type) {
    for (sifr_status s = SIFR_VALUE_ERROR; s <= SIFR_NOT_IMPLEMENTED_ERROR; ++s)
        if (strcmp(sifr_status_type(s), type) == 0) return s;
    return SIFR_RUNTIME_ERROR;
}

void leave_by_raise(void* user, const char* type, sifr_str text, const char* file, int32_t line) {
    auto* c = static_cast<sifr_context*>(user);
    keep_error(c, status_of(type), c_str(type), text, file, line);
    longjmp(c->leave, 1);
}

void leave_by_exit(void* user, int32_t code) {
    auto* c = static_cast<sifr_context*>(user);
    // What the machine lacks has been written as text already; a script's own sys.exit has not.
    {
        Text text;
        text << code;
        keep_error(c, SIFR_SYSTEM_EXIT, lit("SystemExit"), text.view(), nullptr, 0);
    }
    longjmp(c->leave, 1);
}

// The host's writers get the host's own pointer.
void write_out(void* user, const char* data, int64_t size) {
    auto* c = static_cast<sifr_context*>(user);
    c->hooks.write_stdout(c->hooks.user, data, size);
}
void write_err(void* user, const char* data, int64_t size) {
    auto* c = static_cast<sifr_context*>(user);
    c->hooks.write_stderr(c->hooks.user, data, size);
}

}  // namespace

namespace sifr::rt {

sifr_status fail_context(sifr_context* c, sifr_status status, sifr_str type, sifr_str text) {
    keep_error(c, status, type, text, nullptr, 0);
    return status;
}

void adopt_list(sifr_list* list) {
    if (running != nullptr) running->lists.push(list);
}

sifr_generator* context_generator() {
    sifr_context* c = running;
    if (c == nullptr) return nullptr;
    if (!c->seeded) {
        c->seeded = true;
        sifr_seed_from_os(&c->generator);
    }
    return &c->generator;
}

}  // namespace sifr::rt

extern "C" {

sifr_context* sifr_context_new(const sifr_context_options* options) {
    auto* c = static_cast<sifr_context*>(calloc(1, sizeof(sifr_context)));
    if (c == nullptr) return nullptr;
    c->features = sifr_cpu_features();
    if (options == nullptr) return c;
    sifr_context_options o = {};
    memcpy(&o, options, options->struct_size < sizeof o ? options->struct_size : sizeof o);
    c->hooks.user = o.user;
    c->hooks.write_stdout = o.write_stdout;
    c->hooks.write_stderr = o.write_stderr;
    if (o.seeded != 0) sifr_context_seed(c, o.seed);
    return c;
}

void sifr_context_free(sifr_context* c) {
    if (c == nullptr) return;
    if (c->arena != nullptr) sifr_arena_free(c->arena, c->arena_bytes);
    c->error.free_memory();
    c->lists.free_memory();
    free(c);
}

void sifr_context_seed(sifr_context* c, uint64_t seed) {
    sifr_manual_seed(&c->generator, seed);
    c->seeded = true;
}

sifr_status sifr_context_call(sifr_context* c, const sifr_function* f, void* const* arguments, const int64_t* numbers, int64_t* results) {
    if ((f->required_features & ~c->features) != 0 || f->abi_version != SIFR_RUNTIME_ABI) {
        keep_error(c, SIFR_OS_ERROR, lit("OSError"),
                   f->abi_version != SIFR_RUNTIME_ABI ? lit("the function was compiled for another version of sifr's runtime")
                                                      : lit("the function was compiled for a newer CPU than this one"),
                   nullptr, 0);
        return c->status;
    }
    if (running == c) {
        keep_error(c, SIFR_RUNTIME_ERROR, lit("RuntimeError"), lit("a context is in use: a function was called from a writer of its own call"), nullptr, 0);
        return c->status;
    }
    const sifr_host_hooks outer = host_hooks();
    sifr_context* const outer_context = running;
    const sifr_host_hooks hooks = {c, c->hooks.write_stdout != nullptr ? write_out : nullptr, c->hooks.write_stderr != nullptr ? write_err : nullptr,
                                   leave_by_raise, leave_by_exit};
    sifr_set_host_hooks(&hooks);
    running = c;
    const int64_t mark = sifr_str_mark();
    c->status = SIFR_OK;
    if (_setjmp(c->leave) == 0) {
        if (f->arena_bytes > c->arena_bytes) {
            if (c->arena != nullptr) sifr_arena_free(c->arena, c->arena_bytes);
            c->arena = nullptr;
            c->arena_bytes = 0;
            c->arena = sifr_arena_alloc(f->arena_bytes);
            c->arena_bytes = f->arena_bytes;
        }
        f->entry(c->arena, arguments, numbers, results);
    }
    for (sifr_list* list : c->lists) sifr_list_free(list);
    c->lists.size = 0;
    sifr_str_release(mark);
    running = outer_context;
    sifr_set_host_hooks(&outer);
    return c->status;
}

const char* sifr_context_error(const sifr_context* c) {
    return c->status == SIFR_OK || c->error.size == 0 ? "" : c->error.data;
}

int32_t sifr_context_error_line(const sifr_context* c, const char** file) {
    if (file != nullptr) *file = c->status == SIFR_OK ? nullptr : c->file;
    return c->status == SIFR_OK ? 0 : c->line;
}

}  // extern "C"
