#!/bin/sh
# Shows a robot, its checks and its speed with the `tarsus` command that is on the path.
set -eu
cd "$(dirname "$0")"

say() { printf '\n\033[1m$ %s\033[0m\n\n' "$*"; "$@"; }

# a real robot if the package example-robot-data is there, else our own
robot=anymal
tarsus info anymal >/dev/null 2>&1 || robot="quadruped.urdf --base free"

# word splitting is wanted: the robot may come with an option
say tarsus info $robot
say tarsus check $robot
say tarsus bench --quick $robot
