package api

import "encoding/json"

// DefaultDocumentTemplate renders a document for embedders and chats: every
// searchable field that has a value (spec write-api 13.5).
const DefaultDocumentTemplate = "{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}"

// DefaultTemplateMaxBytes bounds a rendered text.
const DefaultTemplateMaxBytes = 400

// ChatPatch changes the experimental setting chat. The effective setting has the
// same form with every member set (spec write-api 12.5).
type ChatPatch struct {
	Description      Field[string]
	DocumentTemplate Field[string]
	TemplateMaxBytes Field[uint64]
	SearchParameters Field[ChatSearch]
}

// ChatSearch changes chat.searchParameters; a null member is removed.
type ChatSearch struct {
	Hybrid                Field[Hybrid]
	Limit                 Field[uint64]
	Sort                  Field[[]string]
	Distinct              Field[string]
	MatchingStrategy      Field[string]
	AttributesToSearchOn  Field[[]string]
	RankingScoreThreshold Field[float64]
}

// ratio accepts a number of 0 to 1; name is that of the parameter in the text.
func ratio(name string) Decoder[float64] {
	return Decoder[float64](Float).Then(func(at *Loc, f float64) *Error {
		if !(f >= 0 && f <= 1) {
			return at.Invalid("the value of `" + name + "` is invalid, expected a float between `0.0` and `1.0`.")
		}
		return nil
	})
}

var chatHybridObject = NewObject(
	Plain("semanticRatio", Code{}, func(at *Loc, v *Value) (float32, *Error) {
		f, err := ratio("semanticRatio")(at, v)
		return float32(f), err
	}, func(h *Hybrid) *float32 { return &h.SemanticRatio }),
	Plain("embedder", Code{}, String, func(h *Hybrid) *string { return &h.Embedder }).Required(Code{}),
)

var chatSearchObject = NewObject(
	Tristate("hybrid", Code{}, chatHybridObject.As(func() Hybrid { return Hybrid{SemanticRatio: DefaultSemanticRatio} }),
		func(c *ChatSearch) *Field[Hybrid] { return &c.Hybrid }),
	Tristate("limit", Code{}, Uint, func(c *ChatSearch) *Field[uint64] { return &c.Limit }),
	Tristate("sort", Code{}, Strings, func(c *ChatSearch) *Field[[]string] { return &c.Sort }),
	Tristate("distinct", Code{}, String, func(c *ChatSearch) *Field[string] { return &c.Distinct }),
	Tristate("matchingStrategy", Code{}, OneOf("last", "all", "frequency"), func(c *ChatSearch) *Field[string] { return &c.MatchingStrategy }),
	Tristate("attributesToSearchOn", Code{}, Strings, func(c *ChatSearch) *Field[[]string] { return &c.AttributesToSearchOn }),
	Tristate("rankingScoreThreshold", Code{}, ratio("rankingScoreThreshold"), func(c *ChatSearch) *Field[float64] { return &c.RankingScoreThreshold }),
)

var chatObject = NewObject(
	Tristate("description", Code{}, String, func(c *ChatPatch) *Field[string] { return &c.Description }),
	Tristate("documentTemplate", Code{}, String, func(c *ChatPatch) *Field[string] { return &c.DocumentTemplate }),
	Tristate("documentTemplateMaxBytes", Code{}, Uint, func(c *ChatPatch) *Field[uint64] { return &c.TemplateMaxBytes }),
	Tristate("searchParameters", Code{}, chatSearchObject.As(func() ChatSearch { return ChatSearch{} }),
		func(c *ChatPatch) *Field[ChatSearch] { return &c.SearchParameters }),
)

func writeChat(dst []byte, c ChatPatch, _ bool) []byte {
	o := object{buf: dst}
	writeField(&o, "description", c.Description, writeString)
	writeField(&o, "documentTemplate", c.DocumentTemplate, writeString)
	writeField(&o, "documentTemplateMaxBytes", c.TemplateMaxBytes, writeUint)
	writeField(&o, "searchParameters", c.SearchParameters, writeChatSearch)
	return o.end()
}

