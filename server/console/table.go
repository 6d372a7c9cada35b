package console

import (
	"encoding/csv"
	"strings"
	"time"
)

// table writes lines as CSV for spreadsheets.
func table(lines [][]string) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, line := range lines {
		for i := range line {
			line[i] = cell(line[i])
		}
		if err := w.Write(line); err != nil {
			return "", err
		}
	}
	w.Flush()
	return b.String(), w.Error()
}

// cell keeps a spreadsheet from running a visitor's text as a formula (OWASP,
// CSV injection).
func cell(text string) string {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "=") || strings.ContainsAny(text[:min(1, len(text))], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }
