// What is told about a candidate of compliant contact at a moment.
#pragma once

namespace tarsus {

enum TouchRecord {
    kTouchGap,              // [m]
    kTouchPoint,            // origin of the contact frame
    kTouchNormal = 4,       // towards the body
    kTouchForce = 7,        // on the body, in axes of the world
    kTouchMoment = 10,      // … about the point
    kTouchSpeed = 13,       // at which surfaces part [m/s]
    kTouchStored = 14,      // [J]
    kTouchNormalLoss = 15,  // [W]
    kTouchSlipLoss = 16,    // [W]
    kTouchSlips = 17,       // 1 where most of the sliding deforms nothing
    kTouchRecord = 18
};

}  // namespace tarsus
