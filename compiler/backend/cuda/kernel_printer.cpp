// Statements of the loop IR as C++, for one thread or for a block of them.

#include "compiler/backend/cuda/kernel_printer.h"

#include <algorithm>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/op/reduce_order.h"

namespace sifr::cuda {

namespace {

/// A reduction over more elements than this is taken by a whole block where there is one.
constexpr int64_t long_reduction = 64;
bool is_arg(Combine c) { return c == Combine::ArgMax || c == Combine::ArgMin; }

/// Loops that are dealt to threads or reductions that a block takes together stand somewhere in it.
bool has_shared_work(const Block& block) {
    return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
        if (const auto* f = std::get_if<For>(&s.node)) return f->kind != For::Kind::Serial || has_shared_work(f->body);
        if (const auto* i = std::get_if<If>(&s.node)) return has_shared_work(i->then_body) || has_shared_work(i->else_body);
        return std::holds_alternative<Reduce>(s.node) || std::holds_alternative<Contract>(s.node);
    });
}

bool stores(const Block& block) {
    return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
        if (const auto* f = std::get_if<For>(&s.node)) return stores(f->body);
        if (const auto* r = std::get_if<Reduce>(&s.node)) return stores(r->body);
        if (const auto* i = std::get_if<If>(&s.node)) return stores(i->then_body) || stores(i->else_body);
        return std::holds_alternative<Store>(s.node) || std::holds_alternative<Accumulate>(s.node) ||
               std::holds_alternative<Contract>(s.node) || std::holds_alternative<Check>(s.node);
    });
}

constexpr const char* reserved[] = {
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr", "continue", "default", "delete", "do",
    "double", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace",
    "new", "not", "operator", "or", "private", "protected", "public", "register", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "while", "xor",
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "c128", "Status", "status", "launch", "slab", "threadIdx", "blockIdx", "blockDim", "gridDim",
    "infinity_f32", "nan_f32", "infinity_f64", "nan_f64", "sqrt", "sqrtf", "floor", "floorf", "ceil", "ceilf", "trunc", "truncf", "rint", "rintf", "fabs",
    "fabsf", "fma", "fmaf", "add", "sub", "mul", "negate", "absolute", "quotient", "remainder", "floor_quotient", "modulo", "shift_left", "shift_right",
    "smaller", "larger", "remainder_of", "modulo_of", "floor_quotient_of", "to_i64", "to_i32", "from_f16", "to_f16", "from_bf16", "to_bf16", "to_bits",
    "is_better", "note_offence", "reduce_thread", "reduce_few", "reduce_by_block", "reduce_by_grid", "reduce_tree", "fold_lanes", "shuffle_down", "first_of_warp", "Words", "gather_block", "join_nodes", "Four", "nodes", "at", "multiply_add", "polynomial", "contract_tile", "reduce_block", "reduce_levels",
    "contract_chunk", "tree_levels", "shared_space", "acc", "lane", "linux", "unix", "assert", "min", "max", "abs", "exp", "log", "sin", "cos",
    "tan", "pow", "signbit", "isnan", "isinf", "clock", "printf", "warpSize", "erf", "erfc", "lgamma", "tanh", "y0", "y1", "yn", "j0", "j1", "jn", "gamma"};

}  // namespace

KernelPrinter::KernelPrinter(const Kernel& kernel, const std::string& script, bool float_atomics)
    : k_(kernel), script_(script), taken_(std::begin(reserved), std::end(reserved)), assigned_(assigned_variables(kernel)), float_atomics_(float_atomics) {
    find_ranges(k_.body);
    for (const Buffer& b : k_.buffers) buffers_.push_back(unique(b.name.empty() ? "b" : b.name));
    for (const Variable& v : k_.vars) vars_.push_back(unique(v.name.empty() ? "v" : v.name));
}

std::string KernelPrinter::unique(const std::string& wanted) {
    std::string base;
    for (char c : wanted) base += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0]))) base.insert(0, "v");
    // A name of ours never ends like a function of the prelude or of ir/math (`exp_f32`), since those have no digits of their own behind.
    std::string name = base;
    for (int n = 1; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
    return name;
}

