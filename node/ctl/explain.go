package ctl

import (
	"context"
	"io"
	"net/http"
)

// Explain prints why hits rank where they do.
type Explain struct {
	Remote
	Index string `arg:"" names:"indexes" help:"Index to search."`
	Query string `arg:"" help:"Query text."`
	Limit int    `default:"5" placeholder:"N" help:"Hits to explain."`
}

// Run asks once and prints the answer.
func (e *Explain) Run(ctx context.Context, out io.Writer) error {
	c, err := e.open()
	if err != nil {
		return err
	}
	c.retryFor = 0
	var answer struct {
		Text string `json:"text"`
	}
	in := map[string]any{"indexUid": e.Index, "q": e.Query, "limit": e.Limit}
	if err := c.call(ctx, http.MethodPost, "/cluster/explain", in, &answer); err != nil {
		return err
	}
	_, err = io.WriteString(out, answer.Text)
	return err
}
