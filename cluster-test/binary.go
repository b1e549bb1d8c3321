package clustertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build returns the path of the program to test: the one that SHOAL_TEST_BINARY
// names, else one built from this tree into dir.
func Build(ctx context.Context, dir string) (string, error) {
	if path := os.Getenv("SHOAL_TEST_BINARY"); path != "" {
		return filepath.Abs(path)
	}
	path := filepath.Join(dir, "shoal")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "hashicorpmetrics", "-o", path, "shoal")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // what is shipped, also when the tests run under the race detector
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
}
