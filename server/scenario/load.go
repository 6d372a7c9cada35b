package scenario

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
)

//go:embed general
var generalFiles embed.FS

// Load reads every package of fsys, one folder a slug, in the order of their
// slugs. The error joins all Problems of all packages.
func Load(fsys fs.FS) ([]*Package, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("list scenario packages: %w", err)
	}
	var packages []*Package
	var problems []error
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		sub, err := fs.Sub(fsys, e.Name())
		if err != nil {
			return nil, fmt.Errorf("open scenario package %s: %w", e.Name(), err)
		}
		p, found := read(sub, e.Name())
		for _, problem := range found {
			problem.File = path.Join(e.Name(), problem.File)
			problems = append(problems, problem)
		}
		packages = append(packages, p)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	sort.Slice(packages, func(i, j int) bool { return packages[i].Header.Slug < packages[j].Header.Slug })
	return packages, nil
}

// Check reads the package in dir and returns everything that is wrong with it.
func Check(dir string) []Problem {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return []Problem{{File: dir, Message: "there is no such folder; name the folder of one scenario package"}}
	}
	_, problems := read(os.DirFS(dir), "")
	return problems
}

// General returns the package that stands in for a scenario without one.
func General() (*Package, error) {
	sub, err := fs.Sub(generalFiles, "general")
	if err != nil {
		return nil, err
	}
	p, problems := readFiles(sub)
	if len(problems) > 0 {
		return nil, fmt.Errorf("general acts: %w", errors.Join(asErrors(problems)...))
	}
	return p, nil
}

// read loads one package, merges the general acts and concepts into it, and
// checks what holds between its parts. folder is the slug it must have; empty: any.
func read(fsys fs.FS, folder string) (*Package, []Problem) {
	p, problems := readFiles(fsys)
	if len(problems) > 0 {
		return p, problems
	}
	general, err := General()
	if err != nil {
		return p, []Problem{{Message: err.Error()}}
	}
	p.inherit(general)
	return p, p.checkReferences(newFinder(fsys), folder)
}

// inherit adds the general acts, concepts and replies that p does not define.
func (p *Package) inherit(general *Package) {
	for _, a := range general.Acts {
		if strings.HasPrefix(a.ID, "talk.") { // for the general mode alone
			continue
		}
		if _, own := p.Act(a.ID); !own {
			p.Acts = append(p.Acts, a)
			continue
		}
		for i := range p.Acts {
			if p.Acts[i].ID == a.ID {
				p.Acts[i].Cues = append(p.Acts[i].Cues, a.Cues...)
				p.Acts[i].Examples = append(p.Acts[i].Examples, a.Examples...)
			}
		}
	}
	for name, words := range general.Concepts {
		if _, own := p.Concepts[name]; !own {
			p.Concepts[name] = words
		}
	}
	for name, pool := range general.Replies {
		if _, own := p.Replies[name]; !own {
			p.Replies[name] = pool
		}
	}
}

func asErrors(problems []Problem) []error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errs
}
