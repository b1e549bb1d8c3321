package embed

import (
	"errors"
	"net/http"

	"shoal/api/apierr"
)

// Fault is the party that an error blames.
type Fault string

// The faults, as clients see them.
const (
	UserFault      Fault = "user error"
	RuntimeFault   Fault = "runtime error"
	UndecidedFault Fault = "error"
)

// Error is a failure to embed. Its text is what clients see after "Error while
// generating embeddings: " or "While embedding documents ...: ".
type Error struct {
	Fault Fault
	Text  string
	// Input is the only input that the server refuses while it accepts others, counted from
	// 1. It is 0 for all other errors.
	Input int
	// status is the status of the server's answer, 0 without an answer.
	status int
}

// concernsInput tells whether the server may accept other inputs than those of this call.
func (e *Error) concernsInput() bool {
	switch e.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

func (e *Error) Error() string { return string(e.Fault) + ": " + e.Text }

// API returns the error for a search or a change of settings.
func (e *Error) API() *apierr.Error {
	return apierr.New(apierr.CodeVectorEmbeddingError, "Error while generating embeddings: "+e.Error())
}

// apiError turns an error of this package into one for clients. Other errors stay.
func apiError(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known.API()
	}
	return err
}

func userError(text string) *Error { return &Error{Fault: UserFault, Text: text} }

func runtimeError(text string) *Error { return &Error{Fault: RuntimeFault, Text: text} }

// manualText refuses to embed a text for a userProvided embedder. It quotes the beginning.
func manualText(text string) *Error {
	const quoted = 250 // characters
	characters := 0
	for i := range text {
		if characters++; characters > quoted {
			text = text[:i]
			break
		}
	}
	return userError("attempt to embed the following text in a configuration where embeddings must be user provided:\n  - `" + text + "`")
}

// localModel refuses the source huggingFace: models do not run in this process.
func localModel(model string) *Error {
	return userError("the source `huggingFace` is not available: this server runs no models itself\n  - Hint: run `" + model +
		"` in an embedding server (for instance Text Embeddings Inference or Ollama) and use the source `rest` or `ollama` with its URL")
}

// sourceName is the name of a source's server in messages.
var sourceName = map[string]string{"openAi": "OpenAI", "ollama": "Ollama"}

// replied quotes the server's answer in a message.
func replied(body []byte) string {
	const quoted = 4 << 10
	if len(body) > quoted {
		body = body[:quoted]
	}
	return "\n  - server replied with `" + string(body) + "`"
}
