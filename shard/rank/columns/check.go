package columns

import (
	"fmt"
	"slices"

	"shoal/shard/record"
)

// Check compares the columns of every covered document with its record. It reads all of
// both. Crash tests use it to check columns found on disk.
func (c *Columns) Check(ix Source) error {
	r := ix.Tokens()
	defer func() { _ = r.Close() }() // reading is over
	var cursor record.Cursor
	var order sequencer
	for ord := range c.Covered().All() {
		t, ok, err := r.Read(ord)
		if err != nil || !ok {
			return fmt.Errorf("document %d has columns and no record: %w", ord, err)
		}
		b, low := c.Of(ord), uint16(ord)
		cursor.Reset(t)
		for cursor.Next() {
			if isForm(cursor.Word()) {
				continue
			}
			at, sp, found := b.search(&b.words, string(cursor.Word()))
			code := 2 * at
			if found {
				code++
			}
			p := cursor.Places()
			for o, more := p.Next(); more; o, more = p.Next() {
				order.add(o.Field, o.Position, code)
				if found && !b.bitOf(sp.fields, int(min(o.Field, OtherFields))).Contains(low) {
					return fmt.Errorf("columns lack document %d of the word %q in field %d", ord, cursor.Word(), o.Field)
				}
			}
		}
		if want, got := order.flush(), b.OrderOf(low, new([]uint16)); !slices.Equal(got, want) {
			return fmt.Errorf("words of document %d in order: %x, its record has %x", ord, got, want)
		}
		if err := b.Fault(); err != nil {
			return err
		}
	}
	return nil
}
