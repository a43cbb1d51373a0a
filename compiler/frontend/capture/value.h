#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/frontend/capture/bigint.h"
#include "compiler/frontend/syntax/ast.h"
#include "compiler/frontend/syntax/scopes.h"
#include "ir/analysis/autograd_state.h"
#include "ir/base/check.h"
#include "ir/base/ids.h"
#include "ir/type/dtype.h"
#include "ir/type/type.h"

/// The values that capture computes with. A PyValue is 16 bytes and copied freely; what it points at is an Object of the
/// heap (heap.h), which lives until capture ends and is changed through `Heap::change` only.
namespace sifr::capture {

class Interpreter;
struct Object;
struct ClassObject;

/// An interned name: two equal names are one pointer.
using Symbol = const std::string*;
Symbol symbol(std::string_view name);

enum class Kind : uint8_t {
    // without an object
    Unbound,         ///< a name, attribute or item that has no value
    None,
    NotImplemented,
    Ellipsis,
    Bool,
    Int,             ///< fits 64 bits; wider ones are BigInt objects
    Float,
    DType,
    Device,          ///< `torch.device`
    Dynamic,         ///< a run-time i64, f64, bool, str: an IR value; `scalar()` tells which
    // objects
    BigInt,
    Complex,
    Str,
    Bytes,
    Tuple,           ///< and its subclasses: torch.Size, named tuples
    List,
    Dict,            ///< and its subclasses: OrderedDict, defaultdict, Counter
    Set,             ///< and frozenset
    Range,
    Slice,
    Function,        ///< a def or lambda of a script
    NativeFunction,  ///< a C++ function
    BoundMethod,
    Class,
    Instance,        ///< of a class written in Python; exceptions too
    Module,
    Descriptor,      ///< property, staticmethod, classmethod
    Iterator,
    Super,
    Namespace,       ///< the variables of a module, function call, comprehension or class body
    Tensor,
    RunTimeList,     ///< a list that grows at run time
    Optional,        ///< a merged value that may be absent at run time
    Unusable,        ///< what two paths made of a variable and cannot be merged; an error when used
    Native,          ///< objects of a binding; their class has a protocol
};

class PyValue {
public:
    constexpr PyValue() : kind_(Kind::Unbound), integer_(0) {}
    static PyValue none() { return PyValue(Kind::None); }
    static PyValue unbound() { return {}; }
    static PyValue ellipsis() { return PyValue(Kind::Ellipsis); }
    static PyValue not_implemented() { return PyValue(Kind::NotImplemented); }
    static PyValue boolean(bool v) { PyValue p(Kind::Bool); p.integer_ = v; return p; }
    static PyValue integer(int64_t v) { PyValue p(Kind::Int); p.integer_ = v; return p; }
    static PyValue real(double v) { PyValue p(Kind::Float); p.real_ = v; return p; }
    static PyValue dtype(DType t) { PyValue p(Kind::DType); p.integer_ = static_cast<int64_t>(t); return p; }
    /// `index` is -1 when none was given.
    static PyValue device(bool cuda, int index) { PyValue p(Kind::Device); p.integer_ = (cuda ? 1024 : 0) + index + 1; return p; }
    /// A run-time number or string; `scalar` is I64, F64, Bool or Str.
    static PyValue dynamic(ValueId v, Type::Kind scalar) { PyValue p(Kind::Dynamic); p.scalar_ = scalar; p.integer_ = v.index; return p; }
    PyValue(const Object* o);  // NOLINT: an object is a value

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool is(Kind k) const { return kind_ == k; }
    [[nodiscard]] bool is_none() const { return kind_ == Kind::None; }
    [[nodiscard]] bool is_unbound() const { return kind_ == Kind::Unbound; }
    [[nodiscard]] bool is_object() const { return kind_ >= Kind::BigInt; }
    [[nodiscard]] bool is_dynamic() const { return kind_ == Kind::Dynamic; }
    [[nodiscard]] bool is_dynamic(Type::Kind k) const { return kind_ == Kind::Dynamic && scalar_ == k; }
    [[nodiscard]] bool is_static_number() const { return kind_ == Kind::Bool || kind_ == Kind::Int || kind_ == Kind::Float || kind_ == Kind::BigInt; }
    /// A number of Python (bool included), known now or at run time.
    [[nodiscard]] bool is_number() const { return is_static_number() || (kind_ == Kind::Dynamic && scalar_ != Type::Kind::Str); }
    [[nodiscard]] bool is_str() const { return kind_ == Kind::Str || is_dynamic(Type::Kind::Str); }

