// A loaded script for the host: its functions' compiled forms, and the memory of its variables.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "compiler/host/callable.h"
#include "compiler/host/error.h"
#include "compiler/host/memory.h"
#include "compiler/host/safetensors.h"
#include "compiler/host/script.h"
#include "compiler/host/script_changes.h"

namespace sifr::detail {

using host::Compiled;
using host::ScriptCapture;

namespace {

host::ResultShape fresh(DType dtype, const Sizes& sizes) {
    host::ResultShape r;
    r.dtype = dtype;
    r.layout = Layout::contiguous(sizes);
    return r;
}

}  // namespace

class ScriptState {
public:
    ScriptState(const std::string& path, std::string text, const LoadOptions& options) : path_(path), text_(std::move(text)), context_(sifr_context_new(nullptr)) {
        if (!context_) host::fail_machine("out of memory: no context for a script");
        if (!options.behind.empty()) text_ += "\n" + options.behind + "\n";
        options_.name = path;
        options_.target_cpu = options.target_cpu;
        options_.cache_folder = options.cache_folder;
        options_.device = options.device;
        host::guarded(files_, [&] {
            capture_ = std::make_unique<ScriptCapture>(files_, path, text_, [this](const Diagnostic& d) { warnings_.push_back(d); });
            Captured top = capture_->take_top_level();
            Compiled c;
            host::Traced traced{std::move(top), {}};
            const Function& f = traced.captured.function;
            for (ValueId r : f[f.body].results) traced.results.push_back(shape_of(f, r));
            for (uint32_t k = 0; k < files_.size(); ++k) c.files.add(files_.file(k).path(), "");
            host::compile(c, std::move(traced), 0, options_, path_);
            std::vector<Result> results;
            host::call(context_, c, {}, {}, {}, results, [](const std::vector<bool>&) { return std::vector<std::string>(); });
            for (Result& r : results) {
                if (r.kind == 0) pieces_.push_back(std::move(r.tensor));
                else numbers_.push_back(std::move(r));
            }
        });
    }
    ~ScriptState() { sifr_context_free(context_); }
    ScriptState(const ScriptState&) = delete;
    ScriptState& operator=(const ScriptState&) = delete;

    void require_function(const std::string& name) {
        std::lock_guard guard(lock_);
        host::guarded(files_, [&] { capture_->require_function(name); });
    }

    ScriptResult call(const std::string& function, const std::vector<ScriptArg>& arguments) {
        std::lock_guard guard(lock_);
        std::vector<Result> out;
        host::guarded(files_, [&] { out = run(function, arguments); });
        return {std::move(out), last_->names};
    }

    std::string source(Device device) {
        std::lock_guard guard(lock_);
        if (!last_) host::fail_call("no function of the script has been called yet: there is no code of it");
        std::string out;
        host::guarded(files_, [&] { out = host::source_text(last_->compiled, device, options_, path_); });
        return out;
    }
    std::vector<Remark> remarks() {
        std::lock_guard guard(lock_);
        return last_ ? host::remarks_of(last_->compiled) : std::vector<Remark>();
    }
    std::vector<ClearRow> ledger() {
        std::lock_guard guard(lock_);
        return last_ ? host::ledger_of(last_->compiled) : std::vector<ClearRow>();
    }

    void bind(const std::string& name, const TensorView& memory) {
        const HostTensor now = state(name);
        std::lock_guard guard(lock_);
        const auto named = std::find_if(capture_->named().begin(), capture_->named().end(), [&](const ScriptCapture::Named& n) { return n.name == name; });
        if (named == capture_->named().end()) host::fail_call(fmt::format("the script keeps no tensor in '{}'", name));
        if (memory.dtype() != now.dtype() || !std::equal(memory.sizes().begin(), memory.sizes().end(), now.sizes().begin(), now.sizes().end()))
            host::fail_call(fmt::format("'{}' is {}[{}], and the memory for it is {}[{}]", name, name_of(now.dtype()), fmt::join(now.sizes(), ", "), name_of(memory.dtype()), fmt::join(memory.sizes(), ", ")));
        if (!memory.is_contiguous() || memory.is_const() || reinterpret_cast<uintptr_t>(memory.data()) % std::min<size_t>(element_size(memory.dtype()), 8) != 0)
            host::fail_call(fmt::format("the memory for '{}' is {}", name, memory.is_const() ? "const" : memory.is_contiguous() ? "not aligned for its elements" : "not contiguous"));
        Sizes frame = capture_->pieces().at(named->piece).frame;
        if (is_complex(named->dtype)) frame.pop_back();
        if (!named->layout.is_whole(frame))
            host::fail_call(fmt::format("'{}' is a view of a part of other memory", name), "bind what it is a view of");
        for (size_t p = 0; p < pieces_.size(); ++p)
            if (p != named->piece && overlap(memory, pieces_[p])) host::fail_call(fmt::format("the memory for '{}' is another variable's already", name));
        pieces_[named->piece] = HostTensor(memory, nullptr);
        bound_[name] = memory;
    }

