package settings

import (
	"slices"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
)

// CodeTypoTolerance is also the code of sizes that contradict each other.
var CodeTypoTolerance = apierr.Declare("invalid_settings_typo_tolerance")

// typoTolerance says which words may have typos, and how many.
var typoTolerance = row[TypoPatch]{
	Name: "typoTolerance", Path: "typo-tolerance", Verb: "PATCH", Code: CodeTypoTolerance,
	decode: typoObject.Read,
	write:  typoObject.Write,
	show:   showTypo,
	apply:  applyTypo,
	fits: func(s *Settings, _ []TypoPatch, _ *Env) *apierr.Error {
		if t := s.TypoTolerance; t.OneTypo > t.TwoTypos {
			return apierr.New(CodeTypoTolerance, minWordSizeText(uint64(t.OneTypo), uint64(t.TwoTypos)))
		}
		return nil
	},
	effect: func(old, new *Settings) rewrites {
		return rewrites{text: old.TypoTolerance.DisableOnNumbers != new.TypoTolerance.DisableOnNumbers ||
			!slices.Equal(old.TypoTolerance.DisableOnAttributes, new.TypoTolerance.DisableOnAttributes) ||
			!slices.Equal(old.TypoTolerance.InfixOnAttributes, new.TypoTolerance.InfixOnAttributes)}
	},
}.setting()

// TypoTolerance is the setting of that name.
type TypoTolerance struct {
	Enabled             bool     `json:"enabled"`
	OneTypo             int      `json:"oneTypo"`
	TwoTypos            int      `json:"twoTypos"`
	DisableOnWords      []string `json:"disableOnWords,omitempty"`
	DisableOnAttributes []string `json:"disableOnAttributes,omitempty"`
	DisableOnNumbers    bool     `json:"disableOnNumbers,omitempty"`
	// InfixOnAttributes are the attributes that are searched inside words, too.
	InfixOnAttributes []string `json:"infixOnAttributes,omitempty"`
}

// TypoPatch changes typoTolerance.
type TypoPatch struct {
	Enabled             decode.Field[bool]
	MinWordSize         decode.Field[MinWordSizePatch]
	DisableOnWords      decode.Field[[]string]
	DisableOnAttributes decode.Field[[]string]
	DisableOnNumbers    decode.Field[bool]
	InfixOnAttributes   decode.Field[[]string]
}

// ByInfix tells whether the patch has attributes searched inside words, which programs before
// wire.InfixSince do not know.
func (p *Patch) ByInfix() bool {
	return len(of[TypoPatch](p, typoTolerance).Value.InfixOnAttributes.Value) > 0
}

// ByInfix is that of a patch, for settings in force.
func (s *Settings) ByInfix() bool { return len(s.TypoTolerance.InfixOnAttributes) > 0 }

// RefuseInfix is the error of settings that have words searched inside in a cluster in which
// not all nodes know them.
func RefuseInfix() *apierr.Error {
	return apierr.New(CodeTypoTolerance, "`infixOnAttributes` can be used once all nodes of the cluster have been upgraded.")
}

// MinWordSizePatch changes typoTolerance.minWordSizeForTypos.
type MinWordSizePatch struct {
	OneTypo, TwoTypos decode.Field[uint64]
}

var minWordSizeObject = decode.NewObject(
	decode.Patched("oneTypo", apierr.Code{}, decode.UintUpTo(255), decode.WriteUint, func(p *MinWordSizePatch) *decode.Field[uint64] { return &p.OneTypo }),
	decode.Patched("twoTypos", apierr.Code{}, decode.UintUpTo(255), decode.WriteUint, func(p *MinWordSizePatch) *decode.Field[uint64] { return &p.TwoTypos }),
)

var minWordSize = decode.Decoder[MinWordSizePatch](minWordSizeObject.Read).
	Then(func(at *decode.Loc, p MinWordSizePatch) *apierr.Error {
		if p.OneTypo.IsSet() && p.TwoTypos.IsSet() && p.OneTypo.Value > p.TwoTypos.Value {
			return at.Invalid(minWordSizeText(p.OneTypo.Value, p.TwoTypos.Value))
		}
		return nil
	})

