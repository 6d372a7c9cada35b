package media

import (
	"fmt"
	"image"
	_ "image/gif" // the formats that can be read
	"image/jpeg"
	_ "image/png"
	"io"

	"github.com/bep/imagemeta"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

const (
	maxPixels = 50_000_000
	// ThumbnailWidth is enough for a tile of the gallery on a dense screen.
	ThumbnailWidth   = 960
	thumbnailQuality = 80
)

var formats = map[string]imagemeta.ImageFormat{
	"image/jpeg": imagemeta.JPEG, "image/png": imagemeta.PNG, "image/webp": imagemeta.WebP, "image/avif": imagemeta.AVIF,
}

// picture is what an image's head says of it.
type picture struct {
	width, height int
	turn          int  // EXIF orientation, 1 to 8
	private       bool // it tells of its camera or author
}

// shown is the size after turning.
func (p picture) shown() (width, height int) {
	if p.turn > 4 { // these four exchange the axes
		return p.height, p.width
	}
	return p.width, p.height
}

// readPicture wants a picture whose size can be read and is not a trap.
func readPicture(r io.ReadSeeker, kind string) (picture, error) {
	broken := &KindError{"broken image"}
	p := picture{turn: 1}
	if format, known := formats[kind]; known {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return p, fmt.Errorf("look at picture: %w", err)
		}
		// Mistakes in what is about to be thrown away do not matter.
		described, err := imagemeta.Decode(imagemeta.Options{
			R: r, ImageFormat: format, Sources: imagemeta.EXIF | imagemeta.XMP | imagemeta.CONFIG,
			HandleTag: func(tag imagemeta.TagInfo) error {
				p.private = true
				if turn, ok := tag.Value.(uint16); ok && tag.Source == imagemeta.EXIF && tag.Tag == "Orientation" && turn >= 1 && turn <= 8 {
					p.turn = int(turn)
				}
				return nil
			},
			HandleXMP: func(xmp io.Reader) error {
				p.private = true
				_, err := io.Copy(io.Discard, xmp)
				return err
			},
		})
		if err == nil {
			p.width, p.height = described.ImageConfig.Width, described.ImageConfig.Height
		}
	}
	if kind != "image/avif" { // there is no decoder for it here
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return p, fmt.Errorf("look at picture: %w", err)
		}
		config, _, err := image.DecodeConfig(r)
		if err != nil {
			return p, broken
		}
		p.width, p.height = config.Width, config.Height
	}
	if p.width < 1 || p.height < 1 {
		return p, broken
	}
	if p.width > maxPixels/p.height {
		return p, &KindError{fmt.Sprintf("%s of %d x %d pixels", kind, p.width, p.height)}
	}
	return p, nil
}

// writeThumbnail writes a smaller JPEG of a picture, upright. It reports
// whether there is a point in one: small pictures, films of pictures (GIF) and
// AVIF are shown as they are. All of the picture is decoded, so that a broken
// one is found.
func writeThumbnail(w io.Writer, r io.ReadSeeker, kind string, p picture) (bool, error) {
	if kind == "image/avif" {
		return false, nil
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return false, fmt.Errorf("read picture: %w", err)
	}
	whole, _, err := image.Decode(r)
	if err != nil {
		return false, &KindError{"broken image"}
	}
	width, height := p.shown()
	if width <= ThumbnailWidth || kind == "image/gif" {
		return false, nil
	}
	height = max(1, height*ThumbnailWidth/width)
	small := image.Rect(0, 0, ThumbnailWidth, height)
	if p.turn > 4 {
		small = image.Rect(0, 0, height, ThumbnailWidth)
	}
	// A coarse step to twice the size and a fine one from there: a fifth of the
	// time of a fine one alone, and no difference to be seen.
	if whole.Bounds().Dx() > 3*small.Dx() {
		half := image.NewRGBA(image.Rect(0, 0, 2*small.Dx(), 2*small.Dy()))
		draw.ApproxBiLinear.Scale(half, half.Bounds(), whole, whole.Bounds(), draw.Src, nil)
		whole = half
	}
	scaled := image.NewRGBA(small)
	draw.Draw(scaled, small, image.White, image.Point{}, draw.Src) // JPEG knows no transparency
	draw.CatmullRom.Scale(scaled, small, whole, whole.Bounds(), draw.Over, nil)
	if err := jpeg.Encode(w, upright(scaled, p.turn), &jpeg.Options{Quality: thumbnailQuality}); err != nil {
		return false, fmt.Errorf("write thumbnail: %w", err)
	}
	return true, nil
}

// upright undoes an EXIF orientation.
func upright(in *image.RGBA, turn int) image.Image {
	if turn == 1 {
		return in
	}
	w, h := in.Bounds().Dx(), in.Bounds().Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if turn > 4 {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			// Where the stored pixel is shown (EXIF 2.3, tag 0x0112).
			to := [...]image.Point{
				2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x},
			}[turn]
			out.SetRGBA(to.X, to.Y, in.RGBAAt(x, y))
		}
	}
	return out
}
