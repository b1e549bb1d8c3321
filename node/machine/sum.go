package machine

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// A small file of a data folder ends with a line that has the CRC-32C of the rest. Common
// file systems have no checksums, and a UUID with one flipped bit is another UUID.

// ErrSum: more than one bit of a small file has changed.
var ErrSum = errors.New("its checksum does not fit its content")

// sumMark begins the line with the checksum. sumLength is the length of that line in bytes.
const (
	sumMark   = "crc32c "
	sumLength = len(sumMark) + 8 + len("\n")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumLine(content []byte) string {
	return fmt.Sprintf("%s%08x\n", sumMark, crc32.Checksum(content, castagnoli))
}

// WriteSummed is WriteFile with a checksum after the content, which must end with a
// newline.
func (f *Files) WriteSummed(path string, content []byte) error {
	return f.WriteFile(path, append(content[:len(content):len(content)], sumLine(content)...))
}

// ReadSummed reads a file from WriteSummed. It corrects one flipped bit, also in the file,
// and reports that to Mended. Worse damage is ErrSum. A file of a program without checksums
// is returned unchanged. The caller checks its form, which excludes a damaged checksum
// line.
func (f *Files) ReadSummed(path string) ([]byte, error) {
	b, err := f.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if content, ok := unsum(b); ok {
		return content, nil
	}
	if content, ok := putRight(b); ok {
		if f.Mended != nil {
			f.Mended(path)
		}
		return content, f.WriteSummed(path, content)
	}
	if strings.Contains(string(b), sumMark) {
		return nil, ErrSum
	}
	return b, nil
}

// unsum cuts off the checksum line. It returns false if there is none that matches.
func unsum(b []byte) ([]byte, bool) {
	at := len(b) - sumLength
	if at < 0 || string(b[at:]) != sumLine(b[:at]) {
		return nil, false
	}
	return b[:at:at], true
}

// putRight finds the bit whose flip makes the checksum match. Contents of less than 650
// bytes with valid checksums differ in at least six bits, so the correction is unique.
func putRight(b []byte) ([]byte, bool) {
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if content, ok := unsum(b); ok {
				return content, true
			}
			b[i] ^= 1 << bit
		}
	}
	return nil, false
}
