package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"

	"shoal/text/segment"
)

func main() {
	if err := pack(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pack() error {
	var list []string
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() != "" {
			list = append(list, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	slices.Sort(list)
	return segment.PackWords(os.Stdout, slices.Compact(list))
}
