package command

import (
	"fmt"
	"io"

	"shoal/node/folder"
	"shoal/node/machine"
	"shoal/node/peer"
)

// secretCmd prints a new secret.
type secretCmd struct{}

func (secretCmd) run(out io.Writer) error {
	_, err := fmt.Fprintln(out, peer.RandomSecret())
	return err
}

// textOrFile is the value of a secret option, or what the file of its companion
// OPTION-file holds in its first two lines.
func textOrFile(option, text, file string) (first, second string, err error) {
	switch {
	case file == "":
		return text, "", nil
	case text != "":
		return "", "", fmt.Errorf("%s and %s-file exclude each other", option, option)
	}
	first, second, err = folder.Lines(machine.Disk(), file)
	if err != nil {
		return "", "", fmt.Errorf("%s-file: %w", option, err)
	}
	if first == "" {
		return "", "", fmt.Errorf("%s-file: the first line of %s is empty", option, file)
	}
	return first, second, nil
}
