package recipes

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// foreignKey is a key that decides in another tool whether, when or how often
// something runs, and that has no meaning here. A recipe that uses one must not
// run once, ungated, as if the key were a comment (issue "The runner", "Recipe
// document").
type foreignKey struct {
	scopes []string // recipe, step, retry
	// instead is our spelling, or what to do where there is none.
	instead string
	// harmless are values that ask for what happens here anyway.
	harmless []string
}

var (
	anywhere = []string{"recipe", "step"}
	onStep   = []string{"step"}
	onRecipe = []string{"recipe"}
	onRetry  = []string{"retry"}
)

const (
	writeCondition = "write condition: with an expression, such as condition: steps.build.status == 'completed'"
	writeLoop      = "write a step of type: loop; its judge decides about another round"
	writeDepends   = "write depends_on: with a list of step ids"
	writeForeach   = "write foreach: \"{{list}}\" with as: and collect:"
	writeRetry     = "write retry: {attempts: N, delay: 10s}"
	writeTolerate  = "write continue_on_error: true"
	writeFinally   = "write the steps under finally:, or a command under hooks: on_error"
	noApproval     = "there are no approval gates; end the recipe before the gate and let a person start the next one"
	noSchedule     = "recipes do not start themselves; let cron or CI run them"
)

// foreignKeys are taken from the dialects that recipes get copied from: the
// amplifier recipes, GitHub Actions, Argo Workflows, dagu, goose, Airflow,
// Taskfile and Ansible.
var foreignKeys = sync.OnceValue(func() map[string]foreignKey {
	return map[string]foreignKey{
		"stages":                {anywhere, "write one list under steps:, and a recipe of its own for each part that a person must release", nil},
		"approval":              {anywhere, noApproval, nil},
		"approvals":             {anywhere, noApproval, nil},
		"approval_required":     {anywhere, noApproval, []string{"false"}},
		"requires_approval":     {anywhere, noApproval, []string{"false"}},
		"require_approval":      {anywhere, noApproval, []string{"false"}},
		"gate":                  {anywhere, noApproval, nil},
		"wait_for":              {anywhere, writeDepends, nil},
		"suspend":               {anywhere, noApproval, []string{"false"}},
		"while":                 {onStep, writeLoop, nil},
		"while_condition":       {onStep, writeLoop, nil},
		"while_steps":           {onStep, writeLoop, nil},
		"max_while_iterations":  {onStep, writeLoop, nil},
		"break_when":            {onStep, writeLoop, nil},
		"until":                 {onStep, writeLoop, nil},
		"repeat":                {onStep, writeLoop, []string{"false"}},
		"repeat_policy":         {onStep, writeLoop, nil},
		"repeatPolicy":          {onStep, writeLoop, nil},
		"loop":                  {anywhere, writeLoop + "; over a list " + writeForeach, nil},
		"loop_until":            {onStep, writeLoop, nil},
		"max_iterations":        {anywhere, "a loop ends by its judge; a fuse is brakes: {rounds: N} on a step of type: loop", nil},
		"max_rounds":            {anywhere, "a loop ends by its judge; a fuse is brakes: {rounds: N} on a step of type: loop", nil},
		"max_turns":             {anywhere, "there is no such limit here; use idle_timeout or timeout", nil},
		"budget":                {anywhere, "write brakes: with budget_usd, budget_tokens or budget_minutes on a step of type: loop", nil},
		"max_cost":              {anywhere, "write brakes: {budget_usd: N} on a step of type: loop", nil},
		"sandbox":               {anywhere, "steps run without a sandbox; start brickoven inside one", []string{"false", "none"}},
		"container":             {anywhere, "steps run on this machine; call docker run in the command", nil},
		"image":                 {onStep, "steps run on this machine; call docker run in the command", nil},
		"services":              {onRecipe, "start what is needed in a step of its own", nil},
		"trigger_rule":          {onStep, writeCondition, []string{"all_success"}},
		"if":                    {onStep, writeCondition, nil},
		"unless":                {onStep, "write condition: not (…)", nil},
		"when":                  {onStep, writeCondition, nil},
		"only_if":               {onStep, writeCondition, nil},
		"run_if":                {onStep, writeCondition, nil},
		"skip_if":               {onStep, "write condition: not (…)", nil},
		"precondition":          {anywhere, writeCondition, nil},
		"preconditions":         {anywhere, writeCondition, nil},
		"switch":                {onStep, "write one step for each case, with a condition: of its own", nil},
		"then":                  {onStep, "write the steps one by one, each with its condition:", nil},
		"else":                  {onStep, "write the steps one by one, each with its condition:", nil},
		"needs":                 {onStep, writeDepends, nil},
		"depends":               {onStep, writeDepends, nil},
		"dependencies":          {onStep, writeDepends, nil},
		"deps":                  {onStep, writeDepends, nil},
		"requires":              {onStep, writeDepends, nil},
		"jobs":                  {onRecipe, "write one list under steps:", nil},
		"tasks":                 {onRecipe, "write one list under steps:", nil},
		"templates":             {onRecipe, "write a recipe of its own for each template and call it with type: recipe", nil},
		"entrypoint":            {onRecipe, "steps run from the top", nil},
		"strategy":              {anywhere, writeForeach, nil},
		"matrix":                {anywhere, writeForeach, nil},
		"for_each":              {onStep, writeForeach, nil},
		"forEach":               {onStep, writeForeach, nil},
		"with_items":            {onStep, writeForeach, nil},
		"withItems":             {onStep, writeForeach, nil},
		"withParam":             {onStep, writeForeach, nil},
		"parallel_steps":        {onStep, "write the steps one below the other with one parallel_group:", nil},
		"on_error":              {onStep, "", []string{"fail", "stop", "abort"}},
		"on_failure":            {anywhere, writeFinally, []string{"fail", "stop", "abort"}},
		"onExit":                {anywhere, writeFinally, nil},
		"onFailure":             {anywhere, writeFinally, nil},
		"handlers":              {onRecipe, writeFinally, nil},
		"handler_on":            {onRecipe, writeFinally, nil},
		"handlerOn":             {onRecipe, writeFinally, nil},
		"ensure":                {anywhere, writeFinally, nil},
		"always_run":            {onStep, "write the step under finally:", []string{"false"}},
		"rescue":                {onStep, writeFinally, nil},
		"ignore_errors":         {onStep, writeTolerate, []string{"false"}},
		"ignore_error":          {onStep, writeTolerate, []string{"false"}},
		"allow_failure":         {onStep, writeTolerate, []string{"false"}},
		"continue_on":           {onStep, writeTolerate, nil},
		"continueOn":            {onStep, writeTolerate, nil},
		"continue-on-error":     {onStep, writeTolerate, []string{"false"}},
		"failed_when":           {onStep, "let the command exit with the code that is meant", nil},
		"fail_fast":             {anywhere, "the first failure stops the recipe; " + writeTolerate + " where it should not", []string{"true"}},
		"retries":               {onStep, writeRetry, []string{"0"}},
		"retry_on":              {onStep, "write retry: {attempts: N, on_exit: [codes]}", nil},
		"retry_policy":          {onStep, writeRetry, nil},
		"retryPolicy":           {onStep, writeRetry, nil},
		"retryStrategy":         {onStep, writeRetry, nil},
		"max_retries":           {anywhere, writeRetry, []string{"0"}},
		"retry_count":           {onStep, writeRetry, []string{"0"}},
		"timeout-minutes":       {onStep, "write timeout: 10m", nil},
		"timeout_minutes":       {onStep, "write timeout: 10m", nil},
		"activeDeadlineSeconds": {anywhere, "write timeout: 10m on the steps", nil},
		"enabled":               {onStep, "write condition: false, or take the step out", []string{"true"}},
		"disabled":              {onStep, "write condition: false, or take the step out", []string{"false"}},
		"schedule":              {onRecipe, noSchedule, nil},
		"on":                    {onRecipe, noSchedule, nil},
		"trigger":               {onRecipe, noSchedule, nil},
		"triggers":              {onRecipe, noSchedule, nil},
		"concurrency":           {anywhere, "write max_parallel: N at the top, or parallel: N beside foreach:", nil},
		"mutex":                 {anywhere, "use flock in the command", nil},
		"rate_limiting":         {anywhere, "write max_parallel: N at the top", nil},
		"sub_recipes":           {onRecipe, "call each one in a step of type: recipe", nil},
		"max_attempts":          {onRetry, "write attempts:", nil},
		"max_retry":             {onRetry, "write attempts:", nil},
		"limit":                 {onRetry, "write attempts:", nil},
		"count":                 {onRetry, "write attempts:", nil},
		"initial_delay":         {onRetry, "write delay:", nil},
		"interval":              {onRetry, "write delay:", nil},
		"interval_sec":          {onRetry, "write delay:", nil},
		"exit_codes":            {onRetry, "write on_exit: [codes]", nil},
		"checks":                {onRetry, "write a step of type: loop with check:", nil},
	}
})

