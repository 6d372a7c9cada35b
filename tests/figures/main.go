// Command figures prints how well the built-in engine does on the labelled
// development set: go run ./tests/figures [-v] [-trace run.txt] [folder].
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	verbose := flag.Bool("v", false, "list every miss")
	run := flag.String("trace", "", "print what each message of this labelled run was understood as")
	flag.Parse()
	if *run != "" {
		if err := trace(os.Stdout, *run); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	root := "tests/devset"
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	all, err := Measure(os.DirFS(root))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, f := range all {
		fmt.Print(f)
		if *verbose {
			for _, m := range f.Misses {
				fmt.Println("  ", m)
			}
		}
	}
}
