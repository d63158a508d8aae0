#include "geometry/flight.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_FLATTEN FlyingTouches::FlyingTouches(const FlyingSolid& a, const FlyingSolid& b, double dt) {
    const Point apart = a.linear - b.linear;
    const double spin = a.spin() + b.spin();
    const double travel = (square_root(dot(apart, apart)) + spin) * dt;
    double time = 0;
    for (int looks = 1;; ++looks) {
        const SolidTouches found(a.at(time), b.at(time), travel);
        std::copy(found.at, found.at + kPairPoints, at);
        const Touch<double>& nearest = nearest_of(found.at);
        if (!(nearest.gap > kNear) || looks == kLooks) break;
        // along this normal they come no faster nearer to each other
        const double closing = spin - dot(nearest.normal, apart);
        const double wait = (nearest.gap - kNear / 2) / closing;
        if (!(closing > 0 && time + wait < dt)) {
            if (time > 0) stay(a, b, travel);
            fly_past();
            return;
        }
        time += wait;
    }
    if (time > 0) tell_back(a, b, time);
}

void FlyingTouches::fly_past() {
    for (Touch<double>& touch : at) touch.past = 1.0;
}

// those that fly past each other are measured where they are
void FlyingTouches::stay(const FlyingSolid& a, const FlyingSolid& b, double travel) {
    const SolidTouches found(a.at(0.0), b.at(0.0), travel);
    std::copy(found.at, found.at + kPairPoints, at);
}

// from a time at which they nearly touch to the start of the step
void FlyingTouches::tell_back(const FlyingSolid& a, const FlyingSolid& b, double time) {
    for (Touch<double>& touch : at) {
        if (touch.gap >= kFar) continue;
        const Point on_a = a.back(touch.point, time);
        touch.point = b.solid->body < 0 ? on_a : (on_a + b.back(touch.point, time)) * 0.5;
        const Point v = a.velocity(touch.point) - b.velocity(touch.point);
        touch.gap += time * std::max(0.0, -dot(touch.normal, v));
    }
}

}  // namespace tarsus::TARSUS_ISA
