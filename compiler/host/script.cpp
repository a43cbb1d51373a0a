#include "compiler/host/script.h"

#include <algorithm>
#include <bit>
#include <set>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/syntax/parser.h"
#include "compiler/frontend/torch/emit.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::host {

using namespace capture;

namespace {

/// Everything that a script's variables lead to, in a fixed order: `visit(path, slot, holder)` for each place that holds a value. What modules
/// of the prelude hold is code, and left out.
class Reach {
public:
    using Visit = std::function<void(const std::string& path, PyValue& slot)>;
    Reach(Heap& heap, Visit visit) : heap_(heap), visit_(std::move(visit)) {}

    void from(const NamespaceObject* variables) {
        seen_.insert(variables);
        for (auto& [name, slot] : heap_.change(variables).variables.entries)
            if (name->rfind("__", 0) != 0) place(*name, slot);
    }

    /// Is what is visited the parts of a complex tensor?
    [[nodiscard]] bool in_complex() const { return in_complex_; }

private:
    void place(const std::string& path, PyValue& slot) {
        visit_(path, slot);
        if (slot.is_object()) object(path, slot);
    }
    void object(const std::string& path, PyValue v) {
        const capture::Object* o = v.object();
        if (!seen_.insert(o).second) return;
        auto slots = [&](auto* of) { heap_.change(of).visit_slots([&](const std::string& name, PyValue& slot) { place(path + name, slot); }); };
        switch (v.kind()) {
            case Kind::Tuple: return slots(v.as<TupleObject>());
            case Kind::List: return slots(v.as<ListObject>());
            case Kind::Dict: {
                auto* d = v.as<DictObject>();
                // What nn.Module keeps in tables has the names that state_dict() gives: `model.body.0.weight`.
                std::string owner = path;
                bool member = false;
                size_t position = 0;  // stands for a key that is an object, as a parameter in an optimizer's state
                for (const char* table : {"._modules", "._parameters", "._buffers"}) {
                    if (!path.ends_with(table)) continue;
                    owner.resize(path.size() - std::char_traits<char>::length(table));
                    member = true;
                }
                // What an optimizer keeps for its parameters: `optimizer.state[0][exp_avg]`.
                const bool slots_of_optimizer = path.ends_with("._slots");
                if (slots_of_optimizer) owner = path.substr(0, path.size() - 7) + ".state";
                // A tensor as a key stands in `entries` alone.
                for (auto& e : heap_.change(d).entries) {
                    if (e.key.is_object()) object(path + ".key", e.key);
                    place(fmt::format(fmt::runtime(member ? "{0}.{1}" : "{0}[{1}]"), owner, slots_of_optimizer ? std::to_string(position) : e.key.is(Kind::Str) ? e.key.as<StrObject>()->text : e.key.is(Kind::Int) ? std::to_string(e.key.as_int()) : std::to_string(position)), e.value);
                    ++position;
                }
                return;
            }
            case Kind::Set:
                for (auto& e : heap_.change(v.as<SetObject>()).table.entries)
                    if (e.key.is_object()) object(path + ".key", e.key);
                return;
            case Kind::Instance: {
                auto* i = v.as<InstanceObject>();
                if (complex(i)) {
                    // The tensor of its parts goes by its name, and so does the gradient of that.
                    in_complex_ = true;
                    heap_.change(i).visit_slots([&](const std::string& name, PyValue& slot) { place(name == "._pairs" ? path : path + name, slot); });
                    in_complex_ = false;
                } else if (i->cls && i->cls->name == "_Slot" && i->cls->module == "torch.optim.optimizer")
                    heap_.change(i).visit_slots([&](const std::string& name, PyValue& slot) { place(name == ".state" ? path : path + name, slot); });
                else slots(i);
                if (i->native.is_object()) object(path, i->native);
                if (user(i->cls)) object(path + ".__class__", PyValue(i->cls));
                return;
            }
            case Kind::Tensor: return slots(v.as<TensorObject>());
            case Kind::Function: {
                auto* f = v.as<FunctionObject>();
                slots(f);
                for (auto& [name, slot] : heap_.change(f).defaults) place(path + ".__defaults__." + name, slot);
                if (f->closure && seen_.insert(f->closure).second)
                    for (auto& [name, slot] : heap_.change(f->closure).variables.entries) place(path + "." + *name, slot);
                return;
            }
            case Kind::BoundMethod:
                object(path, v.as<BoundMethodObject>()->function);
                if (v.as<BoundMethodObject>()->self.is_object()) object(path, v.as<BoundMethodObject>()->self);
                return;
            case Kind::Class:
                if (user(v.as<ClassObject>())) slots(v.as<ClassObject>());
                return;
            case Kind::Descriptor:
                for (PyValue p : {v.as<DescriptorObject>()->getter, v.as<DescriptorObject>()->setter, v.as<DescriptorObject>()->deleter})
                    if (p.is_object()) object(path, p);
                return;
            case Kind::Iterator: return slots(v.as<IteratorObject>());
            default: return;
        }
    }
    /// A complex tensor that says all of what it is by its parts: none whose conjugation was put off.
    static bool complex(const InstanceObject* i) {
        if (!i->cls || i->cls->name != "Tensor" || i->cls->module != "torch._complex") return false;
        PyValue conjugated;
        const_cast<InstanceObject*>(i)->visit_slots([&](const std::string& name, PyValue& slot) {
            if (name == "._conjugated") conjugated = slot;
        });
        return conjugated.is(Kind::Bool) && !conjugated.as_bool();
    }
    /// Classes of the prelude hold no state.
    static bool user(const ClassObject* c) { return c && c->module == "__main__"; }