std::string KernelPrinter::bare(const std::string& value) {
    if (value.size() < 2 || value.front() != '(' || value.back() != ')') return value;
    int open = 0;
    for (size_t i = 0; i + 1 < value.size(); ++i) {
        open += value[i] == '(' ? 1 : value[i] == ')' ? -1 : 0;
        if (open == 0) return value;  // the first one closes before the end
    }
    return value.substr(1, value.size() - 2);
}

void KernelPrinter::line(const std::string& text) { out_ += std::string(static_cast<size_t>(depth_) * 4, ' ') + text + "\n"; }
void KernelPrinter::open(const std::string& text) {
    line(text + " {");
    ++depth_;
}
void KernelPrinter::close(const std::string& text) {
    --depth_;
    line(text);
}

void KernelPrinter::place(const Location& location) {
    for (const Span& s : location) {
        if (!s.known() || s.file != 0) continue;
        if (s.line != line_) out_ += fmt::format("#line {} \"{}\"\n", s.line, script_);
        line_ = s.line;
        return;
    }
}

void KernelPrinter::barrier() {
    line("__syncthreads();");
    unsettled_ = {};
}

/// Parameters may share memory with one another, scratch does not.
static std::set<uint32_t> classes(const Kernel& k, const std::set<uint32_t>& buffers) {
    std::set<uint32_t> c;
    for (uint32_t b : buffers) c.insert(k.buffers[b].scratch ? b : UINT32_MAX);
    return c;
}

void KernelPrinter::Unsettled::merge(const Unsettled& other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    first_reads.insert(other.first_reads.begin(), other.first_reads.end());
    first_writes.insert(other.first_writes.begin(), other.first_writes.end());
}

void KernelPrinter::barrier_before(const Footprint& f, bool by_first) {
    if (level_ != Level::Block) return;
    const auto reads = classes(k_, f.reads), writes = classes(k_, f.writes);
    const Unsettled& u = unsettled_;
    const bool meets_all = intersect(writes, u.reads) || intersect(writes, u.writes) || intersect(reads, u.writes);
    // One thread sees its own writes in order.
    const bool meets_first = intersect(writes, u.first_reads) || intersect(writes, u.first_writes) || intersect(reads, u.first_writes);
    if (meets_all || (meets_first && !by_first)) barrier();
}

void KernelPrinter::note(const Footprint& f, bool by_first) {
    if (level_ != Level::Block) return;
    (by_first ? unsettled_.first_reads : unsettled_.reads).merge(classes(k_, f.reads));
    (by_first ? unsettled_.first_writes : unsettled_.writes).merge(classes(k_, f.writes));
}

void KernelPrinter::block(const Block& b) {
    for (const Stmt& s : b) stmt(s);
}

void KernelPrinter::stmt(const Stmt& s) {
    place(s.location);
    const bool itself = std::holds_alternative<Let>(s.node) || std::holds_alternative<Assign>(s.node) ||
                        std::holds_alternative<Store>(s.node) || std::holds_alternative<Accumulate>(s.node) ||
                        std::holds_alternative<Check>(s.node);
    const bool by_first = std::holds_alternative<Store>(s.node) || std::holds_alternative<Accumulate>(s.node);
    if (itself) barrier_before(footprint(k_, s), by_first);
    std::visit(
        [&](const auto& n) {
            using T = std::decay_t<decltype(n)>;
            if constexpr (std::is_same_v<T, For>)
                print_for(n, s);
            else if constexpr (std::is_same_v<T, Let>) {
                share({n.value});
                print_let(n.var, bare(expr(n.value)));
            } else if constexpr (std::is_same_v<T, Assign>) {
                share({n.value});
                line(fmt::format("{} = {};", name(n.var), bare(expr(n.value))));
            } else if constexpr (std::is_same_v<T, Store>)
                print_store(n);
            else if constexpr (std::is_same_v<T, Accumulate>)
                print_accumulate(n);
            else if constexpr (std::is_same_v<T, If>)
                print_if(n);
            else if constexpr (std::is_same_v<T, Reduce>)
                print_reduce(n);
            else if constexpr (std::is_same_v<T, Check>)
                print_check(n);
            else
                print_contract(n);
        },
        s.node);
    unshare();
    if (itself) note(footprint(k_, s), by_first);
}

