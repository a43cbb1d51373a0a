// A library's module: the code of its plans, the tables that tell the runtime about them, and one function of C for each name in the
// header.

#include "compiler/backend/library.h"

#include <llvm/Linker/Linker.h>

#include "compiler/backend/llvm/host_emitter.h"
#include "compiler/backend/llvm/host_memory.h"
#include "compiler/backend/llvm/kernel_emitter.h"
#include "compiler/backend/llvm/kernel_symbol.h"
#include "compiler/backend/llvm/link.h"
#include "compiler/backend/llvm/target.h"
#include "ir/base/check.h"
#include "runtime/sifr_library.h"

namespace sifr::codegen {

namespace {

class LibraryEmitter {
public:
    LibraryEmitter(const Library& library, const BackendOptions& options)
        : l_(library),
          options_(options),
          machine_(machine_for(options.target_cpu)),
          target_(target_machine_for(machine_)),
          m_(context_, library.name, machine_) {
        if (options.fast_math) throw NotSupported("--fast-math");
        options_.as_function = true;
        options_.script_path = library.script;
        set_target(m_.module(), *target_);
        table_ = new llvm::GlobalVariable(m_.module(), struct_of({m_.i32(), m_.i32(), m_.i32(), m_.i32(), m_.ptr(), m_.ptr(), m_.ptr()}),
                                          true, llvm::GlobalValue::InternalLinkage, nullptr, l_.name + ".library");
        emit_tables();
        emit_context();
        for (size_t f = 0; f < l_.functions.size(); ++f) emit_function(f);
        verify_module(m_.module());
    }

    llvm::Module& module() { return m_.module(); }
    std::vector<std::byte> code(CodeFile kind) { return emit_code(m_.module(), *target_, kind); }

private:
    static llvm::StructType* struct_of(std::vector<llvm::Type*> members) {
        return llvm::StructType::get(members[0]->getContext(), members);
    }
    llvm::Constant* i32(int64_t v) { return llvm::ConstantInt::getSigned(m_.i32(), v); }
    llvm::Constant* null() { return llvm::ConstantPointerNull::get(m_.ptr()); }
    static llvm::Constant* row(std::vector<llvm::Constant*> members) {
        std::vector<llvm::Type*> types;
        for (llvm::Constant* c : members) types.push_back(c->getType());
        return llvm::ConstantStruct::get(struct_of(types), members);
    }
    /// A constant array in the module; null where it is empty.
    llvm::Constant* array(const std::vector<llvm::Constant*>& items) {
        if (items.empty()) return null();
        auto* type = llvm::ArrayType::get(items[0]->getType(), items.size());
        return new llvm::GlobalVariable(m_.module(), type, true, llvm::GlobalValue::PrivateLinkage, llvm::ConstantArray::get(type, items),
                                        "table");
    }
    llvm::Constant* ints(const std::vector<int64_t>& v) {
        std::vector<llvm::Constant*> items;
        for (int64_t i : v) items.push_back(m_.constant(i));
        return array(items);
    }
    llvm::Constant* ints(const std::vector<int32_t>& v) {
        std::vector<llvm::Constant*> items;
        for (int32_t i : v) items.push_back(i32(i));
        return array(items);
    }

    /// Compiles a plan into this module, as a function of this name.
    llvm::Function* emit_plan(const Plan& plan, const std::string& name) {
        ModuleEmitter e(context_, name, machine_);
        set_target(e.module(), *target_);
        if (options_.debug_lines) e.start_debug(options_.script_path);
        const std::vector<llvm::Function*> kernels = emit_kernels(e, plan.kernels);
        HostEmitter host(e, plan, options_);
        host.emit(cpu_memory(host, kernels), false);
        for (llvm::Function* f : kernels) f->setLinkage(llvm::GlobalValue::InternalLinkage);
        e.module().getFunction(entry_symbol)->setName(name);
        e.finish_debug();
        verify_module(e.module());
        optimise(e.module(), *target_);
        const bool failed = llvm::Linker::linkModules(m_.module(), e.take());
        SIFR_CHECK(!failed, "linking the modules of a library");
        llvm::Function* f = m_.module().getFunction(name);
        f->setLinkage(llvm::GlobalValue::InternalLinkage);
        return f;
    }