var typoObject = decode.NewObject(
	decode.Patched("enabled", apierr.Code{}, decode.Bool, decode.WriteBool, func(p *TypoPatch) *decode.Field[bool] { return &p.Enabled }),
	decode.Patched("minWordSizeForTypos", CodeTypoTolerance, minWordSize, minWordSizeObject.Write, func(p *TypoPatch) *decode.Field[MinWordSizePatch] { return &p.MinWordSize }),
	decode.Patched("disableOnWords", apierr.Code{}, decode.StringSet, decode.WriteStrings, func(p *TypoPatch) *decode.Field[[]string] { return &p.DisableOnWords }),
	decode.Patched("disableOnAttributes", apierr.Code{}, decode.StringSet, decode.WriteStrings, func(p *TypoPatch) *decode.Field[[]string] { return &p.DisableOnAttributes }),
	decode.Patched("disableOnNumbers", apierr.Code{}, decode.Bool, decode.WriteBool, func(p *TypoPatch) *decode.Field[bool] { return &p.DisableOnNumbers }),
	decode.Patched("infixOnAttributes", apierr.Code{}, decode.StringSet, decode.WriteStrings, func(p *TypoPatch) *decode.Field[[]string] { return &p.InfixOnAttributes }).Unlisted(),
)

func minWordSizeText(one, two uint64) string {
	return "`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found `oneTypo: " +
		strconv.FormatUint(one, 10) + "` and twoTypos: " + strconv.FormatUint(two, 10) + "`."
}

func applyTypo(s *Settings, f decode.Field[TypoPatch], env *Env) *apierr.Error {
	t, fresh := s.TypoTolerance, Default().TypoTolerance
	if f.IsNull() {
		s.TypoTolerance = fresh
		return nil
	}
	c := &f.Value
	if c.Enabled.Given() {
		t.Enabled = c.Enabled.Or(fresh.Enabled)
	}
	if c.MinWordSize.IsNull() {
		t.OneTypo, t.TwoTypos = fresh.OneTypo, fresh.TwoTypos
	}
	if size := c.MinWordSize.Value; size.OneTypo.Given() {
		t.OneTypo = int(size.OneTypo.Or(uint64(fresh.OneTypo)))
	}
	if size := c.MinWordSize.Value; size.TwoTypos.Given() {
		t.TwoTypos = int(size.TwoTypos.Or(uint64(fresh.TwoTypos)))
	}
	if c.DisableOnWords.Given() {
		words := make([]string, 0, len(c.DisableOnWords.Value))
		for _, w := range c.DisableOnWords.Value {
			words = append(words, env.Normalize(w))
		}
		t.DisableOnWords = sortedSet(words)
	}
	if c.DisableOnAttributes.Given() {
		t.DisableOnAttributes = c.DisableOnAttributes.Or(nil)
	}
	if c.DisableOnNumbers.Given() {
		t.DisableOnNumbers = c.DisableOnNumbers.Or(fresh.DisableOnNumbers)
	}
	if c.InfixOnAttributes.Given() {
		t.InfixOnAttributes = c.InfixOnAttributes.Or(nil)
	}
	s.TypoTolerance = t
	return nil
}

func showTypo(dst []byte, s *Settings) []byte {
	t := &s.TypoTolerance
	dst = decode.WriteBool(append(dst, `{"enabled":`...), t.Enabled, true)
	dst = strconv.AppendInt(append(dst, `,"minWordSizeForTypos":{"oneTypo":`...), int64(t.OneTypo), 10)
	dst = strconv.AppendInt(append(dst, `,"twoTypos":`...), int64(t.TwoTypos), 10)
	dst = decode.WriteStrings(append(dst, `},"disableOnWords":`...), t.DisableOnWords, true)
	dst = decode.WriteStrings(append(dst, `,"disableOnAttributes":`...), t.DisableOnAttributes, true)
	dst = decode.WriteBool(append(dst, `,"disableOnNumbers":`...), t.DisableOnNumbers, true)
	if len(t.InfixOnAttributes) > 0 { // clients of API 1.50 do not know the member
		dst = decode.WriteStrings(append(dst, `,"infixOnAttributes":`...), t.InfixOnAttributes, true)
	}
	return append(dst, '}')
}
