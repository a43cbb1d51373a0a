#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/backend/cuda/device_text.h"
#include "compiler/backend/cuda/footprint.h"

namespace sifr::cuda {

/// Prints one kernel. A statement is printed for one of two levels: for a *thread*, which does all of it alone; or for a *block*, whose
/// threads go through it together: they compute scalars alike, deal the iterations of independent loops among themselves, reduce
/// together, and thread 0 writes what is written once. Between a write and what may meet it stands a barrier.
class KernelPrinter {
public:
    KernelPrinter(const Kernel& kernel, const std::string& script, bool float_atomics);
    DeviceKernel print();

private:
    enum class Level { Thread, Block };

    // kernel_parts.cpp: how the statements of the body become launches.
    void split();
    void print_grid_loop(const For& f, const Stmt& stmt);
    void print_contract_part(const Contract& c, const Stmt& stmt);
    /// A reduction over so much that a grid takes part: prints the first of its two parts, and remembers how the second goes on.
    void print_grid_reduce(const Reduce& r, const Stmt& stmt);
    void begin_part(int threads, int64_t blocks);
    void end_part();
    void load_carried(const Footprint& f);
    void save_carried(const Footprint& f);
    void declare_scratch(const Footprint& f, bool per_block);
    int64_t slab_offset(int64_t bytes);

    // kernel_printer.cpp: statements.
    void block(const Block& b);
    void stmt(const Stmt& s);
    void print_for(const For& f, const Stmt& s);
    void distribute(const For& f);
    void print_let(VarId var, const std::string& value);
    void print_store(const Store& s);
    void print_accumulate(const Accumulate& s);
    void print_if(const If& s);
    void print_check(const Check& s);
    void print_reduce(const Reduce& r);
    /// Names in the text of one reduction: the struct of what a lane gathers, the functions that add an element and join two, and the
    /// expression of what a lane has at first.
    struct Gathering {
        std::string partial, add, join, empty;
    };
    Gathering print_gathering(const Reduce& r, bool with_add);
    /// Names for the results of `value`, which is all that the lanes have gathered.
    void print_results(const Reduce& r, const Gathering& g, const std::string& value);
    static std::string slab_place(int64_t at);
    void print_contract(const Contract& c);
    void print_element(const Contract& c);
    void loop_header(VarId var, const std::string& lo, const std::string& hi);
    /// The loops that are dealt together: `f`, and what stands alone in it and is independent too.
    struct Nest {
        std::vector<const For*> loops;
        std::vector<const Stmt*> before;  ///< Lets in front of an inner loop
        const Block* body = nullptr;
    };
    Nest nest_of(const For& f) const;
    /// for t = first; t < all iterations; t += stride: the loop variables from t, then the body at the thread level.
    void dealt_loop(const Nest& nest, const std::string& first, const std::string& stride, bool by_four = false);
    /// Whether iterations of the inner loop may be taken four at a time, with accesses to four neighbours (16 bytes of F32) where they lie
    /// side by side, and the body for them.
    [[nodiscard]] bool grouped(const Nest& nest) const;
    void print_group(const Nest& nest, const std::string& start);
    [[nodiscard]] bool independent(const For& f) const;
    /// A serial loop whose iterations may run in any order all the same: they write places of their own, or add integers to shared ones.
    [[nodiscard]] bool order_is_free(const For& f) const;
    /// Whether two iterations of `f` may write one place; `inside`: the variables that its body defines.
    [[nodiscard]] bool meets(const Affine& at, const For& f, const std::set<uint32_t>& inside) const;
    void find_ranges(const Block& block);
    void barrier_before(const Footprint& f, bool by_first = false);
    void barrier();
    void note(const Footprint& f, bool by_first = false);
    /// A statement that thread 0 does where a block goes through it: what `text` gives behind the lines that it needs.
    void by_first_thread(const std::vector<ExprId>& roots, const std::function<std::string()>& text);

    // kernel_exprs.cpp: expressions.
    std::string expr(ExprId id);
    std::string node(ExprId id);
    std::string constant(const Expr& e) const;
    std::string load(const Expr& e) const;
    std::string call(ScalarOp op, DType t, const std::vector<std::string>& args) const;
    std::string cast(const std::string& v, DType from, DType to) const;
    std::string combine(Combine c, DType t, const std::string& older, const std::string& newer) const;
    std::string neutral(Combine c, DType t) const;
    std::string affine(const Affine& a) const;
    std::string stored(DType t, const std::string& value) const;
    std::string access(BufferId b, const Affine& at) const;
    /// Names for expressions that the roots use more than once.
    void share(const std::vector<ExprId>& roots);
    void unshare() { shared_.clear(); }
    std::string float_text(double v, DType t) const;

    /// Whether what a reduction by `threads` threads leaves on the way fits in the part's shared memory,
    /// `beside` more bytes of scratch.
    [[nodiscard]] bool fits(const Reduce& r, int threads, int64_t beside = 0) const;
    /// The shared memory for that, as an argument.
    std::string space(const Reduce& r);

    /// A reduction to one number, whose lanes gather just that; the others gather a struct.
    [[nodiscard]] static bool is_plain(const Reduce& r);

    static std::string bare(const std::string& value);  ///< without parentheses around the whole
    void line(const std::string& text);
    void open(const std::string& text);
    void close(const std::string& text = "}");
    void place(const Location& location);
    std::string unique(const std::string& wanted);
    const std::string& name(VarId v) const { return vars_.at(v.index); }
    const std::string& name(BufferId b) const { return buffers_.at(b.index); }

    const Kernel& k_;
    std::string script_;
    std::set<std::string> taken_;
    std::vector<std::string> vars_, buffers_;
    std::vector<bool> assigned_;
    std::map<uint32_t, std::pair<int64_t, int64_t>> ranges_;  ///< the least and largest value of loop variables and of clamped indices
    bool float_atomics_;
    mutable std::set<const Accumulate*> atomic_;              ///< what several threads add to
    std::map<uint32_t, std::string> pinned_;                          ///< loads whose value a group of iterations has already
    std::map<const Reduce*, std::pair<int64_t, int64_t>> half_done_;  ///< reductions whose nodes lie in the slab: how many, and where
    std::map<uint32_t, std::string> shared_;                          ///< expressions that have a name in the current statement

    std::string out_;
    int depth_ = 0;
    uint32_t line_ = 0;
    Level level_ = Level::Thread;
    int threads_ = 256;
    /// What threads of the block have touched since the last barrier: all of them, or thread 0 alone.
    struct Unsettled {
        std::set<uint32_t> reads, writes, first_reads, first_writes;
        [[nodiscard]] bool empty() const { return reads.empty() && writes.empty() && first_reads.empty() && first_writes.empty(); }
        void merge(const Unsettled& other);
    };
    Unsettled unsettled_;
    std::set<uint32_t> carried_;              ///< variables that a later part reads
    std::map<uint32_t, int64_t> carried_at_;  ///< where in the slab
    std::map<uint32_t, int64_t> scratch_at_;  ///< scratch of the call that several parts use, in the slab
    int64_t shared_bytes_ = 0;                ///< of the part: scratch
    int64_t space_bytes_ = 0;                 ///< of the part: for reductions, one behind the other
    DeviceKernel result_;
    std::vector<std::string> part_texts_;
};

}  // namespace sifr::cuda
