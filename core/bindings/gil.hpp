// The GIL around work of the core, safe at interpreter exit. The only place that releases it, takes
// it again, or calls Python from a computation.
//
// Up to CPython 3.13 a daemon thread that asks for the GIL of an interpreter that is being
// finalized is ended by pthread_exit, which unwinds its stack through C++: noexcept functions and
// `catch (...)` abort the process, and destructors would release Python objects without the GIL.
// Such a thread sleeps here instead until the process ends, as all threads do from CPython 3.14 on.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>
#include <utility>

namespace tarsus {

[[noreturn]] inline void sleep_until_exit() {
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Call a function of the C API that may ask for the GIL; it throws nothing but the unwinding of
// pthread_exit, which ends here.
template <class Function>
decltype(auto) survive_finalization(Function&& function) {
    try {
        return function();
    } catch (...) {
        sleep_until_exit();
    }
}

inline bool interpreter_finalizes() {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
}

// Other Python threads run until it is destroyed.
class GilRelease {
   public:
    GilRelease() { released_ = PyEval_SaveThread(); }
    ~GilRelease() { restore(); }
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;

   private:
    friend class GilAcquire;

    static void restore() {
        // the state of the thread may be freed already
        if (interpreter_finalizes()) sleep_until_exit();
        survive_finalization([] { PyEval_RestoreThread(std::exchange(released_, nullptr)); });
    }

    inline static thread_local PyThreadState* released_ = nullptr;
};

// Holds the GIL in a thread that may have released it; not for threads that Python does not know.
class GilAcquire {
   public:
    GilAcquire() : was_released_(GilRelease::released_) {
        if (was_released_) GilRelease::restore();
    }
    ~GilAcquire() {
        if (was_released_) GilRelease::released_ = PyEval_SaveThread();
    }
    GilAcquire(const GilAcquire&) = delete;
    GilAcquire& operator=(const GilAcquire&) = delete;

   private:
    const bool was_released_;
};

// New reference to what a Python function returns, or null with an exception set. The GIL is held.
template <class... Arguments>
PyObject* call_python(PyObject* function, Arguments... arguments) {
    return survive_finalization(
        [&] { return PyObject_CallFunctionObjArgs(function, arguments..., nullptr); });
}

}  // namespace tarsus
