package functions

import (
	"context"

	"simora/server/console"
	"simora/server/wire"
)

// AdminGetIntegrations lists webhooks and deliveries.
func (f Functions) AdminGetIntegrations(ctx context.Context, _ wire.Caller, _ struct{}) (console.Connected, error) {
	return f.Integrations.Connected(ctx)
}

// AdminCreateHook stores a webhook and shows its secret once.
func (f Functions) AdminCreateHook(ctx context.Context, _ wire.Caller, in console.HookInput) (map[string]any, error) {
	hook, secret, err := f.Integrations.CreateHook(ctx, in)
	return map[string]any{"hook": hook, "secret": secret}, err
}

// AdminSwitchHook turns a webhook on or off.
func (f Functions) AdminSwitchHook(ctx context.Context, _ wire.Caller, in console.SwitchInput) (Success, error) {
	return Success{true}, f.Integrations.SwitchHook(ctx, in)
}

// AdminDeleteHook removes a webhook.
func (f Functions) AdminDeleteHook(ctx context.Context, _ wire.Caller, in console.IDInput) (Success, error) {
	return Success{true}, f.Integrations.DeleteHook(ctx, in)
}

// AdminTestHook queues a test.
func (f Functions) AdminTestHook(ctx context.Context, _ wire.Caller, in console.IDInput) (Success, error) {
	return Success{true}, f.Integrations.TestHook(ctx, in)
}

// AdminResendDelivery queues a delivery once more.
func (f Functions) AdminResendDelivery(ctx context.Context, _ wire.Caller, in console.IDInput) (Success, error) {
	return Success{true}, f.Integrations.SendAgain(ctx, in)
}
