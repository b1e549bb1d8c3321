package routing

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// encoding is a content coding of answers. At equal quality, higher values are preferred.
type encoding uint8

const (
	identity encoding = iota
	deflateCoding
	gzipCoding
	brotliCoding
)

var encodingNames = [...]string{identity: "identity", deflateCoding: "deflate", gzipCoding: "gzip", brotliCoding: "br"}

// notAcceptable is the body of a 406.
const notAcceptable = "br, gzip, deflate"

// negotiate chooses the coding of an answer from the Accept-Encoding headers: the highest
// quality wins; at equal quality the order is br, gzip, deflate, identity. A star and
// unknown codings choose nothing. ok is false if nothing is acceptable.
func negotiate(accept []string) (chosen encoding, ok bool) {
	best, identityQ, starQ := -1, -1, -1
	for _, line := range accept {
		for line != "" {
			var item string
			item, line, _ = strings.Cut(line, ",")
			name, q, valid := qualityItem(item)
			if !valid {
				continue
			}
			switch name {
			case "*":
				starQ = q
				continue
			case "identity":
				identityQ = q
			}
			if coding, known := encodingByName(name); known && q > 0 && (q > best || q == best && coding > chosen) {
				chosen, best = coding, q
			}
		}
	}
	if best > 0 {
		return chosen, true
	}
	return identity, identityQ != 0 && (identityQ > 0 || starQ != 0)
}

func encodingByName(name string) (encoding, bool) {
	for i, n := range encodingNames {
		if n == name {
			return encoding(i), true
		}
	}
	return identity, false
}

// qualityItem parses "name;q=0.5" with the quality in thousandths.
func qualityItem(item string) (name string, q int, ok bool) {
	name, params, _ := strings.Cut(item, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return "", 0, false
	}
	params = strings.TrimSpace(params)
	if params == "" {
		return name, 1000, true
	}
	value, isQ := strings.CutPrefix(strings.ToLower(params), "q=")
	f, err := strconv.ParseFloat(value, 64)
	if !isQ || err != nil || !(f >= 0 && f <= 1) {
		return "", 0, false
	}
	return name, int(f*1000 + 0.5), true
}

// compressor is the interface that the pooled writers share.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

var compressors = [...]sync.Pool{
	deflateCoding: {New: func() any { return mustLevel(zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)) }},
	gzipCoding:    {New: func() any { return mustLevel(gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)) }},
	brotliCoding:  {New: func() any { return brotli.NewWriterV2(io.Discard, 3) }},
}

// mustLevel returns w and panics on an error, which can only be an invalid level.
func mustLevel[W any](w W, err error) W {
	if err != nil {
		panic("httpfront: " + err.Error())
	}
	return w
}

// compress appends the compressed body to dst.
func compress(dst *bytes.Buffer, coding encoding, body []byte) error {
	pool := &compressors[coding]
	w := pool.Get().(compressor)
	defer pool.Put(w)
	w.Reset(dst)
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}
