package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"shoal/node"
	"shoal/node/commandline"
	"shoal/node/config"
	"shoal/node/ctl"
	"shoal/node/folder"
	"shoal/node/machine"
)

// Main is the whole program: it runs the command line and returns the exit
// status (0, 1 for a failure, 2 for wrong usage, 130 after an interrupt).
func Main(args []string) int {
	for _, a := range args {
		if a == "--version" {
			printVersion(os.Stdout)
			return 0
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal drains; the second one gets the default action and ends
	// the process at once.
	context.AfterFunc(ctx, stop)
	line, c, err := parse(args)
	switch {
	case err != nil:
	case line.Help:
		err = line.Command.PrintHelp(os.Stdout, columns(os.Stdout))
	default:
		err = c.run(ctx, line, args)
	}
	return exitStatus(err, os.Stderr, args)
}

// run runs the command of a command line.
func (c *cli) run(ctx context.Context, line *commandline.Line, args []string) error {
	switch line.Top() {
	case "serve":
		return c.Serve.run(ctx)
	case "dev":
		return c.Dev.run(ctx, os.Stdout, args)
	case "secret":
		return c.Secret.run(os.Stdout)
	case "recover":
		return c.Recover.run(ctx, os.Stdout, os.Stdin)
	case "version":
		printVersion(os.Stdout)
		return nil
	case "completion":
		return c.Completion.Print(line.Program(), os.Stdout)
	case "man":
		return c.Man.Print(line.Program(), config.Release, os.Stdout)
	}
	of, ok := line.Command.Target.(interface {
		Run(context.Context, io.Writer) error
	})
	if !ok {
		return fmt.Errorf("command line: nothing runs %s", line.Top())
	}
	return of.Run(ctx, os.Stdout)
}

// columns is the width of text for a terminal.
func columns(out *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil {
		return n
	}
	return machine.Columns(out)
}

// printVersion prints the version, commit and date of this program.
func printVersion(out io.Writer) {
	text := fmt.Sprintf("shoal %s (API %s)", config.Release, config.EngineVersion)
	if sha, date := config.Commit(); sha != "" {
		day, _, _ := strings.Cut(date, "T")
		text += fmt.Sprintf(", commit %.12s of %s", sha, day)
	}
	fmt.Fprintln(out, text)
}

func (s *serveCmd) run(ctx context.Context) error {
	cfg, err := s.config()
	if err != nil {
		return usageError{err}
	}
	if cfg.WatchParent {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			// A node of a local cluster ends with the command that started it, however that
			// one ends, because then the pipe closes.
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	err = node.Run(ctx, cfg)
	// A listener that a parent opened is lost on a restart: that parent has to start the
	// node.
	if folder.DiskFull(err) && cfg.HTTPFile == 0 && ctx.Err() == nil {
		return again(err, os.Stderr)
	}
	return err
}

// exitStatus prints an error as one clear message and chooses the status.
func exitStatus(err error, stderr io.Writer, args []string) int {
	if err == nil {
		return 0
	}
	if status := (*ctl.Status)(nil); errors.As(err, &status) {
		fmt.Println(status.Text)
		return status.Code
	}
	var usage usageError
	var wrong ctl.Usage
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintln(stderr, "Error: "+line)
	}
	switch {
	case errors.As(err, &usage), errors.As(err, &wrong):
		fmt.Fprintln(stderr, explainedBy(args))
		return 2
	case errors.Is(err, context.Canceled):
		return 130
	}
	return 1
}
