package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"shoal/text/segment"
)

func main() {
	frequencies := flag.Bool("frequencies", false, "lines are words with their frequencies")
	flag.Parse()
	run := pack
	if *frequencies {
		run = packFrequencies
	}
	if err := run(); err != nil {
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
	return segment.WriteWords(os.Stdout, list)
}

// packFrequencies reads lines with a word and its frequency, and ignores further fields.
func packFrequencies() error {
	of := map[string]uint32{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			return fmt.Errorf("%q: a word and its frequency are wanted", lines.Text())
		}
		f, err := strconv.ParseUint(fields[1], 10, 32)
		if err != nil || f == 0 {
			return fmt.Errorf("%q: the frequency is no number above 0", lines.Text())
		}
		of[fields[0]] = uint32(f)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return segment.WriteFrequencies(os.Stdout, of)
}