    llvm::Constant* code_row(const Library::Code& c, const std::string& name, const Library::Function* f) {
        int32_t arguments = 0, numbers = 0, results = 0;
        if (f) {
            for (const Library::Parameter& p : f->parameters) ++(p.type.is_tensor() ? arguments : numbers);
            for (const Type& t : f->results) ++(t.is_tensor() ? arguments : results);
        }
        llvm::Function* entry = emit_plan(c.plan, name);
        llvm::Constant* function =
            row({i32(sizeof(sifr_function)), i32(SIFR_RUNTIME_ABI), m_.constant(static_cast<int64_t>(machine_.required_features)),
                 m_.constant(c.plan.arena_bytes), entry});
        return row({function, i32(c.next_form), i32(arguments), i32(numbers), i32(results), i32(static_cast<int64_t>(c.number_from.size())),
                    i32(c.kept_out), ints(c.piece_from), ints(c.number_from), ints(c.initial)});
    }

    void emit_tables() {
        std::vector<llvm::Constant*> forms, codes, top;
        for (const Library::Form& form : l_.forms) {
            std::vector<llvm::Constant*> tensors;
            for (const Library::Kept& k : form.tensors)
                tensors.push_back(
                    row({m_.text(k.name), ints(k.layout.sizes), ints(k.layout.strides), m_.constant(k.layout.offset * size_of(k.dtype)),
                         i32(k.piece), i32(static_cast<int64_t>(k.dtype)), i32(static_cast<int64_t>(k.layout.sizes.size())), i32(0)}));
            forms.push_back(row({i32(static_cast<int64_t>(form.bytes.size())), i32(static_cast<int64_t>(tensors.size())), ints(form.bytes),
                                 array(tensors)}));
        }
        const size_t n = l_.functions.size();
        for (size_t k = 0; k < l_.code.size(); ++k)
            codes.push_back(code_row(l_.code[k], fmt::format("{}.{}.{}", l_.name, l_.functions[k % n].name, k / n), &l_.functions[k % n]));
        if (l_.top) top.push_back(code_row(*l_.top, l_.name + ".top_level", nullptr));
        table_->setInitializer(row({i32(sizeof(sifr_library)), i32(static_cast<int64_t>(n)), i32(static_cast<int64_t>(l_.forms.size())),
                                    i32(0), array(forms), array(codes), array(top)}));
    }

    /// A function of the header. It runs before anything has looked at the CPU, so that it is compiled for any.
    llvm::Function* header_function(const std::string& name, llvm::Type* result, std::vector<llvm::Type*> parameters) {
        auto* f = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false), llvm::GlobalValue::ExternalLinkage,
                                         l_.name + "_" + name, m_.module());
        f->addFnAttr("target-cpu", "x86-64");
        f->setUWTableKind(llvm::UWTableKind::Async);
        llvm::BasicBlock::Create(context_, "entry", f);
        return f;
    }
    llvm::FunctionCallee callee(const std::string& name, llvm::Type* result, std::vector<llvm::Type*> parameters) {
        return m_.module().getOrInsertFunction(name, llvm::FunctionType::get(result, parameters, false));
    }
    /// A function of the header that is one of the runtime's: `fixed` in front or behind, then its own parameters.
    void forward(const std::string& name, const std::string& to, llvm::Type* result, std::vector<llvm::Type*> parameters,
                 llvm::Constant* front = nullptr, llvm::Constant* behind = nullptr) {
        llvm::Function* f = header_function(name, result, parameters);
        llvm::IRBuilder<> b(&f->getEntryBlock());
        std::vector<llvm::Value*> given;
        if (front) given.push_back(front);
        for (llvm::Argument& a : f->args()) given.push_back(&a);
        if (behind) given.push_back(behind);
        std::vector<llvm::Type*> types;
        for (llvm::Value* v : given) types.push_back(v->getType());
        llvm::Value* v = b.CreateCall(callee(to, result, types), given);
        if (result->isVoidTy())
            b.CreateRetVoid();
        else
            b.CreateRet(v);
    }

    void emit_context() {
        forward("context_new", "sifr_library_new", m_.ptr(), {m_.ptr()}, table_);
        forward("context_free", "sifr_library_free", m_.void_type(), {m_.ptr()});
        forward("context_seed", "sifr_library_seed", m_.void_type(), {m_.ptr(), m_.i64()});
        forward("error", "sifr_library_error", m_.ptr(), {m_.ptr()});
        forward("error_line", "sifr_library_error_line", m_.i32(), {m_.ptr()}, nullptr, null());
        forward("state", "sifr_library_state", m_.i32(), {m_.ptr(), m_.i32(), m_.ptr(), m_.ptr()});
    }

