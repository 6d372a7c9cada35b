package functions

import (
	"context"

	"simora/server/health"
	"simora/server/sim"
	"simora/server/wire"
)

// Health is the answer of AdminGetHealth.
type Health struct {
	health.Page
	Model *sim.ModelStatus `json:"model"` // null: no language model is connected
}

// AdminGetHealth tells how the server's parts are.
func (f Functions) AdminGetHealth(ctx context.Context, _ wire.Caller, _ struct{}) (Health, error) {
	page, err := f.Health.Page(ctx)
	return Health{page, f.Console.ModelStatus()}, err
}

// AdminRetryLetter queues a failed letter once more.
func (f Functions) AdminRetryLetter(ctx context.Context, _ wire.Caller, in health.RetryInput) (Success, error) {
	return Success{true}, f.Health.Retry(ctx, in)
}
