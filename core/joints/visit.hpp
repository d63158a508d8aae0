// From the kind of a link to the joint that moves it: the one place where joints are listed.
#pragma once

#include "joints/cylindrical.hpp"
#include "joints/differential_base.hpp"
#include "joints/free.hpp"
#include "joints/knife_edge.hpp"
#include "joints/planar.hpp"
#include "joints/prismatic.hpp"
#include "joints/revolute.hpp"
#include "joints/rolling.hpp"
#include "joints/rolling_ball.hpp"
#include "joints/rolling_cylinder.hpp"
#include "joints/rolling_disc.hpp"
#include "joints/rolling_wheel.hpp"
#include "joints/screw.hpp"
#include "joints/spherical.hpp"
#include "joints/spherical_zyx.hpp"
#include "joints/translation.hpp"
#include "joints/universal.hpp"

namespace tarsus::TARSUS_ISA {

template <class F>
TARSUS_INLINE void visit(Kind kind, F&& f) {
    switch (kind) {
        case Kind::revolute:
            return f(Revolute{});
        case Kind::prismatic:
            return f(Prismatic{});
        case Kind::screw:
            return f(Screw{});
        case Kind::cylindrical:
            return f(Cylindrical{});
        case Kind::universal:
            return f(Universal{});
        case Kind::spherical:
            return f(Spherical{});
        case Kind::spherical_zyx:
            return f(SphericalZyx{});
        case Kind::planar:
            return f(Planar{});
        case Kind::translation:
            return f(Translation{});
        case Kind::free:
            return f(Free{});
        case Kind::knife_edge:
            return f(KnifeEdge{});
        case Kind::rolling_wheel:
            return f(RollingWheel{});
        case Kind::rolling_disc:
            return f(RollingDisc{});
        case Kind::rolling_ball:
            return f(RollingBall{});
        case Kind::differential_base:
            return f(DifferentialBase{});
        case Kind::rolling_cylinder:
            return f(RollingCylinder{});
        case Kind::rolling:
            return f(Rolling{});
    }
}

}  // namespace tarsus::TARSUS_ISA
