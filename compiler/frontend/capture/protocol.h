#pragma once

#include <optional>

#include "compiler/frontend/capture/value.h"

namespace sifr::capture {

/// What objects of native classes can do; a binding derives from it and hangs one on its ClassObject. Each function may
/// throw ScriptError (PyTorch's exception), NotSupported or CompileError. "Not mine" is `PyValue::unbound()` for
/// attributes and `PyValue::not_implemented()` for operators.
class Protocol {
public:
    virtual ~Protocol() = default;

    /// Asked after the class's attributes (methods and properties of the mro). Unbound: AttributeError.
    virtual PyValue get_attr(Interpreter&, PyValue self, Symbol name) { (void)self, (void)name; return {}; }
    /// False: an ordinary attribute; AttributeError where the object has none.
    virtual bool set_attr(Interpreter&, PyValue self, Symbol name, PyValue value) { (void)self, (void)name, (void)value; return false; }
    virtual bool del_attr(Interpreter&, PyValue self, Symbol name) { (void)self, (void)name; return false; }
    /// `self[index]`; tuples of slices, None, Ellipsis, ints and tensors come as they are. Unbound: not subscriptable.
    virtual PyValue get_item(Interpreter&, PyValue self, PyValue index) { (void)self, (void)index; return {}; }
    virtual bool set_item(Interpreter&, PyValue self, PyValue index, PyValue value) { (void)self, (void)index, (void)value; return false; }
    /// `left op right`, at least one of which has this protocol. `in_place`: `left op= right` (gives the new value of left).
    virtual PyValue binary(Interpreter&, syntax::BinaryOp op, PyValue left, PyValue right, bool in_place) {
        (void)op, (void)left, (void)right, (void)in_place;
        return PyValue::not_implemented();
    }
    /// Minus, Plus, Invert (Not goes through `truth`).
    virtual PyValue unary(Interpreter&, syntax::UnaryOperator op, PyValue operand) { (void)op, (void)operand; return PyValue::not_implemented(); }
    /// Eq, NotEq, Lt, LtE, Gt, GtE; may give anything (a tensor).
    virtual PyValue compare(Interpreter&, syntax::CompareOp op, PyValue left, PyValue right) { (void)op, (void)left, (void)right; return PyValue::not_implemented(); }
    /// `item in self` as Bool or dynamic bool; unbound: iterate.
    virtual PyValue contains(Interpreter&, PyValue self, PyValue item) { (void)self, (void)item; return {}; }
    /// Bool or dynamic bool. Unbound: by `len`, or true.
    virtual PyValue truth(Interpreter&, PyValue self) { (void)self; return {}; }
    /// Int or dynamic i64. Unbound: TypeError "object of type … has no len()".
    virtual PyValue len(Interpreter&, PyValue self) { (void)self; return {}; }
    /// An IteratorObject. Unbound: not iterable.
    virtual PyValue iter(Interpreter&, PyValue self) { (void)self; return {}; }
    /// Str or dynamic str. `str` is `repr` unless told otherwise.
    virtual PyValue repr(Interpreter&, PyValue self) { (void)self; return {}; }
    virtual PyValue str(Interpreter& in, PyValue self) { return repr(in, self); }
    virtual PyValue format(Interpreter&, PyValue self, const std::string& spec) { (void)self, (void)spec; return {}; }
    /// `int(x)`, `float(x)`, `x.__index__()`: a number, static or dynamic. Unbound: TypeError.
    virtual PyValue to_int(Interpreter&, PyValue self) { (void)self; return {}; }
    virtual PyValue to_float(Interpreter&, PyValue self) { (void)self; return {}; }
    virtual PyValue index(Interpreter&, PyValue self) { (void)self; return {}; }
    virtual PyValue call(Interpreter&, PyValue self, Args& args) { (void)self, (void)args; return {}; }
    /// Text that is equal for equal keys; empty: by identity.
    virtual std::string hash(Interpreter&, PyValue self) { (void)self; return {}; }
    /// `with self:`
    virtual PyValue enter(Interpreter&, PyValue self) { (void)self; return {}; }
    /// `exception` is None or the exception; true swallows it. Not called for "unbound" enter.
    virtual bool exit(Interpreter&, PyValue self, PyValue exception) { (void)self, (void)exception; return false; }
};

}  // namespace sifr::capture
