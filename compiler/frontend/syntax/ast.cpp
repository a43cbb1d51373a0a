#include "compiler/frontend/syntax/ast.h"

namespace sifr::syntax {

const Comprehension* get_if_comprehension(const Expr* node) {
    if (!node) return nullptr;
    switch (node->kind) {
        case ExprKind::ListComp:
        case ExprKind::SetComp:
        case ExprKind::DictComp:
        case ExprKind::GeneratorExp: return static_cast<const Comprehension*>(node);
        default: return nullptr;
    }
}

const Constant* docstring(const Body& body) {
    if (body.empty()) return nullptr;
    const ExprStmt* first = get_if<ExprStmt>(body.front());
    const Constant* text = first ? get_if<Constant>(first->value) : nullptr;
    return text && text->constant == ConstantKind::Str ? text : nullptr;
}

const char* spelling(BinaryOp op) {
    switch (op) {
        case BinaryOp::Add: return "+";
        case BinaryOp::Sub: return "-";
        case BinaryOp::Mult: return "*";
        case BinaryOp::MatMult: return "@";
        case BinaryOp::Div: return "/";
        case BinaryOp::Mod: return "%";
        case BinaryOp::Pow: return "**";
        case BinaryOp::LShift: return "<<";
        case BinaryOp::RShift: return ">>";
        case BinaryOp::BitOr: return "|";
        case BinaryOp::BitXor: return "^";
        case BinaryOp::BitAnd: return "&";
        case BinaryOp::FloorDiv: return "//";
    }
    SIFR_UNREACHABLE("binary operator {}", static_cast<int>(op));
}

const char* spelling(UnaryOperator op) {
    switch (op) {
        case UnaryOperator::Invert: return "~";
        case UnaryOperator::Not: return "not";
        case UnaryOperator::Plus: return "+";
        case UnaryOperator::Minus: return "-";
    }
    SIFR_UNREACHABLE("unary operator {}", static_cast<int>(op));
}

const char* spelling(CompareOp op) {
    switch (op) {
        case CompareOp::Eq: return "==";
        case CompareOp::NotEq: return "!=";
        case CompareOp::Lt: return "<";
        case CompareOp::LtE: return "<=";
        case CompareOp::Gt: return ">";
        case CompareOp::GtE: return ">=";
        case CompareOp::Is: return "is";
        case CompareOp::IsNot: return "is not";
        case CompareOp::In: return "in";
        case CompareOp::NotIn: return "not in";
    }
    SIFR_UNREACHABLE("comparison {}", static_cast<int>(op));
}

std::string describe(const Expr& node) {
    switch (node.kind) {
        case ExprKind::Name: return "name";
        case ExprKind::Constant:
            switch (static_cast<const Constant&>(node).constant) {
                case ConstantKind::None: return "None";
                case ConstantKind::True: return "True";
                case ConstantKind::False: return "False";
                case ConstantKind::Ellipsis: return "ellipsis";
                default: return "literal";
            }
        case ExprKind::JoinedStr:
        case ExprKind::FormattedValue: return "f-string expression";
        case ExprKind::BinOp:
        case ExprKind::UnaryOp:
        case ExprKind::BoolOp: return "expression";
        case ExprKind::Compare: return "comparison";
        case ExprKind::Call: return "function call";
        case ExprKind::Attribute: return "attribute";
        case ExprKind::Subscript: return "subscript";
        case ExprKind::Slice: return "slice";
        case ExprKind::Tuple: return "tuple";
        case ExprKind::List: return "list";
        case ExprKind::Dict: return "dict literal";
        case ExprKind::Set: return "set display";
        case ExprKind::ListComp: return "list comprehension";
        case ExprKind::SetComp: return "set comprehension";
        case ExprKind::DictComp: return "dict comprehension";
        case ExprKind::GeneratorExp: return "generator expression";
        case ExprKind::Lambda: return "lambda";
        case ExprKind::IfExp: return "conditional expression";
        case ExprKind::Starred: return "starred";
        case ExprKind::NamedExpr: return "named expression";
        case ExprKind::Await: return "await expression";
        case ExprKind::Yield:
        case ExprKind::YieldFrom: return "yield expression";
    }
    SIFR_UNREACHABLE("expression of kind {}", static_cast<int>(node.kind));
}

}  // namespace sifr::syntax
