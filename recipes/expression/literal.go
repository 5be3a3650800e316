package expression

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
)

// unescape decodes the inside of a quoted text as Python does: an unknown
// escape keeps its backslash. A problem is reported with its place.
func unescape(inside string) (decoded string, at int, problem string) {
	if strings.IndexByte(inside, '\\') < 0 {
		return inside, 0, ""
	}
	var out strings.Builder
	for i := 0; i < len(inside); {
		if inside[i] != '\\' || i+1 == len(inside) {
			out.WriteByte(inside[i])
			i++
			continue
		}
		n, problem := unescapeOne(&out, inside[i+1:])
		if problem != "" {
			return "", i, problem
		}
		i += 1 + n
	}
	return out.String(), 0, ""
}

// unescapeOne decodes what stands behind a backslash and returns its length.
func unescapeOne(out *strings.Builder, rest string) (n int, problem string) {
	switch c := rest[0]; c {
	case '\\', '\'', '"':
		out.WriteByte(c)
		return 1, ""
	case 'x':
		return unescapeHex(out, rest, 2)
	case 'u':
		return unescapeHex(out, rest, 4)
	case 'U':
		return unescapeHex(out, rest, 8)
	default:
		if i := strings.IndexByte("abfnrtv", c); i >= 0 {
			out.WriteByte("\a\b\f\n\r\t\v"[i])
			return 1, ""
		}
		if c >= '0' && c <= '7' {
			return unescapeOctal(out, rest), ""
		}
		out.WriteByte('\\')
		return 0, ""
	}
}

func unescapeHex(out *strings.Builder, rest string, digits int) (n int, problem string) {
	if len(rest) < 1+digits {
		return 0, "this escape needs " + strconv.Itoa(digits) + " hexadecimal digits"
	}
	code, err := strconv.ParseUint(rest[1:1+digits], 16, 32)
	if err != nil {
		return 0, "this escape needs " + strconv.Itoa(digits) + " hexadecimal digits"
	}
	if code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
		return 0, "this escape is no character"
	}
	out.WriteRune(rune(code))
	return 1 + digits, ""
}

func unescapeOctal(out *strings.Builder, rest string) (n int) {
	var code rune
	for n < 3 && n < len(rest) && rest[n] >= '0' && rest[n] <= '7' {
		code = code*8 + rune(rest[n]-'0')
		n++
	}
	out.WriteRune(code)
	return n
}

// number reads a number of the source and keeps its text where that is a plain
// decimal.
func number(written string) (n value.Number, problem string) {
	if value.IsPlainDecimal(written) {
		return value.Number(written), ""
	}
	digits := strings.ReplaceAll(written, "_", "")
	if len(digits) > 1 && digits[0] == '0' && strings.ContainsRune("xXoObB", rune(digits[1])) {
		whole, ok := new(big.Int).SetString(digits, 0)
		if !ok || whole.BitLen() > maxBits {
			return "", "this is not a number"
		}
		return value.Number(whole.String()), ""
	}
	if len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]) {
		return "", "a number does not begin with 0; quote it if it is a text"
	}
	exact, ok := value.Rational(value.Number(padPoint(digits)))
	if !ok {
		return "", "this is not a number, or one that is too large"
	}
	n, ok = decimal(exact)
	if !ok {
		return "", "this number is too large"
	}
	return n, ""
}

// padPoint writes the zeros that may be left out around a decimal point.
func padPoint(digits string) string {
	if strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	whole, fraction, dotted := strings.Cut(digits, ".")
	if dotted && (fraction == "" || !isDigit(fraction[0])) {
		return whole + ".0" + fraction
	}
	return digits
}