func writeChatSearch(dst []byte, c ChatSearch, _ bool) []byte {
	o := object{buf: dst}
	writeField(&o, "hybrid", c.Hybrid, writeHybrid)
	writeField(&o, "limit", c.Limit, writeUint)
	writeField(&o, "sort", c.Sort, writeStrings)
	writeField(&o, "distinct", c.Distinct, writeString)
	writeField(&o, "matchingStrategy", c.MatchingStrategy, writeString)
	writeField(&o, "attributesToSearchOn", c.AttributesToSearchOn, writeStrings)
	writeField(&o, "rankingScoreThreshold", c.RankingScoreThreshold, func(dst []byte, f float64, _ bool) []byte { return AppendFloat(dst, f) })
	return o.end()
}

func writeHybrid(dst []byte, h Hybrid, _ bool) []byte {
	dst = AppendFloat32(append(dst, `{"semanticRatio":`...), h.SemanticRatio)
	return append(AppendString(append(dst, `,"embedder":`...), h.Embedder), '}')
}

func defaultChat() ChatPatch {
	return ChatPatch{
		Description: Set(""), DocumentTemplate: Set(DefaultDocumentTemplate),
		TemplateMaxBytes: Set(uint64(DefaultTemplateMaxBytes)), SearchParameters: Set(ChatSearch{}),
	}
}

// storedChat decodes the stored setting, which is in the public form.
func storedChat(raw json.RawMessage) ChatPatch {
	c := defaultChat()
	if len(raw) == 0 {
		return c
	}
	if v, err := ParseJSON(raw); err == nil {
		if chatObject.Decode(BodyRoot(CodeInternal), &v, &c) == nil {
			return c
		}
	}
	return defaultChat()
}

func applyChat(s *Settings, p *SettingsPatch, _ *SettingsEnv) {
	if p.Chat.IsNull() {
		s.Chat = nil
		return
	}
	c, fresh, change := storedChat(s.Chat), defaultChat(), &p.Chat.Value
	replace(&c.Description, change.Description, fresh.Description)
	replace(&c.DocumentTemplate, change.DocumentTemplate, fresh.DocumentTemplate)
	replace(&c.TemplateMaxBytes, change.TemplateMaxBytes, fresh.TemplateMaxBytes)
	if change.SearchParameters.IsNull() {
		c.SearchParameters = fresh.SearchParameters
	}
	if change.SearchParameters.IsSet() {
		search, n := &c.SearchParameters.Value, &change.SearchParameters.Value
		replace(&search.Hybrid, n.Hybrid, Field[Hybrid]{})
		replace(&search.Limit, n.Limit, Field[uint64]{})
		replace(&search.Sort, n.Sort, Field[[]string]{})
		replace(&search.Distinct, n.Distinct, Field[string]{})
		replace(&search.MatchingStrategy, n.MatchingStrategy, Field[string]{})
		replace(&search.AttributesToSearchOn, n.AttributesToSearchOn, Field[[]string]{})
		replace(&search.RankingScoreThreshold, n.RankingScoreThreshold, Field[float64]{})
	}
	s.Chat = writeChat(nil, c, false)
}

// replace lays a given change over old; null restores fresh.
func replace[T any](old *Field[T], change, fresh Field[T]) {
	switch {
	case change.IsSet():
		*old = change
	case change.IsNull():
		*old = fresh
	}
}

func showChat(dst []byte, s *Settings) []byte { return writeChat(dst, storedChat(s.Chat), true) }

// checkChat is the asynchronous validation of chat. Only a template that one of
// the patches brings is compiled.
func checkChat(s *Settings, patches []*SettingsPatch, t Templates) *Error {
	if len(s.Chat) == 0 {
		return nil
	}
	chat := storedChat(s.Chat)
	for _, p := range patches {
		if !p.Chat.Value.DocumentTemplate.IsSet() {
			continue
		}
		if err := t.check(p.Chat.Value.DocumentTemplate.Value); err != nil {
			return NewError(CodeInvalidChatSettingDocumentTemplate,
				"`.chat.documentTemplate`: Invalid document template: user error: cannot parse template: "+err.Error()+".")
		}
	}
	if chat.TemplateMaxBytes.Value == 0 {
		return NewError(CodeInvalidSettingsEmbedders, "`.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero")
	}
	return nil
}
