"""Ports: systems that exchange power, connected so that none is made or lost on the way.

    mass = ts.ports.System([[0.5]], ["p"], G=[[1.0]], ports=[ts.ports.Port("end", "translation")])
    spring = ts.ports.spring_damper(50.0, 3.0, "translation")
    joined = [ts.ports.link("mass.end", "spring.end")]
    both = ts.ports.connect({"mass": mass, "spring": spring}, joined)
    print(ts.ports.simulate(both, [2.0, 0.0], 5.0).ledger)

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, chapters 1 and 2, appendix B.
"""

from tarsus.ports.bond_graph import BondGraph
from tarsus.ports.bond_system import BondSystem
from tarsus.ports.causality import Causality, CausalityError
from tarsus.ports.connection import Connected, Link, connect, gyrator, link, transformer
from tarsus.ports.constraints import Multipliers, Reduced, multipliers, reduced
from tarsus.ports.controllers import Controller, Passivity, SpatialSpring, passivity, spring_damper
from tarsus.ports.mechanical import Canonical, Mechanical, mechanical
from tarsus.ports.motion import Motion, PortLedger, audit, simulate
from tarsus.ports.port_system import Balance, Hamiltonian, PortSystem, System
from tarsus.ports.power_flow import PowerFlow, power_flow
from tarsus.ports.structure import DOMAINS, Domain, Port, PortError, Structure

__all__ = [
    "DOMAINS",
    "Balance",
    "BondGraph",
    "BondSystem",
    "Canonical",
    "Causality",
    "CausalityError",
    "Connected",
    "Controller",
    "Domain",
    "Hamiltonian",
    "Link",
    "Mechanical",
    "Motion",
    "Multipliers",
    "Passivity",
    "Port",
    "PortError",
    "PortLedger",
    "PortSystem",
    "PowerFlow",
    "Reduced",
    "SpatialSpring",
    "Structure",
    "System",
    "audit",
    "connect",
    "gyrator",
    "link",
    "mechanical",
    "multipliers",
    "passivity",
    "power_flow",
    "reduced",
    "simulate",
    "spring_damper",
    "transformer",
]
