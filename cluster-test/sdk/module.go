package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// The suite. The checksum is the module's in the public checksum database.
const (
	module  = "github.com/meilisearch/meilisearch-go"
	version = "v0.36.3"
	sum     = "h1:Yx1aTY5jDgtbStPVkhJTDoLnZTy5sejQSPyjfNMy6e4="
)

// fetch puts a writable copy of the module into dir.
func fetch(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module+"@"+version)
	cmd.Dir = os.TempDir() // outside of our module: it does not depend on the suite
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	var got struct{ Dir, Sum, Error string }
	if decodeErr := json.Unmarshal(out, &got); decodeErr != nil {
		return fmt.Errorf("download %s: %w", module, errors.Join(err, decodeErr))
	}
	switch {
	case err != nil || got.Error != "":
		return fmt.Errorf("download %s: %s (%w)", module, got.Error, err)
	case got.Sum != sum:
		return fmt.Errorf("download %s: checksum %s, expected %s", module, got.Sum, sum)
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		return fmt.Errorf("copy %s: %w", module, err)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, 0o700) // the module cache is read-only
	})
}
