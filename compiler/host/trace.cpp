// Tracing is capture driven by C++ instead of by a syntax tree: the same interpreter, heap, autograd state and builder, and the same torch
// module. An operation of <sifr/sifr.h> is a call of the Python function of its name; `for_`, `while_` and `if_` are three small Python
// functions whose bodies call back, so that loops of a trace are found, peeled and rolled as those of a script.

#include "compiler/host/trace.h"

#include <fstream>
#include <iterator>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/syntax/parser.h"
#include "compiler/frontend/torch/emit.h"
#include "compiler/frontend/torch/tensor_likes.h"
#include "compiler/host/error.h"

namespace sifr::detail {

using capture::Args;
using capture::Interpreter;
using capture::PyValue;
using capture::Values;

std::shared_ptr<Trace>& Trace::current() {
    static thread_local std::shared_ptr<Trace> trace;
    return trace;
}

Handle Trace::handle(const std::shared_ptr<Trace>& self, PyValue v) {
    values.push_back(v);
    return {self, static_cast<uint32_t>(values.size() - 1)};
}

PyValue Trace::value(const Handle& h) {
    if (!h.trace) host::fail_call("a sifr::Tensor without a value is used: it was default-made, or is the gradient of a tensor that has none");
    if (h.trace.get() != this) host::fail_call("a sifr::Tensor of another trace is used: tensors of a trace mean nothing behind it; pass memory in as an argument, and results out as results");
    return values.at(h.index);
}

PyValue Trace::value(const Arg& a) {
    switch (a.kind) {
        case Arg::Kind::None: case Arg::Kind::Left_out: return PyValue::none();
        case Arg::Kind::Handle: return value(a.handle);
        case Arg::Kind::Bool: return PyValue::boolean(a.integer != 0);
        case Arg::Kind::Int: return PyValue::integer(a.integer);
        case Arg::Kind::Float: return PyValue::real(a.real);
        case Arg::Kind::Str: return in->str(a.text);
        case Arg::Kind::Dtype: return PyValue::dtype(static_cast<DType>(a.integer));
        case Arg::Kind::Ints: {
            Values items;
            for (int64_t i : a.ints) items.push_back(PyValue::integer(i));
            return in->tuple(std::move(items));
        }
        case Arg::Kind::List: {
            Values items;
            for (const Arg& i : a.items) items.push_back(value(i));
            return in->tuple(std::move(items));
        }
        case Arg::Kind::Slice: return in->slice(value(a.items.at(0)), value(a.items.at(1)), value(a.items.at(2)));
        case Arg::Kind::Complex: return in->call(PyValue(in->builtin_class("complex")), {value(a.items.at(0)), value(a.items.at(1))});
        case Arg::Kind::Ellipsis: return PyValue::ellipsis();
    }
    SIFR_UNREACHABLE("kind of an argument");
}

void Trace::at(const Place& where) {
    if (where.line == 0) return;
    auto [known, fresh] = files.try_emplace(where.file, 0);
    if (fresh) {
        // The text is for messages; a program may run where its source is not.
        std::ifstream f(where.file);
        known->second = in->files().add(where.file, f ? std::string((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>()) : std::string());
    }
    in->set_span({known->second, where.line, std::max(where.column, 1U), where.line, std::max(where.column, 1U) + 1});
}

namespace {

const std::shared_ptr<Trace>& running() {
    const std::shared_ptr<Trace>& t = Trace::current();
    if (!t || !t->in)
        host::fail_call("there is no trace: operations on sifr::Tensor stand inside of a function that sifr::jit was given. For memory outside of one there are sifr::from_blob, "
                        "sifr::zeros_host and sifr::empty_host");
    return t;
}

PyValue apply(Interpreter& in, std::string_view path, Values positional, std::vector<std::pair<capture::Symbol, PyValue>> keywords) {
    if (path.substr(0, 1) == ".") {
        const std::string_view name = path.substr(1);
        const PyValue self = positional.at(0);
        if (name == "__getitem__") return in.get_item(self, positional.at(1));
        if (name == "__setitem__") {
            in.set_item(self, positional.at(1), positional.at(2));
            return PyValue::none();
        }
        if (name == "__getattribute__") return in.get_attr(self, positional.at(1).as<capture::StrObject>()->text);
        if (name == "grad") return in.get_attr(self, "grad");
        if (name == "grad=") {
            in.set_attr(self, capture::symbol("grad"), positional.at(1));
            return PyValue::none();
        }
        static const std::map<std::string_view, syntax::BinaryOp> in_place = {{"__iadd__", syntax::BinaryOp::Add}, {"__isub__", syntax::BinaryOp::Sub},
                                                                              {"__imul__", syntax::BinaryOp::Mult}, {"__itruediv__", syntax::BinaryOp::Div}};
        if (auto op = in_place.find(name); op != in_place.end()) return in.binary(op->second, self, positional.at(1), true);
        positional.erase(positional.begin());
        return in.call(name == "__call__" ? self : in.get_attr(self, name), Args{std::move(positional), std::move(keywords)});
    }
    if (path.substr(0, 9) == "operator.") {
        static const std::map<std::string_view, syntax::BinaryOp> binary = {{"add", syntax::BinaryOp::Add}, {"sub", syntax::BinaryOp::Sub}, {"mul", syntax::BinaryOp::Mult},
                                                                            {"truediv", syntax::BinaryOp::Div}, {"mod", syntax::BinaryOp::Mod}, {"and_", syntax::BinaryOp::BitAnd},
                                                                            {"or_", syntax::BinaryOp::BitOr}, {"xor", syntax::BinaryOp::BitXor}};
        static const std::map<std::string_view, syntax::CompareOp> compare = {{"lt", syntax::CompareOp::Lt}, {"le", syntax::CompareOp::LtE}, {"gt", syntax::CompareOp::Gt},
                                                                              {"ge", syntax::CompareOp::GtE}, {"eq", syntax::CompareOp::Eq}, {"ne", syntax::CompareOp::NotEq}};
        const std::string_view name = path.substr(9);
        if (auto op = binary.find(name); op != binary.end()) return in.binary(op->second, positional.at(0), positional.at(1));
        return in.compare(compare.at(name), positional.at(0), positional.at(1));
    }
    const size_t dot = path.rfind('.');
    if (path == "print") return in.call(Trace::current()->print, Args{std::move(positional), std::move(keywords)});
    if (dot == std::string_view::npos) raise("NameError", "name '{}' is not defined", path);
    const PyValue module = in.import(std::string(path.substr(0, dot)));
    return in.call(in.get_attr(module, path.substr(dot + 1)), Args{std::move(positional), std::move(keywords)});
}

PyValue tuple_of(Trace& t, const std::vector<Handle>& handles) {
    Values items;
    for (const Handle& h : handles) items.push_back(t.value(h));
    return t.in->tuple(std::move(items));
}

std::vector<Handle> handles_of(const std::shared_ptr<Trace>& t, PyValue v) {
    std::vector<Handle> out;
    for (PyValue i : t->in->iterate(v)) out.push_back(t->handle(t, i));
    return out;
}

const capture::TensorObject* tensor(Trace& t, const Handle& h) {
    const PyValue v = t.value(h);
    if (v.is(capture::Kind::Tensor)) return v.as<capture::TensorObject>();
    host::fail_call(fmt::format("a sifr::Tensor was expected, and this is {}", v.is_none() ? "None: a gradient that there is not" : "a Python value of type " + t.in->type_name(v)));
}

std::vector<int64_t> ints(Trace& t, PyValue v) {
    std::vector<int64_t> out;
    for (PyValue i : t.in->iterate(v)) out.push_back(t.in->need_int(i, "a size"));
    return out;
}

}  // namespace

Handle invoke(const char* path, std::vector<Arg> args, Place where) {
    const std::shared_ptr<Trace>& t = running();
    t->at(where);
    Values positional;
    std::vector<std::pair<capture::Symbol, PyValue>> keywords;
    for (const Arg& a : args) {
        if (a.kind == Arg::Kind::Left_out) continue;
        const PyValue v = t->value(a);
        if (a.keyword) keywords.emplace_back(capture::symbol(a.keyword), v);
        else positional.push_back(v);
    }
    return t->handle(t, apply(*t->in, path, std::move(positional), std::move(keywords)));
}

std::vector<Handle> members(const Handle& of) {
    const std::shared_ptr<Trace>& t = running();
    return handles_of(t, t->value(of));
}

Handle constant(const Arg& value, Place where) {
    const std::shared_ptr<Trace>& t = running();
    t->at(where);
    return t->handle(t, t->value(value));
}

Dtype dtype_of(const Handle& h) {
    Trace& t = *running();
    if (const PyValue v = t.value(h); capture::passes_for_tensor(*t.in, v)) return static_cast<Dtype>(t.in->get_attr(v, "dtype").as_dtype());
    return static_cast<Dtype>(t.in->function().type(tensor(t, h)->value).dtype);
}
std::vector<int64_t> sizes_of(const Handle& h) {
    Trace& t = *running();
    if (const PyValue v = t.value(h); capture::passes_for_tensor(*t.in, v)) return ints(t, t.in->get_attr(v, "shape"));
    const Type& type = t.in->function().type(tensor(t, h)->value);
    if (!type.run_time_sizes.empty()) throw capture::NeedStatic("a size that is known only at run time, asked for while tracing");
    return type.sizes;
}
std::vector<int64_t> strides_of(const Handle& h) {
    Trace& t = *running();
    if (const PyValue v = t.value(h); capture::passes_for_tensor(*t.in, v)) return ints(t, t.in->call(t.in->get_attr(v, "stride"), Values{}));
    return t.in->function()[tensor(t, h)->value].view.layout.strides;
}
bool flag_of(const Handle& h, const char* attribute) {
    Trace& t = *running();
    return t.in->is_true(t.in->get_attr(t.value(h), attribute), attribute);
}
bool is_none(const Handle& h) { return !h.trace || (h.trace->in && h.trace->value(h).is_none()); }
int64_t known_int(const Handle& h) {
    Trace& t = *running();
    return t.in->need_int(t.value(h), "an int that C++ asks for");
}

std::vector<Handle> run_for(const Arg& begin, const Arg& end, const std::vector<Handle>& carried,
                            const std::function<std::vector<Handle>(const Handle&, const std::vector<Handle>&)>& body, Place where) {
    const std::shared_ptr<Trace> t = running();
    t->at(where);
    const PyValue code = t->in->native("body", [&](Interpreter&, Args& a) { return tuple_of(*t, body(t->handle(t, a[0]), handles_of(t, a[1]))); });
    return handles_of(t, t->in->call(t->run_for, {t->value(begin), t->value(end), tuple_of(*t, carried), code}));
}

std::vector<Handle> run_while(const std::vector<Handle>& carried, const std::function<Handle(const std::vector<Handle>&)>& condition,
                              const std::function<std::vector<Handle>(const std::vector<Handle>&)>& body, Place where) {
    const std::shared_ptr<Trace> t = running();
    t->at(where);
    const PyValue test = t->in->native("condition", [&](Interpreter&, Args& a) { return t->value(condition(handles_of(t, a[0]))); });
    const PyValue code = t->in->native("body", [&](Interpreter&, Args& a) { return tuple_of(*t, body(handles_of(t, a[0]))); });
    return handles_of(t, t->in->call(t->run_while, {tuple_of(*t, carried), test, code}));
}

std::vector<Handle> run_if(const Handle& condition, const std::function<std::vector<Handle>()>& then, const std::function<std::vector<Handle>()>& otherwise, Place where) {
    const std::shared_ptr<Trace> t = running();
    t->at(where);
    const PyValue a = t->in->native("then", [&](Interpreter&, Args&) { return tuple_of(*t, then()); });
    const PyValue b = t->in->native("otherwise", [&](Interpreter&, Args&) { return tuple_of(*t, otherwise()); });
    return handles_of(t, t->in->call(t->run_if, {t->value(condition), a, b}));
}

}  // namespace sifr::detail

namespace sifr {

NoGradGuard::NoGradGuard() : before_(false) {
    AutogradState& state = detail::running()->in->autograd();
    before_ = state.grad_enabled();
    state.set_grad_enabled(false);
}
NoGradGuard::~NoGradGuard() {
    // A trace that failed has ended before its guards.
    if (const auto& t = detail::Trace::current(); t && t->in) t->in->autograd().set_grad_enabled(before_);
}

}  // namespace sifr

namespace sifr::host {

namespace {

using namespace capture;

constexpr const char* control_flow = R"(def run_for(begin, end, carried, body):
    for i in range(begin, end):
        carried = body(i, carried)
    return carried

def run_while(carried, condition, body):
    while condition(carried):
        carried = body(carried)
    return carried

def run_if(condition, then, otherwise):
    if condition:
        given = then()
    else:
        given = otherwise()
    return given

__trace__(run_for, run_while, run_if, print)
)";

/// Ends the trace whatever happens, so that handles that outlive it are refused.
struct EndOfTrace {
    std::shared_ptr<detail::Trace> trace, outer;
    ~EndOfTrace() {
        trace->in = nullptr;
        trace->values.clear();
        detail::Trace::current() = outer;
    }
};

}  // namespace

Traced trace(const std::string& name, const ArgumentShape& shape, const std::function<void(detail::TraceCall&)>& body, detail::Place where, SourceFiles& files,
             std::vector<Diagnostic>& warnings) {
    CaptureOptions options;
    options.script_path = where.file;
    std::vector<ResultShape> results;
    auto t = std::make_shared<detail::Trace>();
    {
        std::ifstream f(where.file);
        t->files[where.file] = files.add(where.file, f ? std::string((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>()) : std::string());
    }
    const uint32_t script = files.add("<sifr>", control_flow);
    const std::unique_ptr<syntax::Module> module = syntax::parse_module(files.file(script), script);
    Interpreter in(files, options, [&](const Diagnostic& d) { warnings.push_back(d); });
    bind_torch(in);
    t->in = &in;
    const EndOfTrace end{t, detail::Trace::current()};
    detail::Trace::current() = t;
    in.add_builtin("__trace__", in.native("__trace__", [&](Interpreter&, Args& a) -> PyValue {
        t->run_for = a[0];
        t->run_while = a[1];
        t->run_if = a[2];
        t->print = a[3];
        t->at(where);
        in.import("torch");  // which also gives tensors their methods
        in.function().name = name;
        std::vector<StorageId> storages;
        detail::TraceCall call;
        for (PyValue v : argument_tensors(in, shape, storages)) call.tensors.push_back(t->handle(t, v));
        for (Type::Kind k : shape.numbers) {
            Type type;
            type.kind = k;
            call.numbers.push_back(t->handle(t, PyValue::dynamic(in.function().add_parameter(in.function().body, type, fmt::format("n{}", call.numbers.size() + 1)), k)));
        }
        body(call);
        for (const detail::Handle& h : call.results) results.push_back(add_result(in, t->value(h), storages));
        return PyValue::none();
    }));
    CaptureResult captured = in.run(*module);
    return {std::move(captured.captured), std::move(results)};
}

}  // namespace sifr::host