    [[nodiscard]] bool as_bool() const { return integer_ != 0; }          ///< Bool
    [[nodiscard]] int64_t as_int() const { return integer_; }             ///< Int, Bool
    [[nodiscard]] double as_float() const { return real_; }               ///< Float
    [[nodiscard]] DType as_dtype() const { return static_cast<DType>(integer_); }
    [[nodiscard]] bool device_is_cuda() const { return integer_ >= 1024; }
    [[nodiscard]] int device_index() const { return static_cast<int>(integer_ % 1024) - 1; }
    [[nodiscard]] ValueId as_value() const { return ValueId(static_cast<size_t>(integer_)); }  ///< Dynamic
    [[nodiscard]] Type::Kind scalar() const { return scalar_; }                                ///< Dynamic
    [[nodiscard]] const Object* object() const { return object_; }
    /// The object as a T (an object class with `static_kind`); checked.
    template <class T>
    [[nodiscard]] const T* as() const {
        SIFR_CHECK(kind_ == T::static_kind, "a Python value of kind {} was taken for one of kind {}", static_cast<int>(kind_), static_cast<int>(T::static_kind));
        return static_cast<const T*>(object_);
    }
    template <class T>
    [[nodiscard]] const T* get_if() const { return kind_ == T::static_kind ? static_cast<const T*>(object_) : nullptr; }

    /// The same value without looking inside objects: Python's `is`, but floats by bits.
    [[nodiscard]] bool same(const PyValue& o) const { return kind_ == o.kind_ && integer_ == o.integer_ && (kind_ != Kind::Dynamic || scalar_ == o.scalar_); }

private:
    constexpr explicit PyValue(Kind k) : kind_(k), integer_(0) {}
    Kind kind_;
    Type::Kind scalar_ = Type::Kind::I64;
    union {
        int64_t integer_;
        double real_;
        const Object* object_;
    };
};

using Values = std::vector<PyValue>;

/// The arguments of one call.
struct Args {
    Values positional;
    std::vector<std::pair<Symbol, PyValue>> keywords;

