package auth

import (
	"fmt"
	"strings"

	"github.com/boombuler/barcode/qr"
)

const quiet = 4 // modules of margin (ISO/IEC 18004)

// drawQR draws text as an SVG. It has no # in it, because the stock client puts
// it into a data URL as it is.
func drawQR(text string) (string, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", fmt.Errorf("draw QR code: %w", err)
	}
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := range size {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges"><path fill="white" d="M0 0h%[1]dv%[1]dH0z"/><path d="%[2]s"/></svg>`, size+2*quiet, path.String()), nil
}
