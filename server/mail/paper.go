package mail

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// paper is an A4 document that is written from top to bottom in the site's own
// font, of which it embeds what it uses. A reader's Helvetica may be of another
// width, and then lines leave the paper. It breaks lines itself: the library
// does so for text whose words fit.
type paper struct {
	f *fpdf.Fpdf
	y float64 // millimetres from the top
	// lost: a character had no place in the font's alphabet.
	lost bool
}

// The Latin part of Instrument Sans, unpacked from @fontsource/instrument-sans
// (SIL Open Font License, beside it).
var (
	//go:embed fonts/instrument-sans-regular.ttf
	regular []byte
	//go:embed fonts/instrument-sans-semibold.ttf
	semibold []byte

	alphabet = mustParse(regular) // semibold has the same
)

func mustParse(font []byte) *sfnt.Font {
	f, err := sfnt.Parse(font)
	if err != nil {
		panic(fmt.Sprintf("embedded font: %v", err))
	}
	return f
}

const (
	pageHeight = 297.0
	left       = 18.0
	right      = 192.0
	top        = 18.0
	bottom     = pageHeight - 20
	point      = 0.3528 // millimetres
	family     = "instrument"
	pages      = "\x01{n}" // stands for the number of pages; no text can hold it
)

type ink [3]int

// The colours of the site's light theme. Each is legible in grey, too: none
// says anything that words do not say.
var (
	inkText  = ink{13, 30, 33}
	inkQuiet = ink{75, 91, 90}
	inkYou   = ink{12, 74, 82}
	inkPen   = ink{165, 47, 11}
	inkRule  = ink{200, 210, 206}
	inkTrack = ink{221, 229, 225}
)

type style struct {
	size float64 // points
	bold bool
	ink  ink
}

var (
	styleTitle   = style{20, true, inkText}
	styleSection = style{13, true, inkText}
	styleBody    = style{10, false, inkText}
	styleStrong  = style{10, true, inkText}
	styleQuote   = style{10, false, inkYou}
	styleQuiet   = style{9, false, inkQuiet}
)

func (s style) leading() float64 { return s.size * point * 1.35 }

// newPaper begins a document that is the same for the same content: its only
// date is the given one.
func newPaper(title, author string, date time.Time) *paper {
	f := fpdf.New("P", "mm", "A4", "")
	f.SetCatalogSort(true)
	f.SetCreationDate(date)
	f.SetModificationDate(date)
	f.SetTitle(visible(title), true)
	f.SetAuthor(visible(author), true)
	f.SetLang("en")
	f.SetAutoPageBreak(false, 0)
	f.AddUTF8FontFromBytes(family, "", regular)
	f.AddUTF8FontFromBytes(family, "B", semibold)
	f.AliasNbPages(pages)
	p := &paper{f: f, y: top}
	f.SetFooterFunc(func() {
		p.set(styleQuiet)
		foot := fmt.Sprintf("%s, page %d of %s", p.written(title), f.PageNo(), pages)
		f.Text(left, pageHeight-11, foot)
	})
	f.AddPage()
	return p
}

// bytes ends the document.
func (p *paper) bytes() ([]byte, error) {
	var out bytes.Buffer
	if err := p.f.Output(&out); err != nil {
		return nil, fmt.Errorf("write PDF: %w", err)
	}
	return out.Bytes(), nil
}

func (p *paper) set(s style) {
	weight := ""
	if s.bold {
		weight = "B"
	}
	p.f.SetFont(family, weight, s.size)
	p.f.SetTextColor(s.ink[0], s.ink[1], s.ink[2])
}

// room turns the page when less than height is left on it.
func (p *paper) room(height float64) {
	if p.y+height > bottom {
		p.f.AddPage()
		p.y = top
	}
}

func (p *paper) space(height float64) { p.y += height }

// text writes a paragraph between x and the right margin.
func (p *paper) text(x float64, s style, text string) { p.column(x, right, s, text) }

func (p *paper) column(from, to float64, s style, text string) {
	for _, line := range p.lines(text, to-from, s) {
		p.room(s.leading())
		p.set(s) // after a turned page, whose footer had its own
		p.f.Text(from, p.y+s.size*point, line)
		p.y += s.leading()
	}
}

