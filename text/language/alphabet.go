package language

import (
	"strings"
	"sync"
)

// latinAlphabets are the languages of Latin script with their alphabets: a to z without the
// letters that a language lacks, plus additional ones. The order decides between equally
// likely languages. All of it is from the crate whatlang.
var latinAlphabets = [...]struct {
	language    Language
	lacks, adds string
}{
	{Spa, "", "¡¿áéíñóúü"},
	{Eng, "", ""},
	{Por, "", "àáâãçéêíóôõú"},
	{Ind, "", ""},
	{Fra, "", "àâçèéêëîïôùûüÿœ"},
	{Deu, "", "ßäöü"},
	{Jav, "", "èé"},
	{Vie, "", "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"},
	{Ita, "", "àèéìòù"},
	{Tur, "", "çöüğış\u0307"},
	{Pol, "", "óąćęłńśźż"},
	{Ron, "", "âîăşţ"},
	{Hrv, "", "ćčđšž"},
	{Nld, "", "àèéëïĳ"},
	{Uzb, "w", "ʻ"},
	{Hun, "", "áéíóöúüőű"},
	{Aze, "w", "çöüğışə\u0307"},
	{Ces, "", "áéíóúýčďěňřšťůž"},
	{Zul, "", ""},
	{Swe, "", "äåö"},
	{Aka, "cjqvxz", "ɔɛ"},
	{Sna, "", ""},
	{Afr, "", "áèéêëíîïóôúû"},
	{Fin, "", "äöšž"},
	{Slk, "", "áäéíóôúýčďĺľňŕšťž"},
	{Tgl, "", "áéíñóú"},
	{Tuk, "cqvx", "äçöüýňşž"},
	{Dan, "", "åæø"},
	{Nob, "", "åæø"},
	{Cat, "", "·àçèéíïòóúü"},
	{Lit, "", "ąčėęįšūųž"},
	{Slv, "", "čšž"},
	{Epo, "qwxy", "ĉĝĥĵŝŭ"},
	{Lav, "", "āčēģīķļņōŗšūž"},
	{Est, "", "äõöü"},
	{Lat, "", ""},
}

// letterUse has, for each letter, one bit for each of latinAlphabets that contains it.
var letterUse = sync.OnceValue(func() map[rune]uint64 {
	use := make(map[rune]uint64, 128)
	for i, a := range latinAlphabets {
		for r := 'a'; r <= 'z'; r++ {
			if !strings.ContainsRune(a.lacks, r) {
				use[r] |= 1 << i
			}
		}
		for _, r := range a.adds {
			use[r] |= 1 << i
		}
	}
	return use
})

// countLetters counts the characters of a lower-case text without ASCII punctuation, digits
// and spaces, and how many of them are in each of latinAlphabets.
func countLetters(lower []rune) (n int, hits [len(latinAlphabets)]int) {
	use := letterUse()
	for _, r := range lower {
		if isNeutralASCII(r) {
			continue
		}
		n++
		letters := use[r]
		for i := range hits {
			hits[i] += int(letters >> i & 1)
		}
	}
	return n, hits
}
