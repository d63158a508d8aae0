// What a compliant contact is made of, as plain numbers.
#pragma once

namespace tarsus {

// how the surfaces push each other apart, and how they slip
enum class NormalLaw : int { spring, hertz, hunt_crossley };
enum class SlipLaw : int { stick, saturation, bristle };

struct CompliantNumbers {
    NormalLaw normal = NormalLaw::spring;
    SlipLaw slip = SlipLaw::stick;
    double normal_stiffness = 0;                // of the normal law, in its own units
    double exponent = 1, dissipation = 0;       // of Hunt and Crossley's
    double stiffness = 0, twist_stiffness = 0;  // along and about the surfaces [N/m, N·m/rad]
    double damping = 0, twist_damping = 0;      // [N·s/m, N·m·s/rad]
    double share = 0.5;                         // k₂ / (k₁ + k₂): what the touched surface deforms
    double roll = 0;                            // β [1/rad]
    double slide_limit = 0, twist_limit = 0;    // 1 / largest deformations; 0: none
    double stiction = 1;                        // friction at rest, in parts of that in motion
    double stribeck = 0;                        // 1 / speed at which it fades [s/m]
    double torsion = 0;                         // [m] moment that twists, in parts of the load
};

// a contact's deformation: (θ, x, y, z) of H_c^1d, then of H_2d^c
constexpr int kDeformation = 8;

}  // namespace tarsus
