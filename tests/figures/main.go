// Command figures prints how well the built-in engine does on the labelled
// sets, the development part and the held-out part:
// go run ./tests/figures [-v] [-trace run.txt] [folder…].
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// heldOut is the set that only figures are taken of: whoever has seen its
// misses can no longer check himself on it.
const heldOut = "heldout"

func main() {
	verbose := flag.Bool("v", false, "list every miss, except of the held-out set")
	run := flag.String("trace", "", "print what each message of this labelled run was understood as")
	flag.Parse()
	if *run != "" {
		if err := trace(os.Stdout, *run); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	folders := flag.Args()
	if len(folders) == 0 {
		folders = []string{"tests/devset", "tests/heldout"}
	}
	for _, folder := range folders {
		if err := report(folder, *verbose); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func report(folder string, verbose bool) error {
	all, err := Measure(os.DirFS(folder))
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	fmt.Println(folder)
	for _, f := range all {
		fmt.Print(f)
		for _, m := range f.Misses {
			if verbose && filepath.Base(folder) != heldOut {
				fmt.Println("  ", m)
			}
		}
	}
	return nil
}
