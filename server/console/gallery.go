package console

import (
	"context"

	"simora/server/sim"
)

const mostMedia = 1000

// ArrangeInput is the new order of an industry's gallery: all its media.
type ArrangeInput struct {
	Industry string   `json:"industry"`
	IDs      []string `json:"ids"`
}

// ArrangeGallery stores the order in one step.
func (c *Console) ArrangeGallery(ctx context.Context, in ArrangeInput) error {
	if len(in.IDs) > mostMedia {
		return sim.ValidationFailed("ids: too many")
	}
	fits, err := c.Store.ArrangeMedia(ctx, in.Industry, in.IDs)
	if err == nil && !fits {
		return &sim.Error{Kind: sim.Conflict, Code: "gallery_changed", Message: "The gallery has changed meanwhile. Please reload it."}
	}
	return err
}
