#!/usr/bin/env bash
# Three loops in a scratch repository: one converges, one moves nothing, one
# claims to be done over a red check. It needs brickoven and git, and no model.
#
#   BRICKOVEN=./brickoven examples/loop/run.sh
set -eu

brickoven=${BRICKOVEN:-brickoven}
case $brickoven in */*) brickoven=$(cd "$(dirname "$brickoven")" && pwd)/$(basename "$brickoven") ;; esac
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here/checks.sh" "$scratch/checks.sh"
cd "$scratch"
git init -q .
: > greeting.txt
git add -A
git -c user.name=demo -c user.email=demo@example.com -c commit.gpgsign=false commit -q -m start

# loop NAME EXPECTED: runs the loop with a helper and fails unless it ends so.
loop() {
  echo "== $1"
  "$brickoven" run "$here/loop.yaml" --state-dir "$scratch/state" --set-string helper="$here/$1.sh" > out 2> err || true
  cat out
  if ! grep -q "$2" out; then
    echo "expected $2; brickoven said:" >&2
    cat err >&2
    exit 1
  fi
}

printf '.state\nout\nerr\nstate\n' > .git/info/exclude
loop idler judged_stuck
loop claimer done_but_check_red
rm -f claims.txt
loop helper success_condition_met
cat greeting.txt
