package lrs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"time"
)

// The forms of xAPI 1.0.3, part two.
var (
	uuidForm     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	sha1Form     = regexp.MustCompile(`^[0-9a-f]{40}$`)
	mailtoForm   = regexp.MustCompile(`^mailto:[^@\s]+@[^@\s]+$`)
	durationForm = regexp.MustCompile(`^P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$`)
	languageForm = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
)

// checker collects what is wrong with a statement.
type checker struct{ wrong []error }

func (c *checker) complain(at, format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
}

// Check holds a statement to the rules that a record store has to check, for
// the kinds of objects that are in use here, and returns its id.
func Check(raw []byte) (id string, err error) {
	var statement map[string]any
	if err := json.Unmarshal(raw, &statement); err != nil {
		return "", err
	}
	c := &checker{}
	c.names("statement", statement, "actor verb object", "id result context timestamp")
	id, _ = statement["id"].(string)
	c.matches("id", statement["id"], uuidForm)
	c.agent(c.object("actor", statement["actor"]))
	verb := c.object("verb", statement["verb"])
	c.names("verb", verb, "id", "display")
	c.iri("verb.id", verb["id"])
	c.language("verb.display", verb["display"])
	c.activity("object", statement["object"])
	if r, there := statement["result"]; there {
		c.result(c.object("result", r))
	}
	if x, there := statement["context"]; there {
		c.context(c.object("context", x))
	}
	if at, there := statement["timestamp"]; there {
		text, _ := at.(string)
		if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
			c.complain("timestamp", "%v", err)
		}
	}
	return id, errors.Join(c.wrong...)
}

// names says which properties there have to be, and which there may be besides.
func (c *checker) names(at string, o map[string]any, required, optional string) {
	must, may := words(required), words(optional)
	for _, name := range must {
		if _, there := o[name]; !there {
			c.complain(at, "%s is missing", name)
		}
	}
	var names []string
	for name := range o {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if o[name] == nil {
			c.complain(at, "%s is null", name)
		}
		if !slices.Contains(must, name) && !slices.Contains(may, name) {
			c.complain(at, "%s is not a property of it", name)
		}
	}
}

func words(text string) []string { return regexp.MustCompile(`\S+`).FindAllString(text, -1) }

func (c *checker) object(at string, v any) map[string]any {
	o, ok := v.(map[string]any)
	if !ok {
		c.complain(at, "%v is not an object", v)
	}
	return o
}

func (c *checker) matches(at string, v any, form *regexp.Regexp) {
	text, _ := v.(string)
	if !form.MatchString(text) {
		c.complain(at, "%v is not of the form %s", v, form)
	}
}

func (c *checker) iri(at string, v any) {
	text, _ := v.(string)
	if u, err := url.Parse(text); err != nil || !u.IsAbs() || u.Host == "" {
		c.complain(at, "%v is not an absolute IRI", v)
	}
}

func (c *checker) language(at string, v any) {
	for tag, text := range c.object(at, v) {
		if !languageForm.MatchString(tag) {
			c.complain(at, "%q is not a language tag", tag)
		}
		if _, ok := text.(string); !ok {
			c.complain(at, "%v is not a text", text)
		}
	}
}

func (c *checker) agent(o map[string]any) {
	c.names("actor", o, "", "objectType name account mbox mbox_sha1sum")
	if kind, there := o["objectType"]; there && kind != "Agent" {
		c.complain("actor", "object type %v", kind)
	}
	identifiers := 0
	if v, there := o["mbox"]; there {
		identifiers++
		c.matches("actor.mbox", v, mailtoForm)
	}
	if v, there := o["mbox_sha1sum"]; there {
		identifiers++
		c.matches("actor.mbox_sha1sum", v, sha1Form)
	}
	if v, there := o["account"]; there {
		identifiers++
		account := c.object("actor.account", v)
		c.names("actor.account", account, "homePage name", "")
		c.iri("actor.account.homePage", account["homePage"])
		if name, _ := account["name"].(string); name == "" {
			c.complain("actor.account", "no name")
		}
	}
	if identifiers != 1 {
		c.complain("actor", "%d identifiers in place of exactly one", identifiers)
	}
}

func (c *checker) activity(at string, v any) {
	o := c.object(at, v)
	c.names(at, o, "id", "objectType definition")
	c.iri(at+".id", o["id"])
	if kind, there := o["objectType"]; there && kind != "Activity" {
		c.complain(at, "object type %v", kind)
	}
	if d, there := o["definition"]; there {
		definition := c.object(at+".definition", d)
		c.names(at+".definition", definition, "", "name description type moreInfo extensions")
		c.iri(at+".definition.type", definition["type"])
		for _, name := range []string{"name", "description"} {
			if text, there := definition[name]; there {
				c.language(at+".definition."+name, text)
			}
		}
	}
}

func (c *checker) result(o map[string]any) {
	c.names("result", o, "", "score success completion response duration extensions")
	for _, name := range []string{"success", "completion"} {
		if v, there := o[name]; there {
			if _, ok := v.(bool); !ok {
				c.complain("result."+name, "%v is not a boolean", v)
			}
		}
	}
	if v, there := o["duration"]; there {
		c.matches("result.duration", v, durationForm)
	}
	if v, there := o["extensions"]; there {
		for name := range c.object("result.extensions", v) {
			c.iri("result.extensions", name)
		}
	}
	if v, there := o["score"]; there {
		c.score(c.object("result.score", v))
	}
}

func (c *checker) score(o map[string]any) {
	c.names("result.score", o, "", "scaled raw min max")
	n := map[string]float64{}
	for name, v := range o {
		f, ok := v.(float64)
		if !ok {
			c.complain("result.score."+name, "%v is not a number", v)
		}
		n[name] = f
	}
	if n["scaled"] < -1 || n["scaled"] > 1 {
		c.complain("result.score.scaled", "%v is not between -1 and 1", n["scaled"])
	}
	least, hasMin := n["min"]
	most, hasMax := n["max"]
	raw, hasRaw := n["raw"]
	if hasMin && hasMax && least >= most || hasRaw && hasMin && raw < least || hasRaw && hasMax && raw > most {
		c.complain("result.score", "raw %v, min %v, max %v", raw, least, most)
	}
}

func (c *checker) context(o map[string]any) {
	c.names("context", o, "", "registration contextActivities platform language extensions")
	if v, there := o["registration"]; there {
		c.matches("context.registration", v, uuidForm)
	}
	if v, there := o["contextActivities"]; there {
		activities := c.object("context.contextActivities", v)
		c.names("context.contextActivities", activities, "", "parent grouping category other")
		for name, v := range activities {
			list, ok := v.([]any)
			if !ok || len(list) == 0 {
				c.complain("context.contextActivities."+name, "not a list with activities")
			}
			for _, activity := range list {
				c.activity("context.contextActivities."+name, activity)
			}
		}
	}
}
