package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// service is an S3 service whose requests can be made to fail.
type service struct {
	*httptest.Server
	// fail, if not nil, may answer in the service's place; it returns whether it did.
	fail     atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
	requests atomic.Int64
}

func serve(t *testing.T) *service {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("backups"); err != nil {
		t.Fatal(err)
	}
	inner := gofakes3.New(backend, gofakes3.WithLogger(gofakes3.StdLog(log.New(io.Discard, "", 0)))).Server()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if fail := s.fail.Load(); fail != nil && (*fail)(w, r) {
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// failing has with answer the next n requests.
func (s *service) failing(n int64, with http.HandlerFunc) {
	fail := func(w http.ResponseWriter, r *http.Request) bool {
		if n--; n < 0 {
			return false
		}
		with(w, r)
		return true
	}
	s.fail.Store(&fail)
}

func refusing(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>no</Message></Error>`, code)
	}
}

func (s *service) open(t *testing.T, prefix string) Bucket {
	t.Helper()
	b, err := OpenS3(S3{
		URL: s.URL, Region: "us-east-1", Bucket: "backups", Prefix: prefix, AccessKey: "a", SecretKey: "s", Timeout: 5 * time.Second,
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func list(t *testing.T, b Bucket, prefix string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for o, err := range b.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := out[o.Name]; twice || time.Since(o.Written).Abs() > time.Hour {
			t.Errorf("%+v, listed before: %v", o, twice)
		}
		out[o.Name] = o.Bytes
	}
	return out
}

// A folder and an S3 service keep the same promises.
func TestFoldersAndServicesKeepTheSamePromises(t *testing.T) {
	folder, err := OpenFolder(filepath.Join(t.TempDir(), "not", "yet"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]Bucket{"folder": folder, "s3": serve(t).open(t, ""), "s3 with a prefix": serve(t).open(t, "/some/where/")} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if got := list(t, b, ""); len(got) != 0 {
				t.Errorf("an empty bucket lists %v", got)
			}
			if _, err := b.Get(ctx, "a/b", 10); !errors.Is(err, ErrNotFound) {
				t.Errorf("a missing object: %v", err)
			}
			if err := b.Delete(ctx, "a/b"); err != nil {
				t.Errorf("delete of a missing object: %v", err)
			}
			big := bytes.Repeat([]byte("0123456789"), 200_000)
			for name, content := range map[string][]byte{"a/b": []byte("one"), "a/c/d": {0}, "e": big} {
				if err := b.Put(ctx, name, content); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.Put(ctx, "a/b", []byte("three")); err != nil {
				t.Fatal(err)
			}
			if got, err := b.Get(ctx, "a/b", 5); err != nil || string(got) != "three" {
				t.Errorf("%q, %v", got, err)
			}
			if _, err := b.Get(ctx, "a/b", 4); !errors.Is(err, ErrTooLarge) {
				t.Errorf("five bytes of four: %v", err)
			}
			if got, err := b.Get(ctx, "e", 1<<30); err != nil || !bytes.Equal(got, big) {
				t.Errorf("%d bytes of %d, %v", len(got), len(big), err)
			}
			if got := list(t, b, "a/"); len(got) != 2 || got["a/b"] != 5 {
				t.Errorf("below a: %v", got)
			}
			if got := list(t, b, ""); len(got) != 3 || got["e"] != int64(len(big)) {
				t.Errorf("all: %v", got)
			}
			if err := b.Delete(ctx, "e"); err != nil {
				t.Fatal(err)
			}
			if got := list(t, b, ""); len(got) != 2 {
				t.Errorf("after the deletion: %v", got)
			}
		})
	}
}

// A listing of several pages names every object once.
func TestAListingOfSeveralPagesNamesEveryObjectOnce(t *testing.T) {
	b := serve(t).open(t, "p")
	for i := range 2*pageKeys + 3 {
		if err := b.Put(t.Context(), fmt.Sprintf("x/%05d", i), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, b, "x/"); len(got) != 2*pageKeys+3 {
		t.Errorf("%d names", len(got))
	}
}

// Transient faults are retried; all others are reported with their kind.
func TestTransientFaultsAreRetriedAndOthersReported(t *testing.T) {
	s := serve(t)
	b := s.open(t, "")
	if err := b.Put(t.Context(), "there", []byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.Header().Set("ETag", `"781e5e245d69b566979b86e28d23f2c7"`)
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = io.WriteString(w, "01234")
		panic(http.ErrAbortHandler) // the connection ends here
	}
	for _, c := range []struct {
		name  string
		times int64
		with  http.HandlerFunc
		want  error
		tries int64 // least number of requests for one Get
	}{
		{"503 twice", 2, refusing(503, "SlowDown"), nil, 3},
		{"503 for ever", 1000, refusing(503, "ServiceUnavailable"), ErrUnavailable, tries},
		{"half answers twice", 2, half, nil, 3},
		{"half answers for ever", 1000, half, ErrUnavailable, tries},
		{"no rights", 1000, refusing(403, "AccessDenied"), ErrDenied, 1},
		{"a wrong key", 1000, refusing(403, "SignatureDoesNotMatch"), ErrDenied, 1},
		{"no bucket", 1000, refusing(404, "NoSuchBucket"), ErrNoBucket, 1},
		{"a full service", 1000, refusing(507, "InsufficientStorage"), ErrFull, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.failing(c.times, c.with)
			before := s.requests.Load()
			got, err := b.Get(t.Context(), "there", 100)
			if !errors.Is(err, c.want) || err == nil && string(got) != "0123456789" {
				t.Errorf("%q, %v, want %v", got, err, c.want)
			}
			if n := s.requests.Load() - before; n < c.tries || n > c.tries+1 { // the HTTP client may retry once on a broken connection
				t.Errorf("%d requests, want %d", n, c.tries)
			}
			if err != nil && !strings.Contains(err.Error(), "s3://backups at "+s.URL) {
				t.Errorf("%v does not say where", err)
			}
			s.failing(c.times, c.with)
			if err := b.Put(t.Context(), "new", []byte("x")); c.name[:4] != "half" && !errors.Is(err, c.want) {
				t.Errorf("put: %v, want %v", err, c.want)
			}
			s.failing(c.times, c.with)
			for _, err = range b.List(t.Context(), "there") {
			}
			if c.name[:4] != "half" && !errors.Is(err, c.want) {
				t.Errorf("list: %v, want %v", err, c.want)
			}
		})
	}
}

// A service that accepts a request and never answers does not block the caller forever.
func TestASilentServiceIsGivenUp(t *testing.T) {
	s := serve(t)
	done := make(chan struct{})
	defer close(done)
	s.failing(1000, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-done:
		case <-r.Context().Done():
		}
	})
	b, err := OpenS3(S3{URL: s.URL, Region: "us-east-1", Bucket: "backups", AccessKey: "a", SecretKey: "s", Timeout: 20 * time.Millisecond,
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "x", 1); !errors.Is(err, ErrUnavailable) {
		t.Errorf("%v", err)
	}
	// A try that times out before the service has read its request counts too.
	if n := s.requests.Load(); n < 2 || n > tries {
		t.Errorf("%d requests, want up to %d", n, tries)
	}
}

// A folder that cannot be written to reports the reason.
func TestAFolderReportsWhyItCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := OpenFolder(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "a", []byte("x")); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a folder below a file: %v", err)
	}
	dir := t.TempDir()
	if b, err = OpenFolder(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../x", "/etc/x", "a//b", ".hidden", "a/../../b", ""} {
		if err := b.Put(t.Context(), name, nil); !errors.Is(err, ErrNotFound) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	// A file left by an interrupted Put is no object.
	if err := os.WriteFile(filepath.Join(dir, unfinished+"1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := list(t, b, ""); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestWrongAddressesAreRefused(t *testing.T) {
	for _, cfg := range []S3{{URL: "s3.example.com", Bucket: "backups"}, {URL: "ftp://x", Bucket: "backups"}, {URL: "https://x/path", Bucket: "backups"}, {URL: "https://x"}} {
		if _, err := OpenS3(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}
