package brakes

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/integrity"
	"github.com/brickoven/brickoven/recipes/value"
)

// OnRegression says what happens to a round that breaks a passing test.
type OnRegression string

// What may happen to a regression.
const (
	// Revert takes the round back and tells the next one what broke.
	Revert OnRegression = "revert"
	// HaltOnRegression ends the loop and leaves the tree as it is.
	HaltOnRegression OnRegression = "halt"
	// Ignore accepts every round; the walk is still watched.
	Ignore OnRegression = "ignore"
)

// Anomaly sets the detector of a sudden rise in the cost of a round.
type Anomaly struct {
	// Sigma is how many standard deviations above the mean of the rounds before
	// are too many.
	Sigma float64
	// MinRounds is how many rounds with a known cost must come before.
	MinRounds int
	// Floor is the least standard deviation, as a share of the mean: without it
	// equal costs would make any other an anomaly, or none.
	Floor float64
}

// Config is a loop's `brakes:`. The zero Config brakes nothing.
type Config struct {
	Rounds        int           // fuse on rounds; 0 is none
	BudgetUSD     float64       // of the whole run; 0 is none
	BudgetTokens  int64         // of the whole run; 0 is none
	BudgetTime    time.Duration // of the whole run; 0 is none
	HaltOnUnknown bool          // on_unknown_cost: halt
	Anomaly       *Anomaly      // nil is off
	StaleAfter    time.Duration // silence that ends a round; 0 is never

	// FailingCommand and FailingFormat read the failing set; an empty command
	// is none.
	FailingCommand string
	FailingFormat  failing.Format
	NoProgress     int // rounds; 0 is off
	SameFailure    int // rounds; 0 is off
	OnRegression   OnRegression
	// Reference names a commit where the check passes; NoReference is
	// `reference: none`. With a failing set one of the two must be there, or the
	// loop does not start.
	Reference   string
	NoReference bool

	Protect   []integrity.Pattern
	Probe     int // runs of the check before the first round; 0 is none
	MaxUnread int // accepted changes nobody has read; 0 is no limit
	DoomLoop  DoomLoop
}

// SignersFile lists, in a project, whose keys may acknowledge changes. A round
// that writes it could sign for its own changes.
const SignersFile = ".brickoven/allowed_signers"

// protected are the paths that no round may change.
func (c Config) protected() []integrity.Pattern {
	if c.MaxUnread == 0 {
		return c.Protect
	}
	signers, err := integrity.ParsePattern(SignersFile)
	if err != nil {
		return c.Protect
	}
	return append(slices.Clone(c.Protect), signers)
}

// Finding is one fault of a `brakes:` value.
type Finding struct {
	// Path is the key, dotted from brakes on: cost_anomaly.sigma, protect.0.
	Path    string
	Message string
}

// ConfigError lists everything that is wrong with a `brakes:` value.
type ConfigError struct{ Findings []Finding }

func (e *ConfigError) Error() string {
	texts := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		texts[i] = strings.TrimSuffix("brakes."+f.Path, ".") + ": " + f.Message
	}
	return strings.Join(texts, "\n")
}

// defaults are the detectors that run unless they are turned off.
func defaults() Config {
	return Config{NoProgress: 5, SameFailure: 3, OnRegression: Revert}
}

// ParseConfig reads a `brakes:` value, a map or null. Every fault is found, in
// the order of the keys; the error is a [*ConfigError].
func ParseConfig(v any) (Config, error) {
	r := &reader{}
	c := defaults()
	for _, f := range r.entries("", value.From(v), brakeKeys) {
		read := readers()[f.key]
		read(r, f, &c)
	}
	if len(r.findings) > 0 {
		return Config{}, &ConfigError{r.findings}
	}
	return c, nil
}

// brakeKeys are the keys of brakes:, as they are documented.
var brakeKeys = []string{
	"rounds", "budget_usd", "budget_tokens", "budget_minutes", "on_unknown_cost", "cost_anomaly", "stale_after",
	"failing", "no_progress_rounds", "same_failure_rounds", "on_regression", "reference", "protect", "probe", "comprehension",
	"doom_loop",
}

var readers = sync.OnceValue(func() map[string]func(*reader, entry, *Config) {
	return map[string]func(*reader, entry, *Config){
		"rounds":        func(r *reader, e entry, c *Config) { c.Rounds = int(r.whole(e, 1)) },
		"budget_usd":    func(r *reader, e entry, c *Config) { c.BudgetUSD = r.positive(e) },
		"budget_tokens": func(r *reader, e entry, c *Config) { c.BudgetTokens = r.whole(e, 1) },
		"budget_minutes": func(r *reader, e entry, c *Config) {
			c.BudgetTime = r.minutes(e)
		},
		"on_unknown_cost": func(r *reader, e entry, c *Config) {
			c.HaltOnUnknown = r.word(e, "report", "halt") == "halt"
		},
		"cost_anomaly":        func(r *reader, e entry, c *Config) { c.Anomaly = r.anomaly(e) },
		"stale_after":         func(r *reader, e entry, c *Config) { c.StaleAfter = r.duration(e) },
		"failing":             func(r *reader, e entry, c *Config) { c.FailingCommand, c.FailingFormat = r.failing(e) },
		"no_progress_rounds":  func(r *reader, e entry, c *Config) { c.NoProgress = int(r.whole(e, 0)) },
		"same_failure_rounds": func(r *reader, e entry, c *Config) { c.SameFailure = r.sameFailure(e) },
		"on_regression": func(r *reader, e entry, c *Config) {
			c.OnRegression = OnRegression(r.word(e, string(Revert), string(HaltOnRegression), string(Ignore)))
		},
		"reference": func(r *reader, e entry, c *Config) {
			c.Reference = r.text(e)
			if c.NoReference = c.Reference == "none"; c.NoReference {
				c.Reference = ""
			}
		},
		"protect":       func(r *reader, e entry, c *Config) { c.Protect = r.patterns(e) },
		"probe":         func(r *reader, e entry, c *Config) { c.Probe = int(r.whole(e, 2)) },
		"comprehension": func(r *reader, e entry, c *Config) { c.MaxUnread = r.comprehension(e) },
		"doom_loop":     func(r *reader, e entry, c *Config) { c.DoomLoop = r.doomLoop(e) },
	}
})

// entry is one key of a map with the path to it.
type entry struct {
	key, path string
	value     any
}

// reader collects findings while it reads.
type reader struct{ findings []Finding }

func (r *reader) fail(path, format string, args ...any) {
	r.findings = append(r.findings, Finding{path, fmt.Sprintf(format, args...)})
}

// entries lists the known keys of a map in the order of known, and refuses the
// others. Null is an empty map.
func (r *reader) entries(path string, v any, known []string) []entry {
	if v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(path, "must be a map, not a %s", value.Kind(v))
		return nil
	}
	prefix := ""
	if path != "" {
		prefix = path + "."
	}
	var list []entry
	for _, key := range known {
		if v, found := m[key]; found {
			list = append(list, entry{key, prefix + key, v})
		}
	}
	var unknown []string
	for key := range m {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		r.fail(prefix+key, "unknown key (there are %s)", strings.Join(known, ", "))
	}
	return list
}

// number reads an exact number; texts that look like one count, as they do
// elsewhere in recipes.
func (r *reader) number(e entry) *big.Rat {
	n, ok := value.Rational(e.value)
	if !ok {
		r.fail(e.path, "%s is not a number", value.JSON(e.value))
		return nil
	}
	return n
}
