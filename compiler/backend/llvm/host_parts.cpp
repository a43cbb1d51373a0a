#include "compiler/backend/llvm/host_parts.h"

#include <algorithm>
#include <map>
#include <set>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "ir/base/check.h"

namespace sifr::codegen {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

namespace {

constexpr size_t long_plan = 400;  ///< steps from which a plan is cut
constexpr size_t part_steps = 96;  ///< of a part
constexpr size_t least_steps = 8;  ///< fewer stay where they are

size_t count(const PlanBlock& block) {
    size_t n = 0;
    for (const PlanInst& inst : block.insts) {
        ++n;
        for (const PlanBlock& b : inst.blocks) n += count(b);
    }
    return n;
}

}  // namespace

HostParts::HostParts(ModuleEmitter& module, const Plan& plan) : m_(module), wanted_(count(plan.body) >= long_plan) {}

size_t HostParts::steps_of(const PlanInst& inst) const {
    size_t n = 1;
    for (const PlanBlock& b : inst.blocks) n += std::min(count(b), part_steps);  // longer ones are cut themselves
    return n;
}

void HostParts::before_step(Run& run, const PlanInst& next, llvm::IRBuilder<>& b) {
    // (A line table names the function that an instruction stands in.)
    if (!wanted_ || b.GetInsertBlock()->getParent()->getSubprogram()) return;
    const size_t steps = steps_of(next);
    if (run.first && run.steps + steps > part_steps) close(run, b);
    if (!run.first) {
        run.first = BasicBlock::Create(m_.context, "part", b.GetInsertBlock()->getParent());
        b.CreateBr(run.first);
        b.SetInsertPoint(run.first);
    }
    run.steps += steps;
}

void HostParts::end_of_block(Run& run, llvm::IRBuilder<>& b) {
    if (run.first) close(run, b);
}

void HostParts::close(Run& run, llvm::IRBuilder<>& b) {
    // Blocks are made in the order of the steps, so those of a part lie between its first one and the one behind.
    BasicBlock* behind = BasicBlock::Create(m_.context, "behind", b.GetInsertBlock()->getParent());
    b.CreateBr(behind);
    b.SetInsertPoint(behind);
    if (run.steps >= least_steps) parts_.push_back({run.first, behind});
    run = {};
}

void HostParts::cut(llvm::Function& main) {
    if (parts_.empty()) return;
    const llvm::DominatorTree dominators(main);
    const llvm::LoopInfo loops(dominators);
    BasicBlock& main_entry = main.getEntryBlock();

    // The innermost part that a block belongs to, and the functions.
    std::map<const BasicBlock*, size_t> owner;
    std::vector<std::vector<BasicBlock*>> own_blocks(parts_.size());
    std::vector<llvm::Function*> functions;
    for (size_t k = 0; k < parts_.size(); ++k) {
        for (auto at = parts_[k].first->getIterator(); &*at != parts_[k].behind; ++at)
            if (owner.emplace(&*at, k).second) own_blocks[k].push_back(&*at);
        llvm::Function* f = m_.add_function("main.part", llvm::FunctionType::get(m_.void_type(), {m_.ptr()}, false), true);
        f->addFnAttr(llvm::Attribute::NoInline);
        // What runs once is not worth LLVM's time.
        if (!loops.getLoopFor(parts_[k].first)) f->addFnAttr(llvm::Attribute::OptimizeNone);
        functions.push_back(f);
    }
    constexpr size_t in_main = SIZE_MAX;
    auto owner_of = [&](const Value* user) {
        auto found = owner.find(llvm::cast<Instruction>(user)->getParent());
        return found == owner.end() ? in_main : found->second;
    };

    // Values of main's entry and its arguments: a slot that one part alone uses moves there; another slot becomes a member of the
    // frame; any other value that a part uses is kept in a member.
    std::vector<Value*> candidates;
    for (llvm::Argument& a : main.args()) candidates.push_back(&a);
    for (Instruction& i : main_entry)
        if (!i.getType()->isVoidTy()) candidates.push_back(&i);
    std::vector<Value*> members;
    std::vector<llvm::Type*> types;
    std::vector<std::pair<Instruction*, size_t>> moving;
    for (Value* v : candidates) {
        std::set<size_t> users;
        for (const llvm::User* u : v->users()) users.insert(owner_of(u));
        if (users.empty() || (users.size() == 1 && *users.begin() == in_main)) continue;
        auto* slot = llvm::dyn_cast<llvm::AllocaInst>(v);
        if (slot && users.size() == 1) {
            moving.emplace_back(slot, *users.begin());
            continue;
        }
        members.push_back(v);
        llvm::Type* type = v->getType();
        if (slot) {
            type = slot->getAllocatedType();
            if (const auto* n = llvm::dyn_cast<llvm::ConstantInt>(slot->getArraySize()); n && !n->isOne()) type = llvm::ArrayType::get(type, n->getZExtValue());
        }
        types.push_back(type);
    }
    auto* frame_type = llvm::StructType::get(m_.context, types);
    llvm::IRBuilder<> b(&main_entry, main_entry.begin());
    Value* frame = b.CreateAlloca(frame_type, nullptr, "frame");
    auto frame_in = [&](size_t part) { return part == in_main ? frame : functions[part]->getArg(0); };
    for (unsigned k = 0; k < members.size(); ++k) {
        auto* slot = llvm::dyn_cast<llvm::AllocaInst>(members[k]);
        std::vector<llvm::Use*> uses;
        for (llvm::Use& use : members[k]->uses()) uses.push_back(&use);
        for (llvm::Use* use : uses) {
            const size_t where = owner_of(use->getUser());
            if (!slot && where == in_main) continue;
            auto* user = llvm::cast<Instruction>(use->getUser());
            SIFR_CHECK(!llvm::isa<llvm::PHINode>(user), "a phi of the host code reads a value of its entry");
            b.SetInsertPoint(user);
            Value* place = b.CreateStructGEP(frame_type, frame_in(where), k);
            use->set(slot ? place : b.CreateLoad(types[k], place));
        }
        if (slot) {
            slot->eraseFromParent();
            continue;
        }
        auto* made = llvm::dyn_cast<Instruction>(members[k]);
        if (made) b.SetInsertPoint(made->getNextNode());
        else b.SetInsertPoint(llvm::cast<Instruction>(frame)->getNextNode());
        b.CreateStore(members[k], b.CreateStructGEP(frame_type, frame, k));
    }

    for (size_t k = 0; k < parts_.size(); ++k) {
        const Part& part = parts_[k];
        llvm::Function* f = functions[k];
        BasicBlock* entry = BasicBlock::Create(m_.context, "entry", f);
        BasicBlock* leave = BasicBlock::Create(m_.context, "leave", f);
        BasicBlock* call = BasicBlock::Create(m_.context, "call.part", part.first->getParent(), part.first);
        const std::vector<BasicBlock*> before(llvm::pred_begin(part.first), llvm::pred_end(part.first));
        for (BasicBlock* block : before) block->getTerminator()->replaceSuccessorWith(part.first, call);
        const auto around = owner.find(part.behind);
        b.SetInsertPoint(call);
        b.CreateCall(f, {frame_in(around == owner.end() ? in_main : around->second)});
        b.CreateBr(part.behind);
        if (around != owner.end()) own_blocks[around->second].push_back(call);
        for (BasicBlock* block : own_blocks[k]) {
            block->removeFromParent();
            block->insertInto(f, leave);
            block->getTerminator()->replaceSuccessorWith(part.behind, leave);
        }
        for (auto [slot, where] : moving)
            if (where == k) slot->moveBefore(*entry, entry->begin());
        b.SetInsertPoint(entry);
        b.CreateBr(part.first);
        b.SetInsertPoint(leave);
        b.CreateRetVoid();
    }
}

}  // namespace sifr::codegen
