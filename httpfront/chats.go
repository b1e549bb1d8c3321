package httpfront

import (
	"context"
	"net/http"
	"strconv"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// Chats stores the workspaces of /chats. Settings it returns are shared and hold
// the provider's key in clear.
type Chats interface {
	// Workspaces lists all workspaces, sorted.
	Workspaces() []string
	// Settings is nil when there is no such workspace.
	Settings(workspace string) *api.ChatSettings
	// UpdateSettings makes the workspace when it is new.
	UpdateSettings(ctx context.Context, workspace string, p *api.ChatSettingsPatch) (*api.ChatSettings, error)
	// ResetSettings is nil when there is no such workspace.
	ResetSettings(ctx context.Context, workspace string) (*api.ChatSettings, error)
	// DeleteWorkspace reports whether there was such a workspace.
	DeleteWorkspace(ctx context.Context, workspace string) (bool, error)
}

// chatRoutes are the rows of the workspaces (spec search-api 16).
func (h *searchHandlers) chatRoutes() []route {
	const workspace, settings = "/chats/{workspace}", "/chats/{workspace}/settings"
	return []route{
		{Method: "GET", Pattern: "/chats", Actions: []string{"chats.get"}, Serve: h.serveChats, Query: chatListParameters},
		{Method: "GET", Pattern: workspace, Actions: []string{"chats.get"}, Serve: h.serveChat},
		{Method: "DELETE", Pattern: workspace, Actions: []string{"chats.delete"}, Serve: h.serveDeleteChat, Leased: true, Status: http.StatusNoContent},
		{Method: "GET", Pattern: settings, Actions: []string{"chatsSettings.get"}, Serve: h.serveChatSettings},
		{Method: "PATCH", Pattern: settings, Actions: []string{"chatsSettings.update"}, Serve: h.serveUpdateChatSettings, Leased: true, Body: api.ChatSettingsFields},
		{Method: "DELETE", Pattern: settings, Actions: []string{"chatsSettings.update"}, Serve: h.serveResetChatSettings, Leased: true},
		{Method: "POST", Pattern: workspace + "/chat/completions", Actions: []string{"chatCompletions"}, Serve: h.serveChatCompletion, Leased: true, Schema: conversationSchema},
	}
}

// chatGate is the gate of the routes of chats.
func chatGate(doing string) func(settings.Features) *apierr.Error {
	return func(f settings.Features) *apierr.Error {
		if f.ChatCompletions {
			return nil
		}
		return apierr.FeatureNotEnabled(doing, "chat completions", 835)
	}
}

var usingChatSettings = chatGate("using the /chats/settings route")

type chatPage struct{ Offset, Limit uint64 }

var chatListParameters = decode.NewObject(
	decode.Plain("offset", apierr.CodeInvalidIndexOffset, decode.QueryUint, func(p *chatPage) *uint64 { return &p.Offset }),
	decode.Plain("limit", apierr.CodeInvalidIndexLimit, decode.QueryUint, func(p *chatPage) *uint64 { return &p.Limit }),
)

func (h *searchHandlers) serveChats(x *exchange) error {
	page := chatPage{Limit: 20}
	if err := readQuery(x, chatListParameters, &page); err != nil {
		return err
	}
	if err := chatGate("listing the chats")(x.features()); err != nil {
		return err
	}
	all := h.Chats.Workspaces()
	from := min(page.Offset, uint64(len(all)))
	to := from + min(page.Limit, uint64(len(all))-from)
	buf := append(x.buffer(), `{"results":[`...)
	for i, workspace := range all[from:to] {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(jsonvalue.AppendString(append(buf, `{"uid":`...), workspace), '}')
	}
	buf = strconv.AppendUint(append(buf, `],"offset":`...), page.Offset, 10)
	buf = strconv.AppendUint(append(buf, `,"limit":`...), page.Limit, 10)
	buf = strconv.AppendInt(append(buf, `,"total":`...), int64(len(all)), 10)
	return x.respond(http.StatusOK, append(buf, '}'))
}

func (h *searchHandlers) serveChat(x *exchange) error {
	if err := chatGate("displaying a chat")(x.features()); err != nil {
		return err
	}
	workspace := x.param(0)
	if h.Chats.Settings(workspace) == nil {
		return api.ChatNotFound(workspace)
	}
	return x.respond(http.StatusOK, append(jsonvalue.AppendString(append(x.buffer(), `{"uid":`...), workspace), '}'))
}

func (h *searchHandlers) serveDeleteChat(x *exchange) error {
	if err := chatGate("deleting a chat")(x.features()); err != nil {
		return err
	}
	workspace := x.param(0)
	found, err := h.Chats.DeleteWorkspace(x.context(), workspace)
	if err != nil {
		return err
	}
	if !found {
		return api.ChatNotFound(workspace)
	}
	return x.empty(http.StatusNoContent)
}

func (h *searchHandlers) serveChatSettings(x *exchange) error {
	if err := usingChatSettings(x.features()); err != nil {
		return err
	}
	workspace := x.param(0)
	settings := h.Chats.Settings(workspace)
	if settings == nil {
		return api.ChatSettingsNotFound(workspace)
	}
	return x.answer(http.StatusOK, settings.Masked())
}

func (h *searchHandlers) serveUpdateChatSettings(x *exchange) error {
	var patch api.ChatSettingsPatch
	if err := readBody(x, api.ChatSettingsFields, &patch); err != nil {
		return err
	}
	if err := usingChatSettings(x.features()); err != nil {
		return err
	}
	settings, err := h.Chats.UpdateSettings(x.context(), x.param(0), &patch)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, settings.Masked())
}

func (h *searchHandlers) serveResetChatSettings(x *exchange) error {
	if err := usingChatSettings(x.features()); err != nil {
		return err
	}
	workspace := x.param(0)
	settings, err := h.Chats.ResetSettings(x.context(), workspace)
	if err != nil {
		return err
	}
	if settings == nil {
		return api.ChatSettingsNotFound(workspace)
	}
	return x.answer(http.StatusOK, settings.Masked())
}
