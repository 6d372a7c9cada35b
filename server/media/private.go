package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
)

var errBroken = &KindError{"broken image"}

// withoutPrivate copies a picture and leaves out what tells of its maker: where
// and with what it was taken, comments, and whatever follows its end. How it
// is to be turned stays.
func withoutPrivate(w io.Writer, r io.ReadSeeker, kind string, p picture) error {
	if kind == "image/avif" && p.private {
		return &KindError{"image/avif with camera data or author (EXIF, XMP; export it without metadata)"}
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read picture: %w", err)
	}
	in, out := bufio.NewReaderSize(r, 1<<16), bufio.NewWriterSize(w, 1<<16)
	var err error
	switch kind {
	case "image/jpeg":
		err = cleanJPEG(out, in, p.turn)
	case "image/png":
		err = cleanPNG(out, in)
	case "image/webp":
		return cleanWebP(w, r)
	default:
		_, err = io.Copy(out, in)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errBroken
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// JPEG markers (ITU-T T.81, table B.1).
const (
	jpegStart   = 0xD8
	jpegEnd     = 0xD9
	jpegScan    = 0xDA
	jpegApp0    = 0xE0
	jpegApp1    = 0xE1 // EXIF, XMP
	jpegApp2    = 0xE2 // colour profile
	jpegApp14   = 0xEE // Adobe's colour transform
	jpegApp15   = 0xEF
	jpegComment = 0xFE
)

func cleanJPEG(out *bufio.Writer, in *bufio.Reader, turn int) error {
	start := make([]byte, 2)
	if _, err := io.ReadFull(in, start); err != nil {
		return err
	}
	if start[0] != 0xFF || start[1] != jpegStart {
		return errBroken
	}
	_, _ = out.Write(start)
	if turn != 1 {
		_, _ = out.Write(orientation(byte(turn))) //nolint:gosec // 1 to 8
	}
	next, err := in.ReadByte()
	for {
		if err != nil {
			return err
		}
		if next != 0xFF {
			return errBroken
		}
		marker := byte(0xFF)
		for marker == 0xFF { // fill bytes
			if marker, err = in.ReadByte(); err != nil {
				return err
			}
		}
		if marker == jpegEnd {
			_, err := out.Write([]byte{0xFF, jpegEnd})
			return err
		}
		head := make([]byte, 2)
		if _, err := io.ReadFull(in, head); err != nil {
			return err
		}
		length := int64(binary.BigEndian.Uint16(head)) - 2
		if length < 0 {
			return errBroken
		}
		segment := make([]byte, length)
		if _, err := io.ReadFull(in, segment); err != nil {
			return err
		}
		if keepSegment(marker, segment) {
			_, _ = out.Write([]byte{0xFF, marker})
			_, _ = out.Write(head)
			_, _ = out.Write(segment)
		}
		if marker == jpegScan {
			if err := copyScan(out, in); err != nil {
				return err
			}
		}
		next, err = in.ReadByte()
	}
}

func keepSegment(marker byte, segment []byte) bool {
	switch marker {
	case jpegComment:
		return false
	case jpegApp2:
		return bytes.HasPrefix(segment, []byte("ICC_PROFILE\x00"))
	case jpegApp0, jpegApp14:
		return true
	}
	return marker < jpegApp1 || marker > jpegApp15
}

// copyScan copies compressed data up to the next marker, which stays unread.
func copyScan(out *bufio.Writer, in *bufio.Reader) error {
	for {
		two, err := in.Peek(2)
		if err != nil {
			return err
		}
		if two[0] != 0xFF {
			_ = out.WriteByte(two[0])
			_, _ = in.Discard(1)
			continue
		}
		if stuffed := two[1] == 0 || two[1] >= 0xD0 && two[1] <= 0xD7; !stuffed {
			return nil
		}
		_, _ = out.Write(two)
		_, _ = in.Discard(2)
	}
}

// orientation is an EXIF segment that says nothing else.
func orientation(turn byte) []byte {
	return []byte{
		0xFF, jpegApp1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,
		'M', 'M', 0, 42, 0, 0, 0, 8, // big-endian, first directory at 8
		0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, turn, 0, 0, // one entry
		0, 0, 0, 0, // no other directory
	}
}

// What a PNG may carry to be shown (PNG, third edition, section 11).
var pngChunks = []string{
	"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "hIST", "pHYs", "acTL", "fcTL", "fdAT",
}

func cleanPNG(out *bufio.Writer, in *bufio.Reader) error {
	if _, err := io.CopyN(out, in, 8); err != nil {
		return err
	}
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(in, head); err != nil {
			return err
		}
		length, kind := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		if length > MaxBytes {
			return errBroken
		}
		if !slices.Contains(pngChunks, kind) {
			if _, err := io.CopyN(io.Discard, in, length+4); err != nil {
				return err
			}
			continue
		}
		sum := crc32.NewIEEE()
		_, _ = sum.Write(head[4:])
		_, _ = out.Write(head)
		if _, err := io.CopyN(io.MultiWriter(out, sum), in, length); err != nil {
			return err
		}
		tail := make([]byte, 4)
		if _, err := io.ReadFull(in, tail); err != nil {
			return err
		}
		if binary.BigEndian.Uint32(tail) != sum.Sum32() {
			return errBroken
		}
		if _, err := out.Write(tail); err != nil || kind == "IEND" {
			return err
		}
	}
}

// webpDescribed are the bits of VP8X that announce EXIF and XMP.
const webpDescribed = 0x08 | 0x04

func cleanWebP(w io.Writer, r io.ReadSeeker) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read picture: %w", err)
	}
	if len(raw) < 12 || string(raw[:4]) != "RIFF" || string(raw[8:12]) != "WEBP" {
		return errBroken
	}
	end := 8 + int(binary.LittleEndian.Uint32(raw[4:]))
	if end > len(raw) {
		return errBroken
	}
	out := bytes.Clone(raw[:12])
	for at := 12; at+8 <= end; {
		length := int(binary.LittleEndian.Uint32(raw[at+4:]))
		next := at + 8 + length + length%2
		if next > len(raw) {
			return errBroken
		}
		switch kind := string(raw[at : at+4]); {
		case kind == "VP8X" && length > 0:
			raw[at+8] &^= webpDescribed
			out = append(out, raw[at:next]...)
		case slices.Contains([]string{"VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"}, kind):
			out = append(out, raw[at:next]...)
		}
		at = next
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8)) //nolint:gosec // no more than was read
	_, err = w.Write(out)
	return err
}

