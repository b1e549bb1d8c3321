// Command release builds the archives and packages of one version: for each system
// and architecture a .tar.gz (or .zip) with the program, its dictionaries, manual page
// and completions; .deb and .rpm for linux; a list of what is inside (SPDX); checksums.
// The same commit gives the same bytes.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

func main() {
	r := &release{}
	flag.StringVar(&r.root, "root", "../..", "the checkout")
	flag.StringVar(&r.out, "out", "../../dist", "folder for the files")
	flag.StringVar(&r.version, "version", "", "version, such as 0.2.0 (default: from the tag)")
	only := flag.String("only", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64", "systems to build for")
	flag.Parse()
	if err := r.run(strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

type release struct {
	root, out, version, commit string
	when                       time.Time // of the commit: the time of every file
	made                       []string
	extra                      map[string][]byte // files that go into every archive
}

func (r *release) run(targets []string) error {
	if err := r.identify(); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if err := r.describe(); err != nil {
		return err
	}
	if err := r.dictionaries(); err != nil {
		return fmt.Errorf("dictionaries: %w", err)
	}
	for _, target := range targets {
		system, arch, ok := strings.Cut(target, "/")
		if !ok {
			return fmt.Errorf("%q is not SYSTEM/ARCHITECTURE", target)
		}
		if err := r.build(system, arch); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}
	if err := r.inventory(); err != nil {
		return err
	}
	return r.checksums()
}

// identify asks git for the version and the time of the commit.
func (r *release) identify() error {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", r.root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	stamp, err := git("log", "-1", "--format=%cI")
	if err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	if r.when, err = time.Parse(time.RFC3339, stamp); err != nil {
		return err
	}
	r.when = r.when.UTC()
	if r.commit, err = git("rev-parse", "HEAD"); err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	if r.version == "" {
		tag, err := git("describe", "--tags", "--exact-match")
		if err != nil {
			tag = "0.0.0-dev." + r.commit[:12] // no tag is no release, and says so
		}
		r.version = strings.TrimPrefix(tag, "v")
	}
	return nil
}

// compile builds the program for one system.
func (r *release) compile(system, arch, out string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-tags", "hashicorpmetrics,grpcnotrace", "-ldflags", "-s -w -buildid= -X shoal/node/config.Release="+r.version, "-o", out, ".")
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOFLAGS=")
	return cmd.Run()
}

// describe makes the manual page and completions with a program for this machine.
func (r *release) describe() error {
	dir, err := os.MkdirTemp("", "shoal-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self := filepath.Join(dir, "shoal")
	if err := r.compile(runtime.GOOS, runtime.GOARCH, self); err != nil {
		return err
	}
	r.extra = map[string][]byte{}
	for path, args := range map[string][]string{
		"man/shoal.1": {"man"}, "completions/shoal.bash": {"completion", "bash"}, "completions/_shoal": {"completion", "zsh"}, "completions/shoal.fish": {"completion", "fish"},
	} {
		if r.extra[path], err = exec.Command(self, args...).Output(); err != nil {
			return fmt.Errorf("shoal %s: %w", strings.Join(args, " "), err)
		}
	}
	for _, name := range []string{"LICENSE", "NOTICE", "README.md"} {
		if r.extra[name], err = os.ReadFile(filepath.Join(r.root, name)); err != nil {
			return err
		}
	}
	return nil
}

// dictionaries makes the files that cut Japanese and Korean; they are the same for all
// systems.
func (r *release) dictionaries() error {
	dir, err := os.MkdirTemp("", "shoal-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "run", "-trimpath", "-tags", "hashicorpmetrics,grpcnotrace", "./text/dictionary/make", dir)
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if err := cmd.Run(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if r.extra["dictionaries/"+e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) build(system, arch string) error {
	program := "shoal"
	if system == "windows" {
		program = "shoal.exe"
	}
	dir, err := os.MkdirTemp("", "shoal-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, program)
	if err := r.compile(system, arch, path); err != nil {
		return err
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	base := fmt.Sprintf("shoal_%s_%s_%s", r.version, system, arch)
	if system == "windows" {
		return r.write(base+".zip", func(w io.Writer) error { return r.zip(w, base, program, binary) })
	}
	if err := r.write(base+".tar.gz", func(w io.Writer) error { return r.tar(w, base, program, binary) }); err != nil {
		return err
	}
	if system != "linux" {
		return nil
	}
	for _, kind := range []string{"deb", "rpm"} {
		if err := r.pack(kind, arch, path, dir); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// write makes one file of the release.
func (r *release) write(name string, fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.made = append(r.made, name)
	fmt.Printf("%s (%.1f MiB)\n", name, float64(b.Len())/(1<<20))
	return os.WriteFile(filepath.Join(r.out, name), b.Bytes(), 0o644)
}

// contents are the files of an archive, by name: archives list them in this order.
func (r *release) contents(program string, binary []byte) []struct {
	name string
	body []byte
	mode os.FileMode
} {
	type entry = struct {
		name string
		body []byte
		mode os.FileMode
	}
	all := []entry{{program, binary, 0o755}}
	for name, body := range r.extra {
		all = append(all, entry{name, body, 0o644})
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return all
}

func (r *release) tar(out io.Writer, base, program string, binary []byte) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	for _, f := range r.contents(program, binary) {
		head := &tar.Header{Name: base + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.body)), ModTime: r.when}
		if err := w.WriteHeader(head); err != nil {
			return err
		}
		if _, err := w.Write(f.body); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), z.Close())
}

func (r *release) zip(out io.Writer, base, program string, binary []byte) error {
	w := zip.NewWriter(out)
	for _, f := range r.contents(program, binary) {
		one, err := w.CreateHeader(&zip.FileHeader{Name: base + "/" + f.name, Method: zip.Deflate, Modified: r.when})
		if err != nil {
			return err
		}
		if _, err := one.Write(f.body); err != nil {
			return err
		}
	}
	return w.Close()
}

// pack makes a package of the program with its unit, options file and manual.
func (r *release) pack(kind, arch, program, dir string) error {
	place := func(name string, body []byte) (string, error) {
		path := filepath.Join(dir, filepath.Base(name))
		return path, os.WriteFile(path, body, 0o644)
	}
	manual, err := place("shoal.1", r.extra["man/shoal.1"])
	if err != nil {
		return err
	}
	zsh := "/usr/share/zsh/vendor-completions/_shoal"
	if kind == "rpm" {
		zsh = "/usr/share/zsh/site-functions/_shoal"
	}
	var completions files.Contents
	for name, where := range map[string]string{
		"shoal.bash": "/usr/share/bash-completion/completions/shoal", "_shoal": zsh, "shoal.fish": "/usr/share/fish/vendor_completions.d/shoal.fish",
	} {
		path, err := place(name, r.extra["completions/"+name])
		if err != nil {
			return err
		}
		completions = append(completions, &files.Content{Source: path, Destination: where, FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: r.when}})
	}
	deploy := filepath.Join(r.root, "deploy", "systemd")
	var words files.Contents
	for name, body := range r.extra {
		if rest, ok := strings.CutPrefix(name, "dictionaries/"); ok {
			path, err := place(rest, body)
			if err != nil {
				return err
			}
			words = append(words, &files.Content{Source: path, Destination: "/usr/share/shoal/dictionaries/" + rest, FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: r.when}})
		}
	}
	words = append(words, completions...)
	slices.SortFunc(words, func(a, b *files.Content) int { return cmp.Compare(a.Destination, b.Destination) })
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "shoal", Arch: arch, Platform: "linux", Version: r.version, Section: "database", Maintainer: "The Shoal authors",
		Description: "A search engine that is a cluster and speaks the Meilisearch API", License: "MIT", MTime: r.when,
		Overridables: nfpm.Overridables{
			Contents: append(files.Contents{
				{Source: program, Destination: "/usr/bin/shoal", FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.when}},
				{Source: filepath.Join(deploy, "shoal.service"), Destination: "/usr/lib/systemd/system/shoal.service", FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: r.when}},
				{Source: filepath.Join(deploy, "shoal.env"), Destination: "/etc/shoal/shoal.env", Type: files.TypeConfigNoReplace, FileInfo: &files.ContentFileInfo{Mode: 0o640, MTime: r.when}},
				{Source: manual, Destination: "/usr/share/man/man1/shoal.1", FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: r.when}},
			}, words...),
			Scripts: nfpm.Scripts{
				PostInstall: filepath.Join(deploy, "installed.sh"), PreRemove: filepath.Join(deploy, "removing.sh"), PostRemove: filepath.Join(deploy, "removed.sh"),
			},
		},
	})
	if err := nfpm.Validate(info); err != nil {
		return err
	}
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	return r.write(packager.ConventionalFileName(info), func(w io.Writer) error { return packager.Package(info, w) })
}

// inventory lists the modules that the program is made of (SPDX 2.3).
func (r *release) inventory() error {
	cmd := exec.Command("go", "list", "-deps", "-tags", "hashicorpmetrics,grpcnotrace", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", ".")
	cmd.Dir = r.root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	packages := []map[string]any{}
	for i, line := range slices.Compact(lines) {
		module, version, _ := strings.Cut(line, " ")
		if module == "" {
			continue
		}
		if version == "" {
			version = r.version
		}
		packages = append(packages, map[string]any{
			"SPDXID": fmt.Sprintf("SPDXRef-%d", i), "name": module, "versionInfo": version, "downloadLocation": "NOASSERTION",
			"externalRefs": []map[string]string{{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "pkg:golang/" + module + "@" + version}},
		})
	}
	doc := map[string]any{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "shoal-" + r.version,
		"documentNamespace": "urn:shoal:" + r.commit, "packages": packages,
		"creationInfo": map[string]any{"created": r.when.Format(time.RFC3339), "creators": []string{"Tool: shoal-release"}},
	}
	b, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return err
	}
	return r.write("shoal_"+r.version+".spdx.json", func(w io.Writer) error { _, err := w.Write(b); return err })
}

func (r *release) checksums() error {
	slices.Sort(r.made)
	var b strings.Builder
	for _, name := range r.made {
		content, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), name)
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(b.String()), 0o644)
}
