// Stands in for libcuda.so.1 in tests. It records each call, checks it, and runs kernels on the CPU through shim.h. Work on a stream waits until the
// stream is synchronized, so that what reads too early reads nothing. The environment says what machine it plays:
//   SIFR_TEST_CUDA_LOG       a file to which each call adds a line
//   SIFR_TEST_CUDA           words: devices=N, version=N, arch=N, memory=BYTES, fail=CALL:N (the Nth call of that name fails), code=N (with this error)
//   SIFR_TEST_CUDA_CODE      a folder for the kernels' compiled code, kept from one run to the next

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Result = int;
constexpr Result invalid_value = 1, out_of_memory = 2, no_device = 100, invalid_context = 201, not_found = 500;

struct Module;
struct Function {
    std::string name;
    void (*run)(void** params, unsigned grid, unsigned block);
    int count;
    Module* module;
};
struct Module {
    std::string text;
    void* library;
    int runs;                // of its functions
    void* quicker;           // its code optimized, once it has run often
    std::vector<std::unique_ptr<Function>> functions;
};
struct Node {
    std::function<void()> work;                 // everything but launches
    Function* function = nullptr;
    std::vector<uint64_t> params;
    unsigned grid = 0, block = 0;
    std::string text;
};
struct Graph {
    std::vector<std::shared_ptr<Node>> nodes;
};
struct Exec {
    Graph* source;
    std::vector<std::shared_ptr<Node>> nodes;  // copies
};
struct Stream {
    std::vector<std::function<void()>> waiting;
    std::unique_ptr<Graph> capture;
    Node* last = nullptr;
};
struct KernelNodeParams {
    Function* function;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    void** params;
    void** extra;
    void* kernel;
    void* context;
};

std::map<std::string, std::string> settings;
std::map<uint64_t, size_t> allocations, pinned;
size_t used = 0;
int context_count = 0;
bool context_set = false;
std::map<std::string, int> calls;
FILE* log_file = nullptr;

long setting(const char* name, long otherwise) {
    auto s = settings.find(name);
    return s == settings.end() ? otherwise : std::stol(s->second);
}

