// The queue: steps that the program asked for and the device has not got yet. A queue is handed over whole. The first time its steps are launched
// one by one; when it comes again, they are captured as a graph, and from then on one call replays it. Two queues are the same if they
// launch the same kernels on the same memory; scalars may differ and are set anew. Carried buffers that rotate give a graph for each rotation.

#include "runtime/cuda_state.h"

using namespace sifr::rt;
using namespace sifr::rt::cuda;

namespace sifr::rt::cuda {

namespace {

constexpr int64_t longest_queue = 4096;
constexpr int64_t most_graphs = 64;

struct Step {
    enum Kind : int32_t { Launch, Fill, Copy } kind;
    int32_t kernel;       ///< Launch
    int32_t element;      ///< Fill: bytes of the pattern
    int32_t line;
    int64_t words;        ///< Launch: where its parameters start
    int64_t word_count;
    Address to, from;     ///< Fill, Copy
    int64_t count;        ///< Fill: elements; Copy: bytes
    uint64_t pattern;
};

struct Queue {
    Buffer<Step> steps;
    Buffer<uint64_t> words;
};
Queue queue;

/// A queue that has been seen.
struct Known {
    uint64_t hash;
    Queue steps;
    int64_t seen;
    int64_t used;  ///< when it was last handed over
    Graph graph;
    GraphExec exec;
    Buffer<GraphNode> nodes;  ///< by part launched
};
Buffer<Known> known;
int64_t clock_now = 0;

int64_t launches_in_queue = 0;

template <class T>
void exchange(T& a, T& b) {
    const T was = a;
    a = b;
    b = was;
}

uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

bool is_scalar(const sifr_cuda_kernel& k, int64_t word) { return word >= k.buffer_count && word < k.buffer_count + k.scalar_count; }

uint64_t hash_of(const Queue& q) {
    uint64_t h = 1;
    for (int64_t i = 0; i < q.steps.size; ++i) {
        const Step& s = q.steps[i];
        const uint64_t parts[] = {static_cast<uint64_t>(s.kind), static_cast<uint64_t>(s.kernel), s.to, s.from, static_cast<uint64_t>(s.count), s.pattern};
        for (const uint64_t v : parts) h = mix(h, v);
        if (s.kind != Step::Launch) continue;
        const sifr_cuda_kernel& k = state.program->kernels[s.kernel];
        for (int64_t w = 0; w < s.word_count; ++w)
            if (!is_scalar(k, w)) h = mix(h, q.words[s.words + w]);
    }
    return h;
}

bool same(const Queue& a, const Queue& b) {
    if (a.steps.size != b.steps.size || a.words.size != b.words.size) return false;
    for (int64_t i = 0; i < a.steps.size; ++i) {
        const Step &x = a.steps[i], &y = b.steps[i];
        if (x.kind != y.kind || x.kernel != y.kernel || x.element != y.element || x.to != y.to || x.from != y.from || x.count != y.count || x.pattern != y.pattern) return false;
        if (x.kind != Step::Launch) continue;
        const sifr_cuda_kernel& k = state.program->kernels[x.kernel];
        for (int64_t w = 0; w < x.word_count; ++w)
            if (!is_scalar(k, w) && a.words[x.words + w] != b.words[y.words + w]) return false;
    }
    return true;
}

/// The parameters of a launch as the driver wants them: a pointer to each.
void point_at(Queue& q, const Step& s, Scratch<void*>& params) {
    params.size = 0;
    for (int64_t w = 0; w < s.word_count; ++w) params.push(&q.words[s.words + w]);
}

/// Asks the driver for one step; `nodes` collects the nodes of its launches while a graph is captured.
void issue(Queue& q, const Step& s, Scratch<void*>& params, Buffer<GraphNode>* nodes) {
    if (s.kind == Step::Copy) {
        working_for(nullptr, s.line);
        SIFR_CUDA(cuMemcpyDtoDAsync, s.to, s.from, static_cast<size_t>(s.count), state.stream);
        return;
    }
    if (s.kind == Step::Fill) {
        working_for(nullptr, s.line);
        const auto n = static_cast<size_t>(s.count);
        const auto low = static_cast<unsigned>(s.pattern), high = static_cast<unsigned>(s.pattern >> 32);
        switch (s.element) {
            case 1: SIFR_CUDA(cuMemsetD8Async, s.to, static_cast<unsigned char>(s.pattern), n, state.stream); return;
            case 2: SIFR_CUDA(cuMemsetD16Async, s.to, static_cast<unsigned short>(s.pattern), n, state.stream); return;
            case 4: SIFR_CUDA(cuMemsetD32Async, s.to, low, n, state.stream); return;
            default:
                // Two columns of words that stand eight bytes apart.
                SIFR_CUDA(cuMemsetD2D32Async, s.to, 8, low, 1, n, state.stream);
                SIFR_CUDA(cuMemsetD2D32Async, s.to + 4, 8, high, 1, n, state.stream);
                return;
        }
    }
    const sifr_cuda_kernel& k = state.program->kernels[s.kernel];
    working_for(k.name, s.line);
    point_at(q, s, params);
    const Buffer<Function>& functions = functions_of(s.kernel);
    for (int32_t part = 0; part < k.part_count; ++part) {
        SIFR_CUDA(cuLaunchKernel, functions[part], static_cast<unsigned>(k.parts[part].blocks), 1, 1, static_cast<unsigned>(k.parts[part].threads), 1, 1, 0, state.stream,
                  params.data, nullptr);
        if (nodes == nullptr) continue;
        int capturing = 0;
        uint64_t id = 0;
        Graph graph = nullptr;
        const GraphNode* last = nullptr;
        size_t count = 0;
        SIFR_CUDA(cuStreamGetCaptureInfo, state.stream, &capturing, &id, &graph, &last, &count);
        nodes->push(count > 0 ? last[0] : nullptr);
    }
}

void issue_all(Queue& q, Buffer<GraphNode>* nodes) {
    Scratch<void*> params;
    for (int64_t i = 0; i < q.steps.size; ++i) issue(q, q.steps[i], params, nodes);
    working_for(nullptr, 0);
}

void copy_queue(Queue& to, const Queue& from) {
    to.steps.size = to.words.size = 0;
    to.steps.append(from.steps.data, from.steps.size);
    to.words.append(from.words.data, from.words.size);
}

void forget(Known& k) {
    if (k.exec != nullptr) SIFR_CUDA(cuGraphExecDestroy, k.exec);
    if (k.graph != nullptr) SIFR_CUDA(cuGraphDestroy, k.graph);
    k.steps.steps.free_memory();
    k.steps.words.free_memory();
    k.nodes.free_memory();
}

Known& known_of(const Queue& q) {
    const uint64_t h = hash_of(q);
    for (Known& k : known)
        if (k.hash == h && same(k.steps, q)) return k;
    if (known.size >= most_graphs) {
        int64_t oldest = 0;
        for (int64_t i = 1; i < known.size; ++i)
            if (known[i].used < known[oldest].used) oldest = i;
        // A graph may still run; what it is made of must stay until it is done.
        SIFR_CUDA(cuStreamSynchronize, state.stream);
        forget(known[oldest]);
        known[oldest] = known[known.size - 1];
        --known.size;
    }
    Known fresh{};
    fresh.hash = h;
    copy_queue(fresh.steps, q);
    known.push(fresh);
    return known[known.size - 1];
}

void capture(Known& k) {
    SIFR_CUDA(cuStreamBeginCapture, state.stream, capture_relaxed);
    issue_all(queue, &k.nodes);
    SIFR_CUDA(cuStreamEndCapture, state.stream, &k.graph);
    SIFR_CUDA(cuGraphInstantiateWithFlags, &k.exec, k.graph, 0);
    copy_queue(k.steps, queue);
}

/// Scalars that have changed since the graph was made or last replayed.
void set_scalars(Known& k) {
    Scratch<void*> params;
    int64_t node = 0;
    for (int64_t i = 0; i < queue.steps.size; ++i) {
        const Step& s = queue.steps[i];
        if (s.kind != Step::Launch) continue;
        const sifr_cuda_kernel& kernel = state.program->kernels[s.kernel];
        const int64_t at = k.steps.steps[i].words;
        if (memcmp(&queue.words[s.words], &k.steps.words[at], static_cast<size_t>(s.word_count) * sizeof(uint64_t)) != 0) {
            memcpy(&k.steps.words[at], &queue.words[s.words], static_cast<size_t>(s.word_count) * sizeof(uint64_t));
            working_for(kernel.name, s.line);
            point_at(queue, s, params);
            const Buffer<Function>& functions = functions_of(s.kernel);
            for (int32_t part = 0; part < kernel.part_count; ++part) {
                KernelNodeParams p{};
                p.function = functions[part];
                p.grid[0] = static_cast<unsigned>(kernel.parts[part].blocks);
                p.block[0] = static_cast<unsigned>(kernel.parts[part].threads);
                p.grid[1] = p.grid[2] = p.block[1] = p.block[2] = 1;
                p.params = params.data;
                SIFR_CUDA(cuGraphExecKernelNodeSetParams, k.exec, k.nodes[node + part], &p);
            }
        }
        node += kernel.part_count;
    }
    working_for(nullptr, 0);
}

Step& add_step(Step::Kind kind, int32_t line) {
    if (queue.steps.size >= longest_queue) flush_queue();
    Step s{};
    s.kind = kind;
    s.line = line;
    queue.steps.push(s);
    return queue.steps[queue.steps.size - 1];
}

/// The raise that a status word stands for.
[[noreturn]] void raise_offence(const Status& s) {
    const auto kernel = static_cast<int32_t>(s.launch >> 40);
    const auto line = static_cast<int32_t>(s.launch >> 16 & 0xFFFFFF);
    const sifr_cuda_site& site = state.program->kernels[kernel].sites[s.site];
    Text text;
    for (const char* p = site.text; *p != 0; ++p) {
        if (p[0] == '{' && p[1] == '}') {
            text << s.value;
            ++p;
        } else if ((p[0] == '{' || p[0] == '}') && p[1] == p[0]) {
            text << *p++;
        } else {
            text << *p;
        }
    }
    sifr_raise(site.type, text.view(), state.program->script, site.line != 0 ? site.line : line);
}

}  // namespace

struct QueueState {
    Queue queue;
    Buffer<Known> known;
    int64_t clock_now, launches_in_queue;
};

void swap_queue(QueueState*& parked) {
    if (parked == nullptr) parked = static_cast<QueueState*>(calloc(1, sizeof(QueueState)));
    if (parked == nullptr) sifr_fatal(lit("out of memory"));
    exchange(queue, parked->queue);
    exchange(known, parked->known);
    exchange(clock_now, parked->clock_now);
    exchange(launches_in_queue, parked->launches_in_queue);
}

void drop_queue() {
    queue.steps.size = queue.words.size = 0;
    launches_in_queue = 0;
}

void flush_queue() {
    if (queue.steps.size == 0) return;
    if (state.checks_pending) {
        // What this queue finds does not hide what an earlier one found.
        bool checks = false;
        for (int64_t i = 0; i < queue.steps.size && !checks; ++i)
            checks = queue.steps[i].kind == Step::Launch && state.program->kernels[queue.steps[i].kernel].site_count > 0;
        if (checks) {
            Step latch{};
            latch.kind = Step::Copy;
            latch.to = state.status + offsetof(Status, latched);
            latch.from = state.status + offsetof(Status, site);
            latch.count = sizeof(int64_t);
            queue.steps.push(latch);
        }
    }
    if (queue.steps.size < 2) {
        issue_all(queue, nullptr);
    } else {
        Known& k = known_of(queue);
        k.used = ++clock_now;
        if (++k.seen == 1) {
            issue_all(queue, nullptr);
        } else {
            if (k.exec == nullptr) capture(k);
            else set_scalars(k);
            SIFR_CUDA(cuGraphLaunch, k.exec, state.stream);
        }
    }
    queue.steps.size = queue.words.size = 0;
    launches_in_queue = 0;
}

void drop_graphs() {
    for (Known& k : known) forget(k);
    known.free_memory();
    queue.steps.free_memory();
    queue.words.free_memory();
    clock_now = launches_in_queue = 0;
}

void reset_status() {
    *state.host_status = {-1, INT64_MAX, 0, 0, -1, 0, 0};
    SIFR_CUDA(cuMemcpyHtoDAsync, state.status, state.host_status, sizeof(Status), state.stream);
    SIFR_CUDA(cuStreamSynchronize, state.stream);
}

void wait(Status* found) {
    flush_queue();
    const bool checks = state.checks_pending;
    if (checks) SIFR_CUDA(cuMemcpyDtoHAsync, state.host_status, state.status, sizeof(Status), state.stream);
    SIFR_CUDA(cuStreamSynchronize, state.stream);
    state.checks_pending = false;
    if (!checks || state.host_status->site < 0) {
        if (found != nullptr) *found = {-1, INT64_MAX, 0, 0, -1, 0, 0};
        return;
    }
    const Status s = *state.host_status;
    reset_status();
    if (found == nullptr) raise_offence(s);
    *found = s;
}

}  // namespace sifr::rt::cuda

