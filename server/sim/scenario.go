package sim

import (
	"encoding/json"
	"time"
)

// Industry is one of the three that the company serves.
type Industry string

// The industries.
const (
	Healthcare Industry = "healthcare"
	Airlines   Industry = "airlines"
	Corporate  Industry = "corporate"
)

// Scenario is what a learner can start. Its behaviour comes from the scenario
// package of the same slug when there is one, otherwise from SystemPrompt and
// Rubric alone.
type Scenario struct {
	ID               string          `json:"id"`
	Title            string          `json:"title"`
	Slug             string          `json:"slug"`
	Industry         Industry        `json:"industry"`
	ShortDescription string          `json:"short_description"`
	SystemPrompt     string          `json:"system_prompt"`
	Rubric           json.RawMessage `json:"rubric"` // a JSON object, see docs/scenarios.md
	MaxTurns         int             `json:"max_turns"`
	IsPublic         bool            `json:"is_public"`
	ThumbnailURL     *string         `json:"thumbnail_url"`
	CreatedAt        time.Time       `json:"created_at"`
	UpdatedAt        time.Time       `json:"updated_at"`
}

// TurnLimit is MaxTurns, or the default for a scenario without a value.
func (s Scenario) TurnLimit() int {
	if s.MaxTurns < MinMaxTurns || s.MaxTurns > MaxMaxTurns {
		return DefaultMaxTurns
	}
	return s.MaxTurns
}

// Character is what a page may show of the virtual human before a word is said.
type Character struct {
	Name     string `json:"name"`     // "Rosa Delgado"
	Role     string `json:"role"`     // "Patient, 61"
	Portrait string `json:"portrait"` // key of the drawing; empty: no portrait
}

// Emotion is what the portrait shows.
type Emotion string

// The emotions that a portrait can show.
const (
	Calm     Emotion = "calm"
	Anxious  Emotion = "anxious"
	Angry    Emotion = "angry"
	InPain   Emotion = "pain"
	Relieved Emotion = "relieved"
)

// Vital is one value that a page shows live: a bedside vital or a meter.
type Vital struct {
	ID    string `json:"id"`             // "bp"
	Label string `json:"label"`          // "BP"
	Value string `json:"value"`          // "150/95", ready to print
	Unit  string `json:"unit,omitempty"` // "mmHg"
	Level string `json:"level"`          // "ok", "warn" or "critical"
}

// Demeanour is what can be seen of the character at one moment.
type Demeanour struct {
	Emotion Emotion `json:"emotion"`
	Mood    float64 `json:"mood"`   // 0 worst to 1 best; where the face stands between its poses
	Vitals  []Vital `json:"vitals"` // never nil on the wire
}
