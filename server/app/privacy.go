package app

import (
	"fmt"

	"simora/server/canary"
	"simora/server/config"
)

type privacyCommand struct {
	Scan privacyScan `cmd:"" help:"Look for texts in every file of the data directory: none may stand there readable, in base64 or the like."`
}

type privacyScan struct {
	config.Data

	Texts []string `arg:"" name:"canary" help:"A text that a visitor has left, of at least 8 letters."`
}

// Run fails with every file that holds one of the texts.
func (c privacyScan) Run(p Process) error {
	hits, files, err := canary.Scan(c.Data.Data, c.Texts)
	if err != nil {
		return err
	}
	for _, hit := range hits {
		p.say("%s: %q in %s\n", hit.File, hit.Text, hit.Encoding)
	}
	if len(hits) > 0 {
		return fmt.Errorf("found %d times, in %d files that were looked through", len(hits), files)
	}
	p.say("Not found in any of %d files.\n", files)
	return nil
}
