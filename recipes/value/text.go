package value

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Text is what a value looks like wherever text is wanted: in a prompt, in the
// environment, in a report. Null is empty, a number prints as it was written,
// lists and maps print as compact JSON with sorted keys.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "true"
		}
		return "false"
	case Number:
		return v.String()
	}
	return JSON(v)
}

// JSON prints a value as compact JSON with sorted keys and without HTML
// escapes. Values that only Go code could have built wrongly print as their Go
// form in quotes, so that the result is JSON in every case.
func JSON(v any) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		quoted, quoteErr := json.Marshal(fmt.Sprint(v))
		if quoteErr != nil {
			return `""`
		}
		return string(quoted)
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
