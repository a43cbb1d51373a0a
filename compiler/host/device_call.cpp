// What stands between a call and a function on the GPU. All that may raise runs as the entry of a context's call, and keeps nothing that a
// longjmp would leak.

#include "compiler/host/device_call.h"

#include <functional>
#include <mutex>

#include "compiler/host/error.h"
#include "runtime/sifr_cuda.h"

namespace sifr::host {

namespace {

/// One thread at a time talks to the device.
std::mutex& device_lock() {
    static std::mutex lock;
    return lock;
}

/// Runs `f` where the runtime may end the process, and throws what it would have said instead.
void on_machine(const std::function<void()>& f) {
    std::string said;
    sifr_context_options options{};
    options.struct_size = sizeof options;
    options.user = &said;
    options.write_stderr = [](void* user, const char* data, int64_t size) { static_cast<std::string*>(user)->append(data, static_cast<size_t>(size)); };
    const std::unique_ptr<sifr_context, void (*)(sifr_context*)> context(sifr_context_new(&options), sifr_context_free);
    if (!context) fail_machine("out of memory: no context for a call");
    const sifr_function entry{sizeof(sifr_function), SIFR_RUNTIME_ABI, 0, 0,
                              [](void*, void* const* arguments, const int64_t*, int64_t*) { (*static_cast<const std::function<void()>*>(arguments[0]))(); }};
    void* arguments[] = {const_cast<std::function<void()>*>(&f)};
    if (sifr_context_call(context.get(), &entry, arguments, nullptr, nullptr) == SIFR_OK) return;
    constexpr std::string_view prefix = "sifr: error: ";
    if (said.starts_with(prefix)) said.erase(0, prefix.size());
    while (said.ends_with('\n')) said.pop_back();
    fail_machine(said.empty() ? sifr_context_error(context.get()) : said);
}

constexpr int64_t round_up(int64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

std::string gpu_architecture() {
    const std::lock_guard lock(device_lock());
    int64_t found = 0;
    on_machine([&] { found = sifr_cuda_find_device(); });
    return fmt::format("sm_{}", found);
}

/// One call, as its entry sees it.
struct DeviceCalls::Call {
    DeviceCalls& self;
    std::vector<void*> on_host, on_device;
    bool download_only = false;
};

DeviceCalls::DeviceCalls(LoadedProgram& code, std::vector<Memory> memories) : code_(code), memories_(std::move(memories)) {
    for (const Memory& m : memories_) {
        offsets_.push_back(bytes_);
        bytes_ += round_up(m.bytes);
    }
    const auto* program = static_cast<const sifr_cuda_program*>(code_.device_program());
    const std::lock_guard lock(device_lock());
    on_machine([&] { session_ = sifr_cuda_session_new(program, bytes_); });
}

DeviceCalls::~DeviceCalls() {
    const std::lock_guard lock(device_lock());
    try {
        on_machine([&] { sifr_cuda_session_free(session_); });
    } catch (const Error&) {
        // The driver is gone, or going: at the end of the process there is nothing to give back.
    }
}

void DeviceCalls::run(void*, void* const* arguments, const int64_t* numbers, int64_t* results) {
    Call& c = *static_cast<Call*>(arguments[0]);
    const DeviceCalls& self = c.self;
    if (!c.download_only) {
        auto* base = static_cast<char*>(sifr_cuda_enter(self.session_));
        for (size_t k = 0; k < self.memories_.size(); ++k) {
            c.on_device[k] = base + self.offsets_[k];
            if (self.memories_[k].read) sifr_cuda_upload(c.on_device[k], c.on_host[k], self.memories_[k].bytes);
        }
        self.code_.function().entry(nullptr, c.on_device.data(), numbers, results);
    }
    for (size_t k = 0; k < self.memories_.size(); ++k)
        if (self.memories_[k].written) sifr_cuda_download(c.on_host[k], c.on_device[k], self.memories_[k].bytes);
}

sifr_status DeviceCalls::call(sifr_context* context, void* const* arguments, const int64_t* numbers, int64_t* results) {
    const std::lock_guard lock(device_lock());
    Call c{*this, {arguments, arguments + memories_.size()}, std::vector<void*>(memories_.size()), false};
    sifr_function entry = code_.function();
    entry.entry = run;
    entry.arena_bytes = 0;
    void* given[] = {&c};
    const sifr_status status = sifr_context_call(context, &entry, given, numbers, results);
    if (status != SIFR_OK && !c.on_device.empty() && c.on_device.back()) {
        // The failure that the context holds is the first one: what is written comes back through another.
        c.download_only = true;
        try {
            on_machine([&] { run(nullptr, given, nullptr, nullptr); });
        } catch (const Error&) {
            // The device does not answer any more; the first failure says why.
        }
    }
    sifr_cuda_leave(session_);
    return status;
}

}  // namespace sifr::host