void KernelPrinter::print_let(VarId var, const std::string& value) {
    line(fmt::format("{}{} {} = {};", assigned_[var.index] ? "" : "const ", value_type(k_.vars[var.index].type), name(var), value));
}

void KernelPrinter::print_store(const Store& s) {
    by_first_thread({s.value}, [&] {
        return fmt::format("{} = {};", access(s.buffer, s.index), stored(k_.buffers[s.buffer.index].type, bare(expr(s.value))));
    });
}

void KernelPrinter::by_first_thread(const std::vector<ExprId>& roots, const std::function<std::string()>& text) {
    if (level_ == Level::Thread) {
        share(roots);
        line(text());
        return;
    }
    const std::string before = std::move(out_);
    out_.clear();
    ++depth_;
    share(roots);
    --depth_;
    const std::string shared = std::move(out_);
    out_ = before;
    if (shared.empty()) return line("if (threadIdx.x == 0) " + text());
    open("if (threadIdx.x == 0)");
    out_ += shared;
    line(text());
    close();
}

void KernelPrinter::print_accumulate(const Accumulate& s) {
    const DType t = k_.buffers[s.buffer.index].type;
    if (atomic_.contains(&s)) {
        if (is_float(t)) return by_first_thread({s.value}, [&] { return fmt::format("atomicAdd(&{}, {});", access(s.buffer, s.index), bare(expr(s.value))); });
        const char* function = s.combine == Combine::Sum ? "atomicAdd" : s.combine == Combine::Max ? "atomicMax" : "atomicMin";
        // A wrapping sum has no sign.
        const char* type = t != DType::I64 ? "i32" : s.combine == Combine::Sum ? "u64" : "i64";
        by_first_thread({s.value}, [&] { return fmt::format("{0}(({1}*)&{2}, {1}({3}));", function, type, access(s.buffer, s.index), bare(expr(s.value))); });
        return;
    }
    Expr old;
    old.op = ScalarOp::Load;
    old.type = t;
    old.buffer = s.buffer;
    old.index = s.index;
    by_first_thread({s.value}, [&] {
        return fmt::format("{} = {};", access(s.buffer, s.index), stored(t, bare(combine(s.combine, t, load(old), expr(s.value)))));
    });
}

void KernelPrinter::print_check(const Check& s) {
    share({s.ok, s.value});
    line(fmt::format("if ({}!{}) note_offence(status, launch, {}, {}, {});", level_ == Level::Block ? "threadIdx.x == 0 && " : "",
                     expr(s.ok), s.site, affine(s.position), expr(s.value)));
}

void KernelPrinter::print_if(const If& s) {
    Footprint f;
    f.reads = {};
    if (level_ == Level::Block) {
        // The condition's own reads; what the arms do is looked at inside.
        Let probe{VarId(0), s.condition};
        f = footprint(k_, Stmt{probe, {}});
        barrier_before(f);
    }
    share({s.condition});
    open(fmt::format("if ({})", bare(expr(s.condition))));
    unshare();
    note(f);
    const Unsettled before = unsettled_;
    block(s.then_body);
    const Unsettled behind_then = unsettled_;
    unsettled_ = before;
    if (!s.else_body.empty()) {
        --depth_;
        open("} else");
        block(s.else_body);
    }
    close();
    unsettled_.merge(behind_then);
    unsettled_.merge(before);
}

void KernelPrinter::loop_header(VarId var, const std::string& lo, const std::string& hi) {
    open(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0})", name(var), lo, hi));
}

void KernelPrinter::distribute(const For& f) {
    level_ = Level::Thread;
    dealt_loop(nest_of(f), "threadIdx.x", std::to_string(threads_));
    level_ = Level::Block;
}

