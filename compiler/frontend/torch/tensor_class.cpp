#include "compiler/frontend/torch/tensor_class.h"

#include <algorithm>
#include <array>

#include "compiler/frontend/torch/autograd.h"
#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/conversions.h"
#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/indexing.h"
#include "compiler/frontend/torch/known_names.h"
#include "compiler/frontend/torch/known_numbers.h"
#include "compiler/frontend/torch/prelude_functions.h"
#include "compiler/frontend/torch/printing.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/tensor_likes.h"

namespace sifr::capture {
namespace {

using syntax::BinaryOp;
using syntax::CompareOp;
using syntax::UnaryOperator;

/// The row behind an operator; `reflected` is used when the tensor stands on the right of a number.
struct OperatorRow {
    BinaryOp op;
    const char* row;
    const char* reflected;
};
constexpr OperatorRow operator_rows[] = {
    {BinaryOp::Add, "add", "add"},
    {BinaryOp::Sub, "sub", "rsub"},
    {BinaryOp::Mult, "mul", "mul"},
    {BinaryOp::Div, "div", nullptr},
    {BinaryOp::FloorDiv, "floor_divide", "floor_divide"},
    {BinaryOp::Mod, "remainder", "remainder"},
    {BinaryOp::Pow, "pow", "pow"},
    {BinaryOp::BitAnd, "bitwise_and", "bitwise_and"},
    {BinaryOp::BitOr, "bitwise_or", "bitwise_or"},
    {BinaryOp::BitXor, "bitwise_xor", "bitwise_xor"},
    {BinaryOp::LShift, "bitwise_left_shift", "bitwise_left_shift"},
    {BinaryOp::RShift, "bitwise_right_shift", "bitwise_right_shift"},
    {BinaryOp::MatMult, "matmul", "matmul"},
};

const OperatorRow& row_of(BinaryOp op) {
    return *std::find_if(std::begin(operator_rows), std::end(operator_rows), [&](const OperatorRow& r) { return r.op == op; });
}

const char* row_of(CompareOp op) {
    switch (op) {
        case CompareOp::Eq: return "eq";
        case CompareOp::NotEq: return "ne";
        case CompareOp::Lt: return "lt";
        case CompareOp::LtE: return "le";
        case CompareOp::Gt: return "gt";
        case CompareOp::GtE: return "ge";
        default: return nullptr;
    }
}

/// The comparison with its sides swapped.
const char* swapped_row_of(CompareOp op) {
    switch (op) {
        case CompareOp::Lt: return "gt";
        case CompareOp::LtE: return "ge";
        case CompareOp::Gt: return "lt";
        case CompareOp::GtE: return "le";
        default: return row_of(op);
    }
}

class TensorProtocol : public Protocol {
public:
    PyValue get_attr(Interpreter& in, PyValue self, Symbol name) override {
        // `torch.Tensor.add`: the function, with the tensor as its first argument.
        if (PyValue method = row_method(in, *name, self.is(Kind::Class) ? PyValue() : self); !method.is_unbound()) return method;
        if (PyValue method = prelude_method(in, *name, self.is(Kind::Class) ? PyValue() : self); !method.is_unbound()) return method;
        if (is_torch_tensor_name(*name)) throw NotSupported(fmt::format("Tensor.{}", *name));
        return {};
    }

    bool set_attr(Interpreter& in, PyValue self, Symbol name, PyValue value) override {
        if (!self.is(Kind::Tensor)) return false;
        in.heap().change(tensor_of(self)).attributes.set(name, value);
        return true;
    }

    PyValue get_item(Interpreter& in, PyValue self, PyValue index) override { return index_get(in, self, index); }
    bool set_item(Interpreter& in, PyValue self, PyValue index, PyValue value) override {
        if (PyValue set = in.class_of(self)->lookup(symbol("__setitem__")); !call_tensor_likes(in, set, Args{{self, index, value}, {}}).is_unbound()) return true;
        index_set(in, self, index, value);
        return true;
    }

    PyValue binary(Interpreter& in, BinaryOp op, PyValue left, PyValue right, bool in_place) override {
        const OperatorRow& row = row_of(op);
        if (!is_operand(left) || !is_operand(right)) return of_tensor_likes(in, row.row + std::string(in_place && op != BinaryOp::MatMult ? "_" : ""), left, right);
        if (left.is(Kind::Tensor)) {
            if (in_place && op != BinaryOp::MatMult) return call_rows_in_place(in, row.row, left, Args{{right}, {}});
            if (op == BinaryOp::MatMult) return right.is(Kind::Tensor) ? matmul(in, left, right) : PyValue::not_implemented();
            return call_rows(in, row.row, {left, right});
        }
        if (op == BinaryOp::MatMult) return PyValue::not_implemented();
        // `1 / x` is a reciprocal times the number, as PyTorch computes (and prints) it.
        if (op == BinaryOp::Div) return call_rows(in, "mul", {call_rows(in, "reciprocal", {right}), left});
        if (op == BinaryOp::Sub) return call_rows(in, row.reflected, {right, left});
        return call_rows(in, row.reflected, op == BinaryOp::Add || op == BinaryOp::Mult ? Values{right, left} : Values{left, right});
    }

    PyValue unary(Interpreter& in, UnaryOperator op, PyValue operand) override {
        switch (op) {
            case UnaryOperator::Plus: return operand;
            case UnaryOperator::Minus: return call_rows(in, "neg", {operand});
            case UnaryOperator::Invert: return call_rows(in, "bitwise_not", {operand});
            default: return PyValue::not_implemented();
        }
    }

