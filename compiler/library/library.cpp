// From a script to the functions of a library: which forms what it keeps can take is found by capturing every function in every form that
// is known, from the first one on, until no new one comes. A form is reached by calls, and is made again by the same calls on a fresh
// capture.

#include "compiler/library/library.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "compiler/host/script.h"
#include "passes/run_passes.h"

namespace sifr {

namespace {

using host::ScriptCapture;
constexpr size_t most_forms = 8;

[[noreturn]] void refuse(const char* code, std::string text, std::string help, int exit_code) {
    Diagnostic d;
    d.code = code;
    d.text = std::move(text);
    d.help = std::move(help);
    throw CompileError(d, exit_code);
}

bool is_identifier(const std::string& s) {
    return !s.empty() && (std::isdigit(static_cast<unsigned char>(s[0])) == 0) &&
           std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

class Maker {
public:
    Maker(const std::string& path, const std::string& text, const LibraryOptions& options, LibraryMessages& messages)
        : path_(path), text_(text), options_(options), messages_(messages) {}

    Library make() {
        out_.script = path_;
        out_.name = options_.name.empty() ? std::filesystem::path(path_).stem().string() : options_.name;
        if (!is_identifier(out_.name))
            refuse("library-name", fmt::format("'{}' cannot begin the names of functions in C", out_.name), "name the library: --name=NAME",
                   2);
        if (options_.functions.empty())
            refuse("no-function", "a library is made of functions, and none is named", "name them: --functions=step,predict", 2);
        std::set<std::string> names{"context_new", "context_free", "context_seed", "error", "error_line",
                                    "state",       "context",      "options",      "tensor"};
        for (const std::string& f : options_.functions)
            if (!is_identifier(f) || !names.insert(f).second)
                refuse("library-name",
                       fmt::format("'{}' cannot be a function of the library: {}", f,
                                   is_identifier(f) ? "there is one of this name" : "C has no such names"),
                       "wrap it in a function of another name", 2);
        std::unique_ptr<Session> session = begin({}, true);
        for (const std::string& f : options_.functions) describe(*session->script, f);
        forms_.emplace(session->script->form(), 0);
        paths_.emplace_back();
        add_form(*session->script);
        for (size_t form = 0; form < paths_.size(); ++form) {
            if (!session) session = begin(paths_[form], false);
            for (size_t f = 0; f < out_.functions.size(); ++f) {
                if (!session) session = begin(paths_[form], false);
                if (capture(*session, form, f) != form) session.reset();
            }
            session.reset();
        }
        return std::move(out_);
    }

private:
    struct Session {
        SourceFiles& files;
        std::unique_ptr<ScriptCapture> script;
    };

    /// The script after its top level and the calls of `path`.
    std::unique_ptr<Session> begin(const std::vector<size_t>& path, bool first) {
        auto s = std::make_unique<Session>(Session{messages_.files.emplace_back(), nullptr});
        s->script = std::make_unique<ScriptCapture>(s->files, path_, text_, [this, first](const Diagnostic& d) {
            if (first) messages_.diagnostics.push_back(d);
        });
        Captured top = s->script->take_top_level();
        if (first) {
            Library::Code code;
            code.piece_from.assign(s->script->pieces().size(), -1);
            code.kept_out = static_cast<int32_t>(s->script->numbers());
            code.plan = planned(std::move(top));
            if (!code.plan.body.insts.empty() || !code.piece_from.empty() || code.kept_out != 0) out_.top.emplace(std::move(code));
        }
        for (size_t f : path) {
            (void)call(*s->script, f);
            s->script->keep();
        }
        return s;
    }

    Plan planned(Captured captured) {
        Program program(std::move(captured));
        PassContext context;
        context.report = [&](const Diagnostic& d) { messages_.diagnostics.push_back(d); };
        RunPassesOptions options;
        options.stop_at = "plan";
        run_passes(program, context, options);
        return std::move(std::get<Plan>(program));
    }

    /// The parameters of a function, by signature or annotation.
    void describe(ScriptCapture& script, const std::string& name) {
        Library::Function f{name, {}, {}};
        std::map<std::string, std::string> said;
        for (const std::string& text : options_.signatures) {
            LibrarySignature s = parse_signature(text);
            if (std::find(options_.functions.begin(), options_.functions.end(), s.function) == options_.functions.end())
                refuse("signature", fmt::format("the signature of '{}', which is none of the functions", s.function),
                       "name it with --functions", 2);
            if (s.function != name) continue;
            said.insert(s.parameters.begin(), s.parameters.end());
        }
        bool ended = false;
        for (const ScriptCapture::Parameter& p : script.parameters(name)) {
            auto at = said.find(p.name);
            const std::string type = at != said.end() ? at->second : p.annotation;
            if (at != said.end()) said.erase(at);
            if (type.empty() && p.has_default) {
                ended = true;
                continue;
            }
            const std::string what = fmt::format("parameter '{}' of '{}'", p.name, name);
            if (type.empty() || ended)
                refuse("signature",
                       type.empty() ? what + " has no type" : what + " has a type, and one in front of it is left to its default",
                       fmt::format("annotate it in the script, {}: \"f32[32,8]\", or say --signature=\"{}({}: f32[32,8])\"", p.name, name,
                                   p.name),
                       2);
            f.parameters.push_back({p.name, type_of_signature(type, what), false});
        }
        if (!said.empty()) refuse("signature", fmt::format("'{}' has no parameter '{}'", name, said.begin()->first), "", 2);
        out_.functions.push_back(std::move(f));
    }

    ScriptCapture::Call call(ScriptCapture& script, size_t function) {
        const Library::Function& f = out_.functions[function];
        host::ArgumentShape shape;
        std::vector<ScriptCapture::Argument> arguments;
        for (const Library::Parameter& p : f.parameters) {
            ScriptCapture::Argument a;
            if (p.type.is_tensor()) {
                a.kind = ScriptCapture::Argument::Kind::Tensor;
                shape.tensors.push_back({static_cast<uint32_t>(shape.memories.size()), Layout::contiguous(p.type.sizes)});
                shape.memories.push_back({p.type.dtype, p.type.numel()});
                shape.names.push_back(p.name);
            } else {
                a.kind = ScriptCapture::Argument::Kind::Number;
                shape.numbers.push_back(p.type.kind);
            }
            arguments.push_back(std::move(a));
        }
        return script.capture(f.name, shape, arguments, true);
    }

    /// Captures one function in one form, and gives the form that it leads to.
    size_t capture(Session& session, size_t form, size_t function) {
        ScriptCapture& script = *session.script;
        ScriptCapture::Call c = call(script, function);
        script.keep();
        const auto [next, is_new] = forms_.emplace(script.form(), paths_.size());
        if (is_new) {
            if (paths_.size() >= most_forms)
                throw NotSupported(
                    fmt::format("a library whose functions leave what the script keeps in more than {} forms", most_forms),
                    fmt::format("'{}' keeps something new on every call: lists that grow, or numbers that the code depends on",
                                out_.functions[function].name));
            paths_.push_back(paths_[form]);
            paths_.back().push_back(function);
            add_form(script);
        }
        Library::Code code;
        code.next_form = static_cast<int32_t>(next->second);
        code.piece_from.assign(c.piece_from.begin(), c.piece_from.end());
        int32_t kept = 0;
        for (const std::optional<int64_t>& initial : c.initial) {
            code.number_from.push_back(initial ? -1 : kept++);
            code.initial.push_back(initial.value_or(0));
        }
        code.kept_out = static_cast<int32_t>(c.numbers_out);
        Library::Function& f = out_.functions[function];
        std::vector<Type> results;
        for (const host::ResultShape& r : c.results) {
            if (r.kind == host::ResultShape::Kind::Number) {
                results.push_back(Type::i64());
                results.back().kind = r.number;
            } else {
                results.push_back(Type::tensor(r.dtype, r.layout.sizes));
            }
        }
        if (form != 0 && results != f.results)
            throw NotSupported(
                fmt::format("'{}' in a library: its results have other types once the script's variables have changed", f.name),
                "give results of one dtype and size");
        f.results = std::move(results);
        size_t tensors = 0;
        for (const Library::Parameter& p : f.parameters) tensors += p.type.is_tensor();
        const std::vector<bool> written = host::written_memories(c.captured.function, c.state_pieces + tensors);
        size_t at = c.state_pieces;
        for (Library::Parameter& p : f.parameters)
            if (p.type.is_tensor() && written[at++]) p.written = true;
        code.plan = planned(std::move(c.captured));
        const size_t place = form * out_.functions.size() + function;
        if (out_.code.size() <= place) out_.code.resize(place + 1);
        out_.code[place] = std::move(code);
        return next->second;
    }

    void add_form(const ScriptCapture& script) {
        Library::Form form;
        for (const ScriptCapture::Piece& p : script.pieces()) form.bytes.push_back(element_count(p.frame) * size_of(p.dtype));
        for (const ScriptCapture::Named& n : script.named())
            form.tensors.push_back({n.name, n.piece, n.dtype, n.layout});
        out_.forms.push_back(std::move(form));
    }

    const std::string& path_;
    const std::string& text_;
    const LibraryOptions& options_;
    LibraryMessages& messages_;
    Library out_;
    std::map<std::string, size_t> forms_;
    std::vector<std::vector<size_t>> paths_;  ///< calls that lead from the top level to each form
};

}  // namespace

Library make_library(const std::string& path, const std::string& text, const LibraryOptions& options, LibraryMessages& messages) {
    return Maker(path, text, options, messages).make();
}

}  // namespace sifr