    Heap& heap_;
    Visit visit_;
    std::set<const capture::Object*> seen_;
    bool in_complex_ = false;
};

/// A tensor, or a number, that a variable's text for `form` says.
std::string text_of(Interpreter& in, PyValue v, std::map<const capture::Object*, size_t>& numbers) {
    switch (v.kind()) {
        case Kind::Bool: return v.as_bool() ? "T" : "F";
        case Kind::Int: return fmt::format("i{}", v.as_int());
        case Kind::Float: return fmt::format("f{:a}", v.as_float());
        case Kind::DType: return fmt::format("d{}", static_cast<int>(v.as_dtype()));
        case Kind::Device: return fmt::format("D{}{}", v.device_is_cuda(), v.device_index());
        case Kind::Dynamic: return fmt::format("?{}", static_cast<int>(v.scalar()));
        case Kind::Str: return fmt::format("s{}:{}", v.as<StrObject>()->text.size(), v.as<StrObject>()->text);
        default: break;
    }
    if (!v.is_object()) return fmt::format("k{}", static_cast<int>(v.kind()));
    auto [known, fresh] = numbers.try_emplace(v.object(), numbers.size());
    std::string text = fmt::format("o{}", known->second);
    if (!fresh) return text;
    text += fmt::format("k{}", static_cast<int>(v.kind()));
    // What was there before this state was made is told apart by its place in the heap; what calls make, by what it holds.
    if (v.is(Kind::Function) || v.is(Kind::Class) || v.is(Kind::NativeFunction) || v.is(Kind::Module)) text += fmt::format("n{}", v.object()->number);
    if (const auto* i = v.get_if<InstanceObject>()) text += fmt::format("c{}", i->cls->number);
    if (const auto* d = v.get_if<DictObject>())
        for (const auto& e : d->entries) text += "," + (e.key.is_object() && !e.key.is(Kind::Str) ? std::string("key") : text_of(in, e.key, numbers));
    if (const auto* s = v.get_if<SetObject>()) text += fmt::format("z{}", s->table.entries.size());
    if (const auto* l = v.get_if<ListObject>()) text += fmt::format("l{}", l->items.size());
    if (const auto* t = v.get_if<TensorObject>()) {
        const Value& value = in.function()[t->value];
        text += fmt::format("{}{}g{}", value.type.text(), value.view.layout.str(), in.autograd().requires_grad(t->variable));
    }
    return text;
}

}  // namespace

