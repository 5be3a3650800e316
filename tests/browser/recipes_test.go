package browser

import (
	"fmt"
	"strings"
)

// judge is a recipe that says what the round's number decides.
const judge = `name: judge
steps:
  - id: say
    command: |
      case "$LOOP_ROUND_LABEL" in
        *[!0-9]LAST) v='{"loop_verdict":"LASTWORD","moved":[],"not_converging":["the same two findings came back"],"recommended_action":"Change the task."}' ;;
        *) v='{"loop_verdict":"CONTINUE","moved":["1 finding resolved"],"not_converging":[],"recommended_action":"Start another round."}' ;;
      esac
      echo "$v"
    output: loop_health
`

func judgeOf(last int, word string) string {
	return strings.NewReplacer("LASTWORD", word, "LAST", fmt.Sprint(last)).Replace(judge)
}

// converging fixes one of eight a round, with an agent that tells what it costs.
var converging = map[string]string{
	"r.yaml": `name: converging
description: One failing test is fixed a round
steps:
  - {id: prepare, command: "for i in 1 2 3 4 5 6; do echo bad >t$i; done; git add -A; echo six tests are red"}
  - {id: lint, parallel_group: look, command: "sleep 0.2; echo lint is clean"}
  - {id: types, parallel_group: look, command: "sleep 0.1; echo types are clean"}
  - id: converge
    type: loop
    description: every test passes
    judge: rules
    check: "! grep -q bad t*"
    evidence: {test_signal: failing, findings: failing, goal_met: "failing == ''", progress: "grep -l bad t* | wc -l"}
    output: converge
    steps:
      - {id: fix, cli: mine, prompt: "Fix one failing test of round {{loop.round}}.", output: said}
      - {id: suite, command: "grep -l bad t* || true", output: failing}
  - {id: after, condition: converge.rounds > 3, command: "echo rounds={{converge.rounds}}"}
  - {id: never, condition: "false", command: echo no}
`,
	"rules.yaml": "name: rules\nsteps: [{id: health, recipe: loop-health-evaluator, context: {loop_judge: rules}}]\n",
	"agent.sh": `cat >/dev/null
said="nothing to do"
for f in t*; do
  if grep -q bad $f; then echo good >$f; said="fixed $f"; break; fi
done
echo "{\"result\":\"$said\",\"cost\":0.0125,\"in\":1200,\"out\":340}"
`,
	".brickoven/config.yaml": `agents:
  default: mine
  mine: {command: [sh, agent.sh], prompt: stdin, result: json, answer: result, usage: {input_tokens: in, output_tokens: out, cost_usd: cost}}
`,
}

// stuck moves for three rounds and then repeats itself.
var stuck = map[string]string{
	"r.yaml": `name: stuck-review
steps:
  - {id: start, command: echo started}
  - id: review
    type: loop
    description: the review is answered
    judge: judge
    steps: [{id: work, command: 'echo "round {{loop.round}}" >>notes; echo I am still waiting for the review'}]
  - {id: ship, command: echo shipped}
finally:
  - {id: tidy, command: echo tidied}
`,
	"judge.yaml": judgeOf(4, "STUCK"),
}

// halted claims to be done while its check is red.
var halted = map[string]string{
	"r.yaml": `name: halted
steps:
  - id: converge
    type: loop
    judge: judge
    check: "echo three tests fail: TestLogin TestLogout TestReset; exit 1"
    steps: [{id: claim, command: 'echo "it works now, really"'}]
`,
	"judge.yaml": "name: judge\nsteps: [{id: say, command: 'echo \"{\\\"loop_verdict\\\":\\\"DONE\\\",\\\"moved\\\":[\\\"the claim\\\"]}\"', output: loop_health}]\n",
}

// manySteps is a recipe of n steps of which some are groups, some are skipped and
// one fails; 0 fails none.
func manySteps(n, fails int) map[string]string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: many\nrecursion: {max_total_steps: %d}\nsteps:\n", n)
	for i := 1; i <= n; i++ {
		group, condition, command := "", "", fmt.Sprintf("echo step %d says hello; echo and more", i)
		if i%17 >= 3 && i%17 <= 5 {
			group = fmt.Sprintf(", parallel_group: g%d", i/17)
		}
		if i%23 == 0 {
			condition = ", condition: 'false'"
		}
		if i == fails {
			command = "echo compiling; echo 'main.go:12: undefined: foo' >&2; exit 2"
		}
		fmt.Fprintf(&b, "  - {id: step-%04d%s%s, command: \"%s\"}\n", i, group, condition, command)
	}
	return map[string]string{"r.yaml": b.String()}
}

// hostile prints what must stay text.
var hostile = map[string]string{"r.yaml": `name: "</script><img src=x onerror=alert(1)>"
description: "</title><script>alert(2)</script>"
steps:
  - id: markup
    command: |
      printf '%s\n' '</script><img src=x onerror="document.title=1"><svg onload=alert(3)>' '</pre></details><style>*{display:none}</style>'
  - id: long
    command: head -c 5000000 /dev/zero | tr '\0' 'x'
  - id: bytes
    command: printf '\377\376\000\001\033[31mred\033[0m end\n'; printf 'errors \340\n' >&2
  - id: turned
    command: printf 'abc \342\200\256 fdp.exe \327\251\327\234\327\225\327\235 \330\247\331\204\n'
  - id: "x<script>alert(4)<script>"
    command: |
      echo "</pre><script>document.title='taken over'</script>" >&2; exit 3
`}
