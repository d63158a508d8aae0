// The bodies in a step: where they are, and how fast at its start, without impulses, and at its
// end.
#pragma once

#include "constraints/contact_set.hpp"

namespace tarsus::TARSUS_ISA {

// the world first; velocities in body frames
template <class T>
struct Moment {
    T dt;
    Pose<T>* pose;
    Motion<T>*start, *free, *after;

    Moment(const World& world, Scratch& scratch)
        : dt(world.dt),
          pose(scratch.take<Pose<T>>(world.tree->n_bodies + 1)),
          start(scratch.take<Motion<T>>(world.tree->n_bodies + 1)),
          free(scratch.take<Motion<T>>(world.tree->n_bodies + 1)),
          after(scratch.take<Motion<T>>(world.tree->n_bodies + 1)) {}

    // relative velocity of a contact's bodies at its point, along normal and tangents
    TARSUS_INLINE Vec3<T> slide(const Contact<T>& contact, const Motion<T>* motion) const {
        const Vec3<T>& point = contact.touch.point;
        Vec3<T> v = point_velocity(pose[contact.a + 1], motion[contact.a + 1], point);
        if (contact.b >= 0) {
            v -= point_velocity(pose[contact.b + 1], motion[contact.b + 1], point);
        }
        return in_frame(contact, v);
    }
    // … and their relative angular velocity
    TARSUS_INLINE Vec3<T> turn(const Contact<T>& contact, const Motion<T>* motion) const {
        Vec3<T> w = pose[contact.a + 1].rotation * motion[contact.a + 1].angular;
        if (contact.b >= 0) {
            w -= pose[contact.b + 1].rotation * motion[contact.b + 1].angular;
        }
        return in_frame(contact, w);
    }
};

}  // namespace tarsus::TARSUS_ISA