    PyValue compare(Interpreter& in, CompareOp op, PyValue left, PyValue right) override {
        if (!row_of(op)) return PyValue::not_implemented();
        if (left.is_none() || right.is_none() || !is_operand(left) || !is_operand(right)) {
            if (PyValue r = of_tensor_likes(in, row_of(op), left, right); !r.is(Kind::NotImplemented)) return r;
            if (op == CompareOp::Eq) return PyValue::boolean(false);
            if (op == CompareOp::NotEq) return PyValue::boolean(true);
            return PyValue::not_implemented();
        }
        if (!left.is(Kind::Tensor)) return call_rows(in, swapped_row_of(op), {right, left});
        return call_rows(in, row_of(op), {left, right});
    }

    PyValue contains(Interpreter& in, PyValue self, PyValue item) override {
        if (!is_operand(item)) raise("RuntimeError", "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.", in.type_name(item));
        return item_of(in, call_rows(in, "any", {call_rows(in, "eq", {self, item})}));
    }

    PyValue truth(Interpreter& in, PyValue self) override {
        if (has_run_time_size(in, self)) {
            in.check(in.compare(CompareOp::Gt, element_count_of(in, self), PyValue::integer(0)), "RuntimeError", "Boolean value of Tensor with no values is ambiguous");
            self = only_element(in, self, "RuntimeError", "Boolean value of Tensor with more than one value is ambiguous");
        }
        int64_t n = type_of(in, self).numel();
        if (n == 0) raise("RuntimeError", "Boolean value of Tensor with no values is ambiguous");
        if (n > 1) raise("RuntimeError", "Boolean value of Tensor with more than one value is ambiguous");
        return in.truth(item_of(in, self));
    }

    PyValue len(Interpreter& in, PyValue self) override {
        const Type& t = type_of(in, self);
        if (t.rank() == 0) raise("TypeError", "len() of a 0-d tensor");
        return shape_of(in, self)[0];
    }

    PyValue iter(Interpreter& in, PyValue self) override {
        if (type_of(in, self).rank() == 0) raise("TypeError", "iteration over a 0-d tensor");
        return in.iterator("tuple_iterator", emit_row(in, "unbind"_op, {self}, attrs({{"dim", int64_t{0}}})));
    }

    PyValue repr(Interpreter& in, PyValue self) override {
        const ClassObject* cls = tensor_of(self)->cls;
        if (!cls || !cls->derives_from(torch_classes(in).parameter)) return tensor_repr(in, self);
        return in.concat({in.str("Parameter containing:\n"), tensor_repr(in, self)});
    }

    PyValue format(Interpreter& in, PyValue self, const std::string& spec) override {
        if (type_of(in, self).rank() == 0) return in.format_of(item_of(in, self), in.str(spec));
        if (!spec.empty()) raise("TypeError", "unsupported format string passed to Tensor.__format__");
        return tensor_repr(in, self);
    }

    PyValue to_int(Interpreter& in, PyValue self) override {
        self = only_element(in, self, "ValueError", "only one element tensors can be converted to Python scalars");
        one_element(in, self);
        PyValue v = item_of(in, self);
        if (!v.is(Kind::Float) && !v.is_dynamic(Type::Kind::F64)) return in.binary(BinaryOp::Add, v, PyValue::integer(0));
        return in.from_ir(in.to_ir(in.emit_scalar("ftoi"_op, {in.to_ir(v)})));
    }
    PyValue to_float(Interpreter& in, PyValue self) override {
        self = only_element(in, self, "ValueError", "only one element tensors can be converted to Python scalars");
        one_element(in, self);
        if (requires_grad(in, self))
            in.script_warning("UserWarning", "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using tensor.detach() first.");
        return in.from_ir(in.to_ir(item_of(in, self), Type::Kind::F64));
    }
    PyValue index(Interpreter& in, PyValue self) override {
        self = only_element(in, self, "TypeError", "only integer tensors of a single element can be converted to an index");
        const Type& t = type_of(in, self);
        if (t.numel() != 1 || !is_integral(t.dtype, true)) raise("TypeError", "only integer tensors of a single element can be converted to an index");
        if (t.rank() == 0)
            if (PyValue known = known_numbers(in, self); known.is(Kind::Int)) return known;
        return in.binary(BinaryOp::Add, item_of(in, self), PyValue::integer(0));
    }

private:
    /// An operator that has something else than tensors and numbers beside it.
    static PyValue of_tensor_likes(Interpreter& in, const std::string& name, PyValue left, PyValue right) {
        PyValue function = name == "matmul" ? in.get_attr(PyValue(in.import("torch")), "matmul") : row_method(in, name, {});
        PyValue r = call_tensor_likes(in, function, Args{{left, right}, {}}, true);
        return r.is_unbound() ? PyValue::not_implemented() : r;
    }
    static void one_element(Interpreter& in, PyValue self) {
        if (type_of(in, self).numel() != 1) raise("ValueError", "only one element tensors can be converted to Python scalars");
    }
};

}  // namespace

bool is_operand(PyValue v) { return v.is(Kind::Tensor) || v.is_number(); }

const ClassObject* make_tensor_class(Interpreter& in) {
    static TensorProtocol protocol;
    ClassObject* cls = in.add_class("Tensor", "torch", nullptr, &protocol);
    in.set_kind_class(Kind::Tensor, cls);
    torch_classes(in).tensor = cls;
    cls->overridable = true;
    in.add_method(cls, "__setitem__", [](Interpreter& i, Args& a) {
        index_set(i, a[0], a[1], a[2]);
        return PyValue::none();
    });
    bind_tensor_info(in, cls);
    bind_tensor_views(in, cls);
    bind_tensor_writes(in, cls);
    bind_conversions(in, cls);
    in.add_method(cls, "__delitem__", [](Interpreter&, Args&) -> PyValue { raise("TypeError", "Tensor does not support deleting items"); });
    return cls;
}

}  // namespace sifr::capture
