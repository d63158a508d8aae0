#!/bin/sh
# Shows a robot, its checks, its speed, and how it trots, with the `tarsus` command on the path.
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

# a quadruped that trots: speed, energy ledger and contacts, a picture, a film and a page
out=${TARSUS_DEMO:-${TMPDIR:-/tmp}/tarsus-demo}
mkdir -p "$out"
trot="walk('quadruped')"
say tarsus simulate "$trot" --duration 4 --plot "$out/trot.png" --animate "$out/trot.gif"
tarsus simulate "$trot" --duration 4 --animate "$out/trot.html" >/dev/null

# the studio: a picture of it, then its page, which goes on for a while; nothing waits for it
(cd "$out" && printf 'open quadruped\nadvance 3000\nexport studio.png\n' |
  tarsus studio --script - --draw null >/dev/null)
timeout "${TARSUS_DEMO_VIEW:-300}" \
  tarsus studio quadruped --session "$out/studio" >"$out/studio.log" 2>&1 &
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  grep -q 'the studio is at' "$out/studio.log" && break
  sleep 0.5
done

printf '\nplot       %s\n' "$out/trot.png"
printf 'animation  %s\n' "$out/trot.gif"
printf 'page       %s (open it in any browser: it can be turned and played)\n' "$out/trot.html"
printf 'picture    %s\n' "$out/studio.png"
printf 'studio     %s\n' "$(grep -o 'http[^ ]*' "$out/studio.log" || tail -n 1 "$out/studio.log")"
