// Command image makes a container image of a program without Docker: a layer with
// the program, one with its dictionaries, one with the authorities that TLS clients trust, a data folder for
// another user than root. The same program gives the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// user is nobody in particular: images without one run as root.
const user = 65532

func main() {
	binary := flag.String("binary", "", "the program, built for linux")
	arch := flag.String("arch", "amd64", "its architecture")
	tag := flag.String("tag", "shoal:latest", "name of the image")
	words := flag.String("dictionaries", "", "folder of the dictionaries")
	out := flag.String("out", "", "file to write, for docker load")
	flag.Parse()
	if err := run(*binary, *words, *arch, *tag, *out); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(binary, words, arch, tag, out string) error {
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	base, err := layer(func(w *tar.Writer) error {
		for _, dir := range []string{"data/", "tmp/"} {
			if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir, Mode: 0o700, Uid: user, Gid: user}); err != nil {
				return err
			}
		}
		roots, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
		if errors.Is(err, os.ErrNotExist) {
			return errors.New("this machine has no list of authorities (package ca-certificates)")
		}
		return errors.Join(err, add(w, "etc/ssl/certs/ca-certificates.crt", roots, 0o444))
	})
	if err != nil {
		return err
	}
	// A layer of their own: they change less often than the program.
	dictionaries, err := layer(func(w *tar.Writer) error { return addFolder(w, words, "dictionaries") })
	if err != nil {
		return err
	}
	top, err := layer(func(w *tar.Writer) error { return add(w, "shoal", program, 0o555) })
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, base, dictionaries, top)
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: time.Unix(0, 0).UTC()}
	config.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", user, user), Entrypoint: []string{"/shoal"}, Volumes: map[string]struct{}{"/data": {}},
		Env:          []string{"SHOAL_DB_PATH=/data/shoal", "SHOAL_DUMP_DIR=/data/dumps", "SHOAL_SNAPSHOT_DIR=/data/snapshots", "SHOAL_HTTP_ADDR=0.0.0.0:7700"},
		ExposedPorts: map[string]struct{}{"7700/tcp": {}, "7701/tcp": {}, "7946/tcp": {}, "7946/udp": {}, "9700/tcp": {}},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	ref, err := name.NewTag(tag)
	if err != nil {
		return err
	}
	if err := tarball.WriteToFile(out, ref, image); err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	path, err := filepath.Abs(out) // make runs this program in another folder
	fmt.Printf("%s %s: docker load -i %s\n", tag, digest, path)
	return err
}

func layer(fill func(*tar.Writer) error) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := errors.Join(fill(w), w.Close()); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
}

// addFolder adds the files of a folder.
func addFolder(w *tar.Writer, folder, name string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err == nil {
			err = add(w, name+"/"+e.Name(), content, 0o444)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func add(w *tar.Writer, path string, content []byte, mode int64) error {
	if err := w.WriteHeader(&tar.Header{Name: path, Mode: mode, Size: int64(len(content))}); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}
