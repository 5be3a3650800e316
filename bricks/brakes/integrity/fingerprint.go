package integrity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/signature"
)

// Fingerprint is what one run of a check said: its exit code and what it
// printed, line by line. Durations, times, folders, addresses and ids are left
// out, so that the same outcome on another day or in another folder has the same
// fingerprint; blank lines do not count. It carries the version of the rules.
func Fingerprint(exitCode int, stdout, stderr string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "exit %d\n", exitCode)
	for _, stream := range []struct{ name, text string }{{"stdout", stdout}, {"stderr", stderr}} {
		fmt.Fprintln(sum, stream.name)
		for line := range strings.Lines(stream.text) {
			if normal := signature.Normalise(line); normal != "" {
				fmt.Fprintf(sum, "%q\n", normal)
			}
		}
	}
	return fmt.Sprintf("v%d:%s", signature.Version, hex.EncodeToString(sum.Sum(nil)))
}