extern "C" {

void sifr_cuda_launch(int32_t kernel, void* const* buffers, const int64_t* scalars, int32_t line) {
    const sifr_cuda_kernel& k = state.program->kernels[kernel];
    Step& s = add_step(Step::Launch, line);
    s.kernel = kernel;
    s.words = queue.words.size;
    for (int32_t i = 0; i < k.buffer_count; ++i) queue.words.push(reinterpret_cast<uint64_t>(buffers[i]));
    for (int32_t i = 0; i < k.scalar_count; ++i) queue.words.push(static_cast<uint64_t>(scalars[i]));
    if (k.site_count > 0) {
        queue.words.push(state.status);
        queue.words.push(static_cast<uint64_t>(kernel) << 40 | static_cast<uint64_t>(line & 0xFFFFFF) << 16 | static_cast<uint64_t>(launches_in_queue & 0xFFFF));
        state.checks_pending = true;
    }
    if (k.slab) queue.words.push(state.slab);
    s.word_count = queue.words.size - s.words;
    ++launches_in_queue;
}

void sifr_cuda_fill(void* data, int64_t count, uint64_t pattern, int32_t element_size) {
    if (count <= 0) return;
    Step& s = add_step(Step::Fill, 0);
    s.to = reinterpret_cast<Address>(data);
    s.count = count;
    s.pattern = pattern;
    s.element = element_size;
}

void sifr_cuda_copy(void* to, const void* from, int64_t bytes) {
    if (bytes <= 0 || to == from) return;
    Step& s = add_step(Step::Copy, 0);
    s.to = reinterpret_cast<Address>(to);
    s.from = reinterpret_cast<Address>(from);
    s.count = bytes;
}

void sifr_cuda_step(void) { flush_queue(); }

void sifr_cuda_settle(void) {
    if (state.program != nullptr && state.checks_pending) wait();
}

void sifr_cuda_synchronize(void) {
    if (state.program != nullptr) wait();
}

}  // extern "C"
