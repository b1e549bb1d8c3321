package settings

import "strings"

// localeAliases and localeCodes are parallel up to the end of the first: an ISO
// 639-1 code and the 639-3 code it stands for (spec write-api 12.6).
var (
	localeAliases = strings.Fields("af ak am ar az be bn bg ca cs da de el en eo et fi fr gu he hi hr hu hy id it jv ja kn ka km ko la lv lt ml mr mk my ne nl nb or pa fa pl pt ro ru si sk sl sn es sr sv ta te tl th tk tr uk ur uz vi yi zh zu")
	localeCodes   = strings.Fields("afr aka amh ara aze bel ben bul cat ces dan deu ell eng epo est fin fra guj heb hin hrv hun hye ind ita jav jpn kan kat khm kor lat lav lit mal mar mkd mya nep nld nob ori pan pes pol por ron rus sin slk slv sna spa srp swe tam tel tgl tha tuk tur ukr urd uzb vie yid zho zul cmn")
)

// Locales lists the accepted codes in the order of messages. Read-only.
var Locales = append(append([]string(nil), localeAliases...), localeCodes...)

// Locale639_3 gives the three-letter form of an accepted code; other texts are
// returned as they are.
func Locale639_3(code string) string {
	for i, alias := range localeAliases {
		if alias == code {
			return localeCodes[i]
		}
	}
	return code
}
