package search

import (
	"context"
	"net/http"
	"strconv"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// Chats stores the workspaces of /chats. Returned settings are shared and hold the
// provider's key in clear.
type Chats interface {
	// Workspaces lists all workspaces, sorted.
	Workspaces() []string
	// Settings returns nil if there is no such workspace.
	Settings(workspace string) *api.ChatSettings
	// UpdateSettings creates the workspace if it is new.
	UpdateSettings(ctx context.Context, workspace string, p *api.ChatSettingsPatch) (*api.ChatSettings, error)
	// ResetSettings returns nil if there is no such workspace.
	ResetSettings(ctx context.Context, workspace string) (*api.ChatSettings, error)
	// DeleteWorkspace returns whether there was such a workspace.
	DeleteWorkspace(ctx context.Context, workspace string) (bool, error)
}

// ChatRoutes are the rows of the workspaces (spec search-api 16).
func (h *Handlers) ChatRoutes() []routing.Route {
	const workspace, settings = "/chats/{workspace}", "/chats/{workspace}/settings"
	return []routing.Route{
		{Method: "GET", Pattern: "/chats", Actions: []string{"chats.get"}, Serve: h.serveChats, Query: chatListParameters},
		{Method: "GET", Pattern: workspace, Actions: []string{"chats.get"}, Serve: h.serveChat},
		{Method: "DELETE", Pattern: workspace, Actions: []string{"chats.delete"}, Serve: h.serveDeleteChat, Leased: true, Status: http.StatusNoContent},
		{Method: "GET", Pattern: settings, Actions: []string{"chatsSettings.get"}, Serve: h.serveChatSettings},
		{Method: "PATCH", Pattern: settings, Actions: []string{"chatsSettings.update"}, Serve: h.serveUpdateChatSettings, Leased: true, Body: api.ChatSettingsFields},
		{Method: "DELETE", Pattern: settings, Actions: []string{"chatsSettings.update"}, Serve: h.serveResetChatSettings, Leased: true},
		{Method: "POST", Pattern: workspace + "/chat/completions", Actions: []string{"chatCompletions"}, Serve: h.serveChatCompletion, Leased: true, Reads: true, Schema: conversationSchema},
	}
}

// chatGate refuses a route of chats while the feature is off.
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

func (h *Handlers) serveChats(x *routing.Exchange) error {
	page := chatPage{Limit: 20}
	if err := routing.ReadQuery(x, chatListParameters, &page); err != nil {
		return err
	}
	if err := chatGate("listing the chats")(x.Features()); err != nil {
		return err
	}
	all := h.Chats.Workspaces()
	from := min(page.Offset, uint64(len(all)))
	to := from + min(page.Limit, uint64(len(all))-from)
	buf := append(x.Buffer(), `{"results":[`...)
	for i, workspace := range all[from:to] {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(jsonvalue.AppendString(append(buf, `{"uid":`...), workspace), '}')
	}
	buf = strconv.AppendUint(append(buf, `],"offset":`...), page.Offset, 10)
	buf = strconv.AppendUint(append(buf, `,"limit":`...), page.Limit, 10)
	buf = strconv.AppendInt(append(buf, `,"total":`...), int64(len(all)), 10)
	return x.Respond(http.StatusOK, append(buf, '}'))
}

func (h *Handlers) serveChat(x *routing.Exchange) error {
	if err := chatGate("displaying a chat")(x.Features()); err != nil {
		return err
	}
	workspace := x.Param(0)
	if h.Chats.Settings(workspace) == nil {
		return api.ChatNotFound(workspace)
	}
	return x.Respond(http.StatusOK, append(jsonvalue.AppendString(append(x.Buffer(), `{"uid":`...), workspace), '}'))
}

func (h *Handlers) serveDeleteChat(x *routing.Exchange) error {
	if err := chatGate("deleting a chat")(x.Features()); err != nil {
		return err
	}
	workspace := x.Param(0)
	found, err := h.Chats.DeleteWorkspace(x.Context(), workspace)
	if err != nil {
		return err
	}
	if !found {
		return api.ChatNotFound(workspace)
	}
	return x.Empty(http.StatusNoContent)
}

func (h *Handlers) serveChatSettings(x *routing.Exchange) error {
	if err := usingChatSettings(x.Features()); err != nil {
		return err
	}
	workspace := x.Param(0)
	settings := h.Chats.Settings(workspace)
	if settings == nil {
		return api.ChatSettingsNotFound(workspace)
	}
	return x.Answer(http.StatusOK, settings.Masked())
}

func (h *Handlers) serveUpdateChatSettings(x *routing.Exchange) error {
	var patch api.ChatSettingsPatch
	if err := routing.ReadBody(x, api.ChatSettingsFields, &patch); err != nil {
		return err
	}
	if err := usingChatSettings(x.Features()); err != nil {
		return err
	}
	settings, err := h.Chats.UpdateSettings(x.Context(), x.Param(0), &patch)
	if err != nil {
		return err
	}
	return x.Answer(http.StatusOK, settings.Masked())
}

func (h *Handlers) serveResetChatSettings(x *routing.Exchange) error {
	if err := usingChatSettings(x.Features()); err != nil {
		return err
	}
	workspace := x.Param(0)
	settings, err := h.Chats.ResetSettings(x.Context(), workspace)
	if err != nil {
		return err
	}
	if settings == nil {
		return api.ChatSettingsNotFound(workspace)
	}
	return x.Answer(http.StatusOK, settings.Masked())
}
