package integrity

import "testing"

func TestAFingerprintLeavesOutWhatChangesByItself(t *testing.T) {
	t.Parallel()
	first := Fingerprint(1, "ok a (0.12s)\n\nFAIL b at /home/x/repo/b_test.go:12\n", "took 3m2s")
	if first != Fingerprint(1, "ok a (9.8s)\nFAIL b at /srv/repo/b_test.go:99\n", "took 1s\n") {
		t.Error("durations, folders and line numbers make another fingerprint")
	}
}

func TestAFingerprintTellsOutcomesApart(t *testing.T) {
	t.Parallel()
	base := Fingerprint(1, "assert 3 == 4", "")
	for name, other := range map[string]string{
		"another exit code": Fingerprint(2, "assert 3 == 4", ""),
		"another number":    Fingerprint(1, "assert 3 == 5", ""),
		"another stream":    Fingerprint(1, "", "assert 3 == 4"),
		"another line":      Fingerprint(1, "assert 3 == 4\nFAIL", ""),
	} {
		if other == base {
			t.Errorf("%s has the same fingerprint", name)
		}
	}
}
