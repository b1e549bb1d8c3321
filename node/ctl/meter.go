package ctl

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// meter shows the progress of an import.
type meter interface {
	at(read, documents int64, open int)
	end()
}

// newMeter is a bar on a terminal, otherwise a line every few seconds. size is -1 if
// unknown.
func newMeter(out io.Writer, name string, size int64) meter {
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return &barMeter{bar: progressbar.NewOptions64(size, progressbar.OptionSetWriter(out), progressbar.OptionShowBytes(true),
				progressbar.OptionSetDescription(name), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true),
				progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())}
		}
	}
	return &lineMeter{out: out, name: name, size: size, began: time.Now(), said: time.Now()}
}

type barMeter struct{ bar *progressbar.ProgressBar }

func (b *barMeter) at(read, documents int64, open int) {
	b.bar.Describe(fmt.Sprintf("%d documents, %d tasks open", documents, open))
	_ = b.bar.Set64(read) // an import goes on without its terminal
}

func (b *barMeter) end() { _ = b.bar.Finish() }

// lineEvery is how often a line is written where there is no terminal.
const lineEvery = 5 * time.Second

type lineMeter struct {
	out         io.Writer
	name        string
	size        int64
	began, said time.Time
}

func (l *lineMeter) at(read, documents int64, open int) {
	if time.Since(l.said) < lineEvery {
		return
	}
	l.said = time.Now()
	took := time.Since(l.began)
	fmt.Fprintf(l.out, "%s: %d documents sent, %d tasks open, %.0f documents a second", l.name, documents, open, float64(documents)/took.Seconds())
	if l.size > 0 && read > 0 {
		left := time.Duration(float64(took) * float64(l.size-read) / float64(read))
		fmt.Fprintf(l.out, ", %d %% read, about %s left", 100*read/l.size, left.Round(time.Second))
	}
	fmt.Fprintln(l.out)
}

func (*lineMeter) end() {}
