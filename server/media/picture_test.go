package media_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/media"
)

const secret = "48.137N 11.575E by A. Patient"

// photo is red on its left half as it is stored.
func photo(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{B: 200, A: 255})
			if x < width/2 {
				img.Set(x, y, color.RGBA{R: 200, A: 255})
			}
		}
	}
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, img, nil))
	return b.Bytes()
}

func segment(marker byte, content string) []byte {
	out := binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(content)+2))
	return append(out, content...)
}

// taken adds what a camera writes, on its side, and something behind the end.
func taken(raw []byte) []byte {
	exif := "Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x02" +
		"\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00" + // Orientation 6
		"\x01\x0e\x00\x02\x00\x00\x00\x1e\x00\x00\x00\x26" + // ImageDescription
		"\x00\x00\x00\x00" + secret + "\x00"
	out := append([]byte{0xFF, 0xD8}, segment(0xE1, exif)...)
	out = append(out, segment(0xE1, "http://ns.adobe.com/xap/1.0/\x00<x>"+secret+"</x>")...)
	out = append(out, segment(0xED, "Photoshop 3.0\x00"+secret)...)
	out = append(out, segment(0xFE, secret)...)
	return append(append(out, raw[2:]...), "<script>"+secret+"</script>"...)
}

func chunk(kind, content string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	out = append(append(out, kind...), content...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffChunk(kind, content string) []byte {
	out := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(content))), content...)
	return append(out, make([]byte, len(content)%2)...)
}

func box(kind string, content ...[]byte) []byte {
	body := bytes.Join(content, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), kind...), body...)
}

func read(t *testing.T, object media.Object, err error) []byte {
	t.Helper()
	require.NoError(t, err)
	defer func() { _ = object.Close() }()
	raw, err := io.ReadAll(object)
	require.NoError(t, err)
	return raw
}

func TestPicturesTellNothingOfTheirMaker(t *testing.T) {
	onBoth(t, func(t *testing.T, l *media.Library, _ string) {
		ctx := context.Background()
		png := picture(t, 30, 20)
		lossy, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
		require.NoError(t, err)
		film := bytes.Join([][]byte{
			box("ftyp", []byte("isom\x00\x00\x02\x00isomiso2avc1mp41")),
			box("moov", box("mvhd", make([]byte, 100)), box("udta", box("\xa9xyz", []byte(secret))), box("trak", box("tkhd", make([]byte, 84)), box("meta", []byte(secret)))),
			box("uuid", []byte(secret)), box("mdat", bytes.Repeat([]byte("film"), 4000)),
		}, nil)
		for name, c := range map[string]struct {
			raw           []byte
			width, height int
		}{
			"healthcare/a.jpg":  {taken(photo(t, 60, 40)), 40, 60},
			"healthcare/b.png":  {append(append(bytes.Clone(png[:33]), append(chunk("tEXt", "Author\x00"+secret), chunk("eXIf", secret)...)...), png[33:]...), 30, 20},
			"healthcare/c.webp": {riff(riffChunk("VP8X", "\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00"), lossy[12:], riffChunk("EXIF", secret), riffChunk("XMP ", secret)), 1, 1},
			"healthcare/d.mp4":  {film, 0, 0},
		} {
			require.Contains(t, string(c.raw), secret, name)
			require.NoError(t, l.Put(ctx, name, bytes.NewReader(c.raw)), name)
			object, err := l.Get(ctx, name)
			kept := read(t, object, err)
			assert.NotContains(t, string(kept), secret, name)
			facts, err := l.Look(ctx, name)
			require.NoError(t, err, name)
			assert.Equal(t, []int{c.width, c.height, len(kept)}, []int{facts.Width, facts.Height, int(facts.Size)}, name)
			if facts.Width == 0 {
				assert.Len(t, kept, len(c.raw), "nothing of a film moves")
				assert.Contains(t, string(kept), "filmfilm")
				continue
			}
			if name != "healthcare/a.jpg" {
				_, _, err = image.Decode(bytes.NewReader(kept))
			} else {
				_, err = jpeg.Decode(bytes.NewReader(kept))
			}
			require.NoError(t, err, name)
		}
	})
}