// erasePrivateBoxes blanks the parts of an MP4 or QuickTime film that describe
// it (place, camera, author) where they stand, so that nothing else moves
// (ISO/IEC 14496-12: any box may be replaced by a "free" one).
func erasePrivateBoxes(f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("read film: %w", err)
	}
	return eraseBoxes(f, 0, size, []string{"uuid", "meta", "udta"})
}

func eraseBoxes(f *os.File, at, end int64, private []string) error {
	for at+8 <= end {
		head := make([]byte, 16)
		if _, err := f.ReadAt(head[:8], at); err != nil {
			return &KindError{"broken film"}
		}
		length, begin := int64(binary.BigEndian.Uint32(head)), int64(8)
		switch length {
		case 0:
			length = end - at // to the end
		case 1: // a long one
			if _, err := f.ReadAt(head, at); err != nil {
				return &KindError{"broken film"}
			}
			length, begin = int64(binary.BigEndian.Uint64(head[8:])), 16 //nolint:gosec // a negative one is found below
		}
		if length < begin || length > end-at {
			return &KindError{"broken film"}
		}
		switch kind := string(head[4:8]); {
		case slices.Contains(private, kind):
			if _, err := f.WriteAt([]byte("free"), at+4); err != nil {
				return fmt.Errorf("blank what describes the film: %w", err)
			}
			if err := blank(f, at+begin, length-begin); err != nil {
				return err
			}
		case kind == "moov" || kind == "trak" || kind == "mdia":
			if err := eraseBoxes(f, at+begin, at+length, private); err != nil {
				return err
			}
		}
		at += length
	}
	return nil
}

func blank(f *os.File, at, length int64) error {
	zeros := make([]byte, min(length, 1<<16))
	for length > 0 {
		n := min(length, int64(len(zeros)))
		if _, err := f.WriteAt(zeros[:n], at); err != nil {
			return fmt.Errorf("blank what describes the film: %w", err)
		}
		at, length = at+n, length-n
	}
	return nil
}
