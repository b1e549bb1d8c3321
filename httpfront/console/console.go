package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// prefix is where the files of the page stand.
const prefix = "/console/"

// policy lets the page load its own files only. Pictures that documents name may
// come from elsewhere: they are the user's data.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: http: https:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

//go:embed assets
var assets embed.FS

// types are named here because a system's own table may know others.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

type file struct {
	content []byte
	kind    string
	tag     string // changes when the content does
}

// Console holds the files of the page. It is safe for concurrent use.
type Console struct{ files map[string]file }

// New reads the embedded files.
func New() (*Console, error) {
	c := &Console{files: map[string]file{}}
	return c, fs.WalkDir(assets, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		c.files[path.Base(name)] = file{content: b, kind: types[path.Ext(name)], tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
		return nil
	})
}

// Answer serves the request if it is for the page, and tells whether it was. The
// root belongs to the page only for those who ask for HTML: every other client
// gets what the API says there.
func (c *Console) Answer(w http.ResponseWriter, r *http.Request) bool {
	name, under := strings.CutPrefix(r.URL.Path, prefix)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return false
	case r.URL.Path == "/" && wantsHTML(r.Header.Get("Accept")):
		name = "index.html"
	case !under:
		return false
	case name == "":
		http.Redirect(w, r, "/", http.StatusFound)
		return true
	}
	h := w.Header()
	f, ok := c.files[name]
	if !ok {
		http.NotFound(w, r)
		return true
	}
	h.Set("Content-Type", f.kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	// A browser asks each time whether its copy is still good: after an upgrade no
	// old script may meet a new page.
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	h.Add("Vary", "Accept")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.content))
	return true
}

// wantsHTML tells whether an Accept header names HTML: browsers do, clients of the
// API do not.
func wantsHTML(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		kind, parameters, _ := strings.Cut(part, ";")
		if strings.TrimSpace(kind) == "text/html" && strings.ReplaceAll(parameters, " ", "") != "q=0" {
			return true
		}
	}
	return false
}