// aside writes one line at the height where the next paragraph begins.
func (p *paper) aside(x float64, s style, text string) {
	p.set(s)
	p.f.Text(x, p.y+s.size*point, p.written(text))
}

// flush is aside at the right margin.
func (p *paper) flush(s style, text string) {
	p.set(s)
	line := p.written(text)
	p.f.Text(right-p.f.GetStringWidth(line), p.y+s.size*point, line)
}

func (p *paper) section(title string) {
	p.room(38) // not alone at the foot of a page
	p.space(7)
	p.text(left, styleSection, title)
	p.space(1.5)
}

func (p *paper) rule() {
	p.f.SetDrawColor(inkRule[0], inkRule[1], inkRule[2])
	p.f.SetLineWidth(0.2)
	p.f.Line(left, p.y, right, p.y)
	p.space(2)
}

func (p *paper) box(x, y, w, h float64, c ink) {
	p.f.SetFillColor(c[0], c[1], c[2])
	p.f.Rect(x, y, w, h, "F")
}

// lines breaks text into lines of that width, between words where there are
// any, within a word where it is wider than a line.
func (p *paper) lines(text string, width float64, s style) (all []string) {
	p.set(s)
	for paragraph := range strings.SplitSeq(p.written(text), "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if line != "" && p.f.GetStringWidth(line+" "+word) <= width {
				line += " " + word
				continue
			}
			if line != "" {
				all = append(all, line)
			}
			for p.f.GetStringWidth(word) > width {
				n := p.fitting(word, width)
				all, word = append(all, word[:n]), word[n:]
			}
			line = word
		}
		if line != "" {
			all = append(all, line)
		}
	}
	return all
}

// fitting is how many bytes of the word fit: whole characters, one at least.
func (p *paper) fitting(word string, width float64) int {
	fits := 0
	for i, r := range word {
		end := i + utf8.RuneLen(r)
		if fits > 0 && p.f.GetStringWidth(word[:end]) > width {
			break
		}
		fits = end
	}
	return fits
}

// lookalikes are what the font has for common characters that it lacks.
var lookalikes = strings.NewReplacer("→", "->", "←", "<-", "≥", ">=", "≤", "<=", "≠", "!=", "≈", "~", "\u2010", "-", "\u2011", "-", "\u2015", "\u2014", "ʼ", "’")

// written is the text in the font's alphabet: letters lose accents that it does
// not have, and what is left becomes a question mark, a group of emoji one.
func (p *paper) written(text string) string {
	var out strings.Builder
	symbols := false // the last character was a question mark for a symbol
	for _, r := range norm.NFC.String(lookalikes.Replace(visible(text))) {
		plain, ok := simpler(r)
		if ok {
			out.WriteString(plain)
			symbols = symbols && plain == ""
			continue
		}
		p.lost = true
		symbol := !unicode.IsLetter(r) && !unicode.IsDigit(r)
		if !symbol || !symbols {
			out.WriteByte('?')
		}
		symbols = symbol
	}
	return out.String()
}

// simpler is the character in the font's alphabet, taken apart if need be. An
// accent that is left over is nothing.
func simpler(r rune) (plain string, ok bool) {
	if r == '\n' || drawable(r) {
		return string(r), true
	}
	for _, part := range norm.NFKD.String(string(r)) {
		if unicode.Is(unicode.M, part) {
			continue
		}
		if !drawable(part) {
			return "", false
		}
		plain += string(part)
	}
	return plain, true
}

func drawable(r rune) bool {
	glyph, err := alphabet.GlyphIndex(nil, r)
	return err == nil && glyph != 0 && !unicode.Is(unicode.M, r) && r <= 0xffff
}

// visible is the text without what has no shape: controls, marks of direction,
// joiners. Line breaks stay.
func visible(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ", "\u2028", "\n", "\u2029", "\n").Replace(strings.ToValidUTF8(text, "?"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) {
			return -1
		}
		return r
	}, text)
}
