package machine

import (
	"os"

	"golang.org/x/term"
)

// Columns is how many characters a line of a terminal has; 80 for what is none.
func Columns(out *os.File) int {
	const otherwise = 80
	if columns, _, err := term.GetSize(int(out.Fd())); err == nil && columns > 0 {
		return columns
	}
	return otherwise
}
