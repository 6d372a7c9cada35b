// Package scenarios carries the scenario packages of the product as data.
package scenarios

import "embed"

// Files holds one folder a scenario.
//
//go:embed */*.yaml */phrasings/*.txt
var Files embed.FS
