#include "compiler/frontend/syntax/liveness.h"

#include <gtest/gtest.h>

#include "compiler/frontend/syntax/walk.h"
#include "tests/syntax/parse.h"

namespace sifr::syntax {
namespace {

const Stmt* first_loop(const Body& body) {
    for (const StmtPtr& s : body) {
        if (s->kind == StmtKind::For || s->kind == StmtKind::While) return s.get();
        const Stmt* found = nullptr;
        for_each_body(*s, [&](const Body& b) {
            if (!found) found = first_loop(b);
        });
        if (found) return found;
    }
    return nullptr;
}

std::string join(const NameSet& names) {
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : " ") + n;
    return out;
}

/// The names live at the head of the first loop of a module, or of the function that a module starts with.
std::string head(const std::string& source) {
    Parsed p = parse(source);
    if (const auto* f = get_if<FunctionDef>(p.module->body[0]); f && !first_loop(p.module->body)) return join(Liveness(*f).at_loop_head(*first_loop(f->body)));
    return join(Liveness(*p.module).at_loop_head(*first_loop(p.module->body)));
}

TEST(Liveness, WhatTheBodyReadsFirstIsLiveAtTheHead) {
    EXPECT_EQ(head("for i in r:\n  t = a + i\n  s = s + t\nprint(s)\n"), "a print s");
}

TEST(Liveness, TemporariesAreNotCarried) {
    EXPECT_EQ(head("for i in r:\n  loss = f(w)\n  g = loss * 2\n  w = w - g\nprint(w)\n"), "f print w");
}

TEST(Liveness, ANameReadBehindTheLoopIsCarriedThroughIt) {
    EXPECT_EQ(head("loss = 0\nfor i in r:\n  loss = f(i)\nprint(loss)\n"), "f loss print");
}

TEST(Liveness, TheTargetIsLiveOnlyIfReadWhenTheLoopDidNotRun) {
    EXPECT_EQ(head("for i in r:\n  f(i)\n"), "f");
    EXPECT_EQ(head("for i in r:\n  f(i)\nprint(i)\n"), "f i print");
}

TEST(Liveness, AugmentedAssignmentReads) { EXPECT_EQ(head("for i in r:\n  n += i\n"), "n"); }

TEST(Liveness, TheTestOfAWhileIsReadAtTheHead) {
    EXPECT_EQ(head("while x > eps:\n  x = x / 2\n  y = x\n"), "eps x");
    EXPECT_EQ(head("while (y := f()) > 0:\n  print(y)\n"), "f print y");
}

TEST(Liveness, OneArmOfAnIfIsNotEnoughToAssign) {
    EXPECT_EQ(head("for i in r:\n  if c:\n    x = 1\n  print(x)\n"), "c print x");
    EXPECT_EQ(head("for i in r:\n  if c:\n    x = 1\n  else:\n    x = 2\n  print(x)\n"), "c print");
}

TEST(Liveness, BreakAndContinueLeadWhereTheyLead) {
    EXPECT_EQ(head("for i in r:\n  if c: break\n  x = 1\nprint(x)\n"), "c print x");
    EXPECT_EQ(head("for i in r:\n  if c: continue\n  x = 1\n  print(x)\n"), "c print");
    EXPECT_EQ(head("for i in r:\n  if c: break\nelse:\n  y = z\nprint(y)\n"), "c print y z");
}

TEST(Liveness, InnerLoopsAreRead) {
    EXPECT_EQ(head("for i in r:\n  s = 0\n  for j in q:\n    s = s + a * i\n  t = t + s\n"), "a q t");
}

TEST(Liveness, AnExceptionMayLeaveATryAnywhere) {
    EXPECT_EQ(head("for i in r:\n  try:\n    x = f()\n    y = g()\n  except E:\n    y = x\n  print(y)\n"), "E f g print x");
    EXPECT_EQ(head("for i in r:\n  try:\n    x = f()\n  finally:\n    done(x)\n"), "done f x");
}

TEST(Liveness, OnlyAManagerThatMaySwallowExceptionsIsAWayAround) {
    EXPECT_EQ(head("for i in r:\n  with torch.no_grad():\n    p = f()\n  print(p)\n"), "f print torch");
    EXPECT_EQ(head("for i in r:\n  with suppress(E):\n    p = f()\n  print(p)\n"), "E f p print suppress");
}

TEST(Liveness, ClosuresKeepWhatTheyReadAliveFromTheirDefinitionOn) {
    EXPECT_EQ(head("def step(): return k\nfor i in r:\n  k = i\n  step()\n"), "k step");
    EXPECT_EQ(head("for i in r:\n  k = i\n  print(k)\nk = 0\ndef step(): return k\n"), "print");
    EXPECT_EQ(head("for i in r:\n  k = i\n  h = lambda: k\n"), "k");
    EXPECT_EQ(head("def fact(n): return fact(n - 1)\nfor i in r:\n  x = fact(i)\n"), "fact");
}

TEST(Liveness, AFunctionLeavesWhatItDeclaresNonlocalOrGlobal) {
    EXPECT_EQ(head("def f():\n  global count\n  local = 0\n  for i in 1:\n    count = i\n    local = i\n"), "count");
}

TEST(Liveness, ReturnEndsTheFunction) {
    EXPECT_EQ(head("def f(a):\n  for i in a:\n    x = g(i)\n    if x: return x\n    y = x\n"), "g");
}

TEST(Liveness, DeletionNeedsTheName) { EXPECT_EQ(head("for i in r:\n  del x\n"), "x"); }

TEST(Liveness, MatchMayTakeAnyCaseOrNone) {
    EXPECT_EQ(head("for i in r:\n  match i:\n    case 1: x = 1\n    case [y]: x = y\n  print(x)\n"), "print x y");
}

TEST(Liveness, AfterAStatementTellsWhatIsStillNeeded) {
    Parsed p = parse("a = 1\nb = a\nc = b\nprint(c)\n");
    Liveness live(*p.module);
    EXPECT_EQ(join(live.after(*p.module->body[0])), "a print");
    EXPECT_EQ(join(live.after(*p.module->body[2])), "c print");
    EXPECT_EQ(join(live.after(*p.module->body[3])), "");
}

}  // namespace
}  // namespace sifr::syntax
