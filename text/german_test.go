package text

import (
	"testing"

	"shoal/text/language"
)

func TestGerman(t *testing.T) {
	german := New(Options{Locales: []language.Language{language.Deu}})
	for _, c := range []struct{ in, want string }{
		{"Dampfschifffahrtskapitän", "dampf|schifffahrts|kapitan"},
		{"Literaturverwaltungsprogramm", "literatur|verwaltungs|programm"},
		{"Aufgabenplanung Eisbrecher Straßenbahnhaltestelle", "aufgaben|planung|eis|brecher|straßen|bahn|haltestelle"},
		{"Fußball", "fußball"},
		{"Interkulturalität", "inter|kultur|alitat"},
		{"kulturalität", "kultur|alitat"},
		{"Wissensorganisation", "wissens|organisation"},
		{"Bauer Bauern spielen Handeln Bewerbungen", "bauer|bauern|spielen|handeln|bewerbungen"},
		{"der und über Magdeburg", "der|und|uber|magdeburg"},
		{"HAUS", "haus"},
		{"Windows11", "windows11"},
	} {
		if got := words(german, c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
	if got := words(Default, "Aufgabenplanung"); got != "aufgabenplanung" {
		t.Error(got)
	}
	several := New(Options{Locales: []language.Language{language.Deu, language.Eng}})
	for in, want := range map[string]string{
		"Die Aufgabenplanung der Verwaltung ist nicht einfach und sie wird immer schwieriger": "die|aufgaben|planung|der|verwaltung|ist|nicht|einfach|und|sie|wird|immer|schwieriger",
		"the handball players of the town are not the ones that we have seen before":          "the|handball|players|of|the|town|are|not|the|ones|that|we|have|seen|before",
	} {
		if got := words(several, in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}
