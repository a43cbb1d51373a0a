#pragma once

#include <pthread.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "compiler/frontend/capture/evaluator.h"

namespace sifr::capture {

/// A generator is advanced inside of a trial (a pass of a rolled loop, an arm of a run-time condition) that began after the
/// generator did: what it has done cannot be taken back. Loops are unrolled instead.
class GeneratorInTrial : public NotSupported {
public:
    GeneratorInTrial()
        : NotSupported("taking the next item of a generator under a run-time condition or in a rolled loop around which it was made",
                       "make a list of it in front: `items = list(generator)`") {}
};

/// One call of a function with `yield`. Its body runs on a stack of its own, a thread that runs only while somebody waits for
/// it; so the two never run at once.
class GeneratorCall {
public:
    using Code = std::function<PyValue(GeneratorCall&)>;  ///< gives what the function returns
    GeneratorCall(Evaluator& evaluator, Code code);
    ~GeneratorCall();
    GeneratorCall(const GeneratorCall&) = delete;
    GeneratorCall& operator=(const GeneratorCall&) = delete;

    /// Runs to the next `yield` and gives its value; unbound at the end. `raised` is raised where the generator waits.
    /// GeneratorInTrial where what it did could not be taken back.
    PyValue resume(PyValue sent, std::optional<Raised> raised = std::nullopt);
    /// From inside: gives a value out, and what is sent in return.
    PyValue yield(PyValue value);
    /// Ends it where it waits, without a trace.
    void abandon();

    [[nodiscard]] bool started() const { return started_; }
    [[nodiscard]] bool finished() const { return finished_; }
    [[nodiscard]] PyValue returned() const { return returned_; }
    const IteratorObject* object = nullptr;  ///< as scripts see it

private:
    struct Abandoned {};
    void start();
    void run();
    void switch_to(bool inside);

    Evaluator& evaluator_;
    Code code_;
    pthread_t thread_{};
    std::mutex mutex_;
    std::condition_variable turn_;
    bool inside_ = false;  ///< whose turn it is
    bool started_ = false, running_ = false, finished_ = false, abandoned_ = false;
    PyValue given_, sent_, returned_ = PyValue::none();
    std::optional<Raised> raise_;
    std::exception_ptr failure_;
    std::optional<Evaluator::Standpoint> own_;  ///< where it waits
    int64_t base_depth_ = 0;
    int conditional_ = 0;  ///< run-time conditions around the one who waits for it
};

/// `yield` or `yield from` in the body, not inside of functions in it.
bool contains_yield(const syntax::Body& body);
bool contains_yield(const syntax::Stmt& statement);

}  // namespace sifr::capture
