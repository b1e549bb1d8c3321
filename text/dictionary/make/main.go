package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"shoal/text/dictionary"
	"shoal/text/dictionary/source"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: make FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "make dictionaries:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, one := range []dictionary.Set{dictionary.Japanese, dictionary.Korean} {
		if err := write(folder, one); err != nil {
			return fmt.Errorf("%s: %w", one, err)
		}
	}
	// Check that the program accepts the files just written.
	found, err := dictionary.Open(folder, func(error) {})
	if err == nil && found != dictionary.All {
		err = errors.New("a file is not where it belongs")
	}
	return err
}

func write(folder string, one dictionary.Set) error {
	d, err := source.Of(one)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	sum, err := dictionary.Write(&b, one, d)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, dictionary.FileName(one))
	fmt.Printf("%s (%.1f MiB, %s)\n", path, float64(b.Len())/(1<<20), sum)
	if err := renameio.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return err
	}
	notice, err := source.Notice(one)
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(folder, one.String()+".NOTICE"), notice, 0o644)
}
