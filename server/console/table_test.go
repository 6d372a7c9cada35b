package console

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTablesHoldNoFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Ann": "Ann", "a=b": "a=b", "5 - 3": "5 - 3",
		"=1+1": "'=1+1", "+49 89 1": "'+49 89 1", "-2": "'-2", "@SUM(A1)": "'@SUM(A1)", "  =1": "'  =1", "\t=1": "'\t=1", "\r\n=1": "'\r\n=1",
	} {
		assert.Equal(t, want, cell(text), "%q", text)
	}
	text, err := table([][]string{{"name", "message"}, {"=cmd()", "two\nlines, \"quoted\""}})
	require.NoError(t, err)
	assert.Equal(t, "name,message\n'=cmd(),\"two\nlines, \"\"quoted\"\"\"\n", text)
}