    [[nodiscard]] size_t size() const { return positional.size(); }
    [[nodiscard]] PyValue operator[](size_t i) const { return positional[i]; }
    /// A keyword's value, or unbound.
    [[nodiscard]] PyValue keyword(std::string_view name) const;
};

// -------------------------------------------------------------------------------------------------- objects

struct Object {
    const Kind kind;
    uint32_t number = 0;  ///< in order of creation
    uint32_t epoch = 0;   ///< of the fork that last saved this object; the heap's own
    bool frozen = false;  ///< one of several that was chosen at run time, or a copy of it: changing it would miss the others
    virtual ~Object() = default;
    /// A copy with the same contents, for the undo journal.
    [[nodiscard]] virtual std::unique_ptr<Object> copy() const = 0;
    /// Takes the contents of `other`, an object of the same class.
    virtual void assign(const Object& other) = 0;
    /// Every PyValue inside, with the name of its place. Used by merging and by loop carrying. Objects of equal keys and
    /// lengths give the same list.
    using SlotVisitor = std::function<void(const std::string& place, PyValue& slot)>;
    virtual void visit_slots(const SlotVisitor&) {}
    /// Same contents but for what `visit_slots` gives: keys, lengths, classes.
    [[nodiscard]] virtual bool same_structure(const Object&) const { return true; }

protected:
    explicit Object(Kind k) : kind(k) {}
    Object(const Object& o) : kind(o.kind), number(o.number), frozen(o.frozen) {}
    Object& operator=(const Object& o) {  // identity stays
        if (this != &o) frozen = o.frozen;
        return *this;
    }
};

inline PyValue::PyValue(const Object* o) : kind_(o ? o->kind : Kind::Unbound), object_(o) { if (!o) integer_ = 0; }

/// Base of the object classes.
template <class Self, Kind K>
struct ObjectOf : Object {
    static constexpr Kind static_kind = K;
    ObjectOf() : Object(K) {}
    [[nodiscard]] std::unique_ptr<Object> copy() const override { return std::make_unique<Self>(static_cast<const Self&>(*this)); }
    void assign(const Object& other) override { static_cast<Self&>(*this) = static_cast<const Self&>(other); }
};

struct BigIntObject : ObjectOf<BigIntObject, Kind::BigInt> {
    BigInt value;
    explicit BigIntObject(BigInt v) : value(std::move(v)) {}
};
struct ComplexObject : ObjectOf<ComplexObject, Kind::Complex> {
    PyValue real, imaginary;  ///< Float, or a run-time f64
    ComplexObject(PyValue r, PyValue i) : real(r), imaginary(i) {}
    void visit_slots(const SlotVisitor& visit) override;
};
struct StrObject : ObjectOf<StrObject, Kind::Str> {
    std::string text;
    explicit StrObject(std::string t) : text(std::move(t)) {}
};
struct BytesObject : ObjectOf<BytesObject, Kind::Bytes> {
    std::string bytes;
    explicit BytesObject(std::string b) : bytes(std::move(b)) {}
};
struct TupleObject : ObjectOf<TupleObject, Kind::Tuple> {
    Values items;
    const ClassObject* cls;  ///< tuple, torch.Size, a named tuple
    TupleObject(Values v, const ClassObject* c) : items(std::move(v)), cls(c) {}
    void visit_slots(const SlotVisitor& visit) override;
    [[nodiscard]] bool same_structure(const Object& o) const override;
};
struct ListObject : ObjectOf<ListObject, Kind::List> {
    Values items;
    explicit ListObject(Values v = {}) : items(std::move(v)) {}
    void visit_slots(const SlotVisitor& visit) override;
    [[nodiscard]] bool same_structure(const Object& o) const override;
};

/// Python's hash and equality of a static hashable value as text: equal keys have equal texts (1, 1.0 and True too).
std::string hash_key(Interpreter& in, PyValue v);

struct DictObject : ObjectOf<DictObject, Kind::Dict> {
    struct Entry { PyValue key, value; };
    std::vector<Entry> entries;  ///< in order of insertion
    std::unordered_map<std::string, size_t> index;  ///< hash_key -> position
    const ClassObject* cls = nullptr;               ///< null: dict
    PyValue default_factory;                        ///< of a defaultdict; unbound otherwise
    void visit_slots(const SlotVisitor& visit) override;
    [[nodiscard]] bool same_structure(const Object& o) const override;
    [[nodiscard]] const PyValue* find(const std::string& hash) const;
    void set(const std::string& hash, PyValue key, PyValue value);
    bool erase(const std::string& hash);
};
struct SetObject : ObjectOf<SetObject, Kind::Set> {
    DictObject table;  ///< values are None
    bool frozen = false;
    [[nodiscard]] bool same_structure(const Object& o) const override;
    void visit_slots(const SlotVisitor& visit) override;
    SetObject() = default;
};
struct RangeObject : ObjectOf<RangeObject, Kind::Range> {
    PyValue start, stop, step;  ///< Int or dynamic i64
    [[nodiscard]] bool is_static() const { return start.is(Kind::Int) && stop.is(Kind::Int) && step.is(Kind::Int); }
    [[nodiscard]] int64_t length() const;  ///< of a static range
    RangeObject(PyValue a, PyValue b, PyValue c) : start(a), stop(b), step(c) {}
};
struct SliceObject : ObjectOf<SliceObject, Kind::Slice> {
    PyValue start, stop, step;  ///< None where left out
    SliceObject(PyValue a, PyValue b, PyValue c) : start(a), stop(b), step(c) {}
};

/// Variables by name, in order of first assignment.
struct Variables {
    std::vector<std::pair<Symbol, PyValue>> entries;
    [[nodiscard]] PyValue get(Symbol s) const;  ///< unbound if absent
    void set(Symbol s, PyValue v);              ///< unbound deletes the value; the place stays
    PyValue* find(Symbol s);
    [[nodiscard]] const PyValue* find(Symbol s) const;
    [[nodiscard]] bool bound(Symbol s) const { return !get(s).is_unbound(); }

private:
    mutable std::unordered_map<Symbol, size_t> index_;  // of many entries only
    [[nodiscard]] size_t position(Symbol s) const;
};

/// A frame's variables. Functions see their own, then through `parent` those of enclosing functions; then `globals`.
struct NamespaceObject : ObjectOf<NamespaceObject, Kind::Namespace> {
    Variables variables;
    const syntax::Scope* scope = nullptr;
    const NamespaceObject* parent = nullptr;   ///< the enclosing function's or comprehension's call
    const NamespaceObject* globals = nullptr;  ///< itself for a module
    std::string what;                          ///< "module", or the function's name, for messages
    bool overridable = false;                  ///< calls of this module's functions ask `Interpreter::override_call` first
    void visit_slots(const SlotVisitor& visit) override;
};

struct FunctionObject : ObjectOf<FunctionObject, Kind::Function> {
    const syntax::FunctionDef* def = nullptr;  ///< null for a lambda
    const syntax::Lambda* lambda = nullptr;
    std::string name, qualname;
    std::map<std::string, PyValue, std::less<>> defaults;  ///< by parameter
    const NamespaceObject* closure = nullptr;              ///< the frame that it was made in, when that is a function's
    const NamespaceObject* globals = nullptr;
    const ClassObject* defining_class = nullptr;           ///< for super()
    Variables attributes;
    void visit_slots(const SlotVisitor& visit) override;
};

/// What a binding calls: the arguments as written, `self` included as first positional for methods.
using NativeCode = std::function<PyValue(Interpreter&, Args&)>;
struct NativeFunctionObject : ObjectOf<NativeFunctionObject, Kind::NativeFunction> {
    std::string name;
    NativeCode code;
    bool overridable = false;  ///< `Interpreter::override_call` is asked first
    PyValue self;              ///< of an overridable method that is bound already; unbound otherwise
    NativeFunctionObject(std::string n, NativeCode c) : name(std::move(n)), code(std::move(c)) {}
};
struct BoundMethodObject : ObjectOf<BoundMethodObject, Kind::BoundMethod> {
    PyValue self, function;
    BoundMethodObject(PyValue s, PyValue f) : self(s), function(f) {}
};

class Protocol;
struct ClassObject : ObjectOf<ClassObject, Kind::Class> {
    std::string name;                      ///< `Linear`
    std::string module;                    ///< `torch.nn.modules.linear`, `__main__`, `builtins`
    std::string qualname;
    std::vector<const ClassObject*> bases;
    std::vector<const ClassObject*> mro;   ///< itself first, object last
    Variables attributes;
    Protocol* protocol = nullptr;          ///< of native classes, inherited
    /// `cls(args)` for native classes, inherited; null: `__init__` of a fresh instance.
    NativeCode construct;
    bool is_exception = false;
    bool overridable = false;              ///< its native methods ask `Interpreter::override_call` first
    [[nodiscard]] bool derives_from(const ClassObject* base) const;
    /// The first of the mro that has the attribute; unbound if none.
    [[nodiscard]] PyValue lookup(Symbol s) const;
    void visit_slots(const SlotVisitor& visit) override;
};
struct InstanceObject : ObjectOf<InstanceObject, Kind::Instance> {
    const ClassObject* cls;
    Variables attributes;
    PyValue native;  ///< what a native base class holds (a dict, list, … that the class derives from); unbound otherwise
    explicit InstanceObject(const ClassObject* c) : cls(c) {}
    void visit_slots(const SlotVisitor& visit) override;
    [[nodiscard]] bool same_structure(const Object& o) const override;
};
struct ModuleObject : ObjectOf<ModuleObject, Kind::Module> {
    std::string name;
    const NamespaceObject* variables;
    /// Called for a name that is not there; unbound if there is no such attribute.
    std::function<PyValue(Interpreter&, Symbol)> missing;
    ModuleObject(std::string n, const NamespaceObject* v) : name(std::move(n)), variables(v) {}
};
struct DescriptorObject : ObjectOf<DescriptorObject, Kind::Descriptor> {
    enum class What : uint8_t { Property, StaticMethod, ClassMethod } what;
    PyValue getter, setter, deleter;  ///< the function itself for methods
    DescriptorObject(What w, PyValue g) : what(w), getter(g) {}
};
/// What `iter(x)` gives. `next` returns unbound at the end.
struct IteratorObject : ObjectOf<IteratorObject, Kind::Iterator> {
    std::string type_name;  ///< `list_iterator`, `zip`, `generator`, …
    /// Items that are known; then `next` is not used.
    Values items;
    size_t position = 0;
    std::function<PyValue(Interpreter&, IteratorObject&)> next;
    PyValue state, state2;  ///< what `next` keeps
    void visit_slots(const SlotVisitor& visit) override;
    [[nodiscard]] bool same_structure(const Object& o) const override;
};
struct SuperObject : ObjectOf<SuperObject, Kind::Super> {
    const ClassObject* after;  ///< the lookup starts behind this class
    PyValue self;
    SuperObject(const ClassObject* a, PyValue s) : after(a), self(s) {}
};

/// A tensor object: the view that it is now, and what Python code can hang on it.
struct TensorObject : ObjectOf<TensorObject, Kind::Tensor> {
    ValueId value;           ///< a CAPTURED tensor value; its type, storage and layout stand in the Function
    VariableId variable;     ///< the same tensor in the autograd state
    PyValue grad = PyValue::none();  ///< None, a Tensor, or an Optional
    PyValue hooks;           ///< unbound, or a list of the binding's
    const ClassObject* cls = nullptr;  ///< null: torch.Tensor; torch.nn.Parameter
    bool cuda = false;       ///< the device that the script sees
    int device_index = 0;
    Variables attributes;    ///< set by the script
    /// Facts that a binding keeps (strided sparse kinds, names, …).
    PyValue extra;
    void visit_slots(const SlotVisitor& visit) override;
    [[nodiscard]] bool same_structure(const Object& o) const override;
};

/// A list whose elements live at run time. `list` is an IR value of type list(element).
struct RunTimeListObject : ObjectOf<RunTimeListObject, Kind::RunTimeList> {
    ValueId list;
    Type element;
    int64_t static_length = -1;  ///< known length, or -1
    void visit_slots(const SlotVisitor&) override {}
    [[nodiscard]] bool same_structure(const Object& o) const override;
};

/// `present` (a run-time bool) tells whether `value` is there; otherwise the value is `absent`, None or Unbound.
struct OptionalObject : ObjectOf<OptionalObject, Kind::Optional> {
    ValueId present;
    PyValue value;
    Kind absent = Kind::None;
    void visit_slots(const SlotVisitor& visit) override;
};

/// Two values that cannot be one. An error names both assignments when it is used.
struct UnusableObject : ObjectOf<UnusableObject, Kind::Unusable> {
    std::string what, reason;  ///< "the variable 'x'", "a list of 2 items or a list of 3"
    Span first, second;
    /// Only a loop's trial: reading it says that the slot must be carried or peeled.
    bool observed_by_loop = false;
};

/// Base of a binding's own objects (generators, hook handles, torch.finfo …). `cls->protocol` serves them.
struct NativeObject : Object {
    static constexpr Kind static_kind = Kind::Native;
    const ClassObject* cls;
    explicit NativeObject(const ClassObject* c) : Object(Kind::Native), cls(c) {}
};
template <class Self>
struct NativeObjectOf : NativeObject {
    using NativeObject::NativeObject;
    [[nodiscard]] std::unique_ptr<Object> copy() const override { return std::make_unique<Self>(static_cast<const Self&>(*this)); }
    void assign(const Object& other) override { static_cast<Self&>(*this) = static_cast<const Self&>(other); }
};

/// What an object holds by name: variables of a frame, attributes of a class, an instance, a function or a tensor. Null for other kinds.
Variables* variables_of(Object& o);

}  // namespace sifr::capture
