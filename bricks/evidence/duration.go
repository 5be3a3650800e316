package evidence

import "time"

// durations counts how often the texts name each duration.
type durations map[time.Duration]*mention

type mention struct {
	text  string // as first seen
	order int
	count int
}

// most is the duration named most often, the one seen first of equals. Seven
// steps that took the same time were stopped by a ceiling, not by being ready.
func (d durations) most() (text string, count int) {
	var best *mention
	for _, m := range d {
		if best == nil || m.count > best.count || m.count == best.count && m.order < best.order {
			best = m
		}
	}
	if best == nil {
		return "", 0
	}
	return best.text, best.count
}

// at reads the duration at line[i] and counts it; n is its length, 0 when there
// is none. Times under a second are no ceiling that anything runs into, and
// test reports are full of them, so they are not counted.
func (d durations) at(line string, i int) (n int) {
	if i > 0 && (line[i-1] == '.' || line[i-1] == '_' || classOf[line[i-1]] != other) {
		return 0
	}
	span, n := parseDuration(line[i:])
	if n == 0 || span < time.Second {
		return n
	}
	if seen := d[span]; seen != nil {
		seen.count++
	} else {
		d[span] = &mention{text: line[i : i+n], order: len(d), count: 1}
	}
	return n
}

// parseDuration reads forms such as 10m 0s, 10m0s, 1h 2m, 45s and 600.0s at the
// beginning of s. A bare 10m or 2h is as often a length or a count, and is none.
func parseDuration(s string) (span time.Duration, n int) {
	var parts string
	var coarser time.Duration
	for at := 0; ; {
		length, unit, size := component(s[at:])
		if size == 0 || coarser != 0 && unit >= coarser {
			break
		}
		span += length
		coarser = unit
		at += size
		n = at
		parts += s[at-1 : at]
		if at < len(s) && s[at] == ' ' {
			at++
		}
	}
	if parts == "h" || parts == "m" || n < len(s) && (classOf[s[n]] != other || s[n] == '_') {
		return 0, 0
	}
	return span, n
}

// component reads one number with its unit h, m or s; only seconds may have a
// fraction. size is 0 when there is none.
func component(s string) (length, unit time.Duration, size int) {
	const longest = 6 // digits; more is no duration of a step, and would overflow
	var whole time.Duration
	i := 0
	for ; i < len(s) && classOf[s[i]] == digit; i++ {
		whole = whole*10 + time.Duration(s[i]-'0')
	}
	if i == 0 || i > longest {
		return 0, 0, 0
	}
	fraction, n := fractionOfSecond(s[i:])
	i += n
	if i == len(s) {
		return 0, 0, 0
	}
	switch s[i] {
	case 'h':
		unit = time.Hour
	case 'm':
		unit = time.Minute
	case 's':
		unit = time.Second
	}
	if unit == 0 || n > 0 && unit != time.Second || i+1 < len(s) && classOf[s[i+1]] == letter {
		return 0, 0, 0
	}
	return time.Duration(int64(whole)*int64(unit)) + fraction, unit, i + 1
}

// fractionOfSecond reads .5 as half a second; digits beyond the nanosecond are
// passed over.
func fractionOfSecond(s string) (fraction time.Duration, n int) {
	if len(s) < 2 || s[0] != '.' || classOf[s[1]] != digit {
		return 0, 0
	}
	scale := time.Second / 10
	for n = 1; n < len(s) && classOf[s[n]] == digit; n++ {
		fraction += time.Duration(s[n]-'0') * scale
		scale /= 10
	}
	return fraction, n
}
