package text

import (
	"testing"
)

func TestWordLists(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"ภาษาไทยง่ายนิดเดียว", "ภาษาไทย|งาย|นดเดยว"},
		{"เปล็ยกู", "เปล||ยก|"}, // marks alone are words without letters
		{"๑๒ บาท 12", "๑๒|บาท|12"},
		{"สวัสดีabc", "สวสด|abc"},
		{"ភាសាខ្មែរ", "ភាសាខ្មែរ"},
		{"សួស្តីពិភពលោក", "សួស្តី|ពិភពលោក"},
	} {
		if got := words(Default, c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

// Another word list cut these names in other places. That moved crop windows and the
// positions of the words after them.
func TestThaiCityNamesAreCutAsByTheReference(t *testing.T) {
	for in, want := range map[string]string{
		"มานามา": "มาน|า|มา", "มินสก์": "ม|น|สก|", "แมนเชสเตอร์": "แมนเชสเตอร",
	} {
		if got := words(Default, in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
