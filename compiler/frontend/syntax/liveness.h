#pragma once

#include <unordered_map>

#include "compiler/frontend/syntax/ast.h"
#include "compiler/frontend/syntax/scopes.h"

/// Which variables may still be read: what a captured loop has to carry.
namespace sifr::syntax {

/// Liveness of the names of one scope's body (a module, a function or a class), a backward data-flow analysis over the tree.
///
/// A name is *live* at a point if some path from there reads it before it is assigned. Conservative: a branch may go either
/// way, an exception may leave any statement of a `try`, a context manager that is not known may swallow one, a `match` may
/// take any case. A name that a nested function, lambda or generator reads is live wherever that closure may exist: from its
/// definition on, everywhere in the scope; from the head of a loop on that defines it. At the end of a function, what it
/// declares `global` or `nonlocal` is live; at the end of a class, all that it assigns.
class Liveness {
public:
    explicit Liveness(const Module& module);
    explicit Liveness(const FunctionDef& function);
    explicit Liveness(const ClassDef& cls);

    /// The names live at the head of a loop (a For or a While of this scope, not of a nested function): where the test of a
    /// `while` is evaluated, or a `for` takes its next item. It covers what may be read in the test, the body, the `else`
    /// and behind the loop. The loop's own target is in it only if it may be read when the iterable is empty.
    [[nodiscard]] const NameSet& at_loop_head(const Stmt& loop) const;

    /// The names live right behind a statement of this scope.
    [[nodiscard]] const NameSet& after(const Stmt& statement) const;

private:
    friend class LivenessBuilder;
    std::unordered_map<const Stmt*, NameSet> loop_head_;
    std::unordered_map<const Stmt*, NameSet> after_;
};

}  // namespace sifr::syntax
