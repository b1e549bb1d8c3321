package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/auth"
	"shoal/httpfront/routing"
)

// Analytics counts what clients tell of their users, and reports on searches.
type Analytics interface {
	// Analytics returns the settings in force. It does not block.
	Analytics() api.Analytics
	UpdateAnalytics(ctx context.Context, p *api.AnalyticsPatch) (api.Analytics, error)
	// Event counts an event for the index that it names, also by an alias. It may change e. It returns apierr.IndexNotFound for an unknown index.
	Event(ctx context.Context, e *api.Event) error
	// Report adds up what all nodes counted, as a JSON object. It may change q.
	Report(ctx context.Context, q *api.AnalyticsQuery) (json.RawMessage, error)
}

// analyticsRoutes are the rows of analytics under /cluster.
func (h *Handlers) analyticsRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/cluster/analytics", Actions: []string{"*"}, Serve: h.serveAnalytics, Partial: true, Query: analyticsParameters},
		{Method: "PATCH", Pattern: "/cluster/analytics", Actions: []string{"*"}, Serve: h.serveUpdateAnalytics, Leased: true, Partial: true, Body: analyticsMembers},
	}
}

// EventRoutes are the rows of events. A key that may search an index may send them.
func (h *Handlers) EventRoutes() []routing.Route {
	return []routing.Route{
		{Method: "POST", Pattern: "/events", Actions: []string{"search"}, Serve: h.serveEvent, Reads: true, Body: eventMembers, Status: http.StatusCreated},
	}
}

var analyticsMembers = decode.NewObject(
	decode.Tristate("enabled", apierr.CodeBadRequest, decode.Bool, func(p *api.AnalyticsPatch) *decode.Field[bool] { return &p.Enabled }),
	decode.Tristate("queries", apierr.CodeBadRequest, decode.Bool, func(p *api.AnalyticsPatch) *decode.Field[bool] { return &p.Queries }),
)

func (h *Handlers) serveUpdateAnalytics(x *routing.Exchange) error {
	var patch api.AnalyticsPatch
	if err := routing.ReadBody(x, analyticsMembers, &patch); err != nil {
		return err
	}
	return x.Show(h.Analytics.UpdateAnalytics(x.Context(), &patch))
}

// How many queries and indexes a report lists: by default, and at most.
const (
	reportLimit = 20
	maxReport   = 1000
)

// date accepts a day.
func date(at *decode.Loc, v *jsonvalue.Value) (time.Time, *apierr.Error) {
	text, err := decode.String(at, v)
	if err != nil {
		return time.Time{}, err
	}
	day, fault := time.Parse(time.DateOnly, text)
	if fault != nil {
		return day, at.Invalid("`" + text + "` is not a date of the form 2026-11-30")
	}
	return day, nil
}

var analyticsParameters = decode.NewObject(
	decode.Plain("indexUid", apierr.CodeBadRequest, decode.IndexUID, func(q *api.AnalyticsQuery) *string { return &q.IndexUID }),
	decode.Plain("from", apierr.CodeBadRequest, date, func(q *api.AnalyticsQuery) *time.Time { return &q.From }),
	decode.Plain("to", apierr.CodeBadRequest, date, func(q *api.AnalyticsQuery) *time.Time { return &q.To }),
	decode.Plain("interval", apierr.CodeBadRequest, decode.OneOf(api.HourInterval, api.DayInterval), func(q *api.AnalyticsQuery) *api.AnalyticsInterval { return &q.Interval }),
	decode.Plain("limit", apierr.CodeBadRequest, within(0, maxReport), func(q *api.AnalyticsQuery) *uint64 { return &q.Limit }),
)

func (h *Handlers) serveAnalytics(x *routing.Exchange) error {
	q := api.AnalyticsQuery{Limit: reportLimit}
	if err := routing.ReadQuery(x, analyticsParameters, &q); err != nil {
		return err
	}
	if !q.From.IsZero() && !q.To.IsZero() && q.From.After(q.To) {
		return apierr.New(apierr.CodeBadRequest, "Invalid value for parameter `from`: it is later than `to`.")
	}
	return x.Relay(h.Analytics.Report(x.Context(), &q))
}

// eventBody is the body of POST /events: the members that Meilisearch Cloud takes. What
// identifies a person or a document is checked, and not kept.
type eventBody struct {
	event                                    api.Event
	kind                                     eventKind
	name, userID, objectID, objectName, uuid *string
}

type eventKind string

const (
	clickEvent      eventKind = "click"
	conversionEvent eventKind = "conversion"
)

// queryUID accepts a UUID.
func queryUID(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	text, err := decode.String(at, v)
	if err != nil {
		return "", err
	}
	if len(text) != 36 || uuid.Validate(text) != nil {
		return "", at.Invalid("`" + text + "` is not the `queryUid` of an answer, which is a UUID")
	}
	return text, nil
}

var eventMembers = decode.NewObject(
	decode.Plain("eventType", apierr.CodeBadRequest, decode.OneOf(clickEvent, conversionEvent), func(b *eventBody) *eventKind { return &b.kind }).Required(apierr.Code{}),
	decode.Plain("indexUid", apierr.CodeInvalidIndexUID, decode.IndexUID, func(b *eventBody) *string { return &b.event.IndexUID }).Required(apierr.CodeMissingIndexUID),
	decode.Optional("queryUid", apierr.CodeBadRequest, queryUID, func(b *eventBody) **string { return &b.uuid }),
	decode.Optional("position", apierr.CodeBadRequest, decode.Uint, func(b *eventBody) **uint64 { return &b.event.Position }),
	decode.Optional("eventName", apierr.CodeBadRequest, decode.String, func(b *eventBody) **string { return &b.name }),
	decode.Optional("objectId", apierr.CodeBadRequest, decode.String, func(b *eventBody) **string { return &b.objectID }),
	decode.Optional("objectName", apierr.CodeBadRequest, decode.String, func(b *eventBody) **string { return &b.objectName }),
	decode.Optional("userId", apierr.CodeBadRequest, decode.String, func(b *eventBody) **string { return &b.userID }),
)

func (h *Handlers) serveEvent(x *routing.Exchange) error {
	var body eventBody
	if err := routing.ReadBody(x, eventMembers, &body); err != nil {
		return err
	}
	if !x.Auth.Allows(body.event.IndexUID) {
		return auth.ErrInvalidKey
	}
	body.event.Conversion = body.kind == conversionEvent
	if body.uuid != nil {
		body.event.QueryUID = *body.uuid
	}
	if err := h.Analytics.Event(x.Context(), &body.event); err != nil {
		return err
	}
	return x.Respond(http.StatusCreated, append(x.Buffer(), "{}"...))
}