void read_settings() {
    static const bool once = [] {
        if (const char* words = getenv("SIFR_TEST_CUDA")) {
            std::istringstream in(words);
            for (std::string word; in >> word;) settings[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
        }
        if (const char* path = getenv("SIFR_TEST_CUDA_LOG")) log_file = fopen(path, "a");
        return true;
    }();
    (void)once;
}

void note(const std::string& text) {
    if (!log_file) return;
    fprintf(log_file, "%s\n", text.c_str());
    fflush(log_file);
}

/// Each call begins here: whether it is to fail.
Result begin(const char* call, const std::string& detail = "") {
    read_settings();
    note(std::string(call) + (detail.empty() ? "" : " " + detail));
    const int number = ++calls[call];
    if (auto f = settings.find("fail"); f != settings.end()) {
        const size_t colon = f->second.find(':');
        if (f->second.substr(0, colon) == call && std::stoi(f->second.substr(colon + 1)) == number) return static_cast<Result>(setting("code", 700));
    }
    return 0;
}

#define BEGIN(...)                                              \
    if (const Result result = begin(__func__ __VA_OPT__(, ) __VA_ARGS__)) return result
#define NEED(what)                                                                     \
    if (!(what)) {                                                                     \
        note(std::string("INVALID ") + __func__ + ": " #what);                         \
        return invalid_value;                                                          \
    }
#define NEED_CONTEXT() \
    if (!context_set) return invalid_context

/// The range lies within one allocation.
bool on_device(uint64_t at, size_t bytes) {
    auto a = allocations.upper_bound(at);
    if (a == allocations.begin()) return false;
    --a;
    return at >= a->first && at + bytes <= a->first + a->second;
}

void enqueue(Stream* s, const std::string& text, std::function<void()> work) {
    if (s->capture) {
        auto n = std::make_shared<Node>();
        n->work = std::move(work);
        n->text = text;
        s->last = n.get();
        s->capture->nodes.push_back(n);
        return;
    }
    s->waiting.push_back(std::move(work));
}

void count_run(Module& m);

void run_node(const Node& n) {
    if (!n.function) return n.work();
    count_run(*n.function->module);
    std::vector<uint64_t> words = n.params;
    std::vector<void*> params;
    for (uint64_t& w : words) params.push_back(&w);
    n.function->run(params.data(), n.grid, n.block);
}

std::string hex(const std::string& text) {
    uint64_t h[2] = {0xcbf29ce484222325ull, 0x9ae16a3b2f90404full};
    for (uint64_t& x : h)
        for (char c : text) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    char buffer[40];
    snprintf(buffer, sizeof buffer, "%016llx%016llx", static_cast<unsigned long long>(h[0]), static_cast<unsigned long long>(h[1]));
    return buffer;
}

/// The kernels of a text, and whether their threads meet at barriers.
std::vector<std::pair<std::string, bool>> kernels_of(const std::string& text) {
    std::vector<std::pair<std::string, bool>> all;
    const std::string head = "extern \"C\" __global__ void __launch_bounds__(";
    for (size_t at = text.find(head); at != std::string::npos;) {
        size_t name = text.find(") ", at + head.size()) + 2;
        const size_t end = text.find('(', name);
        const size_t next = text.find(head, end);
        const std::string body = text.substr(end, next == std::string::npos ? std::string::npos : next - end);
        bool barriers = false;
        for (const char* word : {"__syncthreads", "reduce_by_", "join_nodes<", "contract_tile<"}) barriers |= body.find(word) != std::string::npos;
        all.push_back({text.substr(name, end - name), barriers});
        at = next;
    }
    return all;
}

bool is_there(const std::string& path) {
    struct stat s;
    return stat(path.c_str(), &s) == 0;
}

/// The text as a library of this machine, compiled once.
void* compile(const std::string& text, bool optimize) {
    const auto kernels = kernels_of(text);
    std::string glue;
    for (const auto& [name, barriers] : kernels) glue += "SHIM_KERNEL(" + name + ", " + (barriers ? "true" : "false") + ")\n";
    std::ifstream shim_file(SIFR_SHIM_HEADER);
    std::stringstream shim;
    shim << shim_file.rdbuf();
    const std::string whole = "#include \"" SIFR_SHIM_HEADER "\"\n" + text + "\n" + glue;
    const char* given = getenv("SIFR_TEST_CUDA_CODE");
    const std::string folder = given ? given : "/tmp";
    const std::string base = folder + "/" + hex(whole + shim.str()) + (optimize ? "-optimized" : "");
    const std::string library = base + ".so";
    if (!is_there(library)) {
        mkdir(folder.c_str(), 0777);
        const std::string mine = base + "." + std::to_string(getpid());
        std::ofstream(mine + ".cpp") << whole;
        const std::string command = std::string(SIFR_SHIM_CXX) + (optimize ? " -O1" : " -O0") + std::string(" -std=c++20 -w -fPIC -shared -mfma -ffp-contract=off -fno-fast-math -o ") + mine + ".so " + mine + ".cpp >&2";
        const int status = system(command.c_str());
        if (status != 0) {
            fprintf(stderr, "shim: the text of a kernel does not compile: %s.cpp\n", mine.c_str());
            return nullptr;
        }
        rename((mine + ".so").c_str(), library.c_str());
        unlink((mine + ".cpp").c_str());
    }
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) fprintf(stderr, "shim: %s\n", dlerror());
    return handle;
}

auto entry_of(void* library, const std::string& name) { return reinterpret_cast<void (*)(void**, unsigned, unsigned)>(dlsym(library, ("shim_launch_" + name).c_str())); }

/// Most kernels run once, and then compiling takes longest; those of a loop are worth optimizing.
void count_run(Module& m) {
    constexpr int often = 60;
    if (++m.runs != often) return;
    m.quicker = compile(m.text, true);
    if (!m.quicker) return;
    for (auto& f : m.functions) f->run = entry_of(m.quicker, f->name);
}

}  // namespace

