package language

import "testing"

func TestLanguages(t *testing.T) {
	if len(languageCodes) != int(languageCount) || len(languageAliases) != int(languageCount)-1 {
		t.Fatalf("%d codes, %d aliases, %d languages", len(languageCodes), len(languageAliases), languageCount)
	}
	for code, want := range map[string]Language{"deu": Deu, "de": Deu, "cmn": Cmn, "zh": Zho, "fa": Pes, "jpn": Jpn, "zul": Zul, "sv": Swe} {
		if got, ok := ParseLanguage(code); !ok || got != want {
			t.Errorf("%s: %v", code, got)
		}
		if len(code) == 3 && want.Code() != code {
			t.Errorf("%s is shown as %s", code, want.Code())
		}
	}
	if _, ok := ParseLanguage("-"); ok {
		t.Error("- is a language")
	}
}

// A profile without one of its trigrams would give other languages.
func TestProfilesAreWhole(t *testing.T) {
	arabic, latin := arabicProfiles(), latinProfiles()
	if len(arabic) != 3 || len(latin) != len(latinAlphabets) {
		t.Errorf("%d and %d profiles", len(arabic), len(latin))
	}
	for _, profiles := range []map[Language]profile{arabic, latin} {
		for l, p := range profiles {
			if len(p) != 300 {
				t.Errorf("%s has %d trigrams", l.Code(), len(p))
			}
		}
	}
}
