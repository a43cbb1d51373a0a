#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/capture/evaluator.h"

namespace sifr::capture {

/// Thrown by a read of a place whose value before the loop was said to be of no use.
struct ObservedRead {
    Place place;
};

/// What a carried place holds at the head of every pass: which parts are the same on each, and which are parameters.
struct Shape {
    enum class Part : uint8_t { Static, Scalar, Tensor, Container, Optional, List } part = Part::Static;
    PyValue model;  ///< Static: the value; Container, Tensor, List: what to copy
    Type type;      ///< Scalar, Tensor, List
    std::vector<Shape> members;
    Kind absent = Kind::None;  ///< Optional
    [[nodiscard]] bool agrees(const Shape& o) const;
};

/// Captures one loop as a loop.
///
/// Trial passes of the body run on a fork. Each place of the heap that a pass changes, and that may be read again before
/// it is written, becomes a parameter of the loop's region; then the pass is run again, until it changes nothing else.
/// When there is at least one iteration, a place that is not read before it is written enters with a placeholder; a read
/// of it shows up as ObservedRead, and its value before the loop counts from then on. Where that value and the one that
/// the body leaves are of unlike kinds (`None` and a tensor), the first iteration is peeled.
class LoopCapture {
public:
    struct Range {
        PyValue lo, hi, step;
        int64_t trip_count = -1;  ///< -1: known only at run time
        std::function<PyValue(PyValue)> item = {};  ///< what the target gets for an index; empty: the index
        std::function<void()> body = {};            ///< what a pass does; empty: the statement's body
    };
    /// A `for` over a range (with its target), or a `while`. `at_least` iterations are known to run.
    LoopCapture(Evaluator& evaluator, const syntax::Stmt& loop, std::optional<Range> range, int64_t at_least, LoopReport& report);

    enum class Outcome : uint8_t { Rolled, Peel, Unroll };
    /// Rolled: the loop is emitted and the state behind it is set. Otherwise nothing has changed, but for lists that have
    /// become run-time lists; `reason` tells why.
    Outcome run();
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// How the loop ended: Normal, or Mixed where its `else` or a `return` inside depends on the run.
    [[nodiscard]] Completion completion() const { return completion_; }
    /// The exception behind Outcome::Unroll, for loops that cannot be unrolled.
    [[nodiscard]] std::exception_ptr failure() const { return failure_; }

private:
    struct Carried {
        Place place;
        Shape shape;
        bool placeholder = false;  ///< what it held before the loop is not used
        bool optional = false;     ///< None or nothing before the loop, under a run-time trip count
        PyValue entry;
        std::vector<ValueId> params;
    };
    struct Difference {
        Place place;
        PyValue head, back;
    };
    /// Nothing: another round. May throw `Stop`.
    std::optional<Outcome> round();
    std::vector<Difference> differences(const Heap::Delta& changes);
    [[nodiscard]] PyValue get(const Place& p) const;
    void set(const Place& p, PyValue v);
    bool is_dead(const Place& p) const;
    bool read_behind_only(const Place& p) const;
    /// `same_object`: the place is the view of one tensor object, whose history stays its own.
    Shape shape_of(PyValue entry, PyValue back, const std::string& what, bool entry_counts, bool optional, bool same_object = false);
    PyValue instantiate(const Shape& s, const std::vector<ValueId>& values, size_t& at, bool head, const std::string& name);
    void leaves(const Shape& s, std::vector<Type>& out) const;
    void flatten(const Shape& s, PyValue v, RegionId region, std::vector<ValueId>& out);
    ValueId whole(ValueId tensor, RegionId region);
    ValueId placeholder(const Type& type, RegionId region);
    std::string describe(const Place& p) const;
    int64_t affine_step(const Carried& c, PyValue back) const;
    bool writes_storage(RegionId region, StorageId s) const;
    [[nodiscard]] bool differentiates_what_it_writes(RegionId body) const;
    bool affine_target(size_t k, const std::vector<ValueId>& yields, const std::vector<std::pair<size_t, size_t>>& slices, ValueId index) const;
    int64_t appended_in(RegionId body, ValueId list) const;

    Evaluator& evaluator_;
    Interpreter& in_;
    const syntax::Stmt& loop_;
    const syntax::Body& body_;
    std::optional<Range> range_;
    int64_t at_least_;
    const size_t shared_in_front_;  ///< of the interpreter's shared storages
    LoopReport& report_;
    bool may_leave_ = false;  ///< it may break or return: emitted as `while` with a flag
    bool wants_how_ = false;  ///< how it was left matters behind it
    std::vector<Carried> carried_;
    std::vector<Place> observed_;  ///< read before they are written
    std::set<ValueId> copies_;  ///< contiguous copies of views, which are carried in their place
    std::vector<const RunTimeListObject*> lists_;  ///< run-time lists that passes change
    std::string reason_;
    std::exception_ptr failure_;
    Completion completion_ = Completion::Normal;
};

/// `break` of this very loop, or `return`, somewhere in the body.
bool contains_break(const syntax::Body& body);
bool contains_return(const syntax::Body& body);

}  // namespace sifr::capture
