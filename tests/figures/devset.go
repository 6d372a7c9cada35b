package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// labelledRun is a learner's side of a run with its examiner's labels.
type labelledRun struct {
	name      string
	level     int
	low, high int
	max       int // traps: highest allowed score
	messages  []string
	overall   int
}

type probe struct{ message, want string }

func readRuns(set fs.FS, folder string) ([]labelledRun, error) {
	names, err := fs.Glob(set, path.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	var runs []labelledRun
	for _, name := range names {
		text, err := fs.ReadFile(set, name)
		if err != nil {
			return nil, err
		}
		r, err := parseRun(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.name = path.Base(name)
		runs = append(runs, r)
	}
	return runs, nil
}

func parseRun(text string) (labelledRun, error) {
	var r labelledRun
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\r", ""), "\n\n")
	for _, line := range strings.Split(head, "\n") {
		field, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok {
			return r, fmt.Errorf("%q is not a label", line)
		}
		var err error
		switch field {
		case "level":
			r.level, err = strconv.Atoi(value)
		case "max":
			r.max, err = strconv.Atoi(value)
		case "score":
			_, err = fmt.Sscanf(value, "%d-%d", &r.low, &r.high)
		case "style", "tags":
		default:
			err = fmt.Errorf("unknown label %q", field)
		}
		if err != nil {
			return r, err
		}
	}
	for _, m := range strings.Split(body, "\n\n") {
		if m = strings.TrimSpace(m); m != "" {
			r.messages = append(r.messages, m)
		}
	}
	return r, nil
}

func readProbes(set fs.FS, name string) ([]probe, error) {
	text, err := fs.ReadFile(set, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a scenario may have no probes yet; the count says so
	}
	if err != nil {
		return nil, err
	}
	var probes []probe
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "> "):
			probes = append(probes, probe{message: line[2:]})
		case strings.HasPrefix(line, "= ") && len(probes) > 0:
			probes[len(probes)-1].want = line[2:]
		}
	}
	return probes, nil
}
