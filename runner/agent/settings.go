package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// Settings are what agents: holds, in .brickoven/config.yaml and in a recipe.
type Settings struct {
	// Default is the agent where neither the command line nor the step names
	// one; empty: none.
	Default string
	Retry   Retry
	OnQuota Quota
	// InheritUserConfig lets the user's own settings of the CLIs count.
	InheritUserConfig bool
	// Permission is the permission where neither step nor definition names one.
	Permission string

	definitions map[string]*Definition
}

// SettingError tells what is wrong in agents:.
type SettingError struct {
	Path    string // such as agents.mine.prompt
	Problem string
}

func (e *SettingError) Error() string { return e.Path + ": " + e.Problem }

// settingKeys are the keys of agents: that name no agent.
var settingKeys = []string{"default", "retry", "on_quota", "inherit_user_config", "permission"}

// ParseSettings reads the values of agents:, later ones over earlier ones, so
// that a recipe's come after the user's. The error is a [*SettingError].
func ParseSettings(layers ...map[string]any) (*Settings, error) {
	s := &Settings{Retry: DefaultRetry(), OnQuota: DefaultQuota(), definitions: map[string]*Definition{}}
	for _, layer := range layers {
		f := &fields{path: "agents", values: layer}
		s.Default = cmp.Or(f.text("default"), s.Default)
		s.Permission = cmp.Or(f.permission("permission"), s.Permission)
		if flag := f.flag("inherit_user_config"); flag != nil {
			s.InheritUserConfig = *flag
		}
		s.retry(f.below("retry"))
		s.onQuota(f)
		for _, name := range slices.Sorted(maps.Keys(layer)) {
			if !slices.Contains(settingKeys, name) {
				s.define(name, f.below(name))
			}
		}
		if f.err() != nil {
			return nil, f.err()
		}
	}
	return s, nil
}

// Find gives the agent with this name: a defined one before a preset.
func (s *Settings) Find(name string) (d *Definition, ok bool) {
	if d, ok = s.definitions[name]; ok {
		return d, true
	}
	return Preset(name)
}

// Names lists the agents that [Settings.Find] finds, sorted.
func (s *Settings) Names() []string {
	names := slices.Concat(Presets(), slices.Collect(maps.Keys(s.definitions)))
	slices.Sort(names)
	return slices.Compact(names)
}

// Inherits says whether the user's own settings of a CLI count.
func (s *Settings) Inherits(d *Definition) bool {
	if d.InheritUserConfig != nil {
		return *d.InheritUserConfig
	}
	return s.InheritUserConfig
}

func (s *Settings) retry(f *fields) {
	if f == nil {
		return
	}
	f.known("attempts", "delay", "max_delay")
	if n := f.count("attempts"); n > 0 {
		s.Retry.Attempts = n
	}
	f.duration("delay", &s.Retry.Delay)
	f.duration("max_delay", &s.Retry.MaxDelay)
}

// onQuota reads agents.on_quota, which is a map, or fail.
func (s *Settings) onQuota(f *fields) {
	if f.values["on_quota"] == string(QuotaFail) {
		s.OnQuota.Mode = QuotaFail
		return
	}
	q := f.below("on_quota")
	if q == nil {
		return
	}
	q.known("wait", "max_wait", "unknown_reset", "jitter")
	switch wait := q.text("wait"); wait {
	case "":
	case string(QuotaFail), string(UntilReset):
		s.OnQuota.Mode = QuotaMode(wait)
	default:
		s.OnQuota.Mode = Fixed
		q.duration("wait", &s.OnQuota.For)
	}
	q.duration("max_wait", &s.OnQuota.MaxWait)
	q.duration("unknown_reset", &s.OnQuota.UnknownReset)
	q.duration("jitter", &s.OnQuota.Jitter)
}

var definitionKeys = []string{
	"extends", "command", "args", "env", "prompt", "prompt_args", "result", "answer", "error", "message", "conversation", "usage",
	"model", "system", "resume", "permission", "permissions", "isolate", "inherit_user_config",
}

// define reads one definition. One with the name of a preset changes that
// preset; with extends: it starts from another.
func (s *Settings) define(name string, f *fields) {
	if f == nil {
		return
	}
	f.known(definitionKeys...)
	d := &Definition{Prompt: ByStdin, Result: Result{Format: FormatText}}
	base, named := f.text("extends"), true
	if base == "" {
		base, named = name, false
	}
	if from, ok := s.Find(base); ok {
		d = from.clone()
	} else if named {
		f.fail("extends", "there is no agent "+value.JSON(base)+"; there are "+strings.Join(s.Names(), ", "))
		return
	}
	d.Name = name
	f.words("command", &d.Command)
	f.words("args", &d.Args)
	f.words("prompt_args", &d.PromptArgs)
	f.words("model", &d.Model)
	f.words("system", &d.System)
	f.words("resume", &d.Resume)
	f.words("isolate", &d.Isolate)
	d.Env = append(d.Env, f.environment("env")...)
	d.Prompt = Transport(cmp.Or(f.choice("prompt", string(ByStdin), string(ByFile), string(ByArg)), string(d.Prompt)))
	d.Permission = cmp.Or(f.permission("permission"), d.Permission)
	d.switches(f.below("permissions"))
	if flag := f.flag("inherit_user_config"); flag != nil {
		d.InheritUserConfig = flag
	}
	d.result(f)
	if len(d.Command) == 0 {
		f.fail("command", "is missing")
	}
	s.definitions[name] = d
}

func (d *Definition) switches(f *fields) {
	if f == nil {
		return
	}
	f.known(permissions...)
	if d.Permissions == nil {
		d.Permissions = map[string][]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		var words []string
		f.words(name, &words)
		d.Permissions[name] = words
	}
}

func (d *Definition) result(f *fields) {
	if format := f.choice("result", FormatText, FormatJSON); format != "" {
		d.Result = Result{Format: format}
	}
	if d.Result.Format != FormatJSON {
		for _, key := range []string{"answer", "error", "message", "conversation", "usage"} {
			if _, has := f.values[key]; has {
				f.fail(key, "is a path into a JSON document and needs result: json")
			}
		}
		return
	}
	f.route("answer", &d.Result.Answer)
	f.route("error", &d.Result.Error)
	f.route("message", &d.Result.Message)
	f.route("conversation", &d.Result.Conversation)
	usage := f.below("usage")
	if usage == nil {
		return
	}
	usage.known("input_tokens", "output_tokens", "cached_tokens", "cost_usd", "turns", "duration_ms")
	d.Result.Usage = map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(usage.values)) {
		var path string
		usage.route(key, &path)
		d.Result.Usage[key] = path
	}
}

// seconds reads a duration as recipes write it: a number of seconds, or 90s, 1h30m.
func seconds(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is no duration; write 90s, 10m or 2h", value.JSON(text))
	}
	return d, nil
}
