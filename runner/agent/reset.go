package agent

import (
	"strconv"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// moment reads a point in time from a structured result: seconds or
// milliseconds since 1970, or RFC 3339; nil for anything else.
func moment(v any) *time.Time {
	switch v := v.(type) {
	case value.Number:
		n, err := v.Int64()
		if err != nil {
			return nil
		}
		return epoch(n)
	case string:
		if t, err := time.Parse(time.RFC3339, v); err == nil {
			return &t
		}
	}
	return nil
}

// epoch takes a count for milliseconds where seconds would lie beyond the year
// 5000.
func epoch(n int64) *time.Time {
	const farthest = 95_617_584_000
	if n <= 0 || n > farthest*1000 {
		return nil
	}
	t := time.Unix(n, 0)
	if n > farthest {
		t = time.UnixMilli(n)
	}
	t = t.UTC()
	return &t
}

var (
	stamped  = pattern.Pattern{Source: `\|(\d{10,13})\b`}
	rfc      = pattern.Pattern{Source: `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`}
	waiting  = pattern.Pattern{Source: `(?i)\b(?:in|after|retry-after:?)\s+((?:[\d.]+\s*(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|[dhms])?[\s,]*(?:and\s+)?)+)`}
	part     = pattern.Pattern{Source: `(?i)([\d.]+)\s*(days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|[dhms])?`}
	dated    = pattern.Pattern{Source: `(?i)\b(?:resets?|again|until)(?: at| on)? ((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2})(?:st|nd|rd|th)?(,? \d{4})?,?(?: at)? (\d{1,2}(?::\d\d)? ?[ap]m|\d{1,2}:\d\d)`}
	clock    = pattern.Pattern{Source: `(?i)\b(?:resets?|again|until)(?: at)? (\d{1,2}(?::\d\d)? ?[ap]m|\d{1,2}:\d\d)`}
	zoneName = pattern.Pattern{Source: `\(((?:[A-Za-z_]+/)?[A-Za-z_/+-]+)\)`}
)

// resetIn finds when a limit is there again in an error message; nil where it
// does not say so, or in words that are not known. A time of day is the next one
// after now, in the zone in brackets behind it, else in now's; the zero now
// leaves such times unknown.
func resetIn(message string, now time.Time) *time.Time {
	if m := stamped.Get().FindStringSubmatch(message); m != nil {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			return epoch(n)
		}
	}
	if m := rfc.Get().FindString(message); m != "" {
		return moment(m)
	}
	if now.IsZero() {
		return nil
	}
	if wait := waitIn(message); wait > 0 {
		at := now.Add(wait)
		return &at
	}
	zone, ok := zoneIn(message, now.Location())
	if !ok {
		return nil
	}
	if m := dated.Get().FindStringSubmatch(message); m != nil {
		return onDate(m[1], m[2], m[3], now.In(zone))
	}
	if m := clock.Get().FindStringSubmatch(message); m != nil {
		return atClock(m[1], now.In(zone))
	}
	return nil
}

func zoneIn(message string, local *time.Location) (*time.Location, bool) {
	m := zoneName.Get().FindStringSubmatch(message)
	if m == nil {
		return local, true
	}
	zone, err := time.LoadLocation(m[1])
	return zone, err == nil
}

// waitIn reads "in 2 days 3 hours", "after 3h24m2s", "retry-after: 30"; zero
// where there is none.
func waitIn(message string) time.Duration {
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}
	for _, m := range waiting.Get().FindAllStringSubmatch(message, -1) {
		var sum time.Duration
		for _, p := range part.Get().FindAllStringSubmatch(m[1], -1) {
			n, err := strconv.ParseFloat(p[1], 64)
			unit, bare := time.Second, p[2] == ""
			if !bare {
				unit = units[strings.ToLower(p[2])[0]]
			}
			if strings.EqualFold(p[2], "ms") {
				unit = time.Millisecond
			}
			if err != nil || n > 1e6 || bare && !strings.Contains(strings.ToLower(m[0]), "retry-after") {
				continue
			}
			sum += time.Duration(n * float64(unit))
		}
		if sum > 0 {
			return sum
		}
	}
	return 0
}

// onDate is a time of day on a day of the year, in now's zone; without a year it
// is the next one.
func onDate(day, year, hour string, now time.Time) *time.Time {
	y := now.Year()
	if year != "" {
		n, err := strconv.Atoi(strings.Trim(year, ", "))
		if err != nil {
			return nil
		}
		y = n
	}
	month, date, _ := strings.Cut(day, " ")
	t, err := time.Parse("Jan 2", capital(month[:3])+" "+date)
	if err != nil {
		return nil
	}
	h, ok := ofDay(hour)
	if !ok {
		return nil
	}
	at := time.Date(y, t.Month(), t.Day(), h.Hour(), h.Minute(), 0, 0, now.Location())
	if year == "" && at.Before(now) {
		at = at.AddDate(1, 0, 0)
	}
	return &at
}

func capital(word string) string { return strings.ToUpper(word[:1]) + strings.ToLower(word[1:]) }

func atClock(hour string, now time.Time) *time.Time {
	h, ok := ofDay(hour)
	if !ok {
		return nil
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), h.Hour(), h.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return &at
}

func ofDay(text string) (time.Time, bool) {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	for _, layout := range []string{"3:04PM", "3PM", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