struct ScriptCapture::Meaning {
    Function function;
    AutogradState autograd;
    VariableOwners owners;
};

ScriptCapture::ScriptCapture(SourceFiles& files, std::string path, std::string text, const DiagnosticSink& sink) {
    CaptureOptions options;
    options.script_path = path;
    options.argv = std::vector<std::string>{};
    const uint32_t script = files.add(std::move(path), std::move(text));
    module_ = syntax::parse_module(files.file(script), script);
    in_ = std::make_unique<Interpreter>(files, options, sink);
    bind_torch(*in_);
    in_->function().name = "top_level";
    on_large_stack([&] { in_->run_main(*module_); });
}
ScriptCapture::~ScriptCapture() = default;

ScriptCapture::Found ScriptCapture::scan() {
    Found out;
    std::map<const capture::Object*, size_t> numbers;
    std::set<const capture::Object*> tensors;
    Function& f = in_->function();
    Reach reach(in_->heap(), [&](const std::string& path, PyValue& slot) {
        if (slot.is(Kind::Tensor)) {
            const auto* t = slot.as<TensorObject>();
            const View& view = f[t->value].view;
            const Type& type = f.type(t->value);
            AutogradState& autograd = in_->autograd();
            if (!type.run_time_sizes.empty() || !view.layout.is_static() || (autograd.requires_grad(t->variable) && !autograd.is_leaf(t->variable))) {
                // It may be used while the call runs that made it, not by a later one.
                auto* u = in_->heap().make<UnusableObject>();
                u->what = fmt::format("the variable '{}'", path);
                u->reason = "a tensor that an earlier call made and that has a history, or a size that depends on data: keep `x.detach()`";
                slot = PyValue(u);
            } else if (tensors.insert(t).second) {
                size_t piece = 0;
                while (piece < out.storages.size() && out.storages[piece] != view.storage) ++piece;
                if (piece == out.storages.size()) {
                    out.storages.push_back(view.storage);
                    out.pieces.push_back({path, f[view.storage].dtype, f[view.storage].frame});
                }
                const std::optional<Layout> complex = reach.in_complex() ? complex_layout(view.layout) : std::nullopt;
                out.named.push_back({path, static_cast<uint32_t>(piece), complex ? complex_of(type.dtype) : type.dtype, complex.value_or(view.layout)});
                out.form += fmt::format("p{}", piece);
            }
        } else if (slot.is_dynamic(Type::Kind::Str) || slot.is(Kind::RunTimeList) || slot.is(Kind::Optional)) {
            auto* u = in_->heap().make<UnusableObject>();
            u->what = fmt::format("the variable '{}'", path);
            u->reason = "text, a list that grows, or a value that may be missing, which is known only when the call runs";
            slot = PyValue(u);
        } else if (slot.is_dynamic()) {
            out.numbers.push_back(slot.as_value());
            out.number_names.push_back(path);
            out.number_kinds.push_back(slot.scalar());
        } else if (slot.is(Kind::Int) || slot.is(Kind::Float)) {
            out.statics.emplace_back(path, slot);
        }
        out.form += path + "=" + text_of(*in_, slot, numbers) + ";";
    });
    reach.from(in_->import("__main__")->variables);
    return out;
}

namespace {

/// The whole of a storage as a value, from one of its tensors.
ValueId whole(Interpreter& in, StorageId storage, const TensorObject* tensor) {
    const Sizes frame = in.function()[storage].frame;
    if (layout_of(in, PyValue(tensor)).is_whole(frame)) return tensor->value;
    const PyValue plain = detach(in, PyValue(tensor));
    return tensor_of(emit_one(in, "as_strided"_op, {plain}, attrs({{"size", frame}, {"stride", contiguous_strides(frame)}, {"storage_offset", int64_t{0}}})))->value;
}

}  // namespace

