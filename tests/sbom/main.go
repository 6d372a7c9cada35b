// Command sbom writes the bill of materials of a built binary as CycloneDX
// JSON: the Go modules that are in it, and the npm packages whose code its pages
// carry.
//
//	npm sbom --sbom-format cyclonedx --package-lock-only --omit optional | sbom bin/simora > release/simora.cdx.json
package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"slices"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "sbom: name the binary; the npm packages come from standard input")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(binary string, packages io.Reader, out io.Writer) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read modules of %s: %w", binary, err)
	}
	var npm cdx.BOM
	if err := cdx.NewBOMDecoder(packages, cdx.BOMFileFormatJSON).Decode(&npm); err != nil {
		return fmt.Errorf("read npm's packages: %w", err)
	}
	if npm.Components == nil {
		return fmt.Errorf("read npm's packages: found none")
	}
	product := module(info.Main.Path, info.Main.Version)
	product.Type = cdx.ComponentTypeApplication
	components := []cdx.Component{module("std", info.GoVersion)}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, module(m.Path, m.Version))
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &product}
	for _, c := range *npm.Components {
		if !development(c) {
			components = append(components, c)
		}
	}
	bom.Components = &components
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
}

// development reports a package that only builds or tests. npm's own --omit dev
// also leaves out what these and the pages have in common, such as react.
func development(c cdx.Component) bool {
	return c.Properties != nil && slices.ContainsFunc(*c.Properties, func(p cdx.Property) bool { return p.Name == "cdx:npm:package:development" })
}

// module is a Go module as a component. The Go checksum is no hash of a file, so
// none is given.
func module(path, version string) cdx.Component {
	purl := "pkg:golang/" + path + "@" + version
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: purl}
}
