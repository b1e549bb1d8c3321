package observe

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestTheNewestLinesAreRemembered(t *testing.T) {
	var console bytes.Buffer
	logs, err := NewLogs(&console, "info", false)
	if err != nil {
		t.Fatal(err)
	}
	logs.Logger().Info("first line")
	logs.Logger().Debug("not on the console")
	if got := logs.Recent(); !bytes.Equal(got, console.Bytes()) || !strings.Contains(string(got), "first line") || strings.Contains(string(got), "not on") {
		t.Errorf("%s", got)
	}
	for i := range 3000 {
		logs.Logger().Info(fmt.Sprintf("line %d", i), "long", strings.Repeat("x", 1000))
	}
	got := string(logs.Recent())
	if len(got) > recentBytes || len(got) < recentBytes/2 || !strings.Contains(got, "line 2999") || strings.Contains(got, "first line") {
		t.Errorf("%d bytes are remembered", len(got))
	}
	if _, err := io.WriteString(&logs.recent, strings.Repeat("y", 2*recentBytes)); err != nil || len(logs.Recent()) > recentBytes {
		t.Errorf("one line takes %d bytes, %v", len(logs.Recent()), err)
	}
}
