package settings

// ChatTemplate is the template that renders documents for chats (setting
// chat.documentTemplate).
func (s *Settings) ChatTemplate() string { return storedChat(s.Chat).DocumentTemplate.Value }

// ChatTextBytes is how long the text of one document may be.
func (s *Settings) ChatTextBytes() int {
	return int(min(storedChat(s.Chat).TemplateMaxBytes.Value, 1<<20))
}

// ChatDescription tells a model what is in the index.
func (s *Settings) ChatDescription() string { return storedChat(s.Chat).Description.Value }

// ChatSearch are the parameters of the searches of chats.
func (s *Settings) ChatSearch() ChatSearch { return storedChat(s.Chat).SearchParameters.Value }
