package contact

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// messageSchema is made of the web form's own description of a message
// (web/src/contact/message.ts), so that both sides allow the same.
//
//go:embed message.schema.json
var messageSchema []byte

var schema = compile()

func compile() *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(messageSchema))
	if err != nil {
		panic(err) // the file is part of the program
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("message.schema.json", document); err != nil {
		panic(err)
	}
	return compiler.MustCompile("message.schema.json")
}

// order is that of the form.
var order = []string{"name", "email", "organization", "reason", "message"}

// wrongFields names the fields that the schema does not allow.
func wrongFields(fields map[string]any) (map[string]bool, error) {
	wrong := map[string]bool{}
	err := schema.Validate(fields)
	var invalid *jsonschema.ValidationError
	if err == nil {
		return wrong, nil
	}
	if !errors.As(err, &invalid) {
		return nil, fmt.Errorf("check contact message: %w", err)
	}
	collect(invalid, wrong)
	return wrong, nil
}

func collect(e *jsonschema.ValidationError, wrong map[string]bool) {
	if len(e.InstanceLocation) > 0 {
		wrong[e.InstanceLocation[0]] = true
	}
	for _, cause := range e.Causes {
		collect(cause, wrong)
	}
}

// complaint says what is wanted of each wrong field, in the schema's words.
func complaint(wrong map[string]bool) string {
	var said []string
	for _, field := range order {
		if wrong[field] {
			said = append(said, field+": "+schema.Properties[field].Description)
		}
	}
	return strings.Join(said, " ")
}
