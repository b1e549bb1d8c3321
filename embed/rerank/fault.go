package rerank

import (
	"strconv"
	"time"

	"shoal/api"
	"shoal/api/apierr"
)

// fault is a failed call.
type fault struct {
	code apierr.Code
	text string
	// again tells that another call may help. tooMany and after are as in retry.Failure.
	again, tooMany bool
	after          time.Duration
}

// API is the error of the search.
func (f *fault) API() error { return apierr.New(f.code, "Personalization service: "+f.text) }

func unreachable(text string) *fault {
	return &fault{code: apierr.CodeRemoteCouldNotSendRequest, text: "Network error: " + text, again: true}
}

func unreadable(text string) *fault {
	return &fault{code: apierr.CodeRemoteBadResponse, text: "Failed to parse response: Failed to parse response: " + text, again: true}
}

// refusal is the fault of an unsuccessful answer, with the reference's messages and codes.
func refusal(r *api.Reply) *fault {
	body := quoted(r.Body)
	status := "tatus " + strconv.Itoa(r.Status) + ": " + body
	switch {
	case r.Status == 400:
		return &fault{code: apierr.CodeRemoteBadRequest, text: "Bad request: " + body}
	case r.Status == 401:
		return &fault{code: apierr.CodeRemoteInvalidAPIKey, text: "Unauthorized: invalid API key"}
	case r.Status == 429:
		return &fault{code: apierr.CodeTooManySearchRequests, text: "Rate limited: too many requests", again: true, tooMany: true, after: r.RetryAfter}
	case r.Status >= 500 && r.Status < 600:
		return &fault{code: apierr.CodeRemoteRemoteError, text: "Internal server error: S" + status, again: true, after: r.RetryAfter}
	case r.Status >= 402 && r.Status < 500:
		return &fault{code: apierr.CodeRemoteBadResponse, text: "Cohere API error: S" + status}
	}
	return &fault{code: apierr.CodeRemoteBadResponse, text: "Cohere API error: Unexpected s" + status, again: true}
}

// quoted is the part of an answer that is quoted in messages.
func quoted(body []byte) string {
	const most = 4 << 10
	return string(body[:min(len(body), most)])
}
