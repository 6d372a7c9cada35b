package scenario

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed schema.json
var schemaJSON []byte

// Problem is one thing that an author has to mend.
type Problem struct {
	File    string
	Line    int    // 0: the file as a whole
	Field   string // $.acts[3].kind
	Message string
}

func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	if p.Field != "" {
		b.WriteString(": " + p.Field)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	return b.String() + p.Message
}

// files are the contents of a package's files, by name.
type files struct {
	header Header
	acts   struct {
		Concepts map[string][]string `yaml:"concepts"`
		Acts     []Act               `yaml:"acts"`
	}
	facts struct {
		Facts []Fact `yaml:"facts"`
	}
	state State
	rules struct {
		Rules   []Rule             `yaml:"rules"`
		Events  []Rule             `yaml:"events"`
		Endings []Ending           `yaml:"endings"`
		Replies map[string][]Lines `yaml:"replies"`
	}
	rubric struct {
		Dimensions []Dimension `yaml:"dimensions"`
	}
}

// fileNames are in the order in which an author writes them.
func fileNames() []string {
	return []string{"scenario.yaml", "acts.yaml", "facts.yaml", "state.yaml", "rules.yaml", "rubric.yaml"}
}

func (f *files) named(name string) any {
	return map[string]any{
		"scenario.yaml": &f.header, "acts.yaml": &f.acts, "facts.yaml": &f.facts,
		"state.yaml": &f.state, "rules.yaml": &f.rules, "rubric.yaml": &f.rubric,
	}[name]
}

// assemble puts the files together; absent maps become empty ones.
func (f *files) assemble() *Package {
	p := &Package{
		Header: f.header, Concepts: f.acts.Concepts, Acts: f.acts.Acts, Facts: f.facts.Facts, State: f.state,
		Rules: f.rules.Rules, Events: f.rules.Events, Endings: f.rules.Endings, Replies: f.rules.Replies, Rubric: f.rubric.Dimensions,
	}
	if p.Concepts == nil {
		p.Concepts = map[string][]string{}
	}
	if p.Replies == nil {
		p.Replies = map[string][]Lines{}
	}
	return p
}

// readFiles decodes each file after the schema has passed it.
func readFiles(fsys fs.FS) (*Package, []Problem) {
	schemas, err := compileSchemas()
	if err != nil {
		return nil, []Problem{{File: "schema.json", Message: err.Error()}}
	}
	var content files
	var problems []Problem
	for _, name := range fileNames() {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			problems = append(problems, Problem{File: name, Message: "the file is missing; every package has " + strings.Join(fileNames(), ", ")})
			continue
		}
		found := checkFile(name, text, schemas[name])
		if len(found) == 0 {
			if err := yaml.UnmarshalWithOptions(text, content.named(name), yaml.Strict()); err != nil {
				found = []Problem{yamlProblem(name, err)}
			}
		}
		problems = append(problems, found...)
	}
	p := content.assemble()
	return p, append(problems, readPhrasings(fsys, p.Acts)...)
}

func compileSchemas() (map[string]*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaJSON))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, name := range fileNames() {
		if schemas[name], err = compiler.Compile("schema.json#/$defs/" + name); err != nil {
			return nil, err
		}
	}
	return schemas, nil
}

func checkFile(name string, text []byte, schema *jsonschema.Schema) []Problem {
	var value any
	asJSON, err := yaml.YAMLToJSON(text)
	if err == nil {
		err = json.Unmarshal(asJSON, &value)
	}
	if err != nil {
		return []Problem{yamlProblem(name, err)}
	}
	err = schema.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Problem{{File: name, Message: err.Error()}}
	}
	file, _ := parser.ParseBytes(text, 0)
	printer := message.NewPrinter(language.English)
	var problems []Problem
	for _, leaf := range leaves(invalid) {
		field := "$"
		for _, step := range leaf.InstanceLocation {
			if _, err := strconv.Atoi(step); err == nil {
				field += "[" + step + "]"
			} else {
				field += "." + step
			}
		}
		problems = append(problems, Problem{File: name, Line: lineOf(file, field), Field: field, Message: leaf.ErrorKind.LocalizedString(printer)})
	}
	sort.SliceStable(problems, func(i, j int) bool { return problems[i].Line < problems[j].Line })
	return problems
}

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, c := range e.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

func yamlProblem(file string, err error) Problem {
	p := Problem{File: file, Message: strings.SplitN(yaml.FormatError(err, false, false), "\n", 2)[0]}
	// The library starts its message with [line:column].
	if rest, ok := strings.CutPrefix(p.Message, "["); ok {
		if at, text, ok := strings.Cut(rest, "] "); ok {
			line, _, _ := strings.Cut(at, ":")
			p.Line, _ = strconv.Atoi(line)
			p.Message = text
		}
	}
	return p
}

// lineOf finds the line of a field by its YAML path; 0 when it has none.
func lineOf(file *ast.File, field string) int {
	if file == nil {
		return 0
	}
	at, err := yaml.PathString(field)
	if err != nil {
		return 0
	}
	node, err := at.FilterFile(file)
	if err != nil || node == nil {
		return 0
	}
	return node.GetToken().Position.Line
}

// finder reports problems of reference with the line that they are in.
type finder struct {
	fsys     fs.FS
	parsed   map[string]*ast.File
	problems []Problem
}

func newFinder(fsys fs.FS) *finder { return &finder{fsys: fsys, parsed: map[string]*ast.File{}} }

func (f *finder) report(file, field, format string, args ...any) {
	if _, ok := f.parsed[file]; !ok {
		text, _ := fs.ReadFile(f.fsys, file)
		f.parsed[file], _ = parser.ParseBytes(text, 0)
	}
	f.problems = append(f.problems, Problem{File: file, Line: lineOf(f.parsed[file], field), Field: field, Message: fmt.Sprintf(format, args...)})
}

func (f *finder) known(file, field, what string, names []string, allowed map[string]bool) {
	for _, n := range names {
		if !allowed[n] {
			f.report(file, field, "%q is not %s of this package; nearest: %s", n, what, nearest(n, allowed))
		}
	}
}

func nearest(name string, allowed map[string]bool) string {
	ids := slices.Sorted(maps.Keys(allowed))
	sort.SliceStable(ids, func(i, j int) bool { return distance(name, ids[i]) < distance(name, ids[j]) })
	return strings.Join(ids[:min(3, len(ids))], ", ")
}
