package site_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/site"
)

func TestOwnerFile(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, "site.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mark.svg"), []byte("<svg/>"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "huge.png"), make([]byte, 200<<10), 0o600))

	given, err := site.LoadOwner("")
	require.NoError(t, err)
	assert.Equal(t, "Simora", given.Brand)
	assert.Len(t, given.Institutions, 10)

	acme, err := site.LoadOwner(write("brand: Acme Sim\ncompany: {legalName: Acme Ltd}\ninstitutions:\n  - {name: St Example, kind: health}\n  - {name: Example Air, logo: mark.svg}\n"))
	require.NoError(t, err)
	assert.Equal(t, "Acme Sim", acme.Brand)
	assert.Equal(t, "Acme Ltd", acme.Company.LegalName)
	assert.Equal(t, given.ContactEmail, acme.ContactEmail)
	assert.Equal(t, given.Tagline, acme.Tagline)
	assert.Equal(t, []site.Institution{{Name: "St Example", Kind: "health"}, {Name: "Example Air", Logo: "mark.svg", Picture: []byte("<svg/>")}}, acme.Institutions)

	none, err := site.LoadOwner(write("institutions: []\n"))
	require.NoError(t, err)
	assert.Empty(t, none.Institutions)

	for text, complaint := range map[string]string{
		"brand: ''\n":                                            "brand: found \"\"",
		"brnd: Acme\n":                                           "brnd",
		"brand: [1]\n":                                           "brand",
		"brand: \"A\\nB\"\n":                                     "brand",
		"contactEmail: nobody\n":                                 "contactEmail",
		"contactEmail: A <a@b.c>\n":                              "contactEmail",
		"tagline: [One.]\n":                                      "tagline: found 1 sentences",
		"tagline: [One., '']\n":                                  "tagline[1]",
		"company: {address: ' x'}\n":                             "company.address",
		"institutions: [{name: A, kind: pub}]\n":                 "institutions[0].kind: found \"pub\", allowed are university",
		"institutions: [{kind: health}]\n":                       "institutions[0].name",
		"institutions: [{name: A, logo: none.svg}]\n":            "institutions[0].logo",
		"institutions: [{name: A, logo: mark.gif}]\n":            "allowed is an .svg or .png file",
		"institutions: [{name: A, logo: huge.png}]\n":            "found 204800 bytes",
		"brand: ''\ninstitutions: [{name: A, logo: none.svg}]\n": "brand: found", // and the logo, at once
	} {
		_, err := site.LoadOwner(write(text))
		require.ErrorContains(t, err, complaint, text)
	}
}
