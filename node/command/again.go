package command

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// againAfter keeps a node from restarting too often while something else fills its disk.
const againAfter = time.Second

// again starts the program anew in this process, with the same command line. After a fault
// of the disk the open parts cannot be closed in order, and only a new start reads what is
// on the disk. It returns only if that fails.
func again(why error, stderr io.Writer) error {
	fmt.Fprintln(stderr, "Error: "+why.Error())
	fmt.Fprintln(stderr, "starting again")
	time.Sleep(againAfter)
	program, err := os.Executable()
	if err == nil {
		err = syscall.Exec(program, os.Args, os.Environ())
	}
	return fmt.Errorf("%w; starting again failed: %w", why, err)
}
