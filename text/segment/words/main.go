package main

import (
	"bufio"
	"compress/flate"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"shoal/text/segment"
)

func main() {
	frequencies := flag.Bool("frequencies", false, "lines are words with their frequencies, in an order that stays")
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
	slices.Sort(list)
	return segment.PackWords(os.Stdout, slices.Compact(list))
}

// packFrequencies deflates lines of a word and its frequency; what else they say, and
// lines without a frequency, are left out.
func packFrequencies() error {
	w, err := flate.NewWriter(os.Stdout, flate.BestCompression)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		number, _, _ := strings.Cut(rest, " ")
		if f, err := strconv.ParseFloat(number, 64); word == "" || err != nil || f <= 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", word, number); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), w.Close())
}
