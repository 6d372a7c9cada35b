package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// maxPhrasing is how long an example phrasing may be, in runes: a clause, not a
// speech.
const maxPhrasing = 300

// readPhrasings adds phrasings/<act>.txt to the examples of the acts: one
// phrasing a line, empty lines and those that begin with # aside. A package
// without the folder keeps its examples in acts.yaml.
func readPhrasings(fsys fs.FS, acts []Act) []Problem {
	entries, err := fs.ReadDir(fsys, "phrasings")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []Problem{{File: "phrasings", Message: err.Error()}}
	}
	index := map[string]int{}
	ids := map[string]bool{}
	for i, a := range acts {
		index[a.ID], ids[a.ID] = i, true
	}
	var problems []Problem
	owner := map[string]string{}
	for _, e := range entries {
		file := path.Join("phrasings", e.Name())
		id, isText := strings.CutSuffix(e.Name(), ".txt")
		i, known := index[id]
		if e.IsDir() || !isText || !known {
			problems = append(problems, Problem{File: file, Message: "the name must be the id of an act in acts.yaml and .txt; nearest: " + nearest(id, ids)})
			continue
		}
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			problems = append(problems, Problem{File: file, Message: err.Error()})
			continue
		}
		for n, line := range strings.Split(string(text), "\n") {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			switch other := owner[strings.ToLower(line)]; {
			case !utf8.ValidString(line):
				problems = append(problems, Problem{File: file, Line: n + 1, Message: "the line is not UTF-8 text"})
			case utf8.RuneCountInString(line) > maxPhrasing:
				problems = append(problems, Problem{File: file, Line: n + 1, Message: fmt.Sprintf("a phrasing has at most %d characters", maxPhrasing)})
			case other != "":
				problems = append(problems, Problem{File: file, Line: n + 1, Message: fmt.Sprintf("%q stands in %s already; a phrasing can stand for one act only", line, other)})
			default:
				owner[strings.ToLower(line)] = file
				acts[i].Examples = append(acts[i].Examples, line)
			}
		}
	}
	return problems
}
