package api

// ChatTemplate is the template that renders documents for chats (setting
// chat.documentTemplate).
func (s *Settings) ChatTemplate() string { return storedChat(s.Chat).DocumentTemplate.Value }
