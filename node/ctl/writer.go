package ctl

import (
	"bytes"
	"fmt"
)

// writer collects text that is written at once.
type writer struct{ bytes.Buffer }

func (w *writer) printf(format string, a ...any) { fmt.Fprintf(w, format, a...) }
