package admin

import "testing"

// TestSizesAreReadAsTheReferenceReadsThem: what they are, and what is wrong with them.
func TestSizesAreReadAsTheReferenceReadsThem(t *testing.T) {
	const unit = " is incorrect ('B', 'K', 'M', 'G', 'T', 'P', 'E' or no character or no character is expected)"
	for text, want := range map[string]struct {
		size  uint64
		fault string
	}{
		"0": {0, ""}, " 3 ": {3, ""}, "1.5 MiB": {1572864, ""}, "3kB": {3000, ""}, "3Ki": {3072, ""}, "2EIB": {2 << 60, ""}, "0.1": {1, ""},
		"3b": {1, ""}, "8kb": {1000, ""}, "16bits": {2, ""}, "1Mibit": {131072, ""},
		"":                                 {0, "no value can be found"},
		"x":                                {0, "the character 'x' is not a number"},
		"3.":                               {0, "the character '.' is not a number"},
		"é":                                {0, "the character '꧃' is not a number"},
		"3x":                               {0, "the character 'x'" + unit},
		"1.2.3":                            {0, "the character '.'" + unit},
		"3Kx":                              {0, "the character 'x' is incorrect ('B', 'b' or no character or no character is expected)"},
		"3 KiBx":                           {0, "the character 'x' is incorrect ('i' or no character is expected)"},
		"3bi":                              {0, "the character 'i' is incorrect (no character is expected)"},
		"3bix":                             {0, "the character 'x' is incorrect ('t' is expected)"},
		"3bitx":                            {0, "the character 'x' is incorrect ('s' or no character is expected)"},
		"3bitsx":                           {0, "the character 'x' is incorrect (no character is expected)"},
		"99999999999999999999999":          {0, "the value 99999999999999999999999 exceeds the valid range"},
		"99999999999999999999999999999999": {0, "value number is too long"},
	} {
		if size, fault := parseByteSize(text); size != want.size || fault != want.fault {
			t.Errorf("%q: %d, %q, want %d, %q", text, size, fault, want.size, want.fault)
		}
	}
}
