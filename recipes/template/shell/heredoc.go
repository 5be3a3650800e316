package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// heredoc visits the body of a heredoc. A quoted one, which the shell does not
// expand, becomes an unquoted one with every special character escaped. So the
// text is the same, the value comes out byte for byte (<<- would eat its tabs),
// no line of it can end the heredoc, and it never stands in the script.
func (w *walker) heredoc(r *syntax.Redirect, marks []*marker, at spot) {
	if !isQuoted(r.Word) {
		inside := at.plain()
		inside.quote, inside.literalQuotes = double, false
		w.visit(r.Hdoc, inside)
		return
	}
	if len(marks) == 0 {
		return
	}
	if w.nested || at.backquotes > 0 {
		w.c.fail(marks[0], marks[0].quoted+" is in a quoted heredoc inside of quotes or backquotes", "use $( ) instead of backquotes, or a heredoc without quotes")
		return
	}
	start := int(r.Hdoc.Pos().Offset())
	body := literal(r.Hdoc)
	end := start + len(body)
	marked := w.c.text.marked
	if end > len(marked) || marked[start:end] != body {
		w.c.fail(marks[0], marks[0].quoted+" is in a heredoc that cannot be read exactly", "use a heredoc without quotes")
		return
	}
	for i := range len(body) {
		if strings.IndexByte("\\$`", body[i]) >= 0 {
			w.c.edits = append(w.c.edits, edit{start: start + i, end: start + i, text: `\`})
		}
	}
	w.delimiter(r, marks, body, end)
	for _, m := range marks {
		w.put(m, double, at.plain())
	}
}

// delimiter changes the delimiter to one that needs no quotes and that no line
// of the body equals.
func (w *walker) delimiter(r *syntax.Redirect, marks []*marker, body string, end int) {
	marked := w.c.text.marked
	old := staticText(r.Word)
	line := marked[end:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	after := marked[r.Word.End().Offset():]
	if !strings.HasPrefix(line, old) || after != "" && !strings.ContainsRune(" \t\n;|&<>()", rune(after[0])) {
		w.c.fail(marks[0], "the end of the heredoc "+old+" cannot be found", "use a heredoc without quotes")
		return
	}
	fresh := old
	for n := 1; !isName(fresh, true) || fresh != old && strings.Contains(body, fresh); n++ {
		fresh = "EOF_" + strconv.Itoa(n)
	}
	w.c.edits = append(w.c.edits,
		edit{start: int(r.Word.Pos().Offset()), end: int(r.Word.End().Offset()), text: fresh},
		edit{start: end, end: end + len(old), text: fresh})
}

func isQuoted(word *syntax.Word) bool {
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

// literal is the text of a heredoc that holds no expansions.
func literal(word *syntax.Word) string {
	var out strings.Builder
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			out.WriteString(lit.Value)
		}
	}
	return out.String()
}
