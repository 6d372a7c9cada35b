package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"simora/server/sim"
)

const scenarioColumns = "id, title, slug, industry, short_description, system_prompt, rubric, max_turns, is_public, thumbnail_url, created_at, updated_at"

// SeedScenario adds a scenario that comes with the binary, unless its slug is
// there already: what an admin changed stays.
func (s *Store) SeedScenario(ctx context.Context, sc sim.Scenario) error {
	return s.inTx(ctx, durable, "seed scenario "+sc.Slug, func(tx *Tx) error {
		var there int
		if err := tx.row("SELECT count(*) FROM scenarios WHERE slug = $1", sc.Slug).Scan(&there); err != nil || there > 0 {
			return err
		}
		version, err := tx.keepVersion(sc)
		if err != nil {
			return err
		}
		n, err := tx.exec("INSERT INTO scenarios (version, "+scenarioColumns+") VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13) ON CONFLICT (slug) DO NOTHING",
			version, sc.ID, sc.Title, sc.Slug, string(sc.Industry), sc.ShortDescription, sc.SystemPrompt, string(sc.Rubric),
			sc.MaxTurns, sc.IsPublic, sc.ThumbnailURL, millis(sc.CreatedAt), millis(sc.UpdatedAt))
		if err != nil || n == 0 {
			return err
		}
		return tx.audit(scenarioEvent(sim.ScenarioCreated, sc, version))
	})
}

// keepVersion stores the scenario as sessions will see it, once per content.
func (t *Tx) keepVersion(sc sim.Scenario) (string, error) {
	body, err := json.Marshal(sc)
	if err != nil {
		return "", fmt.Errorf("encode scenario: %w", err)
	}
	digest := sha256.Sum256(body)
	id := hex.EncodeToString(digest[:])
	_, err = t.exec("INSERT INTO scenario_versions (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", id, string(body))
	return id, err
}

// ScenarioBySlug returns sim.ErrScenarioNotFound for an unknown slug, and for
// a private one unless private is asked for.
func (s *Store) ScenarioBySlug(ctx context.Context, slug string, private bool) (sim.Scenario, string, error) {
	var version string
	var sc sim.Scenario
	var rubric string
	var created, updated int64
	err := s.row(ctx, "SELECT version, "+scenarioColumns+" FROM scenarios WHERE slug = $1", slug).Scan(
		&version, &sc.ID, &sc.Title, &sc.Slug, &sc.Industry, &sc.ShortDescription, &sc.SystemPrompt, &rubric,
		&sc.MaxTurns, &sc.IsPublic, &sc.ThumbnailURL, &created, &updated)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !sc.IsPublic && !private {
		return sim.Scenario{}, "", sim.ErrScenarioNotFound
	}
	if err != nil {
		return sim.Scenario{}, "", unavailable(fmt.Errorf("read scenario: %w", err))
	}
	sc.Rubric, sc.CreatedAt, sc.UpdatedAt = json.RawMessage(rubric), fromMillis(created), fromMillis(updated)
	return sc, version, nil
}

// versionCache bounds how many scenario versions stay in memory; an
// installation has a handful in use at a time.
const versionCache = 256

func (s *Store) version(id string, one readRow) (sim.Scenario, error) {
	if sc, ok := s.versions.Load(id); ok {
		return sc.(sim.Scenario), nil
	}
	var body string
	if err := one("SELECT body FROM scenario_versions WHERE id = $1", id).Scan(&body); err != nil {
		return sim.Scenario{}, fmt.Errorf("read scenario version: %w", err)
	}
	var sc sim.Scenario
	if err := json.Unmarshal([]byte(body), &sc); err != nil {
		return sc, fmt.Errorf("decode scenario version: %w", err)
	}
	if s.versionCount.Add(1) > versionCache {
		s.versions.Clear()
		s.versionCount.Store(1)
	}
	s.versions.Store(id, sc)
	return sc, nil
}
