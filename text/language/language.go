package language

import "strings"

// Language is a natural language by its three-letter code, or [NoLanguage].
type Language uint8

// The languages a client can name, in the order of the public list (spec
// write-api 12.6).
const (
	NoLanguage Language = iota
	Afr
	Aka
	Amh
	Ara
	Aze
	Bel
	Ben
	Bul
	Cat
	Ces
	Dan
	Deu
	Ell
	Eng
	Epo
	Est
	Fin
	Fra
	Guj
	Heb
	Hin
	Hrv
	Hun
	Hye
	Ind
	Ita
	Jav
	Jpn
	Kan
	Kat
	Khm
	Kor
	Lat
	Lav
	Lit
	Mal
	Mar
	Mkd
	Mya
	Nep
	Nld
	Nob
	Ori
	Pan
	Pes
	Pol
	Por
	Ron
	Rus
	Sin
	Slk
	Slv
	Sna
	Spa
	Srp
	Swe
	Tam
	Tel
	Tgl
	Tha
	Tuk
	Tur
	Ukr
	Urd
	Uzb
	Vie
	Yid
	Zho
	Zul
	Cmn
	languageCount
)

// languageCodes lists the three-letter codes by number, languageAliases the two-letter
// codes. cmn has none.
var (
	languageCodes = strings.Fields(`- afr aka amh ara aze bel ben bul cat ces dan deu ell eng epo est fin fra guj heb hin hrv hun hye ind ita
		jav jpn kan kat khm kor lat lav lit mal mar mkd mya nep nld nob ori pan pes pol por ron rus sin slk slv sna spa srp swe tam tel
		tgl tha tuk tur ukr urd uzb vie yid zho zul cmn`)
	languageAliases = strings.Fields(`- af ak am ar az be bn bg ca cs da de el en eo et fi fr gu he hi hr hu hy id it jv ja kn ka km ko la lv
		lt ml mr mk my ne nl nb or pa fa pl pt ro ru si sk sl sn es sr sv ta te tl th tk tr uk ur uz vi yi zh zu`)
	languageByCode = indexLanguages()
)

func indexLanguages() map[string]Language {
	m := make(map[string]Language, len(languageCodes)+len(languageAliases))
	for i, code := range languageCodes[1:] {
		m[code] = Language(i + 1)
	}
	for i, code := range languageAliases[1:] {
		m[code] = Language(i + 1)
	}
	return m
}

// ParseLanguage returns the language with this code, ISO 639-3 or 639-1 in lower
// case.
func ParseLanguage(code string) (Language, bool) {
	l, ok := languageByCode[code]
	return l, ok
}

// ParseLanguages returns the languages with these codes and ignores unknown codes. It never
// returns nil: an empty list allows no language, but nil would allow all.
func ParseLanguages(codes []string) []Language {
	list := make([]Language, 0, len(codes))
	for _, code := range codes {
		if l, ok := ParseLanguage(code); ok {
			list = append(list, l)
		}
	}
	return list
}

// Code returns the three-letter code, or "" for [NoLanguage].
func (l Language) Code() string {
	if l == NoLanguage || l >= languageCount {
		return ""
	}
	return languageCodes[l]
}

// String returns the code, "none" for [NoLanguage].
func (l Language) String() string {
	if c := l.Code(); c != "" {
		return c
	}
	return "none"
}
