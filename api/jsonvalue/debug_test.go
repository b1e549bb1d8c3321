package jsonvalue_test

import (
	"testing"

	"shoal/api/jsonvalue"
)

// TestADebugTextEscapesMarksAndWhatCannotBePrinted as the reference's messages show it.
func TestADebugTextEscapesMarksAndWhatCannotBePrinted(t *testing.T) {
	for in, want := range map[string]string{
		"e\u0301":        `"e\u{301}"`,
		"\u0301":         `"\u{301}"`,
		"é it's 日本":      `"é it's 日本"`,
		"a\"b\\c\n\t\r":  `"a\"b\\c\n\t\r"`,
		"\x00\x01\u00a0": `"\0\u{1}\u{a0}"`,
		"\u200d\u200c":   `"\u{200d}\u{200c}"`,
		"กำ น้ำ":         `"กำ น\u{e49}ำ"`,
	} {
		if got := jsonvalue.QuoteDebug(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
