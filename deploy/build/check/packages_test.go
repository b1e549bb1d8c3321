package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestWhatIsPackedCutsJapaneseAndKorean: image, archive and package are made, unpacked and
// run as their users run them, without a word about dictionaries. They find an airport in
// the middle of a text without spaces.
func TestWhatIsPackedCutsJapaneseAndKorean(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("builds and starts the program for linux")
	}
	dist := t.TempDir()
	target := "linux/" + runtime.GOARCH
	runTool(t, "../../..", "make", "image", "ARCH="+runtime.GOARCH)
	runTool(t, "..", "go", "run", "./release", "-version", "0.0.1", "-only", target, "-out", dist)
	one := func(pattern string) string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(dist, pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v %v", pattern, found, err)
		}
		return found[0]
	}
	image, archive, installed := t.TempDir(), t.TempDir(), t.TempDir()
	unpackImage(t, "../../../bin/shoal-image.tar", image)
	unpackArchive(t, readFile(t, one("*.tar.gz")), archive)
	deb := readFile(t, one("*.deb"))
	unpackArchive(t, member(t, deb, "data.tar.gz"), installed)
	control := t.TempDir()
	unpackArchive(t, member(t, deb, "control.tar.gz"), control)
	for _, want := range []string{
		filepath.Join(control, "postinst"), filepath.Join(control, "prerm"), filepath.Join(control, "postrm"),
		filepath.Join(installed, "usr/share/bash-completion/completions/shoal"),
		filepath.Join(installed, "usr/share/zsh/vendor-completions/_shoal"),
		filepath.Join(installed, "usr/share/fish/vendor_completions.d/shoal.fish"),
	} {
		if len(readFile(t, want)) == 0 {
			t.Errorf("%s is empty", want)
		}
	}
	for what, program := range map[string]string{
		"the image":   filepath.Join(image, "shoal"),
		"the archive": filepath.Join(archive, "shoal_0.0.1_linux_"+runtime.GOARCH, "shoal"),
		"the package": filepath.Join(installed, "usr", "bin", "shoal"),
	} {
		t.Run(what, func(t *testing.T) { finds(t, program) })
	}
}

func runTool(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// finds runs a program on a folder of its own and searches.
func finds(t *testing.T, program string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	cmd := exec.CommandContext(ctx, program, "--http-addr="+address, "--db-path="+filepath.Join(t.TempDir(), "data"))
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Log(log.String())
		}
	})
	n := node{t, ctx, "http://" + address}
	n.until("/health", "available")
	// What a node has is told to the cluster after its start; the first batch after that
	// cuts an index anew.
	for task := 0; ; task++ {
		n.ask("POST", "/indexes/trips/documents", `[{"id":1,"text":"関西国際空港から電車で大阪へ"},{"id":2,"text":"서울국제공항에서 기차로"}]`)
		n.until(fmt.Sprint("/tasks/", task), `"status":"succeeded"`)
		japanese := n.ask("POST", "/indexes/trips/search", `{"q":"空港","locales":["jpn"]}`)
		korean := n.ask("POST", "/indexes/trips/search", `{"q":"공항","locales":["kor"]}`)
		if strings.Contains(japanese, `"id":1`) && strings.Contains(korean, `"id":2`) {
			return
		}
		if task == 20 {
			t.Fatalf("not cut: %s %s", japanese, korean)
		}
	}
}

// node is a server that was started.
type node struct {
	t   *testing.T
	ctx context.Context
	url string
}

func (n node) ask(method, path, body string) string {
	n.t.Helper()
	answer, err := n.try(method, path, body)
	if err != nil {
		n.t.Fatal(err)
	}
	return answer
}

func (n node) try(method, path, body string) (string, error) {
	request, err := http.NewRequestWithContext(n.ctx, method, n.url+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(answer.Body)
	return string(b), errors.Join(err, answer.Body.Close())
}

// until asks until the answer has a text.
func (n node) until(path, want string) {
	n.t.Helper()
	for {
		answer, err := n.try("GET", path, "")
		if err == nil && strings.Contains(answer, want) {
			return
		}
		select {
		case <-n.ctx.Done():
			n.t.Fatalf("%s answers %s %v", path, answer, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// unpackImage unpacks the layers of an image, one over the other.
func unpackImage(t *testing.T, path, to string) {
	t.Helper()
	files := map[string][]byte{}
	each(t, readFile(t, path), func(h *tar.Header, content []byte) { files[h.Name] = content })
	var manifest []struct{ Layers []string }
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 1 {
		t.Fatalf("manifest: %v %v", manifest, err)
	}
	for _, layer := range manifest[0].Layers {
		unpackArchive(t, files[layer], to)
	}
}

// unpackArchive unpacks a .tar.gz.
func unpackArchive(t *testing.T, packed []byte, to string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	each(t, plain, func(h *tar.Header, content []byte) {
		path := filepath.Join(to, filepath.Clean("/"+h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, os.FileMode(h.Mode)))
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

func each(t *testing.T, archive []byte, do func(*tar.Header, []byte)) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		do(h, content)
	}
}

// member is a file of a .deb, which is an ar archive: after eight bytes each file has a
// head of 60 with its name and, from byte 48 on, its size, and begins at an even offset.
func member(t *testing.T, archive []byte, name string) []byte {
	t.Helper()
	for rest := archive[8:]; len(rest) >= 60; {
		var size int
		if _, err := fmt.Sscan(string(rest[48:58]), &size); err != nil {
			t.Fatal(err)
		}
		if strings.TrimRight(string(rest[:16]), " /") == name {
			return rest[60 : 60+size]
		}
		rest = rest[60+size+size%2:]
	}
	t.Fatalf("the package has no %s", name)
	return nil
}
