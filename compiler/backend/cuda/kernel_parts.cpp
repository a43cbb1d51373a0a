// How a kernel becomes launches. The loop IR runs its statements one behind the other; between two blocks of a grid there is no barrier, so
// a statement whose loops fill the machine is a launch of its own. What is small, and what stands between, is done by one block:
//
//     let m = x[0]                      a part of one block, or computed anew by each part that needs it
//     parallel i in 0..100000 { … }     a grid: iterations dealt to threads, or, where they reduce or loop themselves, to blocks
//     contract …                        a grid: one tile of the result a block
//
// What a later part needs of an earlier one's scalars goes through the slab, device memory that the host gives.

#include <algorithm>

#include "compiler/backend/cuda/kernel_printer.h"
#include "ir/base/check.h"
#include "ir/op/reduce_order.h"

namespace sifr::cuda {

namespace {

/// Scalar steps up to which a whole kernel is one block's: as much as a launch costs.
constexpr int64_t small_work = 1 << 14;
constexpr int64_t most_blocks = 2048;
/// Iterations from which on each thread takes four neighbours: fewer are better spread over more threads.
constexpr int64_t grouped_total = 1 << 16;
/// Elements from which on a grid reduces, and the most blocks of it.
constexpr int64_t grid_reduction = 1 << 16, most_nodes = 1024;
constexpr int64_t most_scratch_blocks = 264;
/// Scratch of a block up to so many bytes is shared memory; the other half of what every machine has is left to reductions.
constexpr int64_t shared_scratch = 24 << 10;

int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/// Wide enough for the longest loop or reduction that the threads of a block share.
int64_t widest(const Block& block) {
    int64_t w = 1;
    for (const Stmt& s : block) {
        if (const auto* f = std::get_if<For>(&s.node)) {
            Affine n = f->hi;
            n.add(f->lo, -1);
            if (f->kind != For::Kind::Serial) w = std::max(w, n.is_constant() ? n.base : int64_t{1024});
            w = std::max(w, widest(f->body));
        } else if (const auto* r = std::get_if<Reduce>(&s.node)) {
            w = std::max(w, r->extent.is_constant() ? r->extent.base / 2 : int64_t{1024});
        } else if (const auto* i = std::get_if<If>(&s.node)) {
            w = std::max({w, widest(i->then_body), widest(i->else_body)});
        } else if (const auto* c = std::get_if<Contract>(&s.node)) {
            w = std::max(w, c->batch * c->m * c->n);
        }
    }
    return w;
}

int threads_for(int64_t width) { return width <= 32 ? 32 : width <= 128 ? 64 : width <= 512 ? 128 : 256; }

/// A reduction along memory, or loops: more than one thread should do with an iteration.
bool heavy(const Kernel& k, const Block& body) {
    return std::any_of(body.begin(), body.end(), [&](const Stmt& s) {
        if (const auto* r = std::get_if<Reduce>(&s.node)) return r->lanes && (!r->extent.is_constant() || r->extent.base > 32);
        if (const auto* f = std::get_if<For>(&s.node))
            return heavy(k, f->body) || (f->kind != For::Kind::Serial && footprint(k, s).work > 64);
        if (const auto* i = std::get_if<If>(&s.node)) return heavy(k, i->then_body) || heavy(k, i->else_body);
        return std::holds_alternative<Contract>(s.node);
    });
}

}  // namespace

/// The first line of the script in a location, 0 if there is none.
static uint32_t first_line(const Location& location) {
    for (const Span& s : location)
        if (s.known() && s.file == 0) return s.line;
    return 0;
}

/// Nothing is stored on the way, and there is much of it.
static bool grid_reduces(const Reduce& r) {
    const bool pure = std::all_of(r.body.begin(), r.body.end(), [](const Stmt& s) { return std::holds_alternative<Let>(s.node); });
    return pure && r.extent.is_constant() && r.extent.base >= grid_reduction;
}

int64_t KernelPrinter::slab_offset(int64_t bytes) {
    const int64_t at = result_.slab_bytes;
    result_.slab_bytes = round_up(at + bytes, 256);
    return at;
}

DeviceKernel KernelPrinter::print() {
    result_.name = k_.name;
    split();
    const bool single = part_texts_.size() == 1;
    std::string parameters;
    auto parameter = [&](const std::string& p) { parameters += (parameters.empty() ? "" : ", ") + p; };
    for (size_t b = 0; b < k_.buffers.size(); ++b) {
        const Buffer& buffer = k_.buffers[b];
        if (buffer.scratch) continue;
        parameter(fmt::format("{}{}* {}", buffer.access == Buffer::Access::Read ? "const " : "", memory_type(buffer.type), buffers_[b]));
    }
    std::string bools;
    for (VarId v : k_.scalars) {
        const DType t = k_.vars[v.index].type;
        if (t == DType::Bool) {
            const std::string raw = unique(name(v) + "_word");
            parameter("i64 " + raw);
            bools += fmt::format("    const bool {} = {} != 0;\n", name(v), raw);
        } else {
            parameter(fmt::format("{} {}", t == DType::F64 ? "double" : "i64", name(v)));
        }
    }
    if (!k_.sites.empty()) {
        parameter("Status* status");
        parameter("i64 launch");
    }
    if (result_.slab_bytes > 0) parameter("u8* slab");
    std::string base;
    for (char c : k_.name) base += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    for (size_t i = 0; i < part_texts_.size(); ++i) {
        DevicePart& part = result_.parts[i];
        part.symbol = single ? base + "_kernel" : fmt::format("{}_kernel_{}", base, i + 1);
        result_.text += i ? "\n" : "";
        const uint32_t where = first_line(k_.location);
        const std::string at = where ? fmt::format("#line {} \"{}\"\n", where, script_) : "";
        const std::string resident = part.resident > 0 ? fmt::format(", {}", part.resident) : "";
        result_.text += fmt::format("{}extern \"C\" __global__ void __launch_bounds__({}{}) {}({}) {{\n{}{}}}\n", at, part.threads, resident,
                                    part.symbol, parameters, bools, part_texts_[i]);
    }
    return std::move(result_);
}

void KernelPrinter::begin_part(int threads, int64_t blocks) {
    threads_ = threads;
    result_.parts.push_back({.symbol = "", .threads = threads, .blocks = blocks});
    shared_bytes_ = space_bytes_ = 0;
    out_.clear();
    depth_ = 1;
    line_ = first_line(k_.location);
    unsettled_ = {};
}

void KernelPrinter::end_part() {
    if (space_bytes_ > 0) out_.insert(0, fmt::format("    alignas(16) __shared__ u8 shared_space[{}];\n", space_bytes_));
    part_texts_.push_back(std::move(out_));
}

void KernelPrinter::load_carried(const Footprint& f) {
    for (uint32_t v : f.uses) {
        auto at = carried_at_.find(v);
        if (at == carried_at_.end()) continue;
        const char* type = value_type(k_.vars[v].type);
        line(fmt::format("{0}{1} {2} = *({1}*){3};", assigned_[v] ? "" : "const ", type, vars_[v], slab_place(at->second)));
    }
}

void KernelPrinter::save_carried(const Footprint& f) {
    // Values that are assigned after a part has loaded them are saved again.
    std::set<uint32_t> changed = f.defines;
    for (uint32_t v : f.uses)
        if (assigned_[v]) changed.insert(v);
    for (uint32_t v : changed) {
        if (!carried_.contains(v)) continue;
        if (!carried_at_.contains(v)) carried_at_[v] = slab_offset(16);
        line(fmt::format("if (threadIdx.x == 0) *({}*){} = {};", value_type(k_.vars[v].type), slab_place(carried_at_[v]), vars_[v]));
    }
}

void KernelPrinter::declare_scratch(const Footprint& f, bool per_block) {
    int64_t shared = 0;
    std::set<uint32_t> used = f.reads;
    used.insert(f.writes.begin(), f.writes.end());
    for (uint32_t b : used) {
        const Buffer& buffer = k_.buffers[b];
        if (!buffer.scratch) continue;
        const char* type = memory_type(buffer.type);
        const int64_t bytes = round_up(std::max<int64_t>(1, buffer.extent) * size_of(buffer.type), 16);
        const bool of_call = scratch_at_.contains(b);
        if (!of_call && shared + bytes <= shared_scratch) {
            shared += bytes;
            shared_bytes_ += bytes;
            line(fmt::format("__shared__ {} {}[{}];", type, buffers_[b], std::max<int64_t>(1, buffer.extent)));
            continue;
        }
        if (of_call) {
            line(fmt::format("{0}* const {1} = ({0}*){2};", type, buffers_[b], slab_place(scratch_at_[b])));
            continue;
        }
        const int64_t blocks = per_block ? result_.parts.back().blocks : 1;
        const int64_t at = slab_offset(bytes * blocks);
        line(fmt::format("{0}* const {1} = ({0}*)(slab + {2} + blockIdx.x * {3}ll);", type, buffers_[b], at, bytes));
    }
}

void KernelPrinter::split() {
    const Footprint whole = footprint(k_, k_.body);
    std::vector<std::vector<const Stmt*>> parts;
    std::vector<const Stmt*> free_lets;  // computed anew by each part that needs them
    auto is_grid = [&](const Stmt& s) {
        const Footprint f = footprint(k_, s);
        if (f.work <= small_work / 4) return false;
        if (std::holds_alternative<Contract>(s.node)) return true;
        if (const auto* r = std::get_if<Reduce>(&s.node)) return grid_reduces(*r) && fits(*r, 256, shared_scratch);
        const auto* loop = std::get_if<For>(&s.node);
        return loop && independent(*loop) && (!f.scratch || loop->kind == For::Kind::Parallel);
    };
    std::set<uint32_t> free_variables;
    const bool small = whole.work <= small_work;
    bool open_group = false;
    for (const Stmt& s : k_.body) {
        const Footprint f = footprint(k_, s);
        if (const auto* let = std::get_if<Let>(&s.node); let && !small && !assigned_[let->var.index]) {
            const bool constant = std::none_of(f.reads.begin(), f.reads.end(), [&](uint32_t b) { return whole.writes.contains(b); });
            const bool on_free = std::all_of(f.uses.begin(), f.uses.end(), [&](uint32_t v) {
                return free_variables.contains(v) ||
                       std::any_of(k_.scalars.begin(), k_.scalars.end(), [&](VarId p) { return p.index == v; });
            });
            if (constant && on_free) {
                free_lets.push_back(&s);
                free_variables.insert(let->var.index);
                continue;
            }
        }
        if (!small && is_grid(s)) {
            parts.push_back({&s});
            open_group = false;
            // What the grid has gathered is joined at the head of the next part.
            if (std::holds_alternative<Reduce>(s.node)) {
                parts.push_back({&s});
                open_group = true;
            }
        } else {
            if (!open_group) parts.emplace_back();
            open_group = true;
            parts.back().push_back(&s);
        }
    }
    if (parts.empty()) parts.emplace_back();

    // What lives from one part to a later one.
    std::vector<Footprint> prints(parts.size());
    for (size_t p = 0; p < parts.size(); ++p)
        for (const Stmt* s : parts[p]) {
            const Footprint f = footprint(k_, *s);
            prints[p].reads.insert(f.reads.begin(), f.reads.end());
            prints[p].writes.insert(f.writes.begin(), f.writes.end());
            prints[p].uses.insert(f.uses.begin(), f.uses.end());
            prints[p].defines.insert(f.defines.begin(), f.defines.end());
            prints[p].scratch |= f.scratch;
            prints[p].work += f.work;
        }
    // The first half of a reduction defines nothing yet, and the second reads nothing any more.
    auto first_half = [&](size_t p) { return p + 1 < parts.size() && parts[p].size() == 1 && parts[p][0] == parts[p + 1][0]; };
    for (size_t p = 0; p < parts.size(); ++p)
        for (size_t q = p + 1; q < parts.size(); ++q) {
            for (uint32_t v : first_half(p) ? std::set<uint32_t>{} : prints[p].defines)
                if (prints[q].uses.contains(v)) carried_.insert(v);
            for (const auto* side : {&prints[p].reads, &prints[p].writes})
                for (uint32_t b : *side)
                    if (k_.buffers[b].scratch && (prints[q].reads.contains(b) || prints[q].writes.contains(b)) && !scratch_at_.contains(b))
                        scratch_at_[b] = slab_offset(std::max<int64_t>(1, k_.buffers[b].extent) * size_of(k_.buffers[b].type));
        }

    for (size_t p = 0; p < parts.size(); ++p) {
        std::vector<const Stmt*> stmts;
        std::set<uint32_t> needed = prints[p].uses;
        for (size_t i = free_lets.size(); i-- > 0;) {
            const auto& let = std::get<Let>(free_lets[i]->node);
            if (!needed.contains(let.var.index)) continue;
            const Footprint f = footprint(k_, *free_lets[i]);
            needed.insert(f.uses.begin(), f.uses.end());
            stmts.insert(stmts.begin(), free_lets[i]);
        }
        const size_t lets = stmts.size();
        stmts.insert(stmts.end(), parts[p].begin(), parts[p].end());
        if (parts[p].size() == 1 && !small && is_grid(*parts[p][0]) && (p == 0 || !first_half(p - 1))) {
            const Stmt& s = *parts[p][0];
            begin_part(256, 1);
            level_ = Level::Thread;
            load_carried(prints[p]);
            for (size_t i = 0; i < lets; ++i) stmt(*stmts[i]);
            if (const auto* c = std::get_if<Contract>(&s.node))
                print_contract_part(*c, s);
            else if (const auto* r = std::get_if<Reduce>(&s.node))
                print_grid_reduce(*r, s);
            else
                print_grid_loop(std::get<For>(s.node), s);
            end_part();
            continue;
        }
        int64_t width = p > 0 && first_half(p - 1) ? 512 : 1;
        for (const Stmt* s : parts[p]) width = std::max(width, widest({*s}));
        begin_part(threads_for(width), 1);
        level_ = Level::Block;
        load_carried(prints[p]);
        declare_scratch(prints[p], false);
        for (const Stmt* s : stmts) stmt(*s);
        save_carried(prints[p]);
        end_part();
    }
}

void KernelPrinter::print_grid_loop(const For& f, const Stmt& s) {
    place(s.location);
    Nest nest = nest_of(f);
    const Footprint body = footprint(k_, f.body);
    auto extent = [](const For& l) {
        Affine n = l.hi;
        n.add(l.lo, -1);
        return n.is_constant() ? std::max<int64_t>(0, n.base) : int64_t{1} << 18;
    };
    const bool by_block = body.scratch || heavy(k_, *nest.body);
    int64_t total = 1;
    for (const For* l : nest.loops) total *= std::min<int64_t>(extent(*l), int64_t{1} << 40);
    DevicePart& part = result_.parts.back();
    if (!by_block) {
        threads_ = part.threads = 256;
        part.blocks = std::clamp<int64_t>((total + 255) / 256, 1, most_blocks);
        level_ = Level::Thread;
        const bool by_four = total >= grouped_total && grouped(nest);
        if (by_four) part.blocks = std::clamp<int64_t>((total / 4 + 255) / 256, 1, most_blocks);
        dealt_loop(nest, "blockIdx.x * 256 + threadIdx.x", "gridDim.x * 256", by_four);
        return;
    }
    threads_ = part.threads = threads_for(widest(*nest.body));
    part.blocks = std::clamp<int64_t>(total, 1, body.scratch ? most_scratch_blocks : most_blocks);
    declare_scratch(body, true);
    level_ = Level::Block;
    dealt_loop(nest, "blockIdx.x", "gridDim.x");
    level_ = Level::Thread;
}

void KernelPrinter::print_grid_reduce(const Reduce& r, const Stmt& s) {
    place(s.location);
    DevicePart& part = result_.parts.back();
    const int lanes = r.lanes ? static_cast<int>(reduce_lanes) : 1;
    const int64_t blocks = (r.extent.base + reduce_block - 1) / reduce_block;
    int64_t count = 256 / lanes;
    while ((blocks + count - 1) / count > most_nodes) count *= 2;
    threads_ = part.threads = 256;
    part.blocks = (blocks + count - 1) / count;
    level_ = Level::Block;
    const Gathering g = print_gathering(r, true);
    // No partial has a member for each item of more than 16 bytes.
    const int64_t at = slab_offset(part.blocks * lanes * 16 * static_cast<int64_t>(r.items.size()));
    half_done_[&r] = {part.blocks, at};
    line(fmt::format("reduce_by_grid<256, {}>({}, {}, {}, {}, {}, {}, ({}*){});", lanes, space(r), r.extent.base, count, g.empty, g.add, g.join,
                     g.partial, slab_place(at)));
    level_ = Level::Thread;
}

void KernelPrinter::print_contract_part(const Contract& c, const Stmt& s) {
    place(s.location);
    DevicePart& part = result_.parts.back();
    // Tiles that are large enough to read little, and small enough to be many.
    int64_t rows = 64, columns = 64;
    auto tiles = [&] { return c.batch * ((c.m + rows - 1) / rows) * ((c.n + columns - 1) / columns); };
    while (rows > 16 && (tiles() < 128 || c.m <= rows / 2)) rows /= 2;
    while (columns > 16 && (tiles() < 128 || c.n <= columns / 2)) columns /= 2;
    constexpr int64_t depth = 16;
    threads_ = part.threads = 256;
    // Two at a time leave a thread enough registers for every tile; left alone, the compiler aims at more blocks, and spills.
    part.resident = 2;
    part.blocks = std::clamp<int64_t>(tiles(), 1, int64_t{1} << 20);
    const int64_t down = (c.m + rows - 1) / rows, across = (c.n + columns - 1) / columns;
    const std::string tile = unique("tile"), i = name(c.m_var), j = name(c.n_var), k = unique("k");
    open(fmt::format("for (i64 {0} = blockIdx.x; {0} < {1}; {0} += gridDim.x)", tile, c.batch * down * across));
    if (footprint(k_, s).uses.contains(c.batch_var.index))
        line(fmt::format("const i64 {} = {};", name(c.batch_var), c.batch == 1 ? "0" : down * across == 1 ? tile : fmt::format("{} / {}", tile, down * across)));
    auto element = [&](BufferId buffer, const Affine& base, VarId outer, int64_t outer_stride, int64_t k_stride) {
        Expr e;
        e.op = ScalarOp::Load;
        e.type = c.type;
        e.buffer = buffer;
        e.index = base;
        e.index.add(Affine::of(outer, outer_stride));
        std::string text = load(e);
        return text.insert(text.rfind(']'), k_stride == 1 ? " + " + k : fmt::format(" + {} * {}", k_stride, k));
    };
    const char* type = value_type(c.type);
    const std::string a = unique("a"), b = unique("b"), finish = unique("finish");
    line(fmt::format("const auto {} = [&](i64 {}, i64 {}) {{ return {}; }};", a, i, k, element(c.a, c.a_base, c.m_var, c.a_m, c.a_k)));
    line(fmt::format("const auto {} = [&](i64 {}, i64 {}) {{ return {}; }};", b, k, j, element(c.b, c.b_base, c.n_var, c.b_n, c.b_k)));
    open(fmt::format("const auto {} = [&](i64 {}, i64 {}, {} {})", finish, i, j, type, name(c.acc)));
    level_ = Level::Thread;
    block(c.epilogue);
    close("};");
    // The tile's place in the grid of them.
    const std::string column =
        across == 1 ? "0" : fmt::format("{}{} * {}", tile, down == 1 && c.batch == 1 ? "" : fmt::format(" % {}", across), columns);
    const std::string quotient = across == 1 ? tile : fmt::format("{} / {}", tile, across);
    const std::string row = down == 1 ? "0" : fmt::format("{}{} * {}", quotient, c.batch == 1 ? "" : fmt::format(" % {}", down), rows);
    line(fmt::format("contract_tile<{}, {}, {}, {}, {}, {}, {}>({}, {}, {}, {}, {}, {}, {}, {});", type, rows, columns, depth, part.threads,
                     c.a_k == 1 ? "true" : "false", c.b_k == 1 ? "true" : "false", row, column, c.m, c.n, c.k, a, b, finish));
    close();
}

DeviceKernel print_kernel(const Kernel& kernel, const std::string& script, bool float_atomics) { return KernelPrinter(kernel, script, float_atomics).print(); }

}  // namespace sifr::cuda
