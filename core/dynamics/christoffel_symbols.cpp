// The Christoffel symbols Γ(q), as a dense array and as the list of those that the tree's branches
// let differ from zero.
#include "dynamics/christoffel.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

// n × n × n numbers
template <class T>
struct StoreSymbols {
    int n;
    Rows<T>& out;

    TARSUS_INLINE void operator()(int i, int j, int k, const T& x) {
        out.set((i * n + j) * n + k, x);
    }
    TARSUS_INLINE auto triples(int j, int k) {
        const int n1 = n, n2 = n * n, j2 = j * n2, k2 = k * n2;
        const int jk = j * n1 + k, kj = k * n1 + j;
        return [&out = out, n1, n2, jk, kj, j2, k2, j, k](int i, const T& a, const T& b) {
            const int i1 = i * n1, i2 = i * n2;
            const T c = -b;
            out.set(i2 + jk, a), out.set(i2 + kj, a);
            out.set(j2 + i1 + k, b), out.set(j2 + k * n1 + i, b);
            out.set(k2 + i1 + j, c), out.set(k2 + j * n1 + i, c);
        };
    }
};

// one after the other, as symbol_indices lists them
template <class T>
struct PackSymbols {
    Rows<T>& out;
    int at = 0;

    TARSUS_INLINE void operator()(int, int, int, const T& x) { out.set(at++, x); }
    TARSUS_INLINE auto triples(int, int) {
        return [this](int, const T& a, const T& b) {
            const T c = -b;
            out.set(at, a), out.set(at + 1, a), out.set(at + 2, b);
            out.set(at + 3, b), out.set(at + 4, c), out.set(at + 5, c);
            at += 6;
        };
    }
};

struct ChristoffelSymbols {
    static constexpr bool kSparse = true, kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return christoffel_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        christoffel(tree, prepare_christoffel(tree, arguments), arguments.scratch,
                    StoreSymbols<T>{tree.nv, arguments.rows});
    }
};

struct ChristoffelSymbolsPacked {
    static constexpr bool kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return christoffel_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        christoffel(tree, prepare_christoffel(tree, arguments), arguments.scratch,
                    PackSymbols<T>{arguments.rows});
    }
};

TARSUS_KERNEL(christoffel_symbols, ChristoffelSymbols);
TARSUS_KERNEL(christoffel_symbols_packed, ChristoffelSymbolsPacked);

}  // namespace tarsus::TARSUS_ISA
