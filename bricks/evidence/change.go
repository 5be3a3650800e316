package evidence

import (
	"fmt"
	"strconv"
	"strings"
)

// change is one changed file of a diff.
type change struct {
	path           string // the new path of a rename
	gone           bool   // the file is not in the index
	before         string // object id at the baseline; zeros for a new file
	submodule      bool
	added, deleted int // lines; both 0 for a binary file
	binary         bool
}

// submoduleMode is the file mode by which git marks a submodule.
const submoduleMode = "160000"

// parseChanges reads git diff --raw --numstat -z: all raw records, then all
// numstat records, each of a rename or copy with two paths.
func parseChanges(out string) ([]change, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	before := map[string]change{}
	for len(fields) > 0 && strings.HasPrefix(fields[0], ":") {
		words := strings.Fields(fields[0])
		paths := 1
		if len(words) == 5 && (words[4][0] == 'R' || words[4][0] == 'C') {
			paths = 2
		}
		if len(words) != 5 || len(fields) <= paths {
			return nil, fmt.Errorf("git diff gave the raw record %q", fields[0])
		}
		name := fields[paths]
		before[name] = change{path: name, before: words[2], gone: words[4][0] == 'D', submodule: words[1] == submoduleMode}
		fields = fields[paths+1:]
	}
	var changes []change
	for len(fields) > 0 && fields[0] != "" {
		added, rest, _ := strings.Cut(fields[0], "\t")
		deleted, name, ok := strings.Cut(rest, "\t")
		fields = fields[1:]
		if ok && name == "" && len(fields) >= 2 {
			name, fields = fields[1], fields[2:]
		}
		c := before[name]
		c.path = name
		if err := c.count(added, deleted); err != nil || !ok {
			return nil, fmt.Errorf("git diff gave the numstat record %q %q %q", added, deleted, name)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

func (c *change) count(added, deleted string) (err error) {
	if added == "-" && deleted == "-" {
		c.binary = true
		return nil
	}
	if c.added, err = strconv.Atoi(added); err != nil {
		return err
	}
	c.deleted, err = strconv.Atoi(deleted)
	if c.submodule && c.added+c.deleted == 0 {
		c.added = 1 // git counts no lines for changes inside a submodule
	}
	return err
}
