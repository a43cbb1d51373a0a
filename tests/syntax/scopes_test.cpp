#include "compiler/frontend/syntax/scopes.h"

#include <gtest/gtest.h>

#include "tests/syntax/parse.h"

namespace sifr::syntax {
namespace {

std::string join(const NameSet& names) {
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : " ") + n;
    return out;
}

/// `module{f:local} f{x:local,cell y:free}`: each scope with its names.
std::string describe_scope(const Scope& s) {
    static const char* kinds[] = {"module", "class", "function", "lambda", "comprehension"};
    std::string out = kinds[static_cast<int>(s.kind)];
    out += "{";
    for (const auto& [name, symbol] : s.symbols) {
        static const char* bindings[] = {"local", "global", "free"};
        if (out.back() != '{') out += ' ';
        out += name + ":" + bindings[static_cast<int>(symbol.binding)];
        if (symbol.captured) out += "+cell";
    }
    out += "}";
    for (const auto& child : s.children) out += "(" + describe_scope(*child) + ")";
    return out;
}

std::string scopes_of(const std::string& source) {
    Parsed p = parse(source);
    return describe_scope(ScopeTable(*p.module).module());
}

TEST(Scopes, AssignedNamesAreLocalAndOthersGlobal) {
    EXPECT_EQ(scopes_of("def f(a):\n  b = a + c\n"), "module{f:local}(function{a:local b:local c:global})");
}

TEST(Scopes, AllFormsOfBindingMakeLocals) {
    EXPECT_EQ(scopes_of("def f():\n"
                        "  import a.b, c as d\n"
                        "  from e import g as h\n"
                        "  for i in 1: pass\n"
                        "  with 1 as j: pass\n"
                        "  try: pass\n"
                        "  except 1 as k: pass\n"
                        "  (l := 1)\n"
                        "  m: int\n"
                        "  n += 1\n"
                        "  del o\n"
                        "  def p(): pass\n"
                        "  class q: pass\n"
                        "  match 1:\n"
                        "    case [r, *s, {'': t, **u}, v() as w]: pass\n"),
              "module{f:local}(function{a:local d:local h:local i:local int:global j:local k:local l:local m:local n:local o:local p:local "
              "q:local r:local s:local t:local u:local v:global w:local}(function{})(class{}))");
}

TEST(Scopes, ClosuresCaptureFromTheNearestFunction) {
    EXPECT_EQ(scopes_of("def f():\n  x = 1\n  def g():\n    def h(): return x\n"),
              "module{f:local}(function{g:local x:local+cell}(function{h:local}(function{x:free})))");
    EXPECT_EQ(scopes_of("def f():\n  x = 1\n  def g():\n    nonlocal x\n    x = 2\n"),
              "module{f:local}(function{g:local x:local+cell}(function{x:free}))");
}

TEST(Scopes, ClassBodiesAreNotSeenByMethods) {
    EXPECT_EQ(scopes_of("def f():\n  class A:\n    x = 1\n    def m(self): return x, __class__\n"),
              "module{f:local}(function{A:local}(class{__class__:local+cell m:local x:local}(function{__class__:free self:local x:global})))");
}

TEST(Scopes, GlobalReachesThroughAFunction) {
    EXPECT_EQ(scopes_of("def f():\n  global x\n  x = 1\n  def g(): return x\n"),
              "module{f:local}(function{g:local x:global}(function{x:global}))");
}

TEST(Scopes, DefaultsAndDecoratorsBelongOutside) {
    EXPECT_EQ(scopes_of("def f():\n  a = b = c = 1\n  @a\n  def g(x=b) -> c: pass\n"),
              "module{f:local}(function{a:local b:local c:local g:local}(function{x:local}))");
}

TEST(Scopes, TheFirstIterableOfAComprehensionBelongsOutside) {
    EXPECT_EQ(scopes_of("def f(a, b):\n  return [x + b for x in a for y in x]\n"),
              "module{f:local}(function{a:local b:local+cell}(comprehension{b:free x:local y:local}))");
}

TEST(Scopes, NamedExpressionsBindAroundTheComprehension) {
    EXPECT_EQ(scopes_of("def f(a):\n  [y := x for x in a]\n  return y\n"),
              "module{f:local}(function{a:local y:local+cell}(comprehension{x:local y:free}))");
    EXPECT_EQ(scopes_of("[y := x for x in a]\n"), "module{a:global y:local}(comprehension{x:local y:global})");
}

TEST(Scopes, AreFoundByTheirNode) {
    Parsed p = parse("def f():\n  yield 1\ng = lambda x: x\n");
    ScopeTable table(*p.module);
    EXPECT_TRUE(table.of(as<FunctionDef>(*p.module->body[0])).has_yield);
    EXPECT_TRUE(table.of(as<Lambda>(*as<Assign>(*p.module->body[1]).value)).symbols.at("x").parameter);
}

TEST(Scopes, PrivateNamesCarryTheirClass) {
    EXPECT_EQ(mangled("Net", "__w"), "_Net__w");
    EXPECT_EQ(mangled("__Net", "__w"), "_Net__w");
    EXPECT_EQ(mangled("Net", "__init__"), "__init__");
    EXPECT_EQ(mangled("Net", "_w"), "_w");
    EXPECT_EQ(mangled("__", "__w"), "__w");
}

TEST(NameUse, AssignedNamesAreThoseBoundInThisScope) {
    Parsed p = parse("for i in r:\n  a.b, (c, *d) = e\n  x[k] = 1\n  def f(p):\n    q = 1\n  n: int\n  [z := y for y in w]\n");
    EXPECT_EQ(join(names_assigned(p.module->body)), "c d f i z");
    EXPECT_EQ(join(names_read(p.module->body)), "a e int k r w x");
}

TEST(NameUse, NestedFunctionsReadLaterAndAssignWhatTheyDeclare) {
    Parsed p = parse("def f(a):\n  global s\n  b = a + c\n  s = b\n  return lambda: d + b\n");
    NameUse use = name_use(p.module->body);
    EXPECT_EQ(join(use.assigned), "f s");
    EXPECT_EQ(join(use.read), "");
    EXPECT_EQ(join(use.deferred), "c d");
}

TEST(NameUse, ClassBodiesReadAtOnceAndTheirMethodsLater) {
    Parsed p = parse("class A(B):\n  x = y\n  def m(self): return z\n");
    NameUse use = name_use(p.module->body);
    EXPECT_EQ(join(use.assigned), "A");
    EXPECT_EQ(join(use.read), "B y");
    EXPECT_EQ(join(use.deferred), "z");
}

TEST(NameUse, GeneratorsReadLaterUnlessUsedUpAtOnce) {
    Parsed p = parse("sum(x * k for x in a); g = (x * m for x in b)\n");
    NameUse use = name_use(p.module->body);
    EXPECT_EQ(join(use.read), "a b k sum");
    EXPECT_EQ(join(use.deferred), "m");
}

}  // namespace
}  // namespace sifr::syntax