void KernelPrinter::print_for(const For& f, const Stmt& s) {
    if (level_ == Level::Thread) {
        loop_header(f.var, affine(f.lo), affine(f.hi));
        block(f.body);
        close();
        return;
    }
    const Footprint whole = footprint(k_, s);
    const bool by_first = !independent(f) && !has_shared_work(f.body) && !footprint(k_, f.body).assigns;
    barrier_before(whole, by_first);
    const int64_t trips = trips_of(f.lo, f.hi);
    const Footprint body = footprint(k_, f.body);
    const bool alone = !body.scratch && !(trips < 32 && has_shared_work(f.body) && body.work > 64);
    if (independent(f) && alone) {
        distribute(f);
        note(whole);
        return;
    }
    if (by_first) {
        open("if (threadIdx.x == 0)");
        level_ = Level::Thread;
        loop_header(f.var, affine(f.lo), affine(f.hi));
        block(f.body);
        close();
        level_ = Level::Block;
        close();
        note(whole, true);
        return;
    }
    // All threads go through the iterations together.
    const Unsettled before = unsettled_;
    loop_header(f.var, affine(f.lo), affine(f.hi));
    block(f.body);
    if (!unsettled_.writes.empty() || !unsettled_.first_writes.empty() || !whole.writes.empty()) barrier();
    close();
    unsettled_.merge(before);
}

/// Bytes of what one lane gathers.
static int64_t partial_bytes(const Kernel& k, const Reduce& r) {
    int64_t bytes = 0, widest = 1;
    auto member = [&](int64_t size) {
        bytes = (bytes + size - 1) / size * size + size;
        widest = std::max(widest, size);
    };
    for (const auto& item : r.items) {
        const DType t = k.exprs.type(item.value);
        if (is_arg(item.combine)) member(size_of(DType::I64));
        member(t == DType::F16 || t == DType::BF16 ? size_of(DType::F32) : size_of(t));
    }
    return (bytes + widest - 1) / widest * widest;
}

static int64_t space_for(const Kernel& k, const Reduce& r, int threads) {
    return (threads / 32 + tree_levels) * (r.lanes ? reduce_lanes : 1) * partial_bytes(k, r);
}

bool KernelPrinter::fits(const Reduce& r, int threads, int64_t beside) const {
    // What every GPU gives a block without being asked.
    constexpr int64_t most_shared = 48 << 10;
    return shared_bytes_ + beside + space_for(k_, r, threads) <= most_shared;
}

std::string KernelPrinter::space(const Reduce& r) {
    space_bytes_ = std::max(space_bytes_, space_for(k_, r, threads_));
    return "shared_space";
}

bool KernelPrinter::is_plain(const Reduce& r) { return r.items.size() == 1 && !is_arg(r.items[0].combine); }

