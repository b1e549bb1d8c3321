package chat

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"shoal/api/jsonvalue"
)

// stream is the model's output in one round, event by event.
type stream struct {
	body   io.ReadCloser
	lines  *bufio.Reader
	left   int64
	quiet  *time.Timer
	allow  time.Duration
	cancel context.CancelCauseFunc
	ctx    context.Context
}

// errSilent: the model was silent for too long.
var errSilent = errors.New("the model sent nothing for too long")

// ask sends the request to the model and waits for the beginning of the answer.
func (c *Conversation) ask(ctx context.Context) (*stream, *fault) {
	limits := &c.completions.limits
	ctx, cancel := context.WithCancelCause(ctx)
	s := &stream{ctx: ctx, cancel: cancel, allow: limits.Silence, left: limits.RoundBytes}
	s.quiet = time.AfterFunc(s.allow, func() { cancel(errSilent) })
	address, headers := endpoint(c.settings)
	status, kind, answer, err := c.completions.out.Open(ctx, address, headers, c.body())
	if err != nil {
		defer s.close()
		return nil, s.failed(err)
	}
	s.body, s.lines = answer, bufio.NewReaderSize(io.LimitReader(answer, s.left+1), 64<<10)
	if status < 200 || status > 299 || !strings.HasPrefix(kind, "text/event-stream") {
		defer s.close()
		text, err := io.ReadAll(io.LimitReader(answer, 1<<20))
		if err != nil {
			return nil, s.failed(err)
		}
		return nil, refusal(text)
	}
	return s, nil
}

func (s *stream) close() {
	s.quiet.Stop()
	s.cancel(nil)
	if s.body != nil {
		_ = s.body.Close() // the rest is not needed
	}
}

// failed returns the fault that ended the stream.
func (s *stream) failed(err error) *fault {
	if cause := context.Cause(s.ctx); cause != nil {
		err = cause
	}
	switch {
	case errors.Is(err, errSilent):
		return transportFault(errSilent.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return transportFault("the conversation took too long")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &fault{kind: "stream_ended", message: "Stream ended"}
	}
	return transportFault(err.Error())
}

// next returns the next event of the model; over is true after the last one.
func (s *stream) next() (event jsonvalue.Value, over bool, wrong *fault) {
	var data []byte
	for {
		line, err := s.lines.ReadSlice('\n')
		s.quiet.Reset(s.allow)
		if errors.Is(err, bufio.ErrBufferFull) {
			data, err = s.long(data, line)
		} else if text, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
		}
		if s.left -= int64(len(line)); s.left < 0 {
			return event, false, transportFault("the model said more than fits")
		}
		if err != nil && len(data) == 0 {
			return event, false, s.failed(err)
		}
		if blank := len(bytes.TrimRight(line, "\r\n")) == 0; len(data) == 0 || !blank && err == nil {
			continue // an event ends with an empty line
		}
		if bytes.Equal(data, done) {
			return event, true, nil
		}
		event, err = jsonvalue.Parse(data)
		if err != nil || event.Kind() != jsonvalue.KindObject {
			internal, message := "internal", "the event is no object"
			if err != nil {
				message = err.Error()
			}
			return event, false, &fault{kind: "json_deserialize_error", message: message, code: &internal}
		}
		if event.Get("choices") == nil && (event.Get("error") != nil || event.Get("message") != nil) {
			return event, false, refusal(data)
		}
		return event, false, nil
	}
}

// long reads the rest of a line that exceeds the buffer.
func (s *stream) long(data, line []byte) ([]byte, error) {
	whole := bytes.Clone(line)
	for {
		more, err := s.lines.ReadSlice('\n')
		s.quiet.Reset(s.allow)
		whole = append(whole, more...)
		if s.left -= int64(len(more)); s.left < 0 {
			return data, nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if text, ok := bytes.CutPrefix(bytes.TrimRight(whole, "\r\n"), []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
		}
		return data, err
	}
}
