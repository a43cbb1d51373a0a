// stdout with a buffer of our own, and stderr without one.

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "runtime/internal.h"
#include "runtime/output.h"

using namespace sifr::rt;

namespace {

constexpr int64_t buffer_bytes = 64 * 1024;

// One buffer for the process. The lock is never held while a hook runs.
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char buffer[buffer_bytes];
int64_t used = 0;
bool failed = false;
int terminal = -1;  // is stdout one? -1: not asked yet

bool write_all(int fd, const char* data, int64_t size) {
    while (size > 0) {
        const ssize_t written = write(fd, data, static_cast<size_t>(size));
        if (written < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        data += written;
        size -= written;
    }
    return true;
}

void flush_locked() {
    if (used > 0 && !failed && !write_all(1, buffer, used)) failed = true;
    used = 0;
}

void print_locked(sifr_str text) {
    if (terminal < 0) terminal = isatty(1) == 1 ? 1 : 0;
    if (text.size > buffer_bytes - used) flush_locked();
    if (text.size > buffer_bytes) {
        if (!failed && !write_all(1, text.data, text.size)) failed = true;
        return;
    }
    if (text.size == 0) return;
    memcpy(buffer + used, text.data, static_cast<size_t>(text.size));
    used += text.size;
    if (terminal == 1 && memchr(text.data, '\n', static_cast<size_t>(text.size)) != nullptr) flush_locked();
}

}  // namespace

namespace sifr::rt {

void write_stderr(sifr_str text) {
    const sifr_host_hooks& hooks = host_hooks();
    if (hooks.write_stderr != nullptr) {
        hooks.write_stderr(hooks.user, text.data, text.size);
    } else {
        write_all(2, text.data, text.size);
    }
}

bool stdout_failed() {
    return failed;
}

}  // namespace sifr::rt

extern "C" {

void sifr_print(sifr_str text) {
    const sifr_host_hooks& hooks = host_hooks();
    if (hooks.write_stdout != nullptr) {
        hooks.write_stdout(hooks.user, text.data, text.size);
        return;
    }
    pthread_mutex_lock(&lock);
    print_locked(text);
    pthread_mutex_unlock(&lock);
}

void sifr_print_stderr(sifr_str text) {
    sifr_flush();
    write_stderr(text);
}

void sifr_flush(void) {
    if (host_hooks().write_stdout != nullptr) return;
    pthread_mutex_lock(&lock);
    flush_locked();
    pthread_mutex_unlock(&lock);
}

}  // extern "C"
