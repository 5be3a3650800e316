package guard

import (
	"os"
	"path/filepath"
	"testing"
)

const meminfo = "MemTotal:       2000 kB\nMemFree:          10 kB\nMemAvailable:   1000 kB\n"

func TestAvailableMemoryIsThatOfTheTightestLimit(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	tests := []struct {
		name  string
		files map[string]string
		want  int64
		ok    bool
	}{
		{"nothing is known", nil, 0, false},
		{"the machine alone", map[string]string{"proc/meminfo": meminfo}, 1000 * kib, true},
		{"a group without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "5\n",
		}, 1000 * kib, true},
		{"a group with less left than the machine", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "1:name=systemd:/x\n0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "500000\n", "sys/fs/cgroup/a/b/memory.current": "400000\n",
		}, 100000, true},
		{"the page cache counts as free", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "500000\n", "sys/fs/cgroup/memory.current": "500000\n",
			"sys/fs/cgroup/memory.stat": "anon 100000\ninactive_file 200000\nactive_file 100000\nslab_reclaimable 5\n",
		}, 300005, true},
		{"a group of the first version", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/a\n1:cpu:/\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "500000\n", "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "450000\n",
			"sys/fs/cgroup/memory/a/memory.stat":         "inactive_file 1\ntotal_inactive_file 50000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "1\n",
		}, 100000, true},
		{"a group further out is tighter", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "500000\n", "sys/fs/cgroup/a/b/memory.current": "400000\n",
			"sys/fs/cgroup/a/memory.max": "500000\n", "sys/fs/cgroup/a/memory.current": "600000\n",
		}, 0, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for name, text := range test.files {
				path := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, ok := availableBelow(root)
			if got != test.want || ok != test.ok {
				t.Errorf("available %d, %v, want %d, %v", got, ok, test.want, test.ok)
			}
		})
	}
}
