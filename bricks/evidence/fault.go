package evidence

import (
	"slices"
	"strings"
)

// The classes of an infrastructure fault.
const (
	transientTransport = "transient_transport" // the endpoint failed; the same call may work later
	environmental      = "environmental"       // the machine is not set up for the call
)

// endingWindow is how much of the end of a round's output can hold the fault
// that ended it.
const endingWindow = 64 << 10

// endingFault is the class of the infrastructure fault that ended the round,
// empty when none did. It is the last line with a fault after which nothing but
// the fault's own aftermath follows; a fault that work went on after was
// recovered from. The history speaks only where there is no last output.
func endingFault(history, output string) string {
	if strings.TrimSpace(output) == "" {
		output = history
	}
	if cut := len(output) - endingWindow; cut > 0 {
		output = output[cut:]
		_, output, _ = strings.Cut(output, "\n")
	}
	fault := ""
	for line := range foreignLines(output) {
		words := wordsOf(line)
		if class := faultClass(line, words); class != "" {
			fault = class
		} else if fault != "" && !isAftermath(line, words) {
			fault = ""
		}
	}
	return fault
}

func faultClass(line string, words []string) string {
	if class := markedClass(line); class != "" {
		return class
	}
	has := func(phrase ...string) bool { return indexWords(words, phrase) >= 0 }
	switch {
	case refusedStatus(line, words), isOverloaded(words),
		has("connection", "reset"), has("econnreset"):
		return transientTransport
	case has("missing", "credential"), has("missing", "credentials"),
		has("missing", "api", "key"), has("no", "api", "key"), has("invalid", "api", "key"),
		has("api", "key", "not", "found"), has("api", "key", "not", "set"), has("api", "key", "is", "missing"),
		has("authentication", "error"), has("not", "logged", "in"):
		return environmental
	}
	return ""
}

// markedClass reads the class marker that runners write, such as
// {"class":"transient_transport"}.
func markedClass(line string) string {
	const key = `"class"`
	for {
		i := strings.Index(line, key)
		if i < 0 {
			return ""
		}
		line = line[i+len(key):]
		after, found := strings.CutPrefix(strings.TrimLeft(line, " \t"), ":")
		if !found {
			continue
		}
		after = strings.TrimLeft(after, " \t")
		for _, class := range []string{transientTransport, environmental} {
			if strings.HasPrefix(after, `"`+class+`"`) {
				return class
			}
		}
	}
}

// refusedStatus finds 429 and 529 where they are an HTTP status: next to a word
// that says so, not in "429 files".
func refusedStatus(line string, words []string) bool {
	before := []string{"http", "status", "error", "code"}
	after := []string{"too", "overloaded", "rate", "error"}
	for i, word := range words {
		if word != "429" && word != "529" {
			continue
		}
		if i > 0 && slices.Contains(before, words[i-1]) || i+1 < len(words) && slices.Contains(after, words[i+1]) ||
			strings.Contains(line, "HTTP/") {
			return true
		}
	}
	return false
}

// isOverloaded tells an overloaded endpoint from an overloaded method.
func isOverloaded(words []string) bool {
	const shortLine = 3
	if !slices.Contains(words, "overloaded") {
		return false
	}
	return len(words) <= shortLine || containsAny(words, "error", "api", "model", "server", "endpoint", "service", "503")
}

// isAftermath tells what may follow a fault without any work going on: blank
// or indented lines, brackets, and lines that speak of giving up.
func isAftermath(line string, words []string) bool {
	if len(words) == 0 || line[0] == ' ' || line[0] == '\t' {
		return true
	}
	if containsAny(words, "succeeded", "success", "recovered", "resumed", "completed", "passed") {
		return false
	}
	return containsAny(words, "error", "errors", "failed", "failure", "fatal", "exit", "exited", "exiting",
		"abort", "aborted", "aborting", "giving", "gave", "terminated", "traceback", "retries", "exhausted", "stopping")
}

// wordsOf cuts a line into lower-case words and numbers.
func wordsOf(line string) []string {
	var words []string
	for i := 0; i < len(line); {
		if classOf[line[i]] == other {
			i++
			continue
		}
		end := wordEnd(line, i)
		words = append(words, strings.ToLower(line[i:end]))
		i = end
	}
	return words
}

func containsAny(words []string, wanted ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(wanted, word) })
}

func indexWords(words, phrase []string) int {
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}
