package guard

import (
	"errors"
	"strings"
	"testing"
)

type fake struct {
	around []map[string]string
	others int
	free   int64
}

func (f fake) ancestors() []map[string]string { return f.around }
func (f fake) nested() int                    { return f.others }
func (f fake) available() (int64, bool)       { return f.free, f.free >= 0 }

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestDepthIsTheLargerOfEnvironmentAndAncestors(t *testing.T) {
	t.Parallel()
	eight := make([]map[string]string, 8)
	tests := []struct {
		name    string
		getenv  func(string) string
		sys     fake
		refused bool
	}{
		{"outermost", env(), fake{}, false},
		{"seven by the environment", env(EnvDepth, "7"), fake{}, false},
		{"eight by the environment", env(EnvDepth, "8"), fake{}, true},
		{"eight ancestors, variable unset", env(), fake{around: eight}, true},
		{"eight ancestors, variable lowered", env(EnvDepth, "0"), fake{around: eight}, true},
		{"nonsense counts as nothing", env(EnvDepth, "-3"), fake{}, false},
		{"the outermost run may raise", env(EnvMaxDepth, "20", EnvDepth, "9"), fake{}, false},
		{"a child may lower", env(EnvMaxDepth, "2", EnvDepth, "2"), fake{}, true},
		{"a child may not raise", env(EnvMaxDepth, "99"), fake{around: eight}, true},
		{"an ancestor's own ceiling holds", env(EnvMaxDepth, "99"),
			fake{around: []map[string]string{{EnvMaxDepth: "1"}}}, true},
		{"what an ancestor was told holds, where those around it are hidden", env(),
			fake{around: []map[string]string{{}, {EnvDepth: "6"}}}, true},
		{"what an ancestor was told is no more than that", env(),
			fake{around: []map[string]string{{}, {EnvDepth: "5"}}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := build(test.getenv, test.sys).Nesting()
			if (err != nil) != test.refused {
				t.Fatalf("Nesting() = %v, want refused %v", err, test.refused)
			}
			var refusal *RefusedError
			if test.refused && (!errors.As(err, &refusal) || !strings.Contains(err.Error(), "BLOCKED_TERMINAL")) {
				t.Errorf("refusal %v lacks its type or the word BLOCKED_TERMINAL", err)
			}
		})
	}
}

func TestWidthCountsTheWholeTree(t *testing.T) {
	t.Parallel()
	g := build(env(EnvMaxWidth, "3"), fake{others: 1, free: 1 << 40})
	first, err := g.Enter()
	if err != nil {
		t.Fatalf("a first child is alone: %v", err)
	}
	if _, err := g.Enter(); err != nil {
		t.Fatalf("two own and one other are three: %v", err)
	}
	if _, err := g.Enter(); err == nil {
		t.Fatal("a fourth child was let in")
	}
	first()
	if _, err := g.Enter(); err != nil {
		t.Fatalf("after one has left there is a place: %v", err)
	}
}

func TestMemoryFloor(t *testing.T) {
	t.Parallel()
	if _, err := build(env(), fake{free: 100 << 20}).Enter(); err == nil {
		t.Error("100 MiB are below the floor of 128 MiB")
	}
	if _, err := build(env(), fake{free: 200 << 20}).Enter(); err != nil {
		t.Errorf("200 MiB are enough: %v", err)
	}
	if _, err := build(env(), fake{free: -1}).Enter(); err != nil {
		t.Errorf("unknown memory refuses nothing: %v", err)
	}
	if _, err := build(env(EnvMemory, "1"), fake{free: 100 << 20, around: []map[string]string{{}}}).Enter(); err == nil {
		t.Error("a child lowered the floor of the outermost run")
	}
}

func TestChildrenLearnDepthAndLimits(t *testing.T) {
	t.Parallel()
	g := build(env(EnvDepth, "2", EnvMaxDepth, "5"), fake{})
	got := strings.Join(g.Environment(), " ")
	if want := "BRICKOVEN_DEPTH=3 BRICKOVEN_MAX_DEPTH=5 BRICKOVEN_MAX_WIDTH=64 BRICKOVEN_MIN_FREE_MIB=128"; got != want {
		t.Errorf("environment\n got %s\nwant %s", got, want)
	}
}
