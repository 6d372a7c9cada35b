package understand

import (
	"slices"

	"github.com/agnivade/levenshtein"
)

// spell mends typing errors against the package's own words, finds the stems,
// and returns how many words it knows.
func (r *Reader) spell(s *sentence) int {
	known := 0
	for i := range s.words {
		w := &s.words[i]
		if r.vocabulary[w.text] || w.text[0] >= '0' && w.text[0] <= '9' {
			known++
		} else if mended := r.mend(w.text); mended != "" {
			w.text = mended
			known++
		}
		w.stem = stem(w.text)
	}
	return known
}

// mend returns the one known word within reach of a typing error. First
// letters are rarely mistyped, and short words have too many neighbours.
func (r *Reader) mend(text string) string {
	reach := 1
	if len(text) < 5 {
		return ""
	}
	if len(text) >= 8 {
		reach = 2
	}
	best, distance := "", reach+1
	for n := len(text) - reach; n <= len(text)+reach; n++ {
		for _, w := range r.byLength[n] {
			if w[0] != text[0] {
				continue
			}
			if squeezed(w) == squeezed(text) {
				return w
			}
			d := levenshtein.ComputeDistance(text, w)
			if d == 2 && transposed(text, w) {
				d = 1
			}
			if d < distance {
				best, distance = w, d
			}
		}
	}
	return best
}

// squeezed is a word without its doubled letters, the commonest typing error.
func squeezed(text string) string { return string(slices.Compact([]byte(text))) }

func transposed(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
