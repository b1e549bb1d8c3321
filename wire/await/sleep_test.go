package await

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestASleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		if err := Sleep(ctx, time.Second); err != nil || time.Since(begun) != time.Second {
			t.Errorf("a second: %v after %s", err, time.Since(begun))
		}
		if err := Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Minute {
			t.Errorf("an hour, cut off after a minute: %v after %s", err, time.Since(begun))
		}
	})
}
