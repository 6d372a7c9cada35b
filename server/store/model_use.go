package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// ModelCall is one request to the language model, about to be sent, and what
// its budgets are.
type ModelCall struct {
	Day     string // YYYY-MM-DD
	Run     string // whatever tells runs apart
	Network string // of the visitor; empty: unknown, and in no budget
	Tokens  int    // at most

	CallsPerRun, CallsPerNetwork, CallsPerDay, TokensPerDay int
}

// ModelOver names the budget that has no room.
type ModelOver int

// The budgets of a ModelCall.
const (
	WithinBudget ModelOver = iota
	OverRun
	OverNetwork
	OverDay
)

var errOver = errors.New("over budget")

// BookModelCall takes the call and its tokens from all budgets, or from none.
// All instances on one database share them.
func (s *Store) BookModelCall(ctx context.Context, c ModelCall) (over ModelOver, err error) {
	owners, err := c.owners(s)
	if err != nil {
		return over, err
	}
	err = s.inTx(ctx, soft, "book model call", func(tx *Tx) error {
		over = WithinBudget
		for _, o := range owners { // always in this order: none waits for another in a circle
			if o.calls < 1 || o.tokens > o.most {
				over = o.over
				return errOver
			}
			n, err := tx.exec(`INSERT INTO model_use (day, owner, calls, tokens) VALUES ($1, $2, 1, $3)
				ON CONFLICT (day, owner) DO UPDATE SET calls = model_use.calls + 1, tokens = model_use.tokens + excluded.tokens
				WHERE model_use.calls < $4 AND model_use.tokens + excluded.tokens <= $5`, c.Day, o.id, o.tokens, o.calls, o.most)
			if err != nil {
				return err
			}
			if n == 0 {
				over = o.over
				return errOver
			}
		}
		return nil
	})
	if errors.Is(err, errOver) {
		err = nil
	}
	return over, err
}

type modelOwner struct {
	id           []byte
	over         ModelOver
	calls        int // at most
	tokens, most int
}

// owners are those whose budgets the call is in. A run and a network are kept
// as keyed hashes.
func (c ModelCall) owners(s *Store) (list []modelOwner, err error) {
	run, err := s.keys.Index("model run", c.Run)
	if err != nil {
		return nil, err
	}
	list = append(list, modelOwner{id: run, over: OverRun, calls: c.CallsPerRun})
	if c.Network != "" {
		network, err := s.keys.Index("model network", c.Network)
		if err != nil {
			return nil, err
		}
		list = append(list, modelOwner{id: network, over: OverNetwork, calls: c.CallsPerNetwork})
	}
	return append(list, modelOwner{id: []byte{}, over: OverDay, calls: c.CallsPerDay, tokens: c.Tokens, most: c.TokensPerDay}), nil
}

// SettleModelCall corrects the tokens of a booked call to what was used.
func (s *Store) SettleModelCall(ctx context.Context, c ModelCall, used int) error {
	return s.inTx(ctx, soft, "settle model call", func(tx *Tx) error {
		_, err := tx.exec("UPDATE model_use SET tokens = tokens + $3 WHERE day = $1 AND owner = $2", c.Day, []byte{}, used-c.Tokens)
		return err
	})
}

// CancelModelCall takes back a booked call that was not sent.
func (s *Store) CancelModelCall(ctx context.Context, c ModelCall) error {
	owners, err := c.owners(s)
	if err != nil {
		return err
	}
	return s.inTx(ctx, soft, "cancel model call", func(tx *Tx) error {
		for _, o := range owners {
			if _, err := tx.exec("UPDATE model_use SET calls = calls - 1, tokens = tokens - $3 WHERE day = $1 AND owner = $2", c.Day, o.id, o.tokens); err != nil {
				return err
			}
		}
		return nil
	})
}

// ModelUse is what was booked on a day by all instances.
func (s *Store) ModelUse(ctx context.Context, day string) (calls, tokens int, err error) {
	err = s.row(ctx, "SELECT calls, tokens FROM model_use WHERE day = $1 AND owner = $2", day, []byte{}).Scan(&calls, &tokens)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, unavailable(fmt.Errorf("read model use: %w", err))
	}
	return calls, tokens, nil
}

// ClearModelUse removes what was booked before a day.
func (s *Store) ClearModelUse(ctx context.Context, day string) error {
	return s.inTx(ctx, soft, "clear model use", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM model_use WHERE day < $1", day)
		return err
	})
}
