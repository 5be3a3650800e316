package contract

import "strings"

// maxDiff bounds the lines of each side that are aligned with one another;
// longer texts are shown one below the other.
const maxDiff = 400

// Diff shows how got differs from want, line by line: lines that are missing
// begin with -, lines that are there instead with +, others with a space.
func (m Mismatch) Diff() string {
	want, got := lines(m.Want), lines(m.Got)
	var b strings.Builder
	write := func(mark string, line string) { b.WriteString(mark + line + "\n") }
	if len(want) > maxDiff || len(got) > maxDiff {
		for _, line := range want {
			write("-", line)
		}
		for _, line := range got {
			write("+", line)
		}
		return b.String()
	}
	common := commonLengths(want, got)
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			write(" ", want[i])
			i, j = i+1, j+1
		case j == len(got) || i < len(want) && common[i+1][j] >= common[i][j+1]:
			write("-", want[i])
			i++
		default:
			write("+", got[j])
			j++
		}
	}
	return b.String()
}

func lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }

// commonLengths holds at [i][j] how many lines the longest common subsequence
// of a[i:] and b[j:] has.
func commonLengths(a, b []string) [][]int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}