func TestThumbnails(t *testing.T) {
	onBoth(t, func(t *testing.T, l *media.Library, _ string) {
		ctx, name := context.Background(), "airlines/large.jpg"
		require.NoError(t, l.Put(ctx, name, bytes.NewReader(taken(photo(t, 1600, 2400)))))
		object, kind, err := l.Thumbnail(ctx, name)
		small, err := jpeg.Decode(bytes.NewReader(read(t, object, err)))
		require.NoError(t, err)
		assert.Equal(t, "image/jpeg", kind)
		assert.Equal(t, image.Pt(media.ThumbnailWidth, 640), small.Bounds().Size(), "upright")
		red := func(x, y int) bool { r, _, b, _ := small.At(x, y).RGBA(); return r > b }
		assert.True(t, red(480, 20), "what was on the left is on top")
		assert.False(t, red(480, 620))

		// A small one is its own; a removed one leaves nothing.
		require.NoError(t, l.Put(ctx, "airlines/small.jpg", bytes.NewReader(photo(t, 90, 60))))
		object, _, err = l.Thumbnail(ctx, "airlines/small.jpg")
		tiny, err := jpeg.Decode(bytes.NewReader(read(t, object, err)))
		require.NoError(t, err)
		assert.Equal(t, image.Pt(90, 60), tiny.Bounds().Size())
		_, err = l.Remove(ctx, name)
		require.NoError(t, err)
		_, _, err = l.Thumbnail(ctx, name)
		require.Error(t, err)
	})
}

// avif is the head of one: its size, and whether it has EXIF.
func avif(width, height uint32, described bool) []byte {
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(make([]byte, 4), width), height)
	items := [][]byte{{0, 0, 0, 0, 0, 1}, box("infe", []byte("\x02\x00\x00\x00\x00\x01\x00\x00av01\x00"))}
	locations := []byte("\x00\x00\x00\x00\x44\x00\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x08")
	if described {
		items[0][5] = 2
		items = append(items, box("infe", []byte("\x02\x00\x00\x00\x00\x02\x00\x00Exif\x00")))
	}
	meta := func(at uint32) []byte {
		if described {
			locations = append([]byte("\x00\x00\x00\x00\x44\x00\x00\x02\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x08\x00\x02\x00\x00\x00\x01"),
				binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, at), 4+26)...)
		}
		return box("meta", make([]byte, 4), box("hdlr", []byte("\x00\x00\x00\x00\x00\x00\x00\x00pict"), make([]byte, 13)), box("pitm", []byte("\x00\x00\x00\x00\x00\x01")),
			box("iloc", locations), box("iinf", items...), box("iprp", box("ipco", box("ispe", size)), box("ipma", []byte("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x01\x01"))))
	}
	head := box("ftyp", []byte("avif\x00\x00\x00\x00avifmif1miaf"))
	at := uint32(len(head) + len(meta(0)) + 8)
	exif := "\x00\x00\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	return bytes.Join([][]byte{head, meta(at), box("mdat", []byte(exif), make([]byte, 64))}, nil)
}

func TestAVIF(t *testing.T) {
	l, err := media.Open(t.TempDir(), "", nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	require.NoError(t, l.Put(t.Context(), "corporate/fine.avif", bytes.NewReader(avif(640, 480, false))))
	facts, err := l.Look(t.Context(), "corporate/fine.avif")
	require.NoError(t, err)
	assert.Equal(t, []int{640, 480}, []int{facts.Width, facts.Height})
	require.ErrorContains(t, l.Put(t.Context(), "corporate/described.avif", bytes.NewReader(avif(640, 480, true))), "export it without metadata")
	require.ErrorContains(t, l.Put(t.Context(), "corporate/huge.avif", bytes.NewReader(avif(65535, 65535, false))), "65535 x 65535 pixels")
}

// FuzzPut holds that no content makes the library fail in another way than by
// an error, or keeps what cannot be looked at.
func FuzzPut(f *testing.F) {
	var sample testing.T
	f.Add("a.jpg", taken(photo(&sample, 30, 20)))
	f.Add("a.avif", avif(64, 48, true))
	f.Add("a.webp", riff(riffChunk("VP8X", "\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00"), riffChunk("EXIF", secret)))
	f.Add("a.mp4", box("ftyp", []byte("isom\x00\x00\x02\x00isom"), box("moov", box("udta"))))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		l, err := media.Open(t.TempDir(), "", nil)
		require.NoError(t, err)
		defer func() { _ = l.Close() }()
		if l.Put(t.Context(), "healthcare/"+name, bytes.NewReader(raw)) == nil {
			_, err := l.Look(t.Context(), "healthcare/"+name)
			require.NoError(t, err)
		}
	})
}
