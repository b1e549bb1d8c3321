package settings

import (
	"slices"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// localizedAttributes says in which languages attributes are written.
var localizedAttributes = row[[]LocalizedAttribute]{
	Name: "localizedAttributes", Path: "localized-attributes", Verb: "PUT", Code: apierr.Declare("invalid_settings_localized_attributes"),
	decode: decode.List(localizedObject.Read),
	write:  writeLocalized,
	show:   showLocalized,
	apply:  applyLocalized,
	effect: func(old, new *Settings) rewrites {
		changed := !slices.EqualFunc(old.LocalizedAttributes, new.LocalizedAttributes, func(a, b LocalizedAttribute) bool {
			return slices.Equal(a.AttributePatterns, b.AttributePatterns) && slices.Equal(a.Locales, b.Locales)
		})
		return rewrites{text: changed, facet: changed}
	},
}.setting()

// LocalizedAttribute is one rule of localizedAttributes.
type LocalizedAttribute struct {
	AttributePatterns []string `json:"attributePatterns"`
	Locales           []string `json:"locales"`
}

var localizedObject = decode.NewObject(
	decode.Plain("attributePatterns", apierr.Code{}, decode.Strings, func(l *LocalizedAttribute) *[]string { return &l.AttributePatterns }).Required(apierr.Code{}),
	decode.Plain("locales", apierr.Code{}, decode.List(decode.OneOf(Locales...)), func(l *LocalizedAttribute) *[]string { return &l.Locales }).Required(apierr.Code{}),
)

func applyLocalized(s *Settings, f decode.Field[[]LocalizedAttribute], _ *Env) *apierr.Error {
	s.LocalizedAttributes = nil
	if !f.IsSet() {
		return nil
	}
	s.LocalizedAttributes = make([]LocalizedAttribute, 0, len(f.Value))
	for _, rule := range f.Value {
		codes := make([]string, len(rule.Locales))
		for i, code := range rule.Locales {
			codes[i] = Locale639_3(code)
		}
		s.LocalizedAttributes = append(s.LocalizedAttributes, LocalizedAttribute{AttributePatterns: rule.AttributePatterns, Locales: codes})
	}
	return nil
}

func writeLocalized(dst []byte, rules []LocalizedAttribute, _ bool) []byte {
	return jsonvalue.AppendList(dst, rules, func(r *LocalizedAttribute, dst []byte) []byte {
		dst = decode.WriteStrings(append(dst, `{"attributePatterns":`...), r.AttributePatterns, true)
		dst = decode.WriteStrings(append(dst, `,"locales":`...), r.Locales, true)
		return append(dst, '}')
	})
}

func showLocalized(dst []byte, s *Settings) []byte {
	if s.LocalizedAttributes == nil {
		return append(dst, "null"...)
	}
	return writeLocalized(dst, s.LocalizedAttributes, true)
}

// localeAliases and localeCodes are parallel up to the end of the first: an ISO 639-1 code
// and its 639-3 code (spec write-api 12.6).
var (
	localeAliases = strings.Fields("af ak am ar az be bn bg ca cs da de el en eo et fi fr gu he hi hr hu hy id it jv ja kn ka km ko la lv lt ml mr mk my ne nl nb or pa fa pl pt ro ru si sk sl sn es sr sv ta te tl th tk tr uk ur uz vi yi zh zu")
	localeCodes   = strings.Fields("afr aka amh ara aze bel ben bul cat ces dan deu ell eng epo est fin fra guj heb hin hrv hun hye ind ita jav jpn kan kat khm kor lat lav lit mal mar mkd mya nep nld nob ori pan pes pol por ron rus sin slk slv sna spa srp swe tam tel tgl tha tuk tur ukr urd uzb vie yid zho zul cmn")
)

// Locales lists the accepted codes in the order of messages. Read-only.
var Locales = append(append([]string(nil), localeAliases...), localeCodes...)

// Locale639_3 returns the three-letter form of an accepted code. It returns other texts
// unchanged.
func Locale639_3(code string) string {
	for i, alias := range localeAliases {
		if alias == code {
			return localeCodes[i]
		}
	}
	return code
}
