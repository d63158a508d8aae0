#include "bindings/thread_pool.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace tarsus {

namespace {

// One call of run_with_helpers, on its caller's stack.
struct Job {
    const std::function<void(long)>& work;
    long next = 1, helpers;
    std::atomic<long> running{0};
    std::exception_ptr failure = nullptr;  // of one of the helpers
};

// what a share of the work throws, or null
std::exception_ptr attempt(const std::function<void(long)>& work, long share) {
    try {
        work(share);
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

// Waking a sleeping thread takes longer than a small batch: look around for a while before sleep.
template <class Condition>
bool soon(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::yield();
    }
    return true;
}

class ThreadPool {
   public:
    const pid_t owner = getpid();

    bool run(long helpers, const std::function<void(long)>& work,
             const std::function<void()>& waiting) {
        Job job{work, 1, helpers};
        {
            std::lock_guard lock(mutex_);
            grow(helpers);
            jobs_.push_back(&job);
            posted_ = long(jobs_.size());
        }
        for (long k = 0; k < helpers; ++k) wake_.notify_one();
        std::exception_ptr failure = attempt(work, 0);
        const bool whole = !forked() && wait_for(job, waiting);
        if (!failure) failure = job.failure;
        if (failure) std::rethrow_exception(failure);
        return whole;
    }

   private:
    // A child has no helpers to wait for, and must not touch a lock that one of them may hold.
    bool forked() const { return owner != getpid(); }

    // Without the means for another thread, those that there are do the work.
    void grow(long threads) {
        try {
            for (; size_ < threads; ++size_) std::thread([this] { serve(); }).detach();
        } catch (const std::exception&) {
        }
    }

    // until nobody works on it any more, and nobody will; false in the child of a fork
    bool wait_for(Job& job, const std::function<void()>& waiting) {
        std::unique_lock lock(mutex_);
        std::erase(jobs_, &job);
        posted_ = long(jobs_.size());
        lock.unlock();
        const auto ended = [&] { return job.running == 0; };
        if (soon(ended)) return true;
        lock.lock();
        while (!done_.wait_for(lock, std::chrono::milliseconds(50), ended)) {
            lock.unlock();
            waiting();
            if (forked()) return false;
            lock.lock();
        }
        return true;
    }

    void serve() {
        while (true) {
            soon([&] { return posted_ > 0; });
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return !jobs_.empty(); });
            Job& job = *jobs_.front();
            const long share = job.next++;
            if (job.next > job.helpers) jobs_.pop_front();
            posted_ = long(jobs_.size());
            ++job.running;
            lock.unlock();
            const std::exception_ptr failure = attempt(job.work, share);
            {
                std::lock_guard ended(mutex_);
                if (failure) job.failure = failure;
                --job.running;  // the job may be gone from here on
            }
            done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::deque<Job*> jobs_;
    std::atomic<long> posted_{0};  // how many jobs want more helpers
    long size_ = 0;
};

// Never destroyed, since its threads never end. A forked child has none of them and begins anew;
// it must not wait for a lock that the parent held, hence the atomic.
ThreadPool& pool() {
    static std::atomic<ThreadPool*> current{nullptr};
    ThreadPool* found = current.load();
    while (!found || found->owner != getpid()) {
        ThreadPool* fresh = new ThreadPool;
        if (current.compare_exchange_strong(found, fresh)) return *fresh;
        delete fresh;
    }
    return *found;
}

}  // namespace

bool run_with_helpers(long helpers, const std::function<void(long)>& work,
                      const std::function<void()>& waiting) {
    if (helpers > 0) return pool().run(helpers, work, waiting);
    work(0);
    return true;
}

}  // namespace tarsus
