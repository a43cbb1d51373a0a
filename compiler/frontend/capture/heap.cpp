#include "compiler/frontend/capture/heap.h"

namespace sifr::capture {

void Heap::save(const Object* object) {
    Fork& fork = forks_.back();
    if (object->number >= fork.watermark || object->epoch >= fork.epoch) return;
    auto* o = const_cast<Object*>(object);
    fork.saved.push_back({o, o->copy(), o->epoch});
    o->epoch = fork.epoch;
}

void Heap::begin_fork() {
    Fork fork;
    fork.epoch = next_epoch_++;
    fork.watermark = static_cast<uint32_t>(objects_.size());
    for (Journalled* p : participants_) fork.marks.push_back(p->mark());
    forks_.push_back(std::move(fork));
}

void Heap::commit() {
    SIFR_CHECK(!forks_.empty(), "commit without a fork");
    Fork inner = std::move(forks_.back());
    forks_.pop_back();
    if (forks_.empty()) return;
    Fork& outer = forks_.back();
    for (Saved& s : inner.saved) {
        if (s.object->number >= outer.watermark || s.previous_epoch >= outer.epoch) {
            s.object->epoch = s.previous_epoch;  // the outer fork has it already, or needs none
            continue;
        }
        s.object->epoch = outer.epoch;
        outer.saved.push_back(std::move(s));
    }
}

Heap::Delta Heap::rollback(bool participants) {
    SIFR_CHECK(!forks_.empty(), "rollback without a fork");
    Fork fork = std::move(forks_.back());
    forks_.pop_back();
    for (size_t i = 0; participants && i < participants_.size() && i < fork.marks.size(); ++i) participants_[i]->rollback(fork.marks[i]);
    Delta delta;
    for (Saved& s : fork.saved) {
        Change c{s.object, nullptr, s.object->copy()};
        s.object->assign(*s.before);
        s.object->epoch = s.previous_epoch;
        c.before = std::move(s.before);
        delta.push_back(std::move(c));
    }
    return delta;
}

void Heap::apply(const Delta& delta) {
    for (const Change& c : delta) {
        if (!forks_.empty()) save(c.object);
        c.object->assign(*c.after);
    }
}

void Heap::replace_everywhere(const Object* from, const Object* to) {
    for (size_t i = 0; i < objects_.size(); ++i) {
        Object* o = objects_[i].get();
        bool holds = false;
        o->visit_slots([&](const std::string&, PyValue& v) { holds = holds || (v.is_object() && v.object() == from); });
        if (!holds) continue;
        if (!forks_.empty()) save(o);
        o->visit_slots([&](const std::string&, PyValue& v) {
            if (v.is_object() && v.object() == from) v = PyValue(to);
        });
    }
}

Heap::Delta Heap::changes() const {
    Delta delta;
    for (const Saved& s : forks_.back().saved) delta.push_back({s.object, s.before->copy(), s.object->copy()});
    return delta;
}

}  // namespace sifr::capture