KernelPrinter::Gathering KernelPrinter::print_gathering(const Reduce& r, bool with_add) {
    const bool plain = is_plain(r);
    const DType first_type = k_.exprs.type(r.items[0].value);
    const std::string& first = name(r.items[0].result);
    Gathering g{plain ? value_type(first_type) : unique("Partial"), with_add ? unique("add_to_" + first) : "", unique("join_" + first), ""};
    // What one lane gathers: a member for each result.
    std::string fields, joined;
    for (const auto& item : r.items) {
        const DType t = k_.exprs.type(item.value);
        const std::string field = name(item.result);
        auto member = [&](const char* type, const std::string& m, const std::string& start, const std::string& join) {
            fields += fmt::format(" {} {};", type, m);
            g.empty += (g.empty.empty() ? "" : ", ") + start;
            joined += (joined.empty() ? "" : ", ") + join;
        };
        if (is_arg(item.combine)) {
            const std::string value = field + "_value";
            const std::string better =
                fmt::format("is_better<{2}>(b.{1}, b.{0}, a.{1}, a.{0})", field, value, item.combine == Combine::ArgMax ? "true" : "false");
            member("i64", field, "-1", fmt::format("{0} ? b.{1} : a.{1}", better, field));
            member(value_type(t), value, neutral(item.combine, t), fmt::format("{0} ? b.{1} : a.{1}", better, value));
        } else {
            const std::string both = combine(item.combine, t, "a." + field, "b." + field);
            // Braces take no narrower type than the member's.
            member(value_type(t), field, neutral(item.combine, t),
                   is_float(t) || t == DType::Bool ? bare(both) : fmt::format("{}({})", value_type(t), both));
        }
    }
    if (plain) {
        // The type of what lanes gather is that of the start.
        if (!is_float(first_type) && first_type != DType::Bool) g.empty = fmt::format("{}({})", g.partial, g.empty);
    } else {
        line(fmt::format("struct {} {{{} }};", g.partial, fields));
        g.empty = g.partial + "{" + g.empty + "}";
    }
    if (with_add) {
        const Level outer = level_;
        level_ = Level::Thread;
        open(fmt::format("const auto {} = [&]({}& acc, i64 {})", g.add, g.partial, name(r.var)));
        block(r.body);
        std::vector<ExprId> roots;
        for (const auto& item : r.items) {
            roots.push_back(item.value);
            if (item.factor.valid()) roots.push_back(item.factor);
        }
        share(roots);
        for (const auto& item : r.items) {
            const DType t = k_.exprs.type(item.value);
            const std::string field = plain ? "acc" : "acc." + name(item.result);
            if (is_arg(item.combine)) {
                const std::string candidate = unique("candidate");
                line(fmt::format("const {} {} = {};", value_type(t), candidate, expr(item.value)));
                open(fmt::format("if (is_better<{}>({}, {}, {}_value, {}))", item.combine == Combine::ArgMax ? "true" : "false", candidate,
                                 name(r.var), field, field));
                line(fmt::format("{} = {};", field, name(r.var)));
                line(fmt::format("{}_value = {};", field, candidate));
                close();
            } else if (item.factor.valid()) {
                line(fmt::format("{} = {};", field, call(ScalarOp::Fma, t, {expr(item.value), expr(item.factor), field})));
            } else {
                line(fmt::format("{} = {};", field, bare(combine(item.combine, t, field, expr(item.value)))));
            }
        }
        unshare();
        close("};");
        level_ = outer;
    }
    if (plain)
        line(fmt::format("const auto {} = []({} a, {} b) {{ return {}; }};", g.join, g.partial, g.partial,
                         bare(combine(r.items[0].combine, first_type, "a", "b"))));
    else
        line(fmt::format("const auto {} = [](const {}& a, const {}& b) {{ return {}{{{}}}; }};", g.join, g.partial, g.partial, g.partial,
                         joined));
    return g;
}

std::string KernelPrinter::slab_place(int64_t at) { return at == 0 ? "slab" : fmt::format("(slab + {})", at); }

void KernelPrinter::print_results(const Reduce& r, const Gathering& g, const std::string& value) {
    if (is_plain(r)) return print_let(r.items[0].result, value);
    const std::string all = unique("all");
    line(fmt::format("const {} {} = {};", g.partial, all, value));
    for (const auto& item : r.items) {
        const std::string field = all + "." + name(item.result);
        if (is_arg(item.combine)) {
            print_let(item.result, fmt::format("{0} < 0 ? 0 : {0}", field));
            if (item.result_value.valid()) print_let(item.result_value, field + "_value");
        } else {
            print_let(item.result, field);
        }
    }
}

void KernelPrinter::print_reduce(const Reduce& r) {
    if (auto half = half_done_.find(&r); half != half_done_.end()) {
        const auto [nodes, at] = half->second;
        const Gathering g = print_gathering(r, false);
        print_results(r, g,
                      fmt::format("join_nodes<{1}, {2}>({7}, {3}, {4}, {5}, (const {0}*){6})", g.partial, threads_,
                                  r.lanes ? static_cast<int>(reduce_lanes) : 1, nodes, g.empty, g.join, slab_place(at), space(r)));
        return;
    }
    const Footprint f = footprint(k_, Stmt{r, {}});
    barrier_before(f);
    const bool known = r.extent.is_constant();
    // What does not fit, each thread reduces for itself.
    const bool together = level_ == Level::Block && (stores(r.body) || !known || r.extent.base > long_reduction) && fits(r, threads_);
    const Gathering g = print_gathering(r, true);
    const int lanes = r.lanes ? static_cast<int>(reduce_lanes) : 1;
    std::string function = fmt::format("reduce_thread<{}>", lanes);
    if (together)
        function = fmt::format("reduce_by_block<{}, {}>", threads_, lanes);
    else if (known && r.extent.base <= reduce_block)
        function = fmt::format("reduce_few<{}>", lanes);
    print_results(r, g, fmt::format("{}({}{}, {}, {}, {})", function, together ? space(r) + ", " : "", affine(r.extent), g.empty, g.add, g.join));
    if (together && known && r.extent.base > 0) {
        // It ends with barriers of its own.
        unsettled_ = {};
    } else {
        note(f);
    }
}

