package keyring

import (
	"context"

	"simora/server/shelf"
)

// patience gives each call of a shelf up after shelfTime: others wait for the
// lock that is held meanwhile.
type patience struct{ shelf shelf.Shelf }

func (p patience) Get(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, shelfTime)
	defer cancel()
	return p.shelf.Get(ctx, name)
}

func (p patience) Create(ctx context.Context, name string, value []byte) error {
	ctx, cancel := context.WithTimeout(ctx, shelfTime)
	defer cancel()
	return p.shelf.Create(ctx, name, value)
}

func (p patience) Put(ctx context.Context, name string, value []byte) error {
	ctx, cancel := context.WithTimeout(ctx, shelfTime)
	defer cancel()
	return p.shelf.Put(ctx, name, value)
}

func (p patience) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, shelfTime)
	defer cancel()
	return p.shelf.Delete(ctx, name)
}

func (p patience) List(ctx context.Context, prefix string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, shelfTime)
	defer cancel()
	return p.shelf.List(ctx, prefix)
}
