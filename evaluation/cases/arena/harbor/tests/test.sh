#!/bin/sh
# The reward is 1 where the hand-in was right by the simulator's truth. Without a hand-in there is no grade: 0.
grades="${GRADES:-/grades/grades.jsonl}"
out="${VERIFIER:-/logs/verifier}"
mkdir -p "$out"
if head -n 1 "$grades" 2>/dev/null | grep -q '"ended": "right"'; then reward=1; else reward=0; fi
echo "$reward" > "$out/reward.txt"
cp "$grades" "$out/grades.jsonl" 2>/dev/null || true
