package peer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// echoVariable makes the test program another node, which answers until its input ends.
const echoVariable = "SHOAL_PEER_TEST_ECHO"

// serveEcho is that other node: it prints its address, and when its input has a line, the
// CPU time that it has used so far in microseconds.
func serveEcho() (status int) {
	err := func() error {
		secret, err := NewSecret(secretOfTests)
		if err != nil {
			return err
		}
		self, err := secret.Identify("n")
		if err != nil {
			return err
		}
		log := slog.New(slog.DiscardHandler)
		ln, err := Listen(machine.System{}, "127.0.0.1:0", self, log)
		if err != nil {
			return err
		}
		srv := NewServer(log)
		Handle(srv, "echo", func(_ context.Context, e *echo) (*echo, error) { return e, nil })
		srv.HandleStream("echoes", func(st Stream) error {
			for {
				var e echo
				if err := st.Recv(&e); err != nil {
					return err
				}
				if err := st.Send(&e); err != nil {
					return err
				}
			}
		})
		served := make(chan error, 1)
		go func() { served <- srv.Serve(ln.RPC()) }()
		fmt.Println(ln.Addr())
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			used, err := cpuTime()
			if err != nil {
				return err
			}
			fmt.Println(used.Microseconds())
		}
		srv.Close()
		return errors.Join(ln.Close(), <-served)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// cpuTime is the CPU time that this process has used so far.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// otherNode is a node in a process of its own.
type otherNode struct {
	b    *testing.B
	link *Link
	in   io.WriteCloser
	out  *bufio.Reader
}

func startOther(b *testing.B) *otherNode {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), echoVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	o := &otherNode{b: b, in: in, out: bufio.NewReader(out)}
	addr := o.line()
	secret, err := NewSecret(secretOfTests)
	if err != nil {
		b.Fatal(err)
	}
	self, err := secret.Identify("client")
	if err != nil {
		b.Fatal(err)
	}
	o.link = NewLink(machine.System{}, self, func(wire.NodeID) (string, bool) { return addr, true })
	b.Cleanup(func() {
		if err := errors.Join(o.link.Close(), in.Close(), cmd.Wait()); err != nil {
			b.Error(err)
		}
	})
	return o
}

func (o *otherNode) line() string {
	s, err := o.out.ReadString('\n')
	if err != nil {
		o.b.Fatal(err)
	}
	return strings.TrimSpace(s)
}

// cpu is the CPU time that both processes have used so far.
func (o *otherNode) cpu() time.Duration {
	own, err := cpuTime()
	if err != nil {
		o.b.Fatal(err)
	}
	if _, err := fmt.Fprintln(o.in); err != nil {
		o.b.Fatal(err)
	}
	var other int64
	if _, err := fmt.Sscan(o.line(), &other); err != nil {
		o.b.Fatal(err)
	}
	return own + time.Duration(other)*time.Microsecond
}

// BenchmarkRoundTrip sends an empty message from one process to another and back, by TLS
// over the loopback interface: as a call, as a stream of one message, and as one more
// message of a stream. cpu-us is the CPU time of both processes together.
func BenchmarkRoundTrip(b *testing.B) {
	o := startOther(b)
	measure := func(b *testing.B, one func() error) {
		if err := one(); err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		before := o.cpu()
		for range b.N {
			if err := one(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64((o.cpu()-before).Microseconds())/float64(b.N), "cpu-us/op")
	}
	exchange := func(st *ClientStream) error {
		_, err := ask(st, "")
		return err
	}
	b.Run("call", func(b *testing.B) {
		measure(b, func() error {
			_, err := Call[echo, echo](b.Context(), o.link, "n", "echo", &echo{})
			return err
		})
	})
	b.Run("stream", func(b *testing.B) {
		measure(b, func() error {
			st, err := o.link.OpenLasting(b.Context(), "n", "echoes", false)
			if err != nil {
				return err
			}
			defer st.Leave()
			return exchange(st)
		})
	})
	b.Run("message", func(b *testing.B) {
		st, err := o.link.OpenLasting(b.Context(), "n", "echoes", false)
		if err != nil {
			b.Fatal(err)
		}
		defer st.Close()
		measure(b, func() error { return exchange(st) })
	})
}
