package command

import (
	"fmt"
	"io"
	"os"

	"shoal/node/folder"
	"shoal/node/machine"
	"shoal/node/peer"
)

// secretCmd prints a new secret.
type secretCmd struct{}

// run writes the secret. If the output is a regular file, it gets the mode 0600.
func (secretCmd) run(out io.Writer) error {
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			if err := f.Chmod(0o600); err != nil {
				return fmt.Errorf("keep the secret from other users: %w", err)
			}
		}
	}
	_, err := fmt.Fprintln(out, peer.RandomSecret())
	return err
}

// readable lists those files that every user can read.
func readable(files ...string) (open []string) {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 {
			open = append(open, file)
		}
	}
	return open
}

// textOrFile is the value of a secret option, or the first two lines of the file that its
// companion OPTION-file names.
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