void KernelPrinter::print_element(const Contract& c) {
    // One chain a thread.
    const std::string acc = name(c.acc), k = unique("k");
    const char* type = value_type(c.type);
    Affine a = c.a_base, b = c.b_base;
    a.add(Affine::of(c.m_var, c.a_m));
    b.add(Affine::of(c.n_var, c.b_n));
    auto element = [&](BufferId buffer, const Affine& at, int64_t stride) {
        Expr e;
        e.op = ScalarOp::Load;
        e.type = c.type;
        e.buffer = buffer;
        e.index = at;
        std::string text = load(e);
        const size_t end = text.rfind(']');
        return text.insert(end, stride == 1 ? " + " + k : fmt::format(" + {} * {}", stride, k));
    };
    const std::string step = call(ScalarOp::Fma, c.type, {element(c.a, a, c.a_k), element(c.b, b, c.b_k), "acc"});
    const std::string zero = neutral(Combine::Sum, c.type);
    const std::string sum = unique("sum");
    line(fmt::format("{} {} = {};", type, sum, zero));
    if (c.k <= contract_chunk) {
        open(fmt::format("for (i64 {0} = 0; {0} < {1}; ++{0})", k, c.k));
        std::string text = step;
        text.replace(text.rfind("acc"), 3, sum);
        line(fmt::format("{} = {};", sum, text));
        close();
    } else {
        const std::string first = unique("first"), chunk = unique("chunk");
        open(fmt::format("for (i64 {0} = 0; {0} < {1}; {0} += contract_chunk)", first, c.k));
        line(fmt::format("{} {} = {};", type, chunk, zero));
        open(fmt::format("for (i64 {0} = {1}; {0} < {2} && {0} < {1} + contract_chunk; ++{0})", k, first, c.k));
        std::string text = step;
        text.replace(text.rfind("acc"), 3, chunk);
        line(fmt::format("{} = {};", chunk, text));
        close();
        line(fmt::format("{0} = {1} == 0 ? {2} : {0} + {2};", sum, first, chunk));
        close();
    }
    line(fmt::format("{}{} {} = {};", assigned_[c.acc.index] ? "" : "const ", type, acc, sum));
    block(c.epilogue);
}

void KernelPrinter::print_contract(const Contract& c) {
    if (c.batch * c.m * c.n == 0) return;
    if (level_ == Level::Block) {
        const Footprint f = footprint(k_, Stmt{c, {}});
        barrier_before(f);
        level_ = Level::Thread;
        const std::string t = unique("element");
        open(fmt::format("for (i64 {0} = threadIdx.x; {0} < {1}; {0} += {2})", t, c.batch * c.m * c.n, threads_));
        line(fmt::format("const i64 {} = {} / {};", name(c.batch_var), t, c.m * c.n));
        line(fmt::format("const i64 {} = {} / {} % {};", name(c.m_var), t, c.n, c.m));
        line(fmt::format("const i64 {} = {} % {};", name(c.n_var), t, c.n));
        print_element(c);
        close();
        level_ = Level::Block;
        note(f);
        return;
    }
    loop_header(c.batch_var, "0", std::to_string(c.batch));
    loop_header(c.m_var, "0", std::to_string(c.m));
    loop_header(c.n_var, "0", std::to_string(c.n));
    print_element(c);
    close();
    close();
    close();
}

}  // namespace sifr::cuda
