package mail

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLetterLeftUnfinishedByAKilledProcessIsRemoved(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".letter-123"), []byte("half a let"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kept.eml"), []byte("whole"), 0o600))
	_, err := newFiles(dir, from, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"kept.eml"}, names(t, dir))
}

// What can't be written whole is not there at all.
func TestLetterThatCannotBeWrittenLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	f, err := newFiles(dir, from, nil)
	require.NoError(t, err)
	l := letter()
	require.NoError(t, os.Mkdir(filepath.Join(dir, fileID(l)+readable), 0o700)) // its name is taken
	require.Error(t, f.Send(t.Context(), l))
	assert.Equal(t, []string{fileID(l) + readable}, names(t, dir))
	require.NoError(t, os.RemoveAll(dir))
	require.Error(t, f.Send(t.Context(), l))
	assert.NoDirExists(t, dir)
}

func TestFileNamesTellNothingAndStayInTheOutbox(t *testing.T) {
	for id, want := range map[string]string{
		"<0b4ec7a5-1@simora.test>":     "0b4ec7a5-1.eml",
		"<../../etc/passwd@simora>":    "etcpasswd.eml",
		"<A1\x00/b@sam@hospital.test>": "a1b.eml",
	} {
		l := letter()
		l.MessageID = id
		assert.Equal(t, want, fileID(l)+readable)
	}
}

func names(t *testing.T, dir string) (all []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
