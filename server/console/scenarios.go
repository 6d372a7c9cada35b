// Package console is what the company's people do: write scenarios, read
// sessions, answer messages.
package console

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"simora/server/audit"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/store"
)

// Console works on the store for an admin.
type Console struct {
	Store   *store.Store
	Partner session.Partner // plays drafts
	Judge   session.Judge
	Model   func() sim.ModelStatus // nil: no language model is connected
	Trail   audit.Trail
	Now     func() time.Time
	NewID   func() string
}

// ModelStatus is how the language model is; nil: none is connected.
func (c *Console) ModelStatus() *sim.ModelStatus {
	if c.Model == nil {
		return nil
	}
	status := c.Model()
	return &status
}

// ScenarioInput are the fields of a scenario. An absent one is left as it is
// when a scenario is updated.
type ScenarioInput struct {
	ID               string          `json:"id"`
	Title            *string         `json:"title"`
	Slug             *string         `json:"slug"`
	Industry         *string         `json:"industry"`
	ShortDescription *string         `json:"short_description"`
	SystemPrompt     *string         `json:"system_prompt"`
	Rubric           json.RawMessage `json:"rubric"`
	MaxTurns         *int            `json:"max_turns"`
	IsPublic         *bool           `json:"is_public"`
	ThumbnailURL     *string         `json:"thumbnail_url"`
}

// IDInput names one thing.
type IDInput struct {
	ID string `json:"id"`
}

const (
	maxTitle       = 200
	maxDescription = 1000
	maxPrompt      = 50_000
	maxRubric      = 200_000
	maxAddress     = 2000
)

// Scenarios lists all, the newest first. Prompts and rubrics are for admins.
func (c *Console) Scenarios(ctx context.Context, sight Sight) ([]sim.Scenario, error) {
	list, err := c.Store.Scenarios(ctx)
	if sight == Impersonal {
		for i := range list {
			list[i].SystemPrompt, list[i].Rubric = "", json.RawMessage(`{}`)
		}
	}
	return list, err
}

// CreateScenario stores a new one. Errors: validation_failed, sim.ErrSlugTaken.
func (c *Console) CreateScenario(ctx context.Context, in ScenarioInput) (sim.Scenario, error) {
	now := c.Now()
	sc := sim.Scenario{ID: c.NewID(), MaxTurns: sim.DefaultMaxTurns, CreatedAt: now, UpdatedAt: now}
	if in.MaxTurns == nil {
		return sc, sim.ValidationFailed("max_turns: enter a whole number from 1 to 50")
	}
	in.apply(&sc)
	if err := check(sc); err != nil {
		return sc, err
	}
	return sc, c.Store.AddScenario(ctx, sc)
}

// UpdateScenario changes the given fields.
// Errors: sim.ErrScenarioNotFound, ErrSlugTaken, validation_failed.
func (c *Console) UpdateScenario(ctx context.Context, in ScenarioInput) (sim.Scenario, error) {
	if !sim.IsID(in.ID) {
		return sim.Scenario{}, sim.ErrScenarioNotFound
	}
	return c.Store.ChangeScenario(ctx, in.ID, func(sc *sim.Scenario) error {
		in.apply(sc)
		sc.UpdatedAt = c.Now()
		return check(*sc)
	})
}

// DeleteScenario removes one; its sessions stay.
func (c *Console) DeleteScenario(ctx context.Context, in IDInput) error {
	if !sim.IsID(in.ID) {
		return sim.ErrScenarioNotFound
	}
	return c.Store.DeleteScenario(ctx, in.ID)
}

func (in ScenarioInput) apply(sc *sim.Scenario) {
	set := func(into *string, from *string) {
		if from != nil {
			*into = strings.TrimSpace(*from)
		}
	}
	set(&sc.Title, in.Title)
	set(&sc.Slug, in.Slug)
	set(&sc.ShortDescription, in.ShortDescription)
	set(&sc.SystemPrompt, in.SystemPrompt)
	if in.Industry != nil {
		sc.Industry = sim.Industry(*in.Industry)
	}
	if len(in.Rubric) > 0 {
		sc.Rubric = in.Rubric
	}
	if in.MaxTurns != nil {
		sc.MaxTurns = *in.MaxTurns
	}
	if in.IsPublic != nil {
		sc.IsPublic = *in.IsPublic
	}
	if in.ThumbnailURL != nil {
		sc.ThumbnailURL = nil
		if address := strings.TrimSpace(*in.ThumbnailURL); address != "" {
			sc.ThumbnailURL = &address
		}
	}
}

// check finds everything that is wrong, a sentence for each field.
func check(sc sim.Scenario) error {
	var wrong []string
	text := func(field, value string, most int, wanted string) {
		if value == "" || utf8.RuneCountInString(value) > most {
			wrong = append(wrong, field+": "+wanted)
		}
	}
	text("title", sc.Title, maxTitle, "enter a title of up to 200 characters.")
	if !sim.IsSlug(sc.Slug) {
		wrong = append(wrong, "slug: use lower-case letters, digits and single hyphens, up to 80 characters, such as cardiac-arrest.")
	}
	switch sc.Industry {
	case sim.Healthcare, sim.Airlines, sim.Corporate:
	default:
		wrong = append(wrong, "industry: choose healthcare, airlines or corporate.")
	}
	if utf8.RuneCountInString(sc.ShortDescription) > maxDescription {
		wrong = append(wrong, "short_description: shorten it to 1000 characters.")
	}
	if sc.MaxTurns < sim.MinMaxTurns || sc.MaxTurns > sim.MaxMaxTurns {
		wrong = append(wrong, "max_turns: enter a whole number from 1 to 50.")
	}
	text("system_prompt", sc.SystemPrompt, maxPrompt, "describe the virtual human's role, up to 50,000 characters.")
	rubric := bytes.TrimSpace(sc.Rubric)
	if len(rubric) == 0 || rubric[0] != '{' || len(rubric) > maxRubric || !json.Valid(rubric) {
		wrong = append(wrong, "rubric: enter a JSON object.")
	}
	if sc.ThumbnailURL != nil && !isWebAddress(*sc.ThumbnailURL) {
		wrong = append(wrong, "thumbnail_url: enter a web address that starts with https://, or leave it empty.")
	}
	if len(wrong) > 0 {
		return sim.ValidationFailed(strings.Join(wrong, " "))
	}
	return nil
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && len(text) <= maxAddress
}
