#include "compiler/backend/llvm/module_emitter.h"

#include <filesystem>

#include "compiler/backend/llvm/runtime_calls.h"
#include "ir/base/check.h"

namespace sifr::codegen {

using llvm::BasicBlock;
using llvm::Value;

ModuleEmitter::ModuleEmitter(llvm::LLVMContext& context, const std::string& name, Machine machine)
    : context(context), machine(std::move(machine)), module_(std::make_unique<llvm::Module>(name, context)) {}

llvm::Type* ModuleEmitter::value_type(DType t) {
    switch (t) {
        case DType::Bool: return i1();
        case DType::U8: case DType::I8: return i8();
        case DType::I16: case DType::F16: case DType::BF16: return llvm::Type::getInt16Ty(context);
        case DType::I32: return i32();
        case DType::I64: return i64();
        case DType::F32: return f32();
        case DType::F64: return f64();
        case DType::C64: return i64();
        case DType::C128: return llvm::Type::getInt128Ty(context);
    }
    SIFR_UNREACHABLE("dtype {}", static_cast<int>(t));
}

llvm::Type* ModuleEmitter::memory_type(DType t) { return t == DType::Bool ? i8() : value_type(t); }

llvm::Function* ModuleEmitter::add_function(const std::string& name, llvm::FunctionType* type, bool internal) {
    auto* f = llvm::Function::Create(type, internal ? llvm::Function::InternalLinkage : llvm::Function::ExternalLinkage, name, *module_);
    // Unwind tables, so that a host may turn a raise into an exception that passes through.
    f->setUWTableKind(llvm::UWTableKind::Async);
    if (machine.avx512) {
        f->addFnAttr("min-legal-vector-width", "512");
        f->addFnAttr("prefer-vector-width", "512");
    }
    if (debug_) {
        auto* type = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
        f->setSubprogram(debug_->createFunction(script_, name, name, script_, 0, type, 0, llvm::DINode::FlagArtificial, llvm::DISubprogram::SPFlagDefinition));
    }
    return f;
}

void ModuleEmitter::start_debug(const std::string& script) {
    const std::filesystem::path path = std::filesystem::absolute(script);
    debug_ = std::make_unique<llvm::DIBuilder>(*module_);
    script_ = debug_->createFile(path.filename().string(), path.parent_path().string());
    debug_->createCompileUnit(llvm::dwarf::DW_LANG_Python, script_, "sifr", true, "", 0, "", llvm::DICompileUnit::LineTablesOnly);
    module_->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module_->addModuleFlag(llvm::Module::Warning, "Dwarf Version", 5);
}

void ModuleEmitter::finish_debug() {
    if (debug_) debug_->finalize();
}

llvm::DebugLoc ModuleEmitter::debug_location(const Location& location, llvm::DISubprogram* scope) {
    const Span span = location.empty() ? Span{} : location.front();
    return llvm::DILocation::get(context, span.line, span.column, scope);
}

llvm::FunctionCallee ModuleEmitter::runtime(const std::string& name) {
    if (llvm::Function* f = module_->getFunction(name)) return f;
    const RuntimeFunction* r = runtime_function(name);
    SIFR_CHECK(r, "the runtime has no function {}", name);
    llvm::Function* f = llvm::Function::Create(signature_of(*r, *this), llvm::Function::ExternalLinkage, name, *module_);
    // A bool is passed as a whole byte.
    if (f->getReturnType()->isIntegerTy(1)) f->addRetAttr(llvm::Attribute::ZExt);
    for (unsigned i = 0; i < f->arg_size(); ++i)
        if (f->getArg(i)->getType()->isIntegerTy(1)) f->addParamAttr(i, llvm::Attribute::ZExt);
    if (r->no_return) {
        f->setDoesNotReturn();
        f->addFnAttr(llvm::Attribute::Cold);
    }
    return f;
}

llvm::Constant* ModuleEmitter::table(const uint64_t* words, int count, bool wide) {
    llvm::Constant*& known = tables_[{words, wide}];
    if (!known) {
        llvm::Constant* data = nullptr;
        if (wide) {
            data = llvm::ConstantDataArray::get(context, llvm::ArrayRef<uint64_t>(words, static_cast<size_t>(count)));
        } else {
            std::vector<uint32_t> low;
            for (int i = 0; i < count; ++i) low.push_back(static_cast<uint32_t>(words[i]));
            data = llvm::ConstantDataArray::get(context, llvm::ArrayRef<uint32_t>(low));
        }
        known = new llvm::GlobalVariable(*module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "table");
    }
    return known;
}

llvm::Constant* ModuleEmitter::data(const std::vector<std::byte>& bytes, const char* name) {
    auto* data = llvm::ConstantDataArray::getRaw(llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), bytes.size(), i8());
    auto* global = new llvm::GlobalVariable(*module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, name);
    global->setAlignment(llvm::Align(64));
    return global;
}

llvm::Constant* ModuleEmitter::text(const std::string& text) {
    llvm::Constant*& known = texts_[text];
    if (!known) {
        auto* data = llvm::ConstantDataArray::getString(context, text);
        auto* global = new llvm::GlobalVariable(*module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "text");
        global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
        known = global;
    }
    return known;
}

