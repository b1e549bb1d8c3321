package main

import (
	"bufio"
	"compress/flate"
	"flag"
	"fmt"
	"os"
	"slices"
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
	slices.Sort(list)
	return segment.PackWords(os.Stdout, slices.Compact(list))
}

// packFrequencies deflates lines of a word and its frequency, sorted by word: a sorted list
// is loaded in half the time. What else they say, and lines without a frequency, are left
// out; those of the same word stay in their order.
func packFrequencies() error {
	var list [][2]string
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		number, _, _ := strings.Cut(rest, " ")
		if f, err := strconv.ParseFloat(number, 64); word == "" || err != nil || f <= 0 {
			continue
		}
		list = append(list, [2]string{word, number})
	}
	if err := lines.Err(); err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	w, err := flate.NewWriter(os.Stdout, flate.BestCompression)
	if err != nil {
		return err
	}
	for _, l := range list {
		if _, err := fmt.Fprintf(w, "%s %s\n", l[0], l[1]); err != nil {
			return err
		}
	}
	return w.Close()
}
