// prototype
#pragma once
#include "constraints/elimination.hpp"
namespace tarsus::TARSUS_ISA {

enum class Start { here, warm, cold, best };
struct Stage { Start start; double eps, ratio; int levels, inner; bool half, rule; };

class ConeNewton {
   public:
    bool centre_per_level = false; int debug=0;
    ConeNewton(RowSystem& s, Scratch& scratch) : s_(s), solver_(s.rows(), scratch),
        n_(s.rows()), V_(scratch.take<double>(padded(n_))), warm_(scratch.take<double>(padded(n_))),
        best_(scratch.take<double>(padded(n_))), size_(scratch.take<double>(n_)), centre_(scratch.take<double>(padded(n_))),
        unknown_(scratch.take<Unknown>(n_)), slip_(scratch.take<Slip>(s.n_cones)), state_(scratch.take<int>(n_)) {}

    SolveReport solve(double tolerance, int most, const Stage* stages, int n_stages, int* stage_used) {
        SolveReport report;
        report.speed = 0.1;
        for (int r = 0; r < n_; ++r) report.speed = std::max(report.speed, std::abs(s_.b[r]));
        const double tol = tolerance * report.speed;
        for (int r = 0; r < s_.n_boxes; ++r) size_[r] = s_.entry(r, r) + 1e-30;
        for (int k = 0; k < s_.n_cones; ++k) { int r = s_.cone(k); size_[r] = s_.entry(r,r)+1e-30;
            size_[r+1]=size_[r+2]=0.5*(s_.entry(r+1,r+1)+s_.entry(r+2,r+2))+1e-30; }
        std::copy(s_.p, s_.p+n_, warm_); std::copy(s_.p, s_.p+n_, best_);
        std::copy(s_.p, s_.p+n_, centre_);
        double best = 1e300; evaluate();
        best = residual(); keep();
        *stage_used = 0;
        if (best <= tol) { report.residual = best; return report; }
        for (int g = 0; g < n_stages && report.steps < most; ++g) {
            const Stage& st = stages[g]; *stage_used = g+1;
            if (st.start != Start::here || g>0) {
              for (int r=0;r<n_;++r) s_.p[r] = st.start==Start::cold?0.0: st.start==Start::best? best_[r]: warm_[r];
              evaluate();
            }
            double eps = st.eps;
            for (int l = 0; l < st.levels && report.steps < most; ++l, eps /= st.ratio) {
                std::copy(s_.p,s_.p+n_,centre_);
                for (int i = 0; i < st.inner && report.steps < most; ++i) {
                    if (!centre_per_level) std::copy(s_.p,s_.p+n_,centre_);
                    ++report.steps;
                    if (!step(eps, st.half && i >= 4 ? 0.5 : 1.0, st.rule)) { report.residual=best; goto next; }
                    evaluate();
                    const double r = residual();
                    if(debug) printf("stage %d level %d inner %d eps %.1e r %.3e changed %d\n",g,l,i,eps,r,changed_);
                    if (r < best) { best = r; keep(); }
                    if (best <= tol) goto done;
                    if (st.levels>1 && (centre_per_level ? residual_eps(eps) : r) <= 1e-4*eps) break;
                    if (!changed_ && st.levels>1) break;
                }
            }
            next:;
        }
        done:
        std::copy(best_, best_+n_, s_.p);
        report.residual = best;
        return report;
    }
    double check() { evaluate(); return residual(); }
   private:
    struct Unknown { int row; int kind; int cone; };  // kind 0 plain, 1 normal of slip, 2 tangent of slip
    struct Slip { double d[2], lambda, m, c; };
    void keep() { std::copy(s_.p, s_.p+n_, best_); }
    void evaluate() {
        const int w = padded(n_);
        std::copy(s_.b, s_.b+w, V_);
        for (int k = 0; k < n_; ++k) if (s_.p[k] != 0.0) add_multiple(s_.p[k], s_.row(k), w, V_);
    }
    double residual() const { return residual_eps(0.0); }
    double residual_eps(double eps) const {
        double worst = 0;
        auto Ve=[&](int r){return V_[r]+eps*size_[r]*(s_.p[r]-centre_[r]);};
        for (int r = 0; r < s_.n_boxes; ++r) {
            const double w = s_.p[r]-Ve(r)/size_[r];
            const double next = std::min(std::max(w, s_.low[r]), s_.high[r]);
            worst = std::max(worst, std::abs(next-s_.p[r])*size_[r]);
        }
        for (int k = 0; k < s_.n_cones; ++k) {
            const int r = s_.cone(k);
            const double wn = std::max(0.0, s_.p[r]-Ve(r)/size_[r]);
            const double beta = s_.friction_bound(k, wn);
            double w1 = s_.p[r+1]-Ve(r+1)/size_[r+1], w2 = s_.p[r+2]-Ve(r+2)/size_[r+2];
            const double len = std::sqrt(w1*w1+w2*w2);
            if (len > beta) { w1 *= beta/len; w2 *= beta/len; }
            worst = std::max(worst, std::abs(wn-s_.p[r])*size_[r]);
            worst = std::max(worst, std::max(std::abs(w1-s_.p[r+1]), std::abs(w2-s_.p[r+2]))*size_[r+1]);
        }
        return worst;
    }
    bool step(double eps, double share, bool rule) {
        int m = 0; bool slips = false; changed_=false;
        auto Ve=[&](int r){return V_[r]+eps*size_[r]*(s_.p[r]-centre_[r]);};
        static thread_local double next[512];
        auto mark=[&](int i,int st){ if(state_[i]!=st) changed_=true; state_[i]=st; };
        for (int r = 0; r < s_.n_boxes; ++r) {
            const double w = s_.p[r]-Ve(r)/size_[r];
            if (w <= s_.low[r]) next[r] = s_.low[r], mark(r,1);
            else if (w >= s_.high[r]) next[r] = s_.high[r], mark(r,2);
            else next[r] = 0, unknown_[m++] = {r, 0, -1}, mark(r,3);
        }
        for (int k = 0; k < s_.n_cones; ++k) {
            const int r = s_.cone(k);
            const double wn = s_.p[r]-Ve(r)/size_[r];
            next[r]=next[r+1]=next[r+2]=0;
            if (wn <= 0) { mark(r,1); continue; }
            const double beta = s_.friction_bound(k, wn);
            const double w1 = s_.p[r+1]-Ve(r+1)/size_[r+1], w2 = s_.p[r+2]-Ve(r+2)/size_[r+2];
            const double len = std::sqrt(w1*w1+w2*w2);
            bool held = len <= beta;
            if (!held) {
                Slip& sl = slip_[k]; sl.d[0]=w1/len; sl.d[1]=w2/len;
                const bool cap = s_.viscous[k] < wn;
                sl.m = s_.mu[k] + (cap ? 0.0 : 1.0); sl.c = cap ? s_.viscous[k] : 0.0;
                sl.lambda = size_[r+1]*(len-beta)/std::max(beta, 1e-3*len);
                if (rule) { double nd = sl.d[0]*s_.entry(r,r+1)+sl.d[1]*s_.entry(r,r+2);
                    if (s_.entry(r,r)+sl.m*nd < 0) held = true; }
            }
            if (held) { for (int i=0;i<3;++i) unknown_[m++]={r+i,0,-1}; mark(r,3); continue; }
            slips = true; changed_=true; mark(r,4);
            unknown_[m++]={r,1,k}; unknown_[m++]={r,2,k};
            next[r+1]=slip_[k].c*slip_[k].d[0]; next[r+2]=slip_[k].c*slip_[k].d[1];
        }
        if (m == 0) { for (int r=0;r<n_;++r) s_.p[r] = next[r]; return true; }
        solver_.begin(m);
        // right side: −(b + A fixed) ; with prox: −eps a centre moved
        static thread_local double f[512];
        const int w = padded(n_);
        std::copy(s_.b, s_.b+w, f);
        for (int k=0;k<n_;++k) if (next[k]!=0.0) add_multiple(next[k], s_.row(k), w, f);
        static thread_local double line[512];
        for (int i=0;i<m;++i) {
            const Unknown& u = unknown_[i];
            const double* a = s_.row(u.row);
            double rhs = f[u.row];
            if (u.kind==2) {
                const Slip& sl = slip_[u.cone]; const double t1=-sl.d[1], t2=sl.d[0];
                const double *a1=s_.row(u.row+1), *a2=s_.row(u.row+2);
                for (int j=0;j<n_;++j) line[j]=t1*a1[j]+t2*a2[j];
                a=line; rhs = t1*f[u.row+1]+t2*f[u.row+2];
            }
            double* to = solver_.row(i);
            for (int j=0;j<m;++j) {
                const Unknown& c = unknown_[j];
                if (c.kind==0) to[j]=a[c.row];
                else { const Slip& sl=slip_[c.cone];
                    if (c.kind==1) to[j]=a[c.row]+sl.m*(sl.d[0]*a[c.row+1]+sl.d[1]*a[c.row+2]);
                    else to[j]=-sl.d[1]*a[c.row+1]+sl.d[0]*a[c.row+2]; }
            }
            double centre;
            if (u.kind==2) { const Slip& sl=slip_[u.cone]; const double a_=size_[u.row+1];
                to[i]+=eps*a_+sl.lambda; centre=-sl.d[1]*centre_[u.row+1]+sl.d[0]*centre_[u.row+2]; rhs-=eps*a_*centre; }
            else { to[i]+=eps*size_[u.row]; rhs-=eps*size_[u.row]*centre_[u.row]; }
            solver_.right(i)=-rhs;
        }
        const double* x = solver_.solve(!slips);
        if (!x) return false;
        for (int i=0;i<m;++i) {
            const Unknown& u=unknown_[i];
            if (!std::isfinite(x[i])) return false;
            if (u.kind==0) next[u.row]=x[i];
            else { const Slip& sl=slip_[u.cone];
                if (u.kind==1) { next[u.row]=x[i]; next[u.row+1]+=sl.m*x[i]*sl.d[0]; next[u.row+2]+=sl.m*x[i]*sl.d[1]; }
                else { next[u.row+1]-=sl.d[1]*x[i]; next[u.row+2]+=sl.d[0]*x[i]; } }
        }
        for (int r=0;r<n_;++r) s_.p[r] = share==1.0? next[r] : s_.p[r]+share*(next[r]-s_.p[r]);
        return true;
    }
    RowSystem& s_; Elimination solver_; int n_; double *V_,*warm_,*best_,*size_,*centre_;
    Unknown* unknown_; Slip* slip_; int* state_; bool changed_=false;
};
}