namespace {

/// A loop over the set bits of an integer; `body` gets the lane as i64.
void for_each_bit(llvm::IRBuilder<>& b, llvm::Function* f, Value* bits, const std::function<void(Value*)>& body) {
    auto& c = f->getContext();
    BasicBlock* before = b.GetInsertBlock();
    BasicBlock* loop = BasicBlock::Create(c, "lane", f);
    BasicBlock* done = BasicBlock::Create(c, "done", f);
    llvm::Constant* zero = llvm::ConstantInt::get(bits->getType(), 0);
    b.CreateCondBr(b.CreateICmpNE(bits, zero), loop, done);
    b.SetInsertPoint(loop);
    llvm::PHINode* left = b.CreatePHI(bits->getType(), 2);
    left->addIncoming(bits, before);
    body(b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue()), b.getInt64Ty()));
    Value* rest = b.CreateAnd(left, b.CreateSub(left, llvm::ConstantInt::get(bits->getType(), 1)));
    left->addIncoming(rest, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpNE(rest, zero), loop, done);
    b.SetInsertPoint(done);
}

}  // namespace

llvm::Function* ModuleEmitter::lanes_load(llvm::Type* element, int lanes) {
    const std::string name = "lanes.load.i" + std::to_string(element->getScalarSizeInBits()) + "x" + std::to_string(lanes);
    if (llvm::Function* f = module_->getFunction(name)) return f;
    auto* bits = llvm::Type::getIntNTy(context, static_cast<unsigned>(lanes));
    llvm::Type* vector = vector_of(element, lanes);
    llvm::Function* f = add_function(name, llvm::FunctionType::get(vector, {ptr(), bits}, false), true);
    f->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<> b(BasicBlock::Create(context, "entry", f));
    if (debug_) b.SetCurrentDebugLocation(debug_location({}, f->getSubprogram()));
    Value* place = b.CreateAlloca(vector);
    b.CreateStore(llvm::Constant::getNullValue(vector), place);
    for_each_bit(b, f, f->getArg(1), [&](Value* lane) {
        b.CreateStore(b.CreateLoad(element, b.CreateInBoundsGEP(element, f->getArg(0), lane)), b.CreateInBoundsGEP(element, place, lane));
    });
    b.CreateRet(b.CreateLoad(vector, place));
    return f;
}

llvm::Function* ModuleEmitter::lanes_store(llvm::Type* element, int lanes) {
    const std::string name = "lanes.store.i" + std::to_string(element->getScalarSizeInBits()) + "x" + std::to_string(lanes);
    if (llvm::Function* f = module_->getFunction(name)) return f;
    auto* bits = llvm::Type::getIntNTy(context, static_cast<unsigned>(lanes));
    llvm::Type* vector = vector_of(element, lanes);
    llvm::Function* f = add_function(name, llvm::FunctionType::get(void_type(), {vector, ptr(), bits}, false), true);
    f->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<> b(BasicBlock::Create(context, "entry", f));
    if (debug_) b.SetCurrentDebugLocation(debug_location({}, f->getSubprogram()));
    Value* place = b.CreateAlloca(vector);
    b.CreateStore(f->getArg(0), place);
    for_each_bit(b, f, f->getArg(2), [&](Value* lane) {
        b.CreateStore(b.CreateLoad(element, b.CreateInBoundsGEP(element, place, lane)), b.CreateInBoundsGEP(element, f->getArg(1), lane));
    });
    b.CreateRetVoid();
    return f;
}

llvm::Function* ModuleEmitter::note_offence() {
    const char* name = "note.offence";
    if (llvm::Function* f = module_->getFunction(name)) return f;
    auto* lock = new llvm::GlobalVariable(*module_, i32(), false, llvm::GlobalValue::InternalLinkage, llvm::ConstantInt::get(i32(), 0), "status.lock");
    llvm::Function* f = add_function(name, llvm::FunctionType::get(void_type(), {ptr(), i64(), i64(), i64()}, false), true);
    f->addFnAttr(llvm::Attribute::NoInline);
    f->addFnAttr(llvm::Attribute::Cold);
    BasicBlock* entry = BasicBlock::Create(context, "entry", f);
    BasicBlock* spin = BasicBlock::Create(context, "spin", f);
    BasicBlock* held = BasicBlock::Create(context, "held", f);
    BasicBlock* earlier = BasicBlock::Create(context, "earlier", f);
    BasicBlock* done = BasicBlock::Create(context, "done", f);
    llvm::IRBuilder<> b(entry);
    if (debug_) b.SetCurrentDebugLocation(debug_location({}, f->getSubprogram()));
    b.CreateBr(spin);
    b.SetInsertPoint(spin);
    auto* exchange = b.CreateAtomicCmpXchg(lock, b.getInt32(0), b.getInt32(1), llvm::Align(4), llvm::AtomicOrdering::Acquire,
                                           llvm::AtomicOrdering::Monotonic);
    b.CreateCondBr(b.CreateExtractValue(exchange, 1), held, spin);
    b.SetInsertPoint(held);
    Value* position = b.CreateConstInBoundsGEP1_64(i64(), f->getArg(0), 1);
    // Of two offences at one position the lower site counts.
    Value* known = b.CreateLoad(i64(), position);
    Value* same = b.CreateAnd(b.CreateICmpEQ(f->getArg(2), known), b.CreateICmpULT(f->getArg(1), b.CreateLoad(i64(), f->getArg(0))));
    b.CreateCondBr(b.CreateOr(b.CreateICmpSLT(f->getArg(2), known), same), earlier, done);
    b.SetInsertPoint(earlier);
    b.CreateStore(f->getArg(1), f->getArg(0));
    b.CreateStore(f->getArg(2), position);
    b.CreateStore(f->getArg(3), b.CreateConstInBoundsGEP1_64(i64(), f->getArg(0), 2));
    b.CreateBr(done);
    b.SetInsertPoint(done);
    auto* release = b.CreateStore(b.getInt32(0), lock);
    release->setAtomic(llvm::AtomicOrdering::Release);
    b.CreateRetVoid();
    return f;
}

}  // namespace sifr::codegen