Captured ScriptCapture::take_top_level() {
    std::optional<Captured> out;
    on_large_stack([&] {
        now_ = scan();
        Function& f = in_->function();
        std::vector<const TensorObject*> shows(now_.storages.size(), nullptr);
        Reach(in_->heap(), [&](const std::string&, PyValue& slot) {
            if (!slot.is(Kind::Tensor)) return;
            for (size_t p = 0; p < now_.storages.size(); ++p)
                if (!shows[p] && view_of(*in_, slot).storage == now_.storages[p]) shows[p] = slot.as<TensorObject>();
        }).from(in_->import("__main__")->variables);
        for (size_t p = 0; p < shows.size(); ++p) f[f.body].results.push_back(whole(*in_, now_.storages[p], shows[p]));
        for (ValueId n : now_.numbers) f[f.body].results.push_back(n);
        out.emplace(compact(f));
    });
    return std::move(*out);
}

/// Another function, with the state as parameters.
void ScriptCapture::begin(const std::string& name) {
    struct Old {
        const TensorObject* tensor;
        size_t piece;
        Layout layout;
        bool requires_grad;
    };
    std::vector<Old> old;
    std::set<const capture::Object*> seen;
    Function& f = in_->function();
    Reach(in_->heap(), [&](const std::string&, PyValue& slot) {
        if (!slot.is(Kind::Tensor) || !seen.insert(slot.object()).second) return;
        const auto* t = slot.as<TensorObject>();
        const View& view = f[t->value].view;
        size_t piece = 0;
        while (now_.storages.at(piece) != view.storage) ++piece;
        old.push_back({t, piece, view.layout, in_->autograd().requires_grad(t->variable)});
    }).from(in_->import("__main__")->variables);
    in_->start_function(name);
    torch_classes(*in_).nodes.clear();
    torch_classes(*in_).leaves.clear();
    torch_classes(*in_).custom.clear();
    variable_owners(*in_).clear();
    change_torch_state(*in_).data_aliases.clear();
    std::vector<PyValue> base;
    now_.storages.clear();
    for (const Piece& p : now_.pieces) {
        const Type type = Type::tensor(p.dtype, p.frame);
        ValueId v = f.add_parameter(f.body, type, p.name);
        now_.storages.push_back(f.add_storage({p.name, p.dtype, p.frame, false}));
        f[v].view = {now_.storages.back(), Layout::contiguous(p.frame), {}};
        base.push_back(make_tensor_object(*in_, v, in_->autograd().fresh(type, false, in_->span())));
    }
    for (const Old& o : old) {
        PyValue t = detach(*in_, base[o.piece]);
        if (!o.layout.is_whole(now_.pieces[o.piece].frame))
            t = detach(*in_, emit_one(*in_, "as_strided"_op, {t}, attrs({{"size", o.layout.sizes}, {"stride", o.layout.strides}, {"storage_offset", o.layout.offset}})));
        if (o.requires_grad) t = set_requires_grad(*in_, t, true);
        TensorObject& mine = in_->heap().change(o.tensor);
        mine.value = tensor_of(t)->value;
        mine.variable = tensor_of(t)->variable;
        own_variable(*in_, mine.variable, o.tensor);
    }
    // Numbers: those that are run-time ones already, in order; then those that have been seen to change.
    now_.numbers.clear();
    Reach(in_->heap(), [&](const std::string& path, PyValue& slot) {
        Type::Kind kind = Type::Kind::I64;
        if (slot.is_dynamic()) kind = slot.scalar();
        else if (auto w = widened_.find(path); w != widened_.end() && (slot.is(Kind::Int) || slot.is(Kind::Float))) kind = w->second;
        else return;
        Type type;
        type.kind = kind;
        ValueId v = f.add_parameter(f.body, type, path);
        now_.numbers.push_back(v);
        slot = PyValue::dynamic(v, kind);
    }).from(in_->import("__main__")->variables);
}

