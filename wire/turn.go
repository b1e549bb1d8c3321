package wire

import "context"

type turnKey struct{}

// WithTurn gives the context of a long request a function that is called between its
// parts: it may wait until others had their turn, and fails when the request has to end.
func WithTurn(ctx context.Context, turn func() error) context.Context {
	return context.WithValue(ctx, turnKey{}, turn)
}

// Turn is called between two parts of a long request.
func Turn(ctx context.Context) error {
	if turn, ok := ctx.Value(turnKey{}).(func() error); ok {
		return turn()
	}
	return nil
}
