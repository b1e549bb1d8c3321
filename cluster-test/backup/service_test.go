package backup

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	bucketName = "backups"
	accessKey  = "operator"
	secretKey  = "a secret of the tests"
)

// service is a real S3 server behind a proxy that can fail in its place.
type service struct {
	proxy *httptest.Server
	// broken answers instead of the server; nil: nobody does.
	broken atomic.Pointer[http.HandlerFunc]
	// sent counts the bytes of uploads.
	sent atomic.Int64
	// folder has the bucket's objects as files.
	folder string
}

// serveS3 builds and runs the server that cluster-test/s3 pins.
func serveS3(t *testing.T) *service {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "versitygw")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/versity/versitygw/cmd/versitygw")
	build.Dir = "../s3"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the S3 server: %v\n%s", err, out)
	}
	s := &service{folder: filepath.Join(dir, "objects", bucketName)}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "--port", address, "--quiet", "posix", filepath.Dir(s.folder))
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	server.Stdout, server.Stderr = log, log
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // it was killed
		_ = log.Close()
	})
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			break
		}
		if time.Since(begun) > 20*time.Second {
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the S3 server does not listen: %v\n%s", err, said)
		}
	}
	onward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address}) // keeps the Host, which is signed
	s.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken := s.broken.Load(); broken != nil {
			(*broken)(w, r)
			return
		}
		if r.Method == http.MethodPut {
			s.sent.Add(r.ContentLength)
		}
		onward.ServeHTTP(w, r)
	}))
	t.Cleanup(s.proxy.Close)
	return s
}

func (s *service) breaks(with http.HandlerFunc) { s.broken.Store(&with) }

// env are the options of nodes, or commands, that use the service.
func (s *service) env() []string {
	return []string{
		"SHOAL_S3_BUCKET_URL=" + s.proxy.URL, "SHOAL_S3_BUCKET_REGION=us-east-1", "SHOAL_S3_BUCKET_NAME=" + bucketName,
		"SHOAL_S3_SNAPSHOT_PREFIX=shoal/films", "SHOAL_S3_ACCESS_KEY=" + accessKey, "SHOAL_S3_SECRET_KEY=" + secretKey,
	}
}

func where() string { return "s3://" + bucketName + "/shoal/films" }

// snapshots runs the command of that name.
func (s *service) snapshots(t *testing.T, binary string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"snapshots"}, args...)...)
	cmd.Env = append(os.Environ(), s.env()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("snapshots %s: %w", strings.Join(args, " "), err)
	}
	return string(out), err
}