/// Numbers that a call has changed from one known value to another become run-time ones; true if there are such.
bool ScriptCapture::widen(const std::vector<std::pair<std::string, PyValue>>& before) {
    bool changed = false;
    std::map<std::string, PyValue> old(before.begin(), before.end());
    for (const auto& [path, v] : next_.statics) {
        auto at = old.find(path);
        if (at == old.end() || at->second.same(v) || at->second.kind() != v.kind()) continue;
        changed |= widened_.emplace(path, v.is(Kind::Float) ? Type::Kind::F64 : Type::Kind::I64).second;
    }
    return changed;
}

PyValue ScriptCapture::callable(const std::string& name) {
    size_t at = name.find('.');
    PyValue v = in_->import("__main__")->variables->variables.get(symbol(name.substr(0, at)));
    while (at != std::string::npos && !v.is_unbound()) {
        const size_t next = name.find('.', at + 1);
        in_->at_top_level([&] { v = in_->get_attr(v, name.substr(at + 1, next == std::string::npos ? next : next - at - 1)); });
        at = next;
    }
    return v;
}

void ScriptCapture::require_function(const std::string& name) {
    const PyValue v = callable(name);
    if (v.is_unbound() || !in_->callable(v)) {
        std::vector<std::string> known;
        for (const auto& [n, slot] : in_->import("__main__")->variables->variables.entries)
            if (slot.is(Kind::Function)) known.push_back(*n);
        Diagnostic d;
        d.code = "no-function";
        d.text = v.is_unbound() ? fmt::format("the script has no function '{}'", name) : fmt::format("'{}' is a {} and cannot be called", name, in_->type_name(v));
        if (!known.empty()) d.help = fmt::format("its functions are {}", fmt::join(known, ", "));
        throw CompileError(d);
    }
}

std::vector<ScriptCapture::Parameter> ScriptCapture::parameters(const std::string& name) {
    require_function(name);
    const PyValue v = callable(name);
    std::vector<Parameter> out;
    if (!v.is(Kind::Function) || !v.as<FunctionObject>()->def) return out;
    const syntax::Parameters& parameters = v.as<FunctionObject>()->def->params;
    parameters.for_each([&](const syntax::Parameter& p) {
        // `*args` and `**kwargs` may stay empty.
        Parameter q{p.name, "", p.default_value != nullptr || &p == parameters.vararg.get() || &p == parameters.kwarg.get()};
        if (p.annotation && p.annotation->kind == syntax::ExprKind::Constant) {
            const auto& c = static_cast<const syntax::Constant&>(*p.annotation);
            if (c.constant == syntax::ConstantKind::Str) q.annotation = c.text;
        } else if (p.annotation && p.annotation->kind == syntax::ExprKind::Name) {
            q.annotation = static_cast<const syntax::Name&>(*p.annotation).id;
        }
        out.push_back(std::move(q));
    });
    return out;
}

