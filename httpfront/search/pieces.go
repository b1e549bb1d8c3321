package search

import (
	"net/http"

	"shoal/api"
	"shoal/httpfront/routing"
)

// piece is how much of an answer with more hits is sent at a time, in bytes.
const piece = 1 << 20

// part is one answer of a response: its hits and the text before and after them.
type part struct {
	begin func(dst []byte) []byte
	hits  []api.Hit
	more  api.MoreHits // may be nil; the caller closes it
	end   func(dst []byte) []byte
}

// respond answers with comma-separated parts between two texts: in one write if no part has
// more hits, otherwise piece by piece.
func respond(x *routing.Exchange, begin string, parts []part, end string) error {
	whole := true
	for i := range parts {
		whole = whole && parts[i].more == nil
	}
	if !whole {
		return flow(x, begin, parts, end)
	}
	buf := append(x.Buffer(), begin...)
	for i := range parts {
		if i > 0 {
			buf = append(buf, ',')
		}
		p := &parts[i]
		buf = p.end(api.AppendHits(p.begin(buf), p.hits, 0))
	}
	return x.Respond(http.StatusOK, append(buf, end...))
}

// flow sends the parts while they are rendered. A failure breaks the answer off.
func flow(x *routing.Exchange, begin string, parts []part, end string) error {
	out, err := x.Flow()
	if err != nil {
		return err
	}
	w := writer{x: x, out: out, buf: append(x.Buffer(), begin...)}
	for i := range parts {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if err := w.part(&parts[i]); err != nil {
			out.Break(err)
		}
	}
	w.buf = append(w.buf, end...)
	if err := out.Send(w.buf); err != nil {
		out.Break(err)
	}
	return out.End()
}

// writer collects the pieces of an answer.
type writer struct {
	x   *routing.Exchange
	out *routing.Flow
	buf []byte
}

func (w *writer) part(p *part) error {
	w.buf = p.begin(w.buf)
	hits, sent := p.hits, 0
	p.hits = nil
	for {
		for i := range hits {
			w.buf = api.AppendHits(w.buf, hits[i:i+1], sent)
			hits[i] = api.Hit{} // release its memory
			sent++
			if len(w.buf) >= piece {
				if err := w.out.Send(w.buf); err != nil {
					return err
				}
				w.buf = w.buf[:0]
			}
		}
		if p.more == nil {
			break
		}
		if err := w.out.Resume(); err != nil {
			return err
		}
		var err error
		if hits, err = p.more.Next(w.x.Context()); err != nil {
			return err
		}
		if len(hits) == 0 {
			p.more.Close()
			break
		}
	}
	w.buf = p.end(w.buf)
	return nil
}
