#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/frontend/capture/value.h"
#include "ir/base/diagnostic.h"

namespace sifr::capture {

/// State outside of the heap that trials undo too (the autograd state, the sink of warnings): `mark` gives a point to
/// come back to.
class Journalled {
public:
    virtual ~Journalled() = default;
    virtual size_t mark() = 0;
    virtual void rollback(size_t to) = 0;
};

/// Owns all objects and undoes changes to them.
///
/// A *fork* brackets a trial: an arm of a run-time `if`, a pass of a loop body. Every change of an object goes through
/// `change`, which saves the object's contents the first time a fork changes it. Objects that a fork made itself need no
/// saving: after a rollback nothing older points at them.
class Heap {
public:
    Heap() = default;
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    template <class T, class... A>
    T* make(A&&... a) {
        auto o = std::make_unique<T>(std::forward<A>(a)...);
        T* p = o.get();
        p->number = static_cast<uint32_t>(objects_.size());
        objects_.push_back(std::move(o));
        return p;
    }

    /// A new object of the same class with the same contents.
    Object* clone(const Object& o) {
        objects_.push_back(o.copy());
        objects_.back()->number = static_cast<uint32_t>(objects_.size() - 1);
        return objects_.back().get();
    }

    /// The one way to change an object: `heap.change(list).items.push_back(v)`. Valid until the next fork.
    template <class T>
    T& change(const T* object) {
        if (object->frozen) throw NotSupported("changing a list or an object that was chosen among others at run time");
        if (!forks_.empty()) save(object);
        return const_cast<T&>(*object);
    }
    /// From here on a change of the object is not supported.
    void freeze(const Object* object) {
        if (!forks_.empty()) save(object);
        const_cast<Object*>(object)->frozen = true;
    }

    // Shorthands for the changes that scripts make most.
    void set_variable(const NamespaceObject* n, Symbol s, PyValue v) { change(n).variables.set(s, v); }
    void set_item(const ListObject* l, size_t i, PyValue v) { change(l).items[i] = v; }
    void set_item(const DictObject* d, const std::string& hash, PyValue k, PyValue v) { change(d).set(hash, k, v); }

    /// What a fork did: the contents of each changed object before and after it.
    struct Change {
        Object* object;
        std::unique_ptr<Object> before, after;
    };
    using Delta = std::vector<Change>;

    void begin_fork();
    /// Keeps what the fork did; it becomes part of the enclosing fork.
    void commit();
    /// Undoes what the fork did and gives it back. The arms of an `if` keep what participants saw: they follow each other
    /// in the autograd state.
    Delta rollback(bool participants = true);
    /// Redoes a delta on the state that it was taken from.
    void apply(const Delta& delta);
    /// What the innermost fork has changed so far (`before` is shared with the journal: copied; `after`: the present).
    Delta changes() const;
    [[nodiscard]] size_t depth() const { return forks_.size(); }
    /// The object was there before the innermost fork began.
    [[nodiscard]] bool is_older(const Object* o) const { return !forks_.empty() && o->number < forks_.back().watermark; }
    [[nodiscard]] size_t object_count() const { return objects_.size(); }

    /// Every slot that holds `from` holds `to` afterwards.
    void replace_everywhere(const Object* from, const Object* to);

    void add_participant(Journalled* p) { participants_.push_back(p); }

private:
    struct Saved {
        Object* object;
        std::unique_ptr<Object> before;
        uint32_t previous_epoch;
    };
    struct Fork {
        uint32_t epoch;
        uint32_t watermark;
        std::vector<Saved> saved;
        std::vector<size_t> marks;
    };
    void save(const Object* object);

    std::vector<std::unique_ptr<Object>> objects_;
    std::vector<Fork> forks_;
    std::vector<Journalled*> participants_;
    uint32_t next_epoch_ = 1;
};

}  // namespace sifr::capture