    llvm::Type* c_type(const Type& t) {
        return t.is_tensor()                ? m_.ptr()
               : t.kind == Type::Kind::F64  ? m_.f64()
               : t.kind == Type::Kind::Bool ? static_cast<llvm::Type*>(m_.i32())
                                            : m_.i64();
    }

    void emit_function(size_t index) {
        const Library::Function& f = l_.functions[index];
        std::vector<llvm::Type*> parameters{m_.ptr()};
        for (const Library::Parameter& p : f.parameters) parameters.push_back(c_type(p.type));
        for (size_t k = 0; k < f.results.size(); ++k) parameters.push_back(m_.ptr());
        llvm::Function* out = header_function(f.name, m_.i32(), parameters);
        llvm::IRBuilder<> b(&out->getEntryBlock());
        const auto words = [&](size_t n) { return b.CreateAlloca(llvm::ArrayType::get(m_.i64(), std::max<size_t>(n, 1))); };
        const auto place = [&](llvm::Value* array, size_t k) { return b.CreateConstInBoundsGEP1_64(m_.i64(), array, k); };
        const size_t all = f.parameters.size() + f.results.size();
        llvm::Value *tensors = words(all), *numbers = words(all), *results = words(all);
        size_t tensor = 0, number = 0;
        for (size_t k = 0; k < f.parameters.size(); ++k) {
            llvm::Value* v = out->getArg(static_cast<unsigned>(k + 1));
            const Type& t = f.parameters[k].type;
            if (t.is_tensor()) {
                b.CreateStore(v, place(tensors, tensor++));
                continue;
            }
            if (t.kind == Type::Kind::F64) v = b.CreateBitCast(v, m_.i64());
            if (t.kind == Type::Kind::Bool) v = b.CreateZExt(b.CreateICmpNE(v, i32(0)), m_.i64());
            b.CreateStore(v, place(numbers, number++));
        }
        const auto result = [&](size_t k) { return out->getArg(static_cast<unsigned>(1 + f.parameters.size() + k)); };
        for (size_t k = 0; k < f.results.size(); ++k)
            if (f.results[k].is_tensor()) b.CreateStore(result(k), place(tensors, tensor++));
        llvm::Value* status = b.CreateCall(callee("sifr_library_call", m_.i32(), {m_.ptr(), m_.i32(), m_.ptr(), m_.ptr(), m_.ptr()}),
                                           {out->getArg(0), i32(static_cast<int64_t>(index)), tensors, numbers, results});
        llvm::BasicBlock *good = llvm::BasicBlock::Create(context_, "good", out), *done = llvm::BasicBlock::Create(context_, "done", out);
        b.CreateCondBr(b.CreateICmpEQ(status, i32(0)), good, done);
        b.SetInsertPoint(good);
        size_t given = 0;
        for (size_t k = 0; k < f.results.size(); ++k) {
            const Type& t = f.results[k];
            if (t.is_tensor()) continue;
            llvm::Value* v = b.CreateLoad(m_.i64(), place(results, given++));
            if (t.kind == Type::Kind::Bool) v = b.CreateTrunc(v, m_.i32());
            b.CreateStore(v, result(k));
        }
        b.CreateBr(done);
        b.SetInsertPoint(done);
        b.CreateRet(status);
    }

    const Library& l_;
    BackendOptions options_;
    llvm::LLVMContext context_;
    Machine machine_;
    std::unique_ptr<llvm::TargetMachine> target_;
    ModuleEmitter m_;
    llvm::GlobalVariable* table_ = nullptr;
};

}  // namespace
}  // namespace sifr::codegen

namespace sifr {

std::vector<std::byte> compile_library(const Library& library, Emit what, const BackendOptions& options) {
    using namespace codegen;
    LibraryEmitter emitter(library, options);
    switch (what) {
        case Emit::LlvmIr: {
            const std::string text = text_of(emitter.module());
            const auto* data = reinterpret_cast<const std::byte*>(text.data());
            return {data, data + text.size()};
        }
        case Emit::Assembly: return emitter.code(CodeFile::Assembly);
        case Emit::Object: return emitter.code(CodeFile::Object);
        case Emit::StaticLibrary: return archive_static(emitter.code(CodeFile::Object), library.name + ".o");
        case Emit::SharedLibrary: return link_shared(emitter.code(CodeFile::Object), library.name);
        default: break;
    }
    throw NotSupported("this kind of output from functions of a script");
}

}  // namespace sifr
