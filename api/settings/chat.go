package settings

import (
	"encoding/json"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// DefaultDocumentTemplate renders a document for embedders and chats: every
// searchable field that has a value (spec write-api 13.5).
const DefaultDocumentTemplate = "{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}"

// DefaultTemplateMaxBytes bounds a rendered text.
const DefaultTemplateMaxBytes = 400

// chat configures conversations about the index.
var chat = row[ChatPatch]{
	Name: "chat", Path: "chat", Verb: "PATCH", Code: apierr.Declare("invalid_settings_index_chat"),
	decode: chatObject.Read,
	write:  chatObject.Write,
	show:   func(dst []byte, s *Settings) []byte { return chatObject.Write(dst, storedChat(s.Chat), true) },
	gate: func(f Features) *apierr.Error {
		if f.ChatCompletions {
			return nil
		}
		return apierr.FeatureNotEnabled("setting `chat` in the index settings", "chat completions", 835)
	},
	apply: applyChat,
	fits:  checkChat,
}.setting()

// ChatPatch changes the experimental setting chat. The effective setting has the same form
// with every member set (spec write-api 12.5).
type ChatPatch struct {
	Description      decode.Field[string]
	DocumentTemplate decode.Field[string]
	TemplateMaxBytes decode.Field[uint64]
	SearchParameters decode.Field[ChatSearch]
}

// ChatSearch changes chat.searchParameters; a null member is removed.
type ChatSearch struct {
	Hybrid                decode.Field[Hybrid]
	Limit                 decode.Field[uint64]
	Sort                  decode.Field[[]string]
	Distinct              decode.Field[string]
	MatchingStrategy      decode.Field[string]
	AttributesToSearchOn  decode.Field[[]string]
	RankingScoreThreshold decode.Field[float64]
}

// ratio accepts a number from 0 to 1. name is the parameter's name in the message.
func ratio(name string) decode.Decoder[float64] {
	return decode.Decoder[float64](decode.Float).Then(func(at *decode.Loc, f float64) *apierr.Error {
		if !(f >= 0 && f <= 1) {
			return at.Invalid("the value of `" + name + "` is invalid, expected a float between `0.0` and `1.0`.")
		}
		return nil
	})
}

var chatHybridObject = decode.NewObject(
	decode.Plain("semanticRatio", apierr.Code{}, func(at *decode.Loc, v *jsonvalue.Value) (float32, *apierr.Error) {
		f, err := ratio("semanticRatio")(at, v)
		return float32(f), err
	}, func(h *Hybrid) *float32 { return &h.SemanticRatio }),
	decode.Plain("embedder", apierr.Code{}, decode.String, func(h *Hybrid) *string { return &h.Embedder }).Required(apierr.Code{}),
)

var chatSearchObject = decode.NewObject(
	decode.Patched("hybrid", apierr.Code{}, chatHybridObject.As(func() Hybrid { return Hybrid{SemanticRatio: DefaultSemanticRatio} }), writeHybrid,
		func(c *ChatSearch) *decode.Field[Hybrid] { return &c.Hybrid }),
	decode.Patched("limit", apierr.Code{}, decode.Uint, decode.WriteUint, func(c *ChatSearch) *decode.Field[uint64] { return &c.Limit }),
	decode.Patched("sort", apierr.Code{}, decode.Strings, decode.WriteStrings, func(c *ChatSearch) *decode.Field[[]string] { return &c.Sort }),
	decode.Patched("distinct", apierr.Code{}, decode.String, decode.WriteString, func(c *ChatSearch) *decode.Field[string] { return &c.Distinct }),
	decode.Patched("matchingStrategy", apierr.Code{}, decode.OneOf("last", "all", "frequency"), decode.WriteString, func(c *ChatSearch) *decode.Field[string] { return &c.MatchingStrategy }),
	decode.Patched("attributesToSearchOn", apierr.Code{}, decode.Strings, decode.WriteStrings, func(c *ChatSearch) *decode.Field[[]string] { return &c.AttributesToSearchOn }),
	decode.Patched("rankingScoreThreshold", apierr.Code{}, ratio("rankingScoreThreshold"), func(dst []byte, f float64, _ bool) []byte { return jsonvalue.AppendFloat(dst, f) },
		func(c *ChatSearch) *decode.Field[float64] { return &c.RankingScoreThreshold }),
)

var chatObject = decode.NewObject(
	decode.Patched("description", apierr.Code{}, decode.String, decode.WriteString, func(c *ChatPatch) *decode.Field[string] { return &c.Description }),
	decode.Patched("documentTemplate", apierr.Code{}, decode.String, decode.WriteString, func(c *ChatPatch) *decode.Field[string] { return &c.DocumentTemplate }),
	decode.Patched("documentTemplateMaxBytes", apierr.Code{}, decode.Uint, decode.WriteUint, func(c *ChatPatch) *decode.Field[uint64] { return &c.TemplateMaxBytes }),
	decode.Patched("searchParameters", apierr.Code{}, chatSearchObject.Read, chatSearchObject.Write,
		func(c *ChatPatch) *decode.Field[ChatSearch] { return &c.SearchParameters }),
)

func writeHybrid(dst []byte, h Hybrid, _ bool) []byte {
	dst = jsonvalue.AppendFloat32(append(dst, `{"semanticRatio":`...), h.SemanticRatio)
	return append(jsonvalue.AppendString(append(dst, `,"embedder":`...), h.Embedder), '}')
}

func defaultChat() ChatPatch {
	return ChatPatch{
		Description: decode.Set(""), DocumentTemplate: decode.Set(DefaultDocumentTemplate),
		TemplateMaxBytes: decode.Set(uint64(DefaultTemplateMaxBytes)), SearchParameters: decode.Set(ChatSearch{}),
	}
}

// storedChat decodes the stored setting, which has the public form.
func storedChat(raw json.RawMessage) ChatPatch {
	c := defaultChat()
	if len(raw) == 0 {
		return c
	}
	if v, err := jsonvalue.Parse(raw); err == nil {
		if chatObject.Decode(decode.BodyRoot(apierr.CodeInternal), &v, &c) == nil {
			return c
		}
	}
	return defaultChat()
}

// replace lays a given change over old. null restores fresh.
func replace[T any](old *decode.Field[T], change, fresh decode.Field[T]) {
	switch {
	case change.IsSet():
		*old = change
	case change.IsNull():
		*old = fresh
	}
}

func applyChat(s *Settings, f decode.Field[ChatPatch], _ *Env) *apierr.Error {
	if f.IsNull() {
		s.Chat = nil
		return nil
	}
	c, fresh, change := storedChat(s.Chat), defaultChat(), &f.Value
	replace(&c.Description, change.Description, fresh.Description)
	replace(&c.DocumentTemplate, change.DocumentTemplate, fresh.DocumentTemplate)
	replace(&c.TemplateMaxBytes, change.TemplateMaxBytes, fresh.TemplateMaxBytes)
	if change.SearchParameters.IsNull() {
		c.SearchParameters = fresh.SearchParameters
	}
	if change.SearchParameters.IsSet() {
		search, n := &c.SearchParameters.Value, &change.SearchParameters.Value
		replace(&search.Hybrid, n.Hybrid, decode.Field[Hybrid]{})
		replace(&search.Limit, n.Limit, decode.Field[uint64]{})
		replace(&search.Sort, n.Sort, decode.Field[[]string]{})
		replace(&search.Distinct, n.Distinct, decode.Field[string]{})
		replace(&search.MatchingStrategy, n.MatchingStrategy, decode.Field[string]{})
		replace(&search.AttributesToSearchOn, n.AttributesToSearchOn, decode.Field[[]string]{})
		replace(&search.RankingScoreThreshold, n.RankingScoreThreshold, decode.Field[float64]{})
	}
	s.Chat = chatObject.Write(nil, c, false)
	return nil
}

// checkChat validates chat for a task. It compiles only templates that one of the patches
// contains.
func checkChat(s *Settings, given []ChatPatch, env *Env) *apierr.Error {
	if len(s.Chat) == 0 {
		return nil
	}
	chat := storedChat(s.Chat)
	for i := range given {
		if !given[i].DocumentTemplate.IsSet() {
			continue
		}
		if err := env.Templates.check(given[i].DocumentTemplate.Value); err != nil {
			return apierr.New(apierr.CodeInvalidChatSettingDocumentTemplate,
				"`.chat.documentTemplate`: Invalid document template: user error: cannot parse template: "+err.Error()+".")
		}
	}
	if chat.TemplateMaxBytes.Value == 0 {
		return apierr.New(codeEmbedders, "`.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero")
	}
	return nil
}

// DefaultSemanticRatio applies to a search that names an embedder but no ratio.
const DefaultSemanticRatio = 0.5

// Hybrid selects an embedder. SemanticRatio is between 0 and 1.
type Hybrid struct {
	Embedder      string  `json:"embedder"`
	SemanticRatio float32 `json:"semanticRatio"`
}

// ChatTemplate is the template that renders documents for chats (setting
// chat.documentTemplate).
func (s *Settings) ChatTemplate() string { return storedChat(s.Chat).DocumentTemplate.Value }

// ChatTextBytes is the maximal length of one document's text.
func (s *Settings) ChatTextBytes() int {
	return int(min(storedChat(s.Chat).TemplateMaxBytes.Value, 1<<20))
}

// ChatDescription describes the index to a model.
func (s *Settings) ChatDescription() string { return storedChat(s.Chat).Description.Value }

// ChatSearch are the parameters of the searches of chats.
func (s *Settings) ChatSearch() ChatSearch { return storedChat(s.Chat).SearchParameters.Value }

// ChatParameters lists the names in chat.searchParameters.
func ChatParameters() []string { return chatSearchObject.Names() }
