#!/usr/bin/env bash
# A small loop in a scratch repository, judged after three different rounds:
# one that moves (CONTINUE), one that finishes (DONE), and the evidence of a run
# that burned 2h47m (STUCK). It needs brickoven and git, and no model: the
# built-in rules judge.
#
#   BRICKOVEN=./brickoven examples/loop-health/run.sh
set -eu

brickoven=${BRICKOVEN:-brickoven}
case $brickoven in */*) brickoven=$(cd "$(dirname "$brickoven")" && pwd)/$(basename "$brickoven") ;; esac
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

git() {
  command git -C "$scratch/repo" -c user.name=demo -c user.email=demo@example.com -c commit.gpgsign=false "$@"
}

# judge EXPECTED ARGS…: judges a round and fails unless the verdict is EXPECTED.
judge() {
  expected=$1
  shift
  "$brickoven" run "$here/judge.yaml" --set loop_judge=rules --set loop_repo_path="$scratch/repo" "$@" \
    > "$scratch/out" 2> "$scratch/err" || true
  sed -n '/^ *verdict: /,/not converging: /p' "$scratch/out" | awk '/verdict: /{n++} n==1'
  if ! grep -q "verdict: $expected" "$scratch/out"; then
    echo "expected $expected; brickoven said:" >&2
    cat "$scratch/out" "$scratch/err" >&2
    exit 1
  fi
  echo
}

mkdir "$scratch/repo"
command git init -q "$scratch/repo"
echo 'nothing yet' > "$scratch/repo/calc.txt"
git add -A
git commit -q -m 'start'

echo '== round 1 fixes one of two failing tests'
base=$(git rev-parse HEAD)
echo 'add a b' > "$scratch/repo/calc.txt"
git commit -q -am 'add addition'
judge CONTINUE --set loop_round_label=round-1 --set loop_baseline_ref="$base" \
  --set loop_test_signal_previous='2 failed' --set loop_test_signal='1 failed' \
  --set loop_findings_previous=$'add is missing\nsub is missing' --set loop_findings_current='sub is missing'

echo '== round 2 fixes the other; the caller says that the goal is met'
base=$(git rev-parse HEAD)
echo 'sub a b' >> "$scratch/repo/calc.txt"
git commit -q -am 'add subtraction'
judge DONE --set loop_round_label=round-2 --set loop_baseline_ref="$base" --set loop_goal_met=true \
  --set loop_test_signal_previous='1 failed' --set loop_test_signal='0 failed' \
  --set loop_findings_previous='sub is missing'

echo '== the 2h47m run: seven steps at their ceiling, nothing made, one refusal'
for step in 5 6 7 8 9 10 11; do
  echo "step-$step finished in 10m 0s, no artifacts"
done > "$scratch/history"
echo 'child returned BLOCKED_TERMINAL at depth 4/3 with exit code 79' >> "$scratch/history"
judge STUCK --set loop_round_label=round-1 --set loop_baseline_ref=HEAD --set-file loop_history="$scratch/history" \
  --set loop_last_round_output="The review workflow is still running; I'm waiting for its structured findings." \
  --set loop_test_signal_previous='3 failed' --set loop_test_signal='3 failed' \
  --set loop_findings_previous=$'F1\nF2' --set loop_findings_current=$'F1\nF2'
