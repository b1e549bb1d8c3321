package machine

import (
	"os"

	"golang.org/x/term"
)

// Columns is the width of a terminal in characters, or 80 if out is not one.
func Columns(out *os.File) int {
	const otherwise = 80
	if columns, _, err := term.GetSize(int(out.Fd())); err == nil && columns > 0 {
		return columns
	}
	return otherwise
}
