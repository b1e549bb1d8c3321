package clustertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build returns the path of the program to test: the one named by SHOAL_TEST_BINARY,
// otherwise one built from this tree into dir.
func Build(ctx context.Context, dir string) (string, error) {
	if path := os.Getenv("SHOAL_TEST_BINARY"); path != "" {
		return filepath.Abs(path)
	}
	return build(ctx, filepath.Join(dir, "shoal"), "hashicorpmetrics,grpcnotrace")
}

// BuildSkewed builds into dir a program whose clock is wrong by the duration in
// SHOAL_TEST_SKEW of a node's environment, for example -1h.
func BuildSkewed(ctx context.Context, dir string) (string, error) {
	return build(ctx, filepath.Join(dir, "shoal-skewed"), "hashicorpmetrics,grpcnotrace,skew")
}

// ErrNoHistory: the tree has no commits, or lacks the requested one.
var ErrNoHistory = errors.New("the history does not reach back to this commit")

// BuildAt builds the program of a commit into dir, from the git history of the working
// directory. It returns ErrNoHistory if the commit is missing.
func BuildAt(ctx context.Context, dir, commit string) (string, error) {
	top, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %w", commit, ErrNoHistory, err)
	}
	root := strings.TrimSpace(string(top))
	if err := exec.CommandContext(ctx, "git", "-C", root, "cat-file", "-e", commit+"^{commit}").Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %w", commit, ErrNoHistory, err)
	}
	source := filepath.Join(dir, "source-"+commit)
	if err := os.MkdirAll(source, 0o700); err != nil {
		return "", err
	}
	defer os.RemoveAll(source)
	archive := filepath.Join(source, "tree.tar")
	for _, cmd := range []*exec.Cmd{
		exec.CommandContext(ctx, "git", "-C", root, "archive", "--output="+archive, commit),
		exec.CommandContext(ctx, "tar", "-x", "-f", archive, "-C", source),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
		}
	}
	return buildIn(ctx, source, filepath.Join(dir, "shoal-"+commit), "hashicorpmetrics,grpcnotrace")
}

func build(ctx context.Context, path, tags string) (string, error) {
	return buildIn(ctx, "", path, tags)
}

// buildIn builds the program of the tree in folder, "" for the working directory.
func buildIn(ctx context.Context, folder, path, tags string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", tags, "-o", path, "shoal")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as shipped, even when the tests run under the race detector
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
}
