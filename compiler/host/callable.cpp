// From a call to code: the key of its arguments, the entry for the key, the trace and compilation of a new one, the call.

#include "compiler/host/callable.h"

#include <algorithm>
#include <chrono>

#include "compiler/host/error.h"
#include "compiler/host/memory.h"

namespace sifr::host {

namespace {

CompileOptions compile_options(std::string_view stop_at = "plan") {
    CompileOptions o;
    o.passes.stop_at = stop_at;
    return o;
}

BackendOptions backend_options(const SourceFiles& files, const JitOptions& options, const std::string& path) {
    BackendOptions b;
    b.as_function = true;
    b.target_cpu = options.target_cpu;
    b.cache_folder = options.cache_folder;
    b.script_path = path;
    for (uint32_t f = 0; f < files.size(); ++f) b.files.push_back(files.file(f).path());
    return b;
}

}  // namespace

namespace {

/// A remark for each copy that the code makes: whoever passes memory wants to know why some of it is moved.
void remark_copies(const Plan& plan, const PlanBlock& block, std::vector<Diagnostic>& out) {
    for (const PlanInst& i : block.insts) {
        for (const PlanBlock& inner : i.blocks) remark_copies(plan, inner, out);
        if (i.kind != PlanInst::Kind::Copy) continue;
        Diagnostic d;
        d.severity = Severity::Remark;
        d.code = "copied";
        d.text = fmt::format("{} bytes are copied from '{}' to '{}'", i.size, plan.buffers[i.buffers.at(1).index].name, plan.buffers[i.buffers.at(0).index].name);
        if (!i.location.empty()) d.span = i.location.front();
        out.push_back(std::move(d));
    }
}

}  // namespace

void compile(Compiled& out, Traced traced, size_t memories, const JitOptions& options, const std::string& path) {
    out.captured.emplace(traced.captured.copy());
    out.results = std::move(traced.results);
    for (const ResultShape& r : out.results) out.number_results += r.kind == ResultShape::Kind::Number;
    out.written = written_memories(out.captured->function, memories);
    Compilation c;
    c.program.emplace(std::move(traced.captured));
    lower(c, compile_options());
    const Plan& plan = std::get<Plan>(*c.program);
    out.ledger = plan.ledger;
    out.diagnostics.insert(out.diagnostics.end(), c.diagnostics.begin(), c.diagnostics.end());
    remark_copies(plan, plan.body, out.diagnostics);
    BackendOptions backend = backend_options(out.files, options, path);
    if (options.device == sifr::Device::CPU) {
        out.written_before = WrittenBefore(plan, memories);
        out.code = backend_named("llvm").load(plan, backend);
        out.function = &out.code->function();
        return;
    }
    backend.gpu_archs = {gpu_architecture()};
    if (const std::string missing = backend_named("cuda").unavailable(); !missing.empty()) fail_machine(missing);
    out.code = backend_named("cuda").load(plan, backend);
    out.function = &out.code->function();
    // The code gets pieces of memory, then results.
    std::vector<DeviceCalls::Memory> all;
    int64_t copied = 0;
    const Function& f = out.captured->function;
    for (size_t m = 0; m < memories; ++m) {
        all.push_back({f.type(f[f.body].params.at(m)).bytes(), true, out.written[m]});
        copied += all.back().bytes * (out.written[m] ? 2 : 1);
    }
    for (const ResultShape& r : out.results)
        if (r.kind == ResultShape::Kind::Fresh) {
            all.push_back({element_count(r.layout.sizes) * size_of(r.dtype), false, true});
            copied += all.back().bytes;
        }
    if (copied > 0) {
        Diagnostic d;
        d.severity = Severity::Remark;
        d.code = "copied";
        d.text = fmt::format("{} bytes of arguments and results go to the GPU and back for each call", copied);
        out.diagnostics.push_back(std::move(d));
    }
    out.device = std::make_unique<DeviceCalls>(*out.code, std::move(all));
}

std::string ir_text(const Compiled& c, std::string_view stage, const JitOptions& options, const std::string& path) {
    const bool code = stage == "llvm" || stage == "asm";
    if (!code && stage != "captured" && stage != "functional" && stage != "fused" && stage != "plan")
        fail_call(fmt::format("there is no stage '{}'", stage), "the stages are captured, functional, fused, plan, llvm and asm");
    Compilation again;
    again.program.emplace(c.captured->copy());
    if (stage != "captured") lower(again, compile_options(code ? "plan" : stage));
    if (!code) return print(*again.program);
    const std::vector<std::byte> bytes =
        backend_named("llvm").compile(std::get<Plan>(*again.program), stage == "asm" ? Emit::Assembly : Emit::LlvmIr, backend_options(c.files, options, path));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void remark_misaligned(const CallMemory& memory, std::span<const TensorView* const> tensors, const std::vector<std::string>& names, std::vector<Diagnostic>& out) {
    for (size_t k = 0; k < tensors.size(); ++k) {
        const uint32_t m = memory.memory_of(k);
        if (std::find(memory.misaligned().begin(), memory.misaligned().end(), m) == memory.misaligned().end()) continue;
        Diagnostic d;
        d.severity = Severity::Remark;
        d.code = "copied";
        d.text = fmt::format("{} does not begin at a multiple of its element's {} bytes: its {} bytes are copied for each call, and back where it is written",
                             argument_name(k, names), element_size(tensors[k]->dtype()), memory.bytes(m));
        out.push_back(std::move(d));
    }
}

std::vector<Remark> remarks_of(const Compiled& c) {
    std::vector<Remark> out;
    for (const Diagnostic& d : c.diagnostics) {
        Remark r{d.code, d.text, {}};
        if (d.span.known() && d.span.file < c.files.size()) r.place = {c.files.file(d.span.file).path(), d.span.line, d.span.column, ""};
        out.push_back(std::move(r));
    }
    return out;
}

std::vector<ClearRow> ledger_of(const Compiled& c) {
    static constexpr const char* verdicts[] = {"open", "kept", "removed", "shrunk", "folded", "merged", "lazy"};
    std::vector<ClearRow> out;
    for (const Clear& row : c.ledger) {
        ClearRow r{{}, row.bytes, row.kept_bytes, verdicts[static_cast<size_t>(row.verdict)], row.reason};
        if (!row.location.empty() && row.location[0].known() && row.location[0].file < c.files.size())
            r.place = {c.files.file(row.location[0].file).path(), row.location[0].line, row.location[0].column, ""};
        out.push_back(std::move(r));
    }
    return out;
}

std::string source_text(const Compiled& c, sifr::Device device, const JitOptions& options, const std::string& path) {
    if (device == sifr::Device::CPU) return ir_text(c, "asm", options, path);
    Compilation again;
    again.program.emplace(c.captured->copy());
    lower(again, compile_options());
    const std::vector<std::byte> bytes = backend_named("cuda").compile(std::get<Plan>(*again.program), Emit::CudaSource, backend_options(c.files, options, path));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

sifr_context* thread_context() {
    struct Owner {
        sifr_context* context = sifr_context_new(nullptr);
        ~Owner() { sifr_context_free(context); }
    };
    static thread_local Owner owner;
    if (!owner.context) fail_machine("out of memory: no context for a call");
    return owner.context;
}

namespace {

[[noreturn]] void fail_raised(sifr_context* context, const Compiled& c, const WrittenNames& names) {
    Error::Details d;
    d.kind = Error::Kind::Raise;
    d.message = sifr_context_error(context);
    const size_t colon = d.message.find(": ");
    d.exception = d.message.substr(0, colon);
    if (colon != std::string::npos) d.exception_text = d.message.substr(colon + 2);
    const char* file = nullptr;
    const int32_t line = sifr_context_error_line(context, &file);
    if (file && line > 0) d.places.push_back({file, static_cast<uint32_t>(line), 0, ""});
    const std::vector<bool>* written = nullptr;
    for (uint32_t f = 0; file && f < c.files.size() && !written; ++f)
        if (c.files.file(f).path() == file) written = c.written_before.at(f, static_cast<uint32_t>(line));
    d.written = names(written ? *written : c.written);
    std::string text = file && line > 0 ? fmt::format("{}:{}: error: {}", file, line, d.message) : "error: " + d.message;
    if (!d.written.empty()) text += fmt::format("\nnote: written before, wholly or in part: {}", fmt::join(d.written, ", "));
    throw Error(std::move(d), text);
}

constexpr size_t few = 32;

}  // namespace

void call(sifr_context* context, const Compiled& c, const std::vector<void*>& bases, const std::vector<void*>& callers, std::span<const detail::Result> numbers, std::vector<detail::Result>& results,
          const WrittenNames& names) {
    void* few_arguments[few];
    int64_t few_numbers[few];
    std::vector<void*> many_arguments;
    std::vector<int64_t> many_numbers;
    void** arguments = few_arguments;
    int64_t* bits = few_numbers;
    if (bases.size() + c.results.size() > few) {
        many_arguments.resize(bases.size() + c.results.size());
        arguments = many_arguments.data();
    }
    if (numbers.size() + c.number_results > few) {
        many_numbers.resize(numbers.size() + c.number_results);
        bits = many_numbers.data();
    }
    size_t argument = 0;
    for (void* b : bases) arguments[argument++] = b;
    for (size_t k = 0; k < numbers.size(); ++k) bits[k] = numbers[k].bits;
    results.resize(c.results.size());
    for (size_t k = 0; k < c.results.size(); ++k) {
        const ResultShape& r = c.results[k];
        if (r.kind == ResultShape::Kind::Fresh) {
            results[k].tensor = allocate(r.layout.sizes, static_cast<Dtype>(r.dtype));
            arguments[argument++] = results[k].tensor.data();
        } else if (r.kind == ResultShape::Kind::Argument) {
            char* base = static_cast<char*>(callers[r.memory]) + r.layout.offset * size_of(r.dtype);
            results[k].tensor = HostTensor(TensorView(base, static_cast<Dtype>(r.dtype), r.layout.sizes, r.layout.strides), nullptr);
        }
    }
    int64_t* number_results = bits + numbers.size();
    const sifr_status status = c.device ? c.device->call(context, arguments, bits, number_results) : sifr_context_call(context, c.function, arguments, bits, number_results);
    if (status != SIFR_OK) fail_raised(context, c, names);
    for (size_t k = 0; k < c.results.size(); ++k) {
        const ResultShape& r = c.results[k];
        if (r.kind != ResultShape::Kind::Number) continue;
        results[k].bits = *number_results++;
        results[k].kind = r.number == Type::Kind::F64 ? 2 : r.number == Type::Kind::Bool ? 3 : 1;
    }
}

void call(const Compiled& c, sifr_context* context, const CallMemory& memory, std::span<const TensorView* const> tensors, const std::vector<void*>& in_front,
          std::span<const detail::Result> numbers, std::vector<detail::Result>& results, const WrittenNames& names) {
    if (in_front.empty() && memory.misaligned().empty()) return call(context, c, memory.bases(), memory.bases(), numbers, results, names);
    const auto behind = [&](const std::vector<void*>& bases) {
        std::vector<void*> all = in_front;
        all.insert(all.end(), bases.begin(), bases.end());
        return all;
    };
    const StagedMemory staged(memory, tensors);
    try {
        call(context, c, behind(staged.bases()), behind(memory.bases()), numbers, results, names);
    } catch (const Error&) {
        staged.copy_back(c.written, in_front.size());
        throw;
    }
    staged.copy_back(c.written, in_front.size());
}

}  // namespace sifr::host

namespace sifr {

void manual_seed(uint64_t seed) { sifr_context_seed(host::thread_context(), seed); }

namespace detail {

using host::Compiled;

namespace {

/// What a thread computes for each call; kept, so that a call allocates nothing for it.
struct CallScratch {
    host::CallMemory memory;
    std::vector<int64_t> key;
};
thread_local CallScratch scratch;

Type::Kind number_kind(uint8_t kind) { return kind == 2 ? Type::Kind::F64 : kind == 3 ? Type::Kind::Bool : Type::Kind::I64; }

/// `note: called with argument 1 ('x'): f32[2,3], …`
std::string shown_arguments(const CallArguments& a, const std::vector<std::string>& names) {
    std::string out;
    for (size_t k = 0; k < a.tensors.size(); ++k) {
        const TensorView& t = *a.tensors[k];
        out += fmt::format("{}{}: {}[{}]", k ? ", " : "", host::argument_name(k, names), sifr::name_of(t.dtype()), fmt::join(t.sizes(), ", "));
    }
    return out;
}

}  // namespace

Callable::Callable(JitOptions options, Place where) : impl_(std::make_unique<Impl>()) {
    impl_->options = std::move(options);
    if (impl_->options.name.empty()) impl_->options.name = "jit";
    impl_->where = where;
    impl_->path = where.file;
}
Callable::~Callable() = default;

Compiled& Callable::Impl::entry(const std::vector<int64_t>& key) {
    if (Compiled* c = last.load(std::memory_order_acquire); c && c->key == key) return *c;
    std::lock_guard guard(lock);
    std::unique_ptr<Compiled>& e = entries[key];
    if (!e) {
        if (entries.size() > options.cache_limit) {
            const size_t limit = options.cache_limit;
            entries.erase(key);
            host::fail_call(fmt::format("'{}' has been compiled for {} signatures already: its arguments have new sizes, strides, dtypes or C++ numbers on nearly every call", options.name, limit),
                            "pass numbers that change as sifr::Scalar; pad to few sizes; or raise JitOptions::cache_limit");
        }
        e = std::make_unique<Compiled>();
        e->key = key;
    }
    return *e;
}

void Callable::call(const CallArguments& a, const std::function<void(TraceCall&)>& trace, std::vector<Result>& results) {
    const std::vector<std::string>& names = impl_->options.argument_names;
    if (Trace::current() && Trace::current()->in)
        host::fail_call(fmt::format("'{}' is called with memory while another function is traced", impl_->options.name), "call the C++ function itself: what it does is traced, too");
    host::CallMemory& memory = scratch.memory;
    std::vector<int64_t>& key = scratch.key;
    memory.look(a.tensors, names);
    key.clear();
    key.push_back(static_cast<int64_t>(a.tensors.size()));
    memory.add_key(a.tensors, key);
    for (const Result& n : a.numbers) key.push_back(n.kind);
    key.insert(key.end(), a.statics.begin(), a.statics.end());
    Compiled& c = impl_->entry(key);
    if (!c.ready.load(std::memory_order_acquire)) {
        std::lock_guard compiling(c.compiling);
        if (!c.ready.load(std::memory_order_relaxed)) {
            const auto start = std::chrono::steady_clock::now();
            host::ArgumentShape shape = memory.shape(a.tensors);
            shape.names = names;
            for (const Result& n : a.numbers) shape.numbers.push_back(number_kind(n.kind));
            try {
                host::guarded(c.files, [&] {
                    SourceFiles files;
                    try {
                        std::vector<Diagnostic> warnings;
                        host::Traced traced = host::trace(impl_->options.name, shape, trace, impl_->where, files, warnings);
                        c.files = std::move(files);
                        c.diagnostics = std::move(warnings);
                        c.results.clear();
                        c.number_results = 0;
                        host::remark_misaligned(memory, a.tensors, names, c.diagnostics);
                        host::compile(c, std::move(traced), shape.memories.size(), impl_->options, impl_->path);
                    } catch (...) {
                        if (files.size()) c.files = std::move(files);
                        throw;
                    }
                });
            } catch (const Error& e) {
                if (e.kind() != Error::Kind::Compile || a.tensors.empty()) throw;
                std::string text = e.what();
                while (text.ends_with('\n')) text.pop_back();
                throw Error(e.details(), text + "\nnote: called with " + shown_arguments(a, names));
            }
            c.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            c.ready.store(true, std::memory_order_release);
        }
    }
    impl_->last.store(&c, std::memory_order_release);
    for (size_t k = 0; k < a.tensors.size(); ++k)
        if (a.tensors[k]->is_const() && c.written[memory.memory_of(k)])
            host::fail_call(fmt::format("'{}' writes {}, whose memory is const", impl_->options.name, host::argument_name(k, names)), "pass memory that may be written, or a copy: sifr::clone_host(x)");
    const auto written_names = [&](const std::vector<bool>& written) {
        std::vector<std::string> out;
        for (size_t k = 0; k < a.tensors.size(); ++k)
            if (written[memory.memory_of(k)]) out.push_back(host::argument_name(k, names));
        return out;
    };
    host::call(c, host::thread_context(), memory, a.tensors, {}, a.numbers, results, std::ref(written_names));  // a reference: nothing is allocated
    // Const memory that is given back stays const.
    for (size_t r = 0; r < c.results.size(); ++r) {
        if (c.results[r].kind != host::ResultShape::Kind::Argument) continue;
        for (size_t k = 0; k < a.tensors.size(); ++k)
            if (a.tensors[k]->is_const() && memory.memory_of(k) == c.results[r].memory) results[r].tensor = HostTensor(results[r].tensor.as_const(), nullptr);
    }
}

void number_too_large() { host::fail_call("an unsigned number past the largest int of 64 bits", "numbers of a trace are Python's ints, of 64 bits with a sign"); }

std::string Callable::ir(std::string_view stage) const {
    std::string out;
    const Compiled* c = impl_->last.load(std::memory_order_acquire);
    if (!c) host::fail_call(fmt::format("'{}' has not been called yet: there is no IR of it", impl_->options.name));
    host::guarded(c->files, [&] { out = host::ir_text(*c, stage, impl_->options, impl_->path); });
    return out;
}

std::string Callable::source(Device device) const {
    std::string out;
    const Compiled* c = impl_->last.load(std::memory_order_acquire);
    if (!c) host::fail_call(fmt::format("'{}' has not been called yet: there is no code of it", impl_->options.name));
    host::guarded(c->files, [&] { out = host::source_text(*c, device, impl_->options, impl_->path); });
    return out;
}

std::vector<Remark> Callable::remarks() const {
    const Compiled* c = impl_->last.load(std::memory_order_acquire);
    return c ? host::remarks_of(*c) : std::vector<Remark>();
}

std::vector<ClearRow> Callable::ledger() const {
    const Compiled* c = impl_->last.load(std::memory_order_acquire);
    return c ? host::ledger_of(*c) : std::vector<ClearRow>();
}

size_t Callable::signatures() const {
    std::lock_guard guard(impl_->lock);
    return static_cast<size_t>(std::count_if(impl_->entries.begin(), impl_->entries.end(), [](const auto& e) { return e.second->ready.load(std::memory_order_acquire); }));
}

double Callable::compile_seconds() const {
    std::lock_guard guard(impl_->lock);
    double all = 0;
    for (const auto& [key, c] : impl_->entries)
        if (c->ready.load(std::memory_order_acquire)) all += c->seconds;
    return all;
}

}  // namespace detail
}  // namespace sifr
