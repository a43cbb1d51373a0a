#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/frontend/capture/evaluator.h"

namespace sifr::capture {

/// Makes one state of the states that two regions end with.
///
/// Before: an arm of an `if` was run on a fork and undone; `Side::after` has the contents of each object that it changed.
/// After: the heap holds the merged state, and each region yields what the merged state needs from it.
///
/// - Equal values stay. Numbers and strings of one Python type become a result of the `if`.
/// - Tensors of equal dtype and sizes become a result in a storage of the region.
/// - Containers of equal structure merge member by member, when one of them was made on its path.
/// - None, or no value, with anything: an optional.
/// - Else an UnusableObject, whose use is the error.
class Merger {
public:
    struct Side {
        RegionId region;
        uint32_t watermark = 0;          ///< objects from here on were made on this path
        uint32_t storage_watermark = 0;  ///< storages, too
        bool ends = true;                ///< false: the path never reaches the merge
        std::unordered_map<const Object*, const Object*> after;
    };
    Merger(Evaluator& evaluator, Side a, Side b);

    /// Merges all changed objects of the heap.
    void merge_heap(const std::vector<Object*>& changed);
    PyValue merge(PyValue a, PyValue b, const std::string& what);
    /// `one_sided`: a side without a value has no say.
    PyValue merge(PyValue a, PyValue b, const std::string& what, bool one_sided) {
        one_side_ = one_sided;
        PyValue r = merge(a, b, what);
        one_side_ = false;
        return r;
    }

    [[nodiscard]] const std::vector<ValueId>& results() const { return results_; }
    /// Lists that grew on one path and have to become run-time lists before the branch.
    [[nodiscard]] const std::set<const ListObject*>& grown() const { return grown_; }

private:
    const Object& content(const Side& s, const Object* o) const;
    ValueId yield(Type type, ValueId a, ValueId b);
    ValueId placeholder(const Side& s, const Type& type);
    PyValue scalar(PyValue a, PyValue b, Type::Kind kind);
    PyValue tensor(const TensorObject* a, const TensorObject* b, const std::string& what);
    ValueId tensor_value(ValueId a, ValueId b, bool& ok);
    ValueId contiguous(const Side& s, ValueId v);
    PyValue optional(PyValue a, PyValue b, const std::string& what);
    PyValue unusable(PyValue a, PyValue b, const std::string& what, std::string reason);
    PyValue container(PyValue a, PyValue b, const std::string& what);
    void merge_object(Object* o);
    bool is_inside(const Side& s, ValueId v) const;

    Evaluator& evaluator_;
    Interpreter& in_;
    Side a_, b_;
    std::vector<ValueId> results_;
    std::map<std::pair<uint32_t, uint32_t>, ValueId> known_;                       // (a, b) -> result
    std::map<std::pair<bool, StorageId>, std::vector<ValueId>> results_in_;  ///< by path (the first?) and storage there
    std::map<std::pair<const Object*, const Object*>, PyValue> merged_;            // containers, for shared ones and cycles
    std::set<const ListObject*> grown_;
    bool one_side_ = false;  // inside of an optional: an unbound side has nothing to say
};

}  // namespace sifr::capture
