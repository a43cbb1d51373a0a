#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/frontend/syntax/ast.h"

/// Which variable a name means: Python's scope rules, worked out before anything runs.
namespace sifr::syntax {

enum class ScopeKind : uint8_t { Module, Class, Function, Lambda, Comprehension };

enum class Binding : uint8_t {
    Local,   ///< a variable of this scope (at module level: a global)
    Global,  ///< the module's variable, or a builtin; declared `global` or bound in no enclosing function
    Free,    ///< a variable of an enclosing function, lambda or comprehension
};

struct Symbol {
    Binding binding = Binding::Global;
    bool assigned = false;   ///< bound somewhere in this very scope: assignment, import, def, for, with, del, parameter, …
    bool read = false;       ///< read somewhere in this very scope
    bool parameter = false;
    bool declared = false;   ///< by `global` or `nonlocal` in this scope
    bool captured = false;   ///< Local, and some scope inside refers to it: the variable lives in a cell
};

/// One scope. The parameters of a function and the targets of a comprehension belong to it; its defaults, decorators and
/// annotations, and the first iterable of a comprehension, belong to the scope around it.
struct Scope {
    ScopeKind kind = ScopeKind::Module;
    const Scope* parent = nullptr;  ///< lexically; null for the module
    std::map<std::string, Symbol, std::less<>> symbols;
    std::vector<std::unique_ptr<Scope>> children;  ///< in source order
    bool has_yield = false;  ///< the function is a generator

    /// What `name` is here; a name that does not occur is Global.
    [[nodiscard]] Binding binding(std::string_view name) const;
};

/// What Python makes of a private name (`__x`) in the body of a class, its methods included: `_Class__x`. Any other name is itself.
/// The tree and the scopes hold names as they are written.
[[nodiscard]] std::string mangled(std::string_view class_name, std::string_view name);

using NameSet = std::set<std::string, std::less<>>;

/// The scopes of a module. Refers to the module's nodes, which must outlive it.
class ScopeTable {
public:
    /// Throws CompileError with CPython's SyntaxError for a name that is parameter and global, used prior to its `global`,
    /// `nonlocal` without a binding, and so on. (`parse_module` has done so already for what it returns.)
    explicit ScopeTable(const Module& module);

    [[nodiscard]] const Scope& module() const { return *module_; }
    [[nodiscard]] const Scope& of(const FunctionDef& node) const { return at(&node); }
    [[nodiscard]] const Scope& of(const ClassDef& node) const { return at(&node); }
    [[nodiscard]] const Scope& of(const Lambda& node) const { return at(&node); }
    [[nodiscard]] const Scope& of(const Comprehension& node) const { return at(&node); }

private:
    [[nodiscard]] const Scope& at(const void* node) const;
    std::unique_ptr<Scope> module_;
    std::unordered_map<const void*, const Scope*> by_node_;
};

/// The names that running `body` may bind or delete in the scope it stands in: assignments of all forms, `for`, `with`,
/// `import`, `def`, `class`, `except … as`, `del`, `:=` (also inside comprehensions), patterns. Nested bodies of control
/// flow are included; bodies of nested functions and classes are not, except what they assign through `nonlocal` or `global`.
[[nodiscard]] NameSet names_assigned(const Body& body);
[[nodiscard]] NameSet names_assigned(const Stmt& statement);

/// The names that running `body` may read from the scope it stands in or from outside it, nested functions, lambdas and
/// comprehensions included (their own locals are not).
[[nodiscard]] NameSet names_read(const Body& body);
[[nodiscard]] NameSet names_read(const Stmt& statement);
[[nodiscard]] NameSet names_read(const Expr& expression);

/// The same for an expression: only `:=` binds.
[[nodiscard]] NameSet names_assigned(const Expr& expression);

/// How code uses the names of the scope it stands in, in one walk.
struct NameUse {
    NameSet assigned;  ///< as names_assigned()
    NameSet read;      ///< read while it runs
    NameSet deferred;  ///< read by functions, lambdas and generators that it makes: whenever those run
};
[[nodiscard]] NameUse name_use(const Body& body);
[[nodiscard]] NameUse name_use(const Stmt& statement);
[[nodiscard]] NameUse name_use(const Expr& expression);

}  // namespace sifr::syntax
