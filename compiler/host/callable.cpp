// From a call to code: the key of its arguments, the entry for the key, the trace and compilation of a new one, the call.

#include "compiler/host/callable.h"

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
    out.code = backend_named("llvm").load(plan, backend_options(out.files, options, path));
    out.function = &out.code->function();
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

[[noreturn]] void fail_raised(sifr_context* context, std::vector<std::string> written) {
    Error::Details d;
    d.kind = Error::Kind::Raise;
    d.message = sifr_context_error(context);
    const size_t colon = d.message.find(": ");
    d.exception = d.message.substr(0, colon);
    if (colon != std::string::npos) d.exception_text = d.message.substr(colon + 2);
    const char* file = nullptr;
    const int32_t line = sifr_context_error_line(context, &file);
    if (file && line > 0) d.places.push_back({file, static_cast<uint32_t>(line), 0, ""});
    d.written = std::move(written);
    std::string text = file && line > 0 ? fmt::format("{}:{}: error: {}", file, line, d.message) : "error: " + d.message;
    if (!d.written.empty()) text += fmt::format("\nnote: written before, wholly or in part: {}", fmt::join(d.written, ", "));
    throw Error(std::move(d), text);
}

constexpr size_t few = 32;

}  // namespace

void call(sifr_context* context, const Compiled& c, const std::vector<void*>& bases, std::span<const detail::Result> numbers, std::vector<detail::Result>& results,
          const std::function<std::vector<std::string>()>& written_names) {
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
            char* base = static_cast<char*>(bases[r.memory]) + r.layout.offset * size_of(r.dtype);
            results[k].tensor = HostTensor(TensorView(base, static_cast<Dtype>(r.dtype), r.layout.sizes, r.layout.strides), nullptr);
        }
    }
    int64_t* number_results = bits + numbers.size();
    if (sifr_context_call(context, c.function, arguments, bits, number_results) != SIFR_OK) fail_raised(context, written_names());
    for (size_t k = 0; k < c.results.size(); ++k) {
        const ResultShape& r = c.results[k];
        if (r.kind != ResultShape::Kind::Number) continue;
        results[k].bits = *number_results++;
        results[k].kind = r.number == Type::Kind::F64 ? 2 : r.number == Type::Kind::Bool ? 3 : 1;
    }
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
    host::call(host::thread_context(), c, memory.bases(), a.numbers, results, [&] {
        std::vector<std::string> written;
        for (size_t k = 0; k < a.tensors.size(); ++k)
            if (c.written[memory.memory_of(k)]) written.push_back(host::argument_name(k, names));
        return written;
    });
}

std::string Callable::ir(std::string_view stage) const {
    std::string out;
    const Compiled* c = impl_->last.load(std::memory_order_acquire);
    if (!c) host::fail_call(fmt::format("'{}' has not been called yet: there is no IR of it", impl_->options.name));
    host::guarded(c->files, [&] { out = host::ir_text(*c, stage, impl_->options, impl_->path); });
    return out;
}

std::vector<Remark> Callable::remarks() const {
    std::vector<Remark> out;
    const Compiled* c = impl_->last.load(std::memory_order_acquire);
    if (!c) return out;
    for (const Diagnostic& d : c->diagnostics) {
        Remark r{d.code, d.text, {}};
        if (d.span.known() && d.span.file < c->files.size()) r.place = {c->files.file(d.span.file).path(), d.span.line, d.span.column, ""};
        out.push_back(std::move(r));
    }
    return out;
}

std::vector<ClearRow> Callable::ledger() const {
    static constexpr const char* verdicts[] = {"open", "kept", "removed", "shrunk", "folded", "merged", "lazy"};
    std::vector<ClearRow> out;
    const Compiled* c = impl_->last.load(std::memory_order_acquire);
    if (!c) return out;
    for (const Clear& row : c->ledger) {
        ClearRow r{{}, row.bytes, row.kept_bytes, verdicts[static_cast<size_t>(row.verdict)], row.reason};
        if (!row.location.empty() && row.location[0].known() && row.location[0].file < c->files.size())
            r.place = {c->files.file(row.location[0].file).path(), row.location[0].line, row.location[0].column, ""};
        out.push_back(std::move(r));
    }
    return out;
}

size_t Callable::signatures() const {
    std::lock_guard guard(impl_->lock);
    return impl_->entries.size();
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
