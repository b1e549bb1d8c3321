package dictionary

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ikawaha/kagome-dict/dict"
	"github.com/klauspost/compress/zstd"
)

// A file is this line, the name of the dictionary padded to nameSize, the SHA-256 of the
// body, and the compressed body (zstd). docs/formats.md describes the body.
const (
	magic    = "shoal dictionary 1\n"
	nameSize = 16
	headSize = len(magic) + nameSize + sha256.Size
)

// Write writes the file of a dictionary and returns the sum of its body.
func Write(w io.Writer, one Set, d *dict.Dict) (sum string, err error) {
	body, err := encode(d)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(body)
	var name [nameSize]byte
	copy(name[:], one.String())
	if _, err := w.Write(append(append([]byte(magic), name[:]...), digest[:]...)); err != nil {
		return "", err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return "", err
	}
	if _, err := z.Write(body); err != nil {
		return "", errors.Join(err, z.Close())
	}
	return hex.EncodeToString(digest[:]), z.Close()
}

// Sum is the checksum of a dictionary's body.
func Sum(d *dict.Dict) (string, error) {
	body, err := encode(d)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(body)
	return hex.EncodeToString(digest[:]), nil
}

// errNotDictionary, errOther and errDamaged are the possible faults of a file.
var (
	errNotDictionary = errors.New("this is no dictionary of Shoal")
	errOther         = errors.New("this is the dictionary of another version of Shoal: take the files of the release that the program is from")
	errDamaged       = errors.New("the file is damaged")
)

// checkHead checks the head of a file: it must be this dictionary with this checksum.
func checkHead(f *os.File, name, sum string) error {
	var head [headSize]byte
	if _, err := f.ReadAt(head[:], 0); errors.Is(err, io.EOF) {
		return errNotDictionary
	} else if err != nil {
		return err
	}
	rest, ok := bytes.CutPrefix(head[:], []byte(magic))
	if !ok || string(bytes.TrimRight(rest[:nameSize], "\x00")) != name {
		return errNotDictionary
	}
	if hex.EncodeToString(rest[nameSize:]) != sum {
		return errOther
	}
	return nil
}

// read reads the body of a file whose head was checked.
func read(f io.ReaderAt, sum string) (*dict.Dict, error) {
	z, err := zstd.NewReader(io.NewSectionReader(f, int64(headSize), 1<<40), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	digest := sha256.New()
	d, err := decode(bufio.NewReaderSize(io.TeeReader(z, digest), 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errDamaged, err)
	}
	if hex.EncodeToString(digest.Sum(nil)) != sum {
		return nil, errDamaged
	}
	return d, nil
}

// maxBody bounds the body, and so every length in it.
const maxBody = 512 << 20

// encode writes the parts of a dictionary that cutting needs, with little-endian numbers.
func encode(d *dict.Dict) ([]byte, error) {
	var w writer
	w.morphs(d.Morphs)
	w.length(len(d.Index.Da))
	for _, node := range d.Index.Da {
		w.int32(node.Base)
		w.int32(node.Check)
	}
	w.numbers(d.Index.Dup)
	w.length(int(d.Connection.Row))
	w.length(int(d.Connection.Col))
	for _, cost := range d.Connection.Vec {
		w.b = binary.LittleEndian.AppendUint16(w.b, uint16(cost))
	}
	w.length(len(d.CharCategory))
	w.b = append(w.b, d.CharCategory...)
	w.flags(d.InvokeList)
	w.flags(d.GroupList)
	w.morphs(d.UnkDict.Morphs)
	w.numbers(d.UnkDict.Index)
	w.numbers(d.UnkDict.IndexDup)
	if len(w.b) > maxBody {
		return nil, fmt.Errorf("dictionary: a body of %d bytes is larger than %d", len(w.b), maxBody)
	}
	return w.b, nil
}

// decode is the inverse of encode.
func decode(from *bufio.Reader) (*dict.Dict, error) {
	r := &reader{from: from}
	d := &dict.Dict{}
	d.Morphs = r.morphs()
	d.Index.Da = make([]struct{ Base, Check int32 }, r.length(8))
	for i := range d.Index.Da {
		d.Index.Da[i].Base, d.Index.Da[i].Check = r.int32(), r.int32()
	}
	d.Index.Dup = r.numbers()
	d.Connection.Row, d.Connection.Col = int64(r.length(0)), int64(r.length(0))
	if r.err == nil && d.Connection.Row*d.Connection.Col > maxBody/2 {
		r.err = errTooLong
	}
	if r.err == nil {
		d.Connection.Vec = make([]int16, d.Connection.Row*d.Connection.Col)
		for i := range d.Connection.Vec {
			d.Connection.Vec[i] = r.int16()
		}
	}
	d.CharCategory = r.bytes()
	d.InvokeList = r.flags()
	d.GroupList = r.flags()
	d.UnkDict.Morphs = r.morphs()
	d.UnkDict.Index = r.numbers()
	d.UnkDict.IndexDup = r.numbers()
	if r.err == nil {
		if _, err := from.ReadByte(); !errors.Is(err, io.EOF) {
			r.err = errors.New("more than a dictionary")
		}
	}
	return d, r.err
}