// foreign reports whether key belongs to another tool and was dealt with.
func (d *decoder) foreign(in scope, key, val *yaml.Node) bool {
	entry, listed := foreignKeys()[key.Value]
	if !listed || !slices.Contains(entry.scopes, in.name) {
		return false
	}
	if val.Kind == yaml.ScalarNode && slices.Contains(entry.harmless, strings.ToLower(val.Value)) {
		d.warn(key, "unknown-key", fmt.Sprintf("%s: %s is the key of another tool and means nothing here", key.Value, val.Value), "remove it")
		return true
	}
	instead := entry.instead
	if key.Value == "on_error" {
		instead = onErrorInstead(val)
	}
	d.notOurs(key, key.Value, "controls what runs in another tool and is not known here", instead)
	return true
}

// notOurs refuses a key of another tool, or warns of one that is let through.
func (d *decoder) notOurs(node *yaml.Node, key, what, instead string) {
	if message := key + ": " + what; slices.Contains(d.opts.AllowForeign, key) {
		d.warn(node, "foreign-key", message+"; it is let through and does nothing", instead)
	} else {
		d.fail(node, "foreign-key", message, instead+" (--allow-foreign "+key+" to run without it)")
	}
}

// foreignOutputs reports whether outputs is a list of {name, from}, which names
// variables for what a step prints in another tool, and was dealt with.
func (d *decoder) foreignOutputs(key string, node *yaml.Node) bool {
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 || node.Content[0].Kind != yaml.MappingNode {
		return false
	}
	d.notOurs(node, key, "takes names, not mappings, which set variables in another tool",
		"write output: NAME for what a step prints, and outputs: {ours: theirs} for what a called recipe gives back")
	return true
}

// onErrorInstead spells out the values that on_error takes elsewhere.
func onErrorInstead(val *yaml.Node) string {
	switch val.Value {
	case "continue":
		return writeTolerate
	case "skip_remaining":
		return "write continue_on_error: true, and condition: steps.<id>.status == 'completed' on each step that follows"
	}
	return writeTolerate + ", or a command under hooks: on_error"
}
