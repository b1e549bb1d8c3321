package machine

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// A small file of a data folder ends with a line that has the CRC-32C of all that stands
// before it. The file systems that most people use have no checksums of their own, and one
// flipped bit in a UUID is another UUID.

// ErrSum: a small file is not what was written, by more than one bit.
var ErrSum = errors.New("its checksum does not fit its content")

// sumMark begins the line of the sum; sumLength is the length of that line in bytes.
const (
	sumMark   = "crc32c "
	sumLength = len(sumMark) + 8 + len("\n")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumLine(content []byte) string {
	return fmt.Sprintf("%s%08x\n", sumMark, crc32.Checksum(content, castagnoli))
}

// WriteSummed is WriteFile with a sum behind the content, which ends with a newline.
func (f *Files) WriteSummed(path string, content []byte) error {
	return f.WriteFile(path, append(content[:len(content):len(content)], sumLine(content)...))
}

// ReadSummed reads what WriteSummed wrote. One flipped bit is put right, in the file, too,
// and told; what is worse is ErrSum. A file of a program that wrote no sums is returned as
// it is: the caller checks its form, which damage to the line of a sum does not have.
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

// unsum cuts off the line of the sum; false when there is none that fits.
func unsum(b []byte) ([]byte, bool) {
	at := len(b) - sumLength
	if at < 0 || string(b[at:]) != sumLine(b[:at]) {
		return nil, false
	}
	return b[:at:at], true
}

// putRight finds the bit that makes a sum fit again. For files of less than 650 bytes two
// contents with fitting sums differ in six bits at least, so a second one does not exist.
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
