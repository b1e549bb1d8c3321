package peer

import (
	"syscall"
	"testing"
	"time"
)

// cpu is what this process has used so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRoundTrip is an empty message there and back, through TLS on the loopback
// interface: as a call, and as a step of a stream that is open already. cpu-us is the CPU
// time of both ends together.
func BenchmarkRoundTrip(b *testing.B) {
	link := start(b, secretOfTests, secretOfTests)
	measure := func(b *testing.B, one func() error) {
		if err := one(); err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		before := cpu(b)
		for range b.N {
			if err := one(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
	}
	b.Run("call", func(b *testing.B) {
		measure(b, func() error {
			_, err := Call[echo, echo](b.Context(), link, "n", "echo", &echo{})
			return err
		})
	})
	b.Run("stream", func(b *testing.B) {
		measure(b, func() error {
			st, err := link.Open(b.Context(), "n", "upper")
			if err != nil {
				return err
			}
			if err := st.Send(&echo{}); err != nil {
				return err
			}
			if err := st.Recv(new(echo)); err != nil {
				return err
			}
			return st.CloseSend()
		})
	})
	b.Run("step", func(b *testing.B) {
		st, err := link.Open(b.Context(), "n", "upper")
		if err != nil {
			b.Fatal(err)
		}
		measure(b, func() error {
			if err := st.Send(&echo{}); err != nil {
				return err
			}
			return st.Recv(new(echo))
		})
		if err := st.CloseSend(); err != nil {
			b.Fatal(err)
		}
	})
}
