package ledger

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// checkNumber says what is wrong with the text of a number; empty means that it
// is a finite decimal as JSON writes it. NaN, infinities, 1_000 and hexadecimal
// are none (seed-systems section 6, item 6).
func checkNumber(text string) string {
	switch strings.ToLower(strings.TrimLeft(text, "+-.")) {
	case "nan", "inf", "infinity":
		return strconv.Quote(text) + " is not a finite number"
	case "":
		return "the number is missing"
	}
	first := text[0]
	if (first != '-' && (first < '0' || first > '9')) || !json.Valid([]byte(text)) {
		return strconv.Quote(text) + " is not a plain decimal number"
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return strconv.Quote(text) + " is not a finite number"
	}
	if _, ok := value.Rational(value.Number(text)); !ok {
		return strconv.Quote(text) + " has too many digits"
	}
	return ""
}

// rational reads a number that checkNumber has admitted.
func rational(n value.Number) *big.Rat {
	r, ok := value.Rational(n)
	if !ok {
		return new(big.Rat)
	}
	return r
}

const decimals = 4

// rounded rounds to four decimals, halves to the even digit as the original
// engine does where a half is exact, and prints at least one decimal.
func rounded(r *big.Rat) value.Number {
	scale := big.NewInt(10_000)
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(scale))
	whole, rest := new(big.Int).QuoRem(new(big.Int).Abs(scaled.Num()), scaled.Denom(), new(big.Int))
	twice := rest.Lsh(rest, 1)
	if c := twice.Cmp(scaled.Denom()); c > 0 || c == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
	}
	digits := whole.String()
	if len(digits) <= decimals {
		digits = strings.Repeat("0", decimals+1-len(digits)) + digits
	}
	integer, fraction := digits[:len(digits)-decimals], strings.TrimRight(digits[len(digits)-decimals:], "0")
	if fraction == "" {
		fraction = "0"
	}
	text := integer + "." + fraction
	if scaled.Sign() < 0 && text != "0.0" {
		text = "-" + text
	}
	return value.Number(text)
}
