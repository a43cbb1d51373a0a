// A loaded script for the host: its functions' compiled forms, and the memory of its variables.

#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "compiler/host/callable.h"
#include "compiler/host/error.h"
#include "compiler/host/memory.h"
#include "compiler/host/script.h"

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
    ScriptState(const std::string& path, std::string text) : path_(path), context_(sifr_context_new(nullptr)) {
        if (!context_) host::fail_machine("out of memory: no context for a script");
        options_.name = path;
        host::guarded(files_, [&] {
            capture_ = std::make_unique<ScriptCapture>(files_, path, std::move(text), [this](const Diagnostic& d) { warnings_.push_back(d); });
            Captured top = capture_->take_top_level();
            Compiled c;
            host::Traced traced{std::move(top), {}};
            const Function& f = traced.captured.function;
            for (ValueId r : f[f.body].results) traced.results.push_back(shape_of(f, r));
            for (uint32_t k = 0; k < files_.size(); ++k) c.files.add(files_.file(k).path(), "");
            host::compile(c, std::move(traced), 0, options_, path_);
            std::vector<Result> results;
            host::call(context_, c, {}, {}, results, [] { return std::vector<std::string>(); });
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

    std::vector<Result> call(const std::string& function, const std::vector<ScriptArg>& arguments) {
        std::lock_guard guard(lock_);
        std::vector<Result> out;
        host::guarded(files_, [&] { out = run(function, arguments); });
        return out;
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
            if (n.name == name) return shown(n);
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
        nlohmann::ordered_json header;
        int64_t at = 0;
        std::vector<HostTensor> data;
        for (const ScriptCapture::Named& n : capture_->named()) {
            HostTensor t = clone_host(shown(n));
            const int64_t bytes = t.numel() * static_cast<int64_t>(element_size(t.dtype()));
            header[n.name] = {{"dtype", safetensors_name(t.dtype())}, {"shape", std::vector<int64_t>(t.sizes().begin(), t.sizes().end())}, {"data_offsets", {at, at + bytes}}};
            at += bytes;
            data.push_back(std::move(t));
        }
        std::string text = header.empty() ? "{}" : header.dump();
        text.resize((text.size() + 7) / 8 * 8, ' ');
        std::ofstream f(path, std::ios::binary);
        const uint64_t size = text.size();
        f.write(reinterpret_cast<const char*>(&size), 8);
        f.write(text.data(), static_cast<std::streamsize>(text.size()));
        for (const HostTensor& t : data) f.write(static_cast<const char*>(t.data()), static_cast<std::streamsize>(t.numel() * static_cast<int64_t>(element_size(t.dtype()))));
        f.close();
        if (!f) host::fail_machine(fmt::format("cannot write '{}'", path));
    }

    void restore(const std::string& path) {
        std::lock_guard guard(lock_);
        std::ifstream f(path, std::ios::binary);
        if (!f) host::fail_machine(fmt::format("cannot read '{}'", path));
        const std::string all((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>());
        uint64_t size = 0;
        if (all.size() >= 8) std::memcpy(&size, all.data(), 8);
        if (all.size() < 8 || size > all.size() - 8) host::fail_machine(fmt::format("'{}' is no safetensors file", path));
        const nlohmann::json header = nlohmann::json::parse(all.data() + 8, all.data() + 8 + size, nullptr, false);
        if (!header.is_object()) host::fail_machine(fmt::format("'{}' is no safetensors file", path));
        const std::string_view data(all.data() + 8 + size, all.size() - 8 - size);
        // All is looked at before anything is written.
        std::vector<std::pair<HostTensor, std::string_view>> writes;
        for (const ScriptCapture::Named& n : capture_->named()) {
            const HostTensor t = shown(n);
            auto row = header.find(n.name);
            if (row == header.end()) host::fail_call(fmt::format("'{}' has no tensor '{}'", path, n.name));
            const auto sizes = (*row)["shape"].get<std::vector<int64_t>>();
            const auto offsets = (*row)["data_offsets"].get<std::vector<uint64_t>>();
            const std::string dtype = (*row)["dtype"].get<std::string>();
            const uint64_t bytes = static_cast<uint64_t>(t.numel()) * element_size(t.dtype());
            if (dtype != safetensors_name(t.dtype()) || !std::equal(sizes.begin(), sizes.end(), t.sizes().begin(), t.sizes().end()))
                host::fail_call(fmt::format("'{}' in '{}' is {}[{}], and the script's is {}[{}]", n.name, path, dtype, fmt::join(sizes, ", "), safetensors_name(t.dtype()), fmt::join(t.sizes(), ", ")));
            if (offsets.size() != 2 || offsets[1] - offsets[0] != bytes || offsets[1] > data.size()) host::fail_machine(fmt::format("'{}' is damaged: the elements of '{}' are not in it", path, n.name));
            writes.emplace_back(t, data.substr(offsets[0], bytes));
        }
        for (auto& [t, bytes] : writes) {
            std::string aligned(bytes);
            const HostTensor from(TensorView(aligned.data(), t.dtype(), t.sizes()), nullptr);
            const sifr_tensor a{from.data(), static_cast<int32_t>(t.dtype()), static_cast<int32_t>(t.dim()), from.sizes().data(), from.strides().data()};
            const sifr_tensor b{t.data(), static_cast<int32_t>(t.dtype()), static_cast<int32_t>(t.dim()), t.sizes().data(), t.strides().data()};
            sifr_tensor_copy(&a, &b);
        }
    }

private:
    struct Program {
        Compiled compiled;
        size_t own_results = 0;
        std::vector<int> piece_from;
        size_t new_pieces = 0;
        bool steady = false;
    };

    static const char* safetensors_name(Dtype t) {
        static constexpr const char* names[] = {"BOOL", "U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64", "C64", "C128"};
        return names[static_cast<size_t>(t)];
    }
    static host::ResultShape shape_of(const Function& f, ValueId r) {
        if (f.type(r).is_tensor()) return fresh(f.type(r).dtype, f.type(r).sizes);
        host::ResultShape s;
        s.kind = host::ResultShape::Kind::Number;
        s.number = f.type(r).kind;
        return s;
    }
    HostTensor shown(const ScriptCapture::Named& n) {
        const HostTensor& piece = pieces_.at(n.piece);
        char* data = static_cast<char*>(piece.data()) + n.layout.offset * static_cast<int64_t>(element_size(piece.dtype()));
        return HostTensor(TensorView(data, piece.dtype(), n.layout.sizes, n.layout.strides), piece.owner());
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
                const char *a = static_cast<const char*>(tensors[k]->data()), *b = static_cast<const char*>(p.data());
                if (a >= b && a < b + p.numel() * static_cast<int64_t>(element_size(p.dtype())))
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
        ScriptCapture::Call call = capture_->capture(function, arguments_shape, bound);
        auto program = std::make_unique<Program>();
        std::vector<Result> out;
        try {
            const Function& f = call.captured.function;
            program->own_results = call.results.size();
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
            host::compile(program->compiled, std::move(traced), pieces_.size() + memory.bases().size(), options_, path_);
            last_ = nullptr;
            out = execute(*program, tensors, memory, entering);
        } catch (...) {
            capture_->undo();
            throw;
        }
        capture_->keep();
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

    std::vector<Result> execute(const Program& p, const std::vector<const TensorView*>& tensors, const host::CallMemory& memory, const std::vector<Result>& numbers) {
        for (size_t k = 0; k < tensors.size(); ++k)
            if (tensors[k]->is_const() && p.compiled.written.at(pieces_.size() + memory.memory_of(k)))
                host::fail_call(fmt::format("the function writes {}, whose memory is const", host::argument_name(k, {})));
        std::vector<void*> bases;
        for (const HostTensor& t : pieces_) bases.push_back(t.data());
        bases.insert(bases.end(), memory.bases().begin(), memory.bases().end());
        std::vector<Result> results;
        host::call(context_, p.compiled, bases, numbers, results, [&] {
            std::vector<std::string> written;
            for (const ScriptCapture::Named& n : capture_->named())
                if (n.piece < pieces_.size() && p.compiled.written.at(n.piece)) written.push_back(n.name);
            for (size_t k = 0; k < tensors.size(); ++k)
                if (p.compiled.written.at(pieces_.size() + memory.memory_of(k))) written.push_back(host::argument_name(k, {}));
            return written;
        });
        // Results that are views of the state keep it alive.
        for (size_t k = 0; k < p.own_results; ++k) {
            const host::ResultShape& r = p.compiled.results[k];
            if (r.kind == host::ResultShape::Kind::Argument && r.memory < pieces_.size()) results[k].tensor = HostTensor(results[k].tensor, pieces_[r.memory].owner());
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
    std::string path_;
    JitOptions options_;
    SourceFiles files_;
    std::vector<Diagnostic> warnings_;
    sifr_context* context_;
    std::unique_ptr<ScriptCapture> capture_;
    std::vector<HostTensor> pieces_;   ///< memory of the variables
    std::vector<Result> numbers_;      ///< run-time numbers that they hold
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

ScriptResult ScriptFunction::operator()(const std::vector<ScriptArg>& arguments) const { return ScriptResult(state_->call(name_, arguments)); }
std::string ScriptFunction::ir(std::string_view stage) const { return state_->ir(stage); }

HostTensor Script::state(const std::string& name) const { return state_->state(name); }
std::vector<std::string> Script::state_names() const { return state_->names(); }
void Script::save(const std::string& path) const { state_->save(path); }
void Script::restore(const std::string& path) const { state_->restore(path); }
ScriptFunction Script::function(const std::string& name) const {
    state_->require_function(name);
    ScriptFunction f;
    f.state_ = state_;
    f.name_ = name;
    return f;
}

Script load_string(const std::string& text, const std::string& name) {
    Script s;
    s.state_ = std::make_shared<detail::ScriptState>(name, text);
    return s;
}
Script load(const std::string& path) {
    std::ifstream f(path, std::ios::binary);
    if (!f) host::fail_machine(fmt::format("cannot read '{}'", path));
    return load_string(std::string((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>()), path);
}

}  // namespace sifr