extern "C" {

Result cuInit(unsigned) {
    BEGIN();
    return setting("devices", 1) == 0 ? no_device : 0;
}
Result cuDriverGetVersion(int* version) {
    BEGIN();
    *version = static_cast<int>(setting("version", 13000));
    return 0;
}
Result cuGetErrorName(Result error, const char** name) {
    *name = error == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : error == no_device ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_INVALID_VALUE";
    return 0;
}
Result cuGetErrorString(Result error, const char** text) {
    *text = error == out_of_memory ? "out of memory" : error == 700 ? "an illegal memory access was encountered" : error == no_device ? "no CUDA-capable device is detected" : "invalid argument";
    return 0;
}
Result cuDeviceGetCount(int* count) {
    BEGIN();
    *count = static_cast<int>(setting("devices", 1));
    return 0;
}
Result cuDeviceGet(int* device, int ordinal) {
    BEGIN();
    NEED(ordinal >= 0 && ordinal < setting("devices", 1));
    *device = ordinal;
    return 0;
}
Result cuDeviceGetName(char* name, int length, int) {
    BEGIN();
    snprintf(name, static_cast<size_t>(length), "Shim");
    return 0;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
    BEGIN();
    const int arch = static_cast<int>(setting("arch", 90));
    *value = attribute == 75 ? arch / 10 : attribute == 76 ? arch % 10 : attribute == 16 ? 132 : attribute == 39 ? 2048 : 0;
    return 0;
}
Result cuDevicePrimaryCtxRetain(void** context, int) {
    BEGIN();
    ++context_count;
    *context = &context_count;
    return 0;
}
Result cuDevicePrimaryCtxRelease_v2(int) {
    if (const Result result = begin("cuDevicePrimaryCtxRelease")) return result;
    NEED(context_count > 0);
    if (--context_count == 0) context_set = false;
    // With the last one, everything was given back.
    NEED(context_count > 0 || (allocations.empty() && pinned.empty()));
    return 0;
}
Result cuCtxSetCurrent(void* context) {
    BEGIN();
    NEED(context == &context_count);
    context_set = true;
    return 0;
}
Result cuStreamCreate(Stream** stream, unsigned) {
    BEGIN();
    NEED_CONTEXT();
    *stream = new Stream;
    return 0;
}
Result cuStreamDestroy_v2(Stream* stream) {
    if (const Result result = begin("cuStreamDestroy")) return result;
    NEED(stream->waiting.empty() && !stream->capture);
    delete stream;
    return 0;
}
Result cuStreamSynchronize(Stream* stream) {
    BEGIN();
    NEED(!stream->capture);
    std::vector<std::function<void()>> work;
    work.swap(stream->waiting);
    for (const auto& w : work) w();
    return 0;
}
Result cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
    if (const Result result = begin("cuMemGetInfo")) return result;
    *total = static_cast<size_t>(setting("memory", 1l << 34));
    *free_bytes = *total - used;
    return 0;
}
Result cuMemAllocAsync(uint64_t* data, size_t bytes, Stream*) {
    BEGIN(std::to_string(bytes));
    NEED_CONTEXT();
    NEED(bytes > 0);
    if (used + bytes > static_cast<size_t>(setting("memory", 1l << 34))) return out_of_memory;
    void* p = aligned_alloc(256, (bytes + 255) / 256 * 256);
    memset(p, 0xA5, bytes);
    *data = reinterpret_cast<uint64_t>(p);
    allocations[*data] = bytes;
    used += bytes;
    return 0;
}
Result cuMemFreeAsync(uint64_t data, Stream* stream) {
    BEGIN();
    NEED(allocations.contains(data));
    used -= allocations[data];
    allocations.erase(data);
    stream->waiting.push_back([data] { free(reinterpret_cast<void*>(data)); });
    return 0;
}
Result cuMemHostAlloc(void** data, size_t bytes, unsigned) {
    BEGIN(std::to_string(bytes));
    NEED_CONTEXT();
    *data = malloc(bytes);
    memset(*data, 0xA5, bytes);
    pinned[reinterpret_cast<uint64_t>(*data)] = bytes;
    return 0;
}
Result cuMemFreeHost(void* data) {
    BEGIN();
    NEED(pinned.erase(reinterpret_cast<uint64_t>(data)) == 1);
    free(data);
    return 0;
}
Result cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, Stream* stream) {
    if (const Result result = begin("cuMemcpyHtoDAsync", std::to_string(bytes))) return result;
    NEED(on_device(to, bytes));
    enqueue(stream, "copy", [=] { memcpy(reinterpret_cast<void*>(to), from, bytes); });
    return 0;
}
Result cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, Stream* stream) {
    if (const Result result = begin("cuMemcpyDtoHAsync", std::to_string(bytes))) return result;
    NEED(on_device(from, bytes));
    enqueue(stream, "copy", [=] { memcpy(to, reinterpret_cast<void*>(from), bytes); });
    return 0;
}
Result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, Stream* stream) {
    if (const Result result = begin("cuMemcpyDtoDAsync", std::to_string(bytes))) return result;
    NEED(on_device(to, bytes) && on_device(from, bytes));
    NEED(to + bytes <= from || from + bytes <= to);
    enqueue(stream, "copy", [=] { memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
    return 0;
}
#define MEMSET(name, type)                                                                                              \
    Result name(uint64_t data, type value, size_t count, Stream* stream) {                                              \
        if (const Result result = begin(#name, std::to_string(count * sizeof(type)))) return result;                    \
        NEED(on_device(data, count * sizeof(type)) && data % sizeof(type) == 0);                                        \
        enqueue(stream, "fill", [=] {                                                                                   \
            for (size_t i = 0; i < count; ++i) memcpy(reinterpret_cast<char*>(data) + i * sizeof(type), &value, sizeof(type)); \
        });                                                                                                             \
        return 0;                                                                                                       \
    }
MEMSET(cuMemsetD8Async, unsigned char)
MEMSET(cuMemsetD16Async, unsigned short)
MEMSET(cuMemsetD32Async, unsigned)
Result cuMemsetD2D32Async(uint64_t data, size_t pitch, unsigned value, size_t width, size_t height, Stream* stream) {
    BEGIN(std::to_string(width * 4) + "x" + std::to_string(height));
    NEED(height == 0 || on_device(data, (height - 1) * pitch + width * 4));
    enqueue(stream, "fill", [=] {
        for (size_t y = 0; y < height; ++y)
            for (size_t x = 0; x < width; ++x) memcpy(reinterpret_cast<char*>(data) + y * pitch + x * 4, &value, 4);
    });
    return 0;
}
Result cuModuleLoadData(Module** module, const void* image) {
    BEGIN();
    NEED_CONTEXT();
    const std::string text = static_cast<const char*>(image);
    void* library = compile(text, false);
    NEED(library != nullptr);
    *module = new Module{text, library, 0, nullptr, {}};
    return 0;
}
Result cuModuleUnload(Module* module) {
    BEGIN();
    if (module->quicker) dlclose(module->quicker);
    dlclose(module->library);
    delete module;
    return 0;
}
Result cuModuleGetFunction(Function** function, Module* module, const char* name) {
    BEGIN(name);
    auto* run = entry_of(module->library, name);
    auto* count = reinterpret_cast<int (*)()>(dlsym(module->library, (std::string("shim_count_") + name).c_str()));
    if (!run || !count) return not_found;
    module->functions.push_back(std::make_unique<Function>(Function{name, run, count(), module}));
    *function = module->functions.back().get();
    return 0;
}
Result cuLaunchKernel(Function* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, Stream* stream, void** params, void**) {
    BEGIN(f->name + " " + std::to_string(gx) + " x " + std::to_string(bx));
    NEED(gx > 0 && gy == 1 && gz == 1 && bx > 0 && bx <= 1024 && by == 1 && bz == 1 && shared == 0);
    auto n = std::make_shared<Node>();
    n->function = f;
    n->grid = gx;
    n->block = bx;
    for (int i = 0; i < f->count; ++i) n->params.push_back(*static_cast<uint64_t*>(params[i]));
    if (stream->capture) {
        stream->last = n.get();
        stream->capture->nodes.push_back(n);
    } else {
        stream->waiting.push_back([n] { run_node(*n); });
    }
    return 0;
}
Result cuStreamBeginCapture_v2(Stream* stream, int) {
    if (const Result result = begin("cuStreamBeginCapture")) return result;
    NEED(!stream->capture);
    stream->capture = std::make_unique<Graph>();
    stream->last = nullptr;
    return 0;
}
Result cuStreamGetCaptureInfo_v2(Stream* stream, int* status, uint64_t* id, Graph** graph, Node* const** nodes, size_t* count) {
    if (const Result result = begin("cuStreamGetCaptureInfo")) return result;
    NEED(stream->capture);
    *status = 1;
    *id = 1;
    *graph = stream->capture.get();
    *nodes = &stream->last;
    *count = stream->last ? 1 : 0;
    return 0;
}
Result cuStreamEndCapture(Stream* stream, Graph** graph) {
    BEGIN();
    NEED(stream->capture);
    *graph = stream->capture.release();
    return 0;
}
Result cuGraphInstantiateWithFlags(Exec** exec, Graph* graph, uint64_t) {
    BEGIN(std::to_string(graph->nodes.size()) + " nodes");
    *exec = new Exec{graph, {}};
    for (const auto& n : graph->nodes) (*exec)->nodes.push_back(std::make_shared<Node>(*n));
    return 0;
}
Result cuGraphExecKernelNodeSetParams_v2(Exec* exec, Node* node, const KernelNodeParams* p) {
    if (const Result result = begin("cuGraphExecKernelNodeSetParams", p->function->name)) return result;
    for (size_t i = 0; i < exec->nodes.size(); ++i) {
        if (exec->source->nodes[i].get() != node) continue;
        // What was launched before keeps the old parameters.
        auto changed = std::make_shared<Node>(*exec->nodes[i]);
        NEED(changed->function == p->function && changed->grid == p->grid[0] && changed->block == p->block[0]);
        for (int k = 0; k < p->function->count; ++k) changed->params[static_cast<size_t>(k)] = *static_cast<uint64_t*>(p->params[k]);
        exec->nodes[i] = changed;
        return 0;
    }
    NEED(false && "a node of the graph");
    return 0;
}
Result cuGraphLaunch(Exec* exec, Stream* stream) {
    BEGIN(std::to_string(exec->nodes.size()) + " nodes");
    NEED(!stream->capture);
    stream->waiting.push_back([nodes = exec->nodes] {
        for (const auto& n : nodes) run_node(*n);
    });
    return 0;
}
Result cuGraphExecDestroy(Exec* exec) {
    BEGIN();
    delete exec;
    return 0;
}
Result cuGraphDestroy(Graph* graph) {
    BEGIN();
    delete graph;
    return 0;
}

Result cuGetProcAddress_v2(const char* symbol, void** function, int, uint64_t, int* status) {
    read_settings();
    void* self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *function = nullptr;
    for (const char* suffix : {"_v2", ""}) {
        *function = dlsym(self, (std::string(symbol) + suffix).c_str());
        if (*function) break;
    }
    if (status) *status = *function ? 0 : 1;
    return 0;
}

}
