package ctl

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Promote ends a standby.
type Promote struct{ Remote }

// Run requests the promotion and waits for it. It can be repeated at any time.
func (p *Promote) Run(ctx context.Context, out io.Writer) error {
	c, err := p.open()
	if err != nil {
		return err
	}
	for {
		var s struct {
			From, Snapshot string
			Taken          *time.Time
			Promoted       bool
		}
		if err := c.call(ctx, http.MethodPost, "/cluster/promote", nil, &s); err != nil {
			return err
		}
		if !s.Promoted {
			fmt.Fprintln(out, "The newest snapshot is still being read; waiting.")
			continue
		}
		what := "It holds nothing: no snapshot was there."
		if s.Taken != nil {
			what = fmt.Sprintf("It holds what %s held at %s.", s.From, s.Taken.Format(time.DateTime))
		}
		_, err := fmt.Fprintf(out, "The cluster follows nobody any more and accepts writes. %s\n", what)
		return err
	}
}