ScriptCapture::Call ScriptCapture::capture(const std::string& function, const ArgumentShape& shape, const std::vector<Argument>& arguments, bool copy_views) {
    std::optional<Call> out;
    on_large_stack([&] {
        require_function(function);
        for (int round = 0;; ++round) {
            const Found entry = now_;
            entered_ = entry;
            // Values of the statics before they become parameters.
            std::map<std::string, PyValue> known(entry.statics.begin(), entry.statics.end());
            meaning_ = std::make_unique<Meaning>(Meaning{in_->function(), in_->autograd(), variable_owners(*in_)});
            in_->heap().begin_fork();
            try {
                begin(function);
                Found before = scan();
                Call c{Captured(Function()), {}, {}, 0, {}, 0, 0, false, now_.pieces.size()};
                c.numbers_in = now_.numbers.size();
                std::vector<StorageId> memories = now_.storages;
                const std::vector<StorageId> state = now_.storages;
                Values tensors = argument_tensors(*in_, shape, memories);
                std::vector<ValueId> numbers;
                for (Type::Kind k : shape.numbers) {
                    Type type;
                    type.kind = k;
                    numbers.push_back(in_->function().add_parameter(in_->function().body, type, fmt::format("n{}", numbers.size() + 1)));
                }
                Values positional;
                size_t t = 0, n = 0;
                for (const Argument& a : arguments) {
                    switch (a.kind) {
                        case Argument::Kind::None: positional.push_back(PyValue::none()); break;
                        case Argument::Kind::Tensor: positional.push_back(tensors.at(t++)); break;
                        case Argument::Kind::Number: positional.push_back(PyValue::dynamic(numbers.at(n), shape.numbers.at(n))), ++n; break;
                        case Argument::Kind::Int: positional.push_back(PyValue::integer(a.integer)); break;
                        case Argument::Kind::Float: positional.push_back(PyValue::real(a.real)); break;
                        case Argument::Kind::Bool: positional.push_back(PyValue::boolean(a.integer != 0)); break;
                        case Argument::Kind::Text: positional.push_back(in_->str(a.text)); break;
                    }
                }
                PyValue given;
                const PyValue code = callable(function);
                // What is wrong with the arguments or the results as a whole stands at the function.
                const auto* f_object = code.get_if<FunctionObject>();
                const Span whole_function = f_object && f_object->def ? f_object->def->name_span : Span{};
                if (f_object) in_->set_span(whole_function);
                in_->at_top_level([&] { given = in_->call(code, positional); });
                if (f_object) in_->set_span(whole_function);
                in_->at_top_level([&] { add_results(*in_, given, copy_views ? std::vector<StorageId>() : memories, c.results); });
                next_ = scan();
                if (round < 8 && widen(before.statics)) {
                    take_back();
                    now_ = entry;
                    continue;
                }
                Function& f = in_->function();
                std::vector<const TensorObject*> shows(next_.storages.size(), nullptr);
                Reach(in_->heap(), [&](const std::string&, PyValue& slot) {
                    if (!slot.is(Kind::Tensor)) return;
                    for (size_t p = 0; p < next_.storages.size(); ++p)
                        if (!shows[p] && view_of(*in_, slot).storage == next_.storages[p]) shows[p] = slot.as<TensorObject>();
                }).from(in_->import("__main__")->variables);
                for (size_t p = 0; p < next_.storages.size(); ++p) {
                    auto at = std::find(state.begin(), state.end(), next_.storages[p]);
                    c.piece_from.push_back(at == state.end() ? -1 : static_cast<int>(at - state.begin()));
                    if (at != state.end()) continue;
                    if (std::find(memories.begin(), memories.end(), next_.storages[p]) != memories.end())
                        throw NotSupported(fmt::format("keeping an argument in the variable '{}' after the call", next_.pieces[p].name), "keep a copy: `x.clone()`");
                    f[f.body].results.push_back(whole(*in_, next_.storages[p], shows[p]));
                    ++c.new_pieces;
                }
                for (ValueId v : next_.numbers) f[f.body].results.push_back(v);
                c.numbers_out = next_.numbers.size();
                c.steady = next_.form == before.form;
                // Numbers that were known until now start from what they were.
                for (ValueId p : now_.numbers) {
                    auto at = known.find(f[p].name);
                    if (at == known.end()) c.initial.emplace_back();
                    else c.initial.emplace_back(at->second.is(Kind::Float) ? std::bit_cast<int64_t>(at->second.as_float()) : at->second.as_int());
                }
                c.captured = Captured(compact(f));
                out.emplace(std::move(c));
                return;
            } catch (...) {
                take_back();
                now_ = entry;
                throw;
            }
        }
    });
    return std::move(*out);
}

void ScriptCapture::keep() {
    in_->heap().commit();
    meaning_.reset();
    now_ = std::move(next_);
}

void ScriptCapture::undo() {
    take_back();
    now_ = std::move(entered_);
}

void ScriptCapture::take_back() {
    in_->heap().rollback();
    in_->function() = std::move(meaning_->function);
    in_->autograd() = std::move(meaning_->autograd);
    variable_owners(*in_) = std::move(meaning_->owners);
    meaning_.reset();
}

}  // namespace sifr::host