    std::string ir(std::string_view stage) {
        std::lock_guard guard(lock_);
        if (!last_) host::fail_call("no function of the script has been called yet: there is no IR of it");
        std::string out;
        host::guarded(files_, [&] { out = host::ir_text(last_->compiled, stage, options_, path_); });
        return out;
    }

    HostTensor state(const std::string& name) {
        std::lock_guard guard(lock_);
        std::vector<std::string> known;
        for (const ScriptCapture::Named& n : capture_->named()) {
            if (n.name == name) return shown(pieces_, n);
            known.push_back(n.name);
        }
        const std::string near = nearest_name(name, known);
        host::fail_call(fmt::format("the script keeps no tensor in '{}'", name), near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    std::vector<std::string> names() {
        std::lock_guard guard(lock_);
        std::vector<std::string> out;
        for (const ScriptCapture::Named& n : capture_->named()) out.push_back(n.name);
        return out;
    }

    void save(const std::string& path) {
        std::lock_guard guard(lock_);
        std::vector<std::pair<std::string, HostTensor>> tensors;
        for (const ScriptCapture::Named& n : capture_->named()) tensors.emplace_back(n.name, clone_host(shown(pieces_, n)));
        for (size_t k = 0; k < numbers_.size(); ++k) {
            HostTensor t = zeros_host({}, number_dtype(capture_->number_kind(k)));
            std::memcpy(t.data(), &numbers_[k].bits, element_size(t.dtype()));
            tensors.emplace_back(capture_->number_names()[k], std::move(t));
        }
        host::write_safetensors(path, tensors, {{changes_key, host::text_of_changes(changes_)}});
    }

    void restore(const std::string& path) {
        std::lock_guard guard(lock_);
        const host::SafetensorsFile file(path);
        const std::string changes = file.text(changes_key);
        if (changes.empty() || changes == host::text_of_changes(changes_)) {
            // All is looked at before anything is written.
            for (bool write : {false, true}) fill(file, write, *capture_, pieces_, numbers_);
            return;
        }
        // What was saved has another form: it is reached by the calls that led to it, captured and not run.
        std::vector<host::Change> wanted = host::changes_of_text(changes, path);
        std::unique_ptr<ScriptCapture> capture;
        std::vector<HostTensor> pieces;
        host::guarded(files_, [&] {
            capture = std::make_unique<ScriptCapture>(files_, path_, text_, [](const Diagnostic&) {});
            (void)capture->take_top_level();
            for (host::Change& c : wanted) {
                c.form = capture->form();
                (void)capture->capture(c.function, c.shape, c.arguments);
                capture->keep();
            }
        });
        for (const ScriptCapture::Piece& p : capture->pieces()) pieces.push_back(zeros_host(p.frame, static_cast<Dtype>(p.dtype)));
        std::vector<Result> numbers(capture->numbers());
        fill(file, true, *capture, pieces, numbers);
        capture_ = std::move(capture);
        pieces_ = std::move(pieces);
        numbers_ = std::move(numbers);
        changes_ = std::move(wanted);
        programs_.clear();
        changing_.reset();
        last_ = nullptr;
        // What the host has bound stays where the host has it.
        for (const auto& [name, memory] : bound_)
            for (const ScriptCapture::Named& n : capture_->named()) {
                if (n.name != name || !n.layout.is_whole(capture_->pieces().at(n.piece).frame)) continue;
                if (memory.dtype() != pieces_.at(n.piece).dtype() || memory.numel() != pieces_.at(n.piece).numel()) continue;
                std::memcpy(memory.data(), pieces_.at(n.piece).data(), static_cast<size_t>(memory.numel()) * element_size(memory.dtype()));
                pieces_.at(n.piece) = HostTensor(memory, nullptr);
            }
    }

private:
    struct Program {
        Compiled compiled;
        std::shared_ptr<const std::vector<std::string>> names;  ///< of the results
        size_t own_results = 0;
        std::vector<int> piece_from;
        size_t new_pieces = 0;
        bool steady = false;
    };

    static constexpr const char* changes_key = "sifr.calls";
    /// Do the bytes from the first to the last element meet?
    static bool overlap(const TensorView& a, const TensorView& b) {
        const auto end = [](const TensorView& t) {
            int64_t last = 0;
            for (size_t d = 0; d < t.dim(); ++d) last += t.sizes()[d] == 0 ? 0 : (t.sizes()[d] - 1) * t.strides()[d];
            return static_cast<const char*>(t.data()) + (t.numel() == 0 ? 0 : (last + 1) * static_cast<int64_t>(element_size(t.dtype())));
        };
        return a.numel() > 0 && b.numel() > 0 && static_cast<const char*>(a.data()) < end(b) && static_cast<const char*>(b.data()) < end(a);
    }
    static Dtype number_dtype(Type::Kind k) { return k == Type::Kind::F64 ? kFloat64 : k == Type::Kind::Bool ? kBool : kInt64; }
    /// Reads all that the script keeps; without `write`, only looks whether it is there.
    static void fill(const host::SafetensorsFile& file, bool write, const ScriptCapture& capture, const std::vector<HostTensor>& pieces, std::vector<Result>& numbers) {
        for (const ScriptCapture::Named& n : capture.named()) {
            const HostTensor into = shown(pieces, n);
            if (write) file.read(n.name, into);
            else file.check(n.name, into);
        }
        for (size_t k = 0; k < numbers.size(); ++k) {
            const Type::Kind kind = capture.number_kind(k);
            int64_t bits = 0;
            const TensorView into(&bits, number_dtype(kind), {});
            if (!write) {
                file.check(capture.number_names()[k], into);
                continue;
            }
            file.read(capture.number_names()[k], into);
            numbers[k].bits = bits;
            numbers[k].kind = kind == Type::Kind::F64 ? 2 : kind == Type::Kind::Bool ? 3 : 1;
        }
    }
    static host::ResultShape shape_of(const Function& f, ValueId r) {
        if (f.type(r).is_tensor()) return fresh(f.type(r).dtype, f.type(r).sizes);
        host::ResultShape s;
        s.kind = host::ResultShape::Kind::Number;
        s.number = f.type(r).kind;
        return s;
    }
    static HostTensor shown(const std::vector<HostTensor>& pieces, const ScriptCapture::Named& n) {
        const HostTensor& piece = pieces.at(n.piece);
        char* data = static_cast<char*>(piece.data()) + n.layout.offset * static_cast<int64_t>(size_of(n.dtype));
        return HostTensor(TensorView(data, static_cast<Dtype>(n.dtype), n.layout.sizes, n.layout.strides), piece.owner());
    }

    std::vector<Result> run(const std::string& function, const std::vector<ScriptArg>& arguments) {
        std::vector<const TensorView*> tensors;
        std::vector<ScriptCapture::Argument> bound;
        host::ArgumentShape shape;
        std::vector<Result> numbers = numbers_;
        std::string key = function + "\n";
        using Kind = ScriptCapture::Argument::Kind;
        for (const ScriptArg& a : arguments) {
            ScriptCapture::Argument b;
            switch (a.kind) {
                case ScriptArg::Kind::None: key += "N;"; break;
                case ScriptArg::Kind::Tensor:
                    b.kind = Kind::Tensor;
                    tensors.push_back(&a.tensor);
                    key += "t;";
                    break;
                case ScriptArg::Kind::Number:
                    b.kind = Kind::Number;
                    shape.numbers.push_back(a.number.kind == 2 ? Type::Kind::F64 : a.number.kind == 3 ? Type::Kind::Bool : Type::Kind::I64);
                    numbers.push_back(a.number);
                    key += fmt::format("n{};", a.number.kind);
                    break;
                case ScriptArg::Kind::Static:
                    b.kind = a.number.kind == 2 ? Kind::Float : a.number.kind == 3 ? Kind::Bool : Kind::Int;
                    b.integer = a.number.bits;
                    std::memcpy(&b.real, &a.number.bits, 8);
                    key += fmt::format("s{}:{};", a.number.kind, a.number.bits);
                    break;
                case ScriptArg::Kind::Text:
                    b.kind = Kind::Text;
                    b.text = a.text;
                    key += fmt::format("x{}:{};", a.text.size(), a.text);
                    break;
            }
            bound.push_back(std::move(b));
        }
        host::CallMemory memory;
        memory.look(tensors, {});
        for (size_t k = 0; k < tensors.size(); ++k)
            for (const HostTensor& p : pieces_) {
                if (overlap(*tensors[k], p))
                    host::fail_call(fmt::format("{} is memory of the script's own state", host::argument_name(k, {})), "the function sees its variables without being given them; or pass a copy: sifr::clone_host(x)");
            }
        std::vector<int64_t> layout;
        memory.add_key(tensors, layout);
        key += fmt::format("{}\n", fmt::join(layout, ","));
        const std::string whole_key = key + capture_->form();
        auto known = programs_.find(whole_key);
        if (known != programs_.end()) {
            last_ = known->second.get();
            return execute(*last_, tensors, memory, numbers);
        }
        if (programs_.size() >= options_.cache_limit)
            host::fail_call(fmt::format("functions of '{}' have been compiled {} times already: arguments, or what the script keeps, have a new form on nearly every call", path_, programs_.size()));
        const host::ArgumentShape arguments_shape = [&] {
            host::ArgumentShape s = memory.shape(tensors);
            s.numbers = shape.numbers;
            return s;
        }();
        const std::string form = capture_->form();
        ScriptCapture::Call call = capture_->capture(function, arguments_shape, bound);
        auto program = std::make_unique<Program>();
        std::vector<Result> out;
        try {
            const Function& f = call.captured.function;
            program->own_results = call.results.size();
            std::vector<std::string> names;
            for (const host::ResultShape& r : call.results) names.push_back(r.name);
            program->names = std::make_shared<const std::vector<std::string>>(std::move(names));
            program->piece_from = call.piece_from;
            program->new_pieces = call.new_pieces;
            program->steady = call.steady;
            // A number that was known until now enters as what it was.
            std::vector<Result> entering;
            size_t kept = 0;
            for (size_t k = 0; k < call.initial.size(); ++k) {
                if (!call.initial[k]) {
                    entering.push_back(numbers_.at(kept++));
                    continue;
                }
                Result r;
                r.bits = *call.initial[k];
                r.kind = 1;
                entering.push_back(std::move(r));
            }
            entering.insert(entering.end(), numbers.begin() + static_cast<ptrdiff_t>(numbers_.size()), numbers.end());
            host::Traced traced{call.captured.copy(), call.results};
            const std::vector<ValueId>& yielded = f[f.body].results;
            for (size_t k = yielded.size() - call.new_pieces - call.numbers_out; k < yielded.size(); ++k) traced.results.push_back(shape_of(f, yielded[k]));
            for (uint32_t k = 0; k < files_.size(); ++k) program->compiled.files.add(files_.file(k).path(), "");
            host::remark_misaligned(memory, tensors, {}, program->compiled.diagnostics);
            host::compile(program->compiled, std::move(traced), pieces_.size() + memory.bases().size(), options_, path_);
            last_ = nullptr;
            out = execute(*program, tensors, memory, entering);
        } catch (...) {
            capture_->undo();
            throw;
        }
        capture_->keep();
        if (capture_->form() != form) note_change({form, function, arguments_shape, bound});
        Program* made = program.get();
        // Of a call that changes the form, only the change is of use, and that is done.
        if (made->steady) {
            programs_[key + capture_->form()] = std::move(program);
            last_ = made;
        } else {
            changing_ = std::move(program);
            last_ = changing_.get();
        }
        return out;
    }

    /// A call has changed the form of what is kept. One that leads back to an earlier form takes everything since then with it.
    void note_change(host::Change change) {
        changes_.push_back(std::move(change));
        for (size_t k = 0; k < changes_.size(); ++k) {
            if (changes_[k].form != capture_->form()) continue;
            changes_.resize(k);
            return;
        }
    }

    std::vector<Result> execute(const Program& p, const std::vector<const TensorView*>& tensors, const host::CallMemory& memory, const std::vector<Result>& numbers) {
        for (size_t k = 0; k < tensors.size(); ++k)
            if (tensors[k]->is_const() && p.compiled.written.at(pieces_.size() + memory.memory_of(k)))
                host::fail_call(fmt::format("the function writes {}, whose memory is const", host::argument_name(k, {})));
        std::vector<void*> bases;
        for (const HostTensor& t : pieces_) bases.push_back(t.data());
        std::vector<Result> results;
        host::call(p.compiled, context_, memory, tensors, bases, numbers, results, [&](const std::vector<bool>& written) {
            std::vector<std::string> out;
            for (const ScriptCapture::Named& n : capture_->named())
                if (n.piece < pieces_.size() && written.at(n.piece)) out.push_back(n.name);
            for (size_t k = 0; k < tensors.size(); ++k)
                if (written.at(pieces_.size() + memory.memory_of(k))) out.push_back(host::argument_name(k, {}));
            return out;
        });
        // Results that are views of the state keep it alive.
        for (size_t k = 0; k < p.own_results; ++k) {
            const host::ResultShape& r = p.compiled.results[k];
            if (r.kind == host::ResultShape::Kind::Argument && r.memory < pieces_.size()) results[k].tensor = HostTensor(results[k].tensor, pieces_[r.memory].owner());
        }
        // Const memory that is given back stays const.
        for (size_t k = 0; k < tensors.size(); ++k)
            for (size_t n = 0; tensors[k]->is_const() && n < p.own_results; ++n) {
                const host::ResultShape& r = p.compiled.results[n];
                if (r.kind == host::ResultShape::Kind::Argument && r.memory == pieces_.size() + memory.memory_of(k)) results[n].tensor = HostTensor(results[n].tensor.as_const(), nullptr);
            }
        size_t next = p.own_results;
        std::vector<HostTensor> pieces;
        for (int from : p.piece_from) pieces.push_back(from >= 0 ? pieces_.at(static_cast<size_t>(from)) : std::move(results.at(next++).tensor));
        std::vector<Result> kept;
        while (next < results.size()) kept.push_back(std::move(results[next++]));
        pieces_ = std::move(pieces);
        numbers_ = std::move(kept);
        results.resize(p.own_results);
        return results;
    }

    std::mutex lock_;
    std::string path_, text_;
    JitOptions options_;
    SourceFiles files_;
    std::vector<Diagnostic> warnings_;
    sifr_context* context_;
    std::unique_ptr<ScriptCapture> capture_;
    std::vector<HostTensor> pieces_;   ///< memory of the variables
    std::map<std::string, TensorView> bound_;  ///< those that the host has given memory
    std::vector<Result> numbers_;      ///< run-time numbers that they hold
    std::vector<host::Change> changes_;  ///< calls that led from the top level to the form of now
    std::map<std::string, std::unique_ptr<Program>> programs_;
    std::unique_ptr<Program> changing_;
    Program* last_ = nullptr;
};

}  // namespace sifr::detail

namespace sifr {

const detail::Result& ScriptResult::at(size_t i) const {
    if (i >= results_.size()) host::fail_call(fmt::format("result {} of {}", i, results_.size()));
    return results_[i];
}
const HostTensor& ScriptResult::tensor(size_t i) const {
    const detail::Result& r = at(i);
    if (r.kind != 0) host::fail_call(fmt::format("result {} is a number, not a tensor", i));
    return r.tensor;
}

size_t ScriptResult::position(std::string_view name) const {
    const auto at = std::find(names_->begin(), names_->end(), name);
    if (at != names_->end() && !name.empty()) return static_cast<size_t>(at - names_->begin());
    const std::string near = nearest_name(std::string(name), *names_);
    host::fail_call(fmt::format("no result is called '{}'", name), near.empty() ? "a function's dict gives its results names" : fmt::format("did you mean '{}'?", near));
}

ScriptResult ScriptFunction::operator()(const std::vector<ScriptArg>& arguments) const { return state_->call(name_, arguments); }
std::string ScriptFunction::ir(std::string_view stage) const { return state_->ir(stage); }
std::string ScriptFunction::source(Device device) const { return state_->source(device); }
std::vector<Remark> ScriptFunction::remarks() const { return state_->remarks(); }
std::vector<ClearRow> ScriptFunction::ledger() const { return state_->ledger(); }

HostTensor Script::state(const std::string& name) const { return state_->state(name); }
std::vector<std::string> Script::state_names() const { return state_->names(); }
void Script::save(const std::string& path) const { state_->save(path); }
void Script::restore(const std::string& path) const { state_->restore(path); }
void Script::bind(const std::string& name, const TensorView& memory) const { state_->bind(name, memory); }
ScriptFunction Script::function(const std::string& name) const {
    state_->require_function(name);
    ScriptFunction f;
    f.state_ = state_;
    f.name_ = name;
    return f;
}

Script load_string(const std::string& text, const std::string& name) { return load_string(text, name, {}); }
Script load_string(const std::string& text, const std::string& name, const LoadOptions& options) {
    Script s;
    s.state_ = std::make_shared<detail::ScriptState>(name, text, options);
    return s;
}
Script load(const std::string& path) { return load(path, {}); }
Script load(const std::string& path, const LoadOptions& options) {
    std::ifstream f(path, std::ios::binary);
    if (!f) host::fail_machine(fmt::format("cannot read '{}'", path));
    return load_string(std::string((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>()), path, options);
}

}  // namespace sifr
