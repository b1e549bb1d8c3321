package embed

import (
	"context"
	"fmt"
	"strings"
	"time"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/retry"
)

const (
	// defaultCallTime bounds one call to a server.
	defaultCallTime = 30 * time.Second
	// retries is how often a failed call is repeated, defaultLongestWait the longest pause
	// before a repetition.
	retries            = 10
	defaultLongestWait = 60 * time.Second
	// maxAnswer bounds what a server may send back, in bytes.
	maxAnswer = 64 << 20
)

// Default addresses of sources.
const (
	openAIURL = "https://api.openai.com/v1/embeddings"
	ollamaURL = "http://localhost:11434/api/embeddings"
)

// client talks to one server.
type client struct {
	pool       *Pool
	source     string
	url        string
	headers    []decode.Entry[string]
	request    *injection
	response   *injection
	dimensions int // 0 means unknown
}

// newClient makes a client for a definition. Errors: *Error, *apierr.Error.
func (p *Pool) newClient(e *settings.Embedder) (*client, error) {
	c := &client{pool: p, source: e.Source, url: e.URL, dimensions: e.Dimensions}
	c.headers = []decode.Entry[string]{{Name: "Content-Type", Value: "application/json"}}
	key := e.APIKey
	var request, response jsonvalue.Value
	placeholder := textPlaceholder
	switch e.Source {
	case "openAi":
		if !e.APIKeyStated {
			key = p.cfg.OpenAIKey
		}
		if c.url == "" {
			c.url = openAIURL
		}
		request, response = openAITemplates(e)
	case "ollama":
		if c.url == "" {
			c.url = p.cfg.OllamaURL
		}
		if c.url == "" {
			c.url = ollamaURL
		}
		var ok bool
		if request, response, ok = ollamaTemplates(e.Model, c.url); !ok {
			return nil, userError("unsupported Ollama URL.\n  - For `ollama` sources, the URL must end with `/api/embed` or `/api/embeddings`\n  - Got `" + c.url + "`")
		}
	case "rest":
		if e.Request == nil || e.Response == nil {
			return nil, userError("`request` and `response` are needed")
		}
		request, response = *e.Request, *e.Response
		if len(e.IndexingFragments) > 0 || len(e.SearchFragments) > 0 {
			placeholder = fragmentPlaceholder
		}
		c.headers = append(c.headers, e.Headers...)
	default:
		return nil, userError("the source `" + e.Source + "` has no server")
	}
	if key != "" || e.APIKeyStated && e.Source != "openAi" {
		c.headers = append(c.headers, decode.Entry[string]{})
		copy(c.headers[2:], c.headers[1:])
		c.headers[1] = decode.Entry[string]{Name: "Authorization", Value: "Bearer " + key}
	}
	var ok bool
	if c.request, ok = newInjection(request, placeholder); !ok {
		return nil, userError("in `request`: \"" + placeholder + "\" not found")
	}
	if c.response, ok = newInjection(response, vectorPlaceholder); !ok {
		return nil, userError("in `response`: \"" + vectorPlaceholder + "\" not found")
	}
	return c, nil
}

func repeated(placeholder jsonvalue.Value) jsonvalue.Value {
	return jsonvalue.ArrayValue(placeholder, jsonvalue.StringValue(repeatPlaceholder))
}

func openAITemplates(e *settings.Embedder) (request, response jsonvalue.Value) {
	members := []jsonvalue.Member{
		{Name: "model", Value: jsonvalue.StringValue(e.Model)}, {Name: "input", Value: repeated(jsonvalue.StringValue(textPlaceholder))},
	}
	if e.SetDimensions > 0 && e.SupportsDimensions() {
		members = append(members, jsonvalue.Member{Name: "dimensions", Value: jsonvalue.UintValue(uint64(e.SetDimensions))})
	}
	vector := jsonvalue.ObjectValue(jsonvalue.Member{Name: "embedding", Value: jsonvalue.StringValue(vectorPlaceholder)})
	return jsonvalue.ObjectValue(members...), jsonvalue.ObjectValue(jsonvalue.Member{Name: "data", Value: repeated(vector)})
}

func ollamaTemplates(model, url string) (request, response jsonvalue.Value, ok bool) {
	name := jsonvalue.Member{Name: "model", Value: jsonvalue.StringValue(model)}
	text, vector := jsonvalue.StringValue(textPlaceholder), jsonvalue.StringValue(vectorPlaceholder)
	switch {
	case strings.HasSuffix(url, "/api/embeddings"):
		return jsonvalue.ObjectValue(name, jsonvalue.Member{Name: "prompt", Value: text}), jsonvalue.ObjectValue(jsonvalue.Member{Name: "embedding", Value: vector}), true
	case strings.HasSuffix(url, "/api/embed"):
		return jsonvalue.ObjectValue(name, jsonvalue.Member{Name: "input", Value: repeated(text)}),
			jsonvalue.ObjectValue(jsonvalue.Member{Name: "embeddings", Value: repeated(vector)}), true
	}
	return request, response, false
}

// perCall is the number of inputs in one call.
func (c *client) perCall() int {
	if c.request.repeated {
		return textsPerCall
	}
	return 1
}

// try makes one call. again, unless nil, says when another call may help.
func (c *client) try(ctx context.Context, body []byte, count int) (vectors [][]float32, again *retry.Failure, fault *Error) {
	call, cancel := context.WithTimeout(ctx, c.pool.cfg.CallTime)
	defer cancel()
	reply, err := c.pool.cfg.Post(call, c.url, c.headers, body, maxAnswer)
	switch {
	case err != nil:
		return nil, &retry.Failure{}, runtimeError("could not reach embedding server:\n  - " + err.Error())
	case reply.Status/100 == 2:
		vectors, fault = c.read(reply.Body, count)
		if fault != nil && fault.status != 0 {
			again = &retry.Failure{} // the answer was no JSON
		}
		return vectors, again, fault
	}
	fault, repeat := c.refusal(reply.Status, reply.Body)
	fault.status = reply.Status
	if repeat {
		again = &retry.Failure{TooMany: reply.Status == 429, After: reply.RetryAfter}
	}
	return nil, again, fault
}

// refusal words an unsuccessful answer. again tells whether another try may help.
func (c *client) refusal(status int, body []byte) (fault *Error, again bool) {
	quote := replied(body)
	switch {
	case status == 400:
		hint := "\n  - Hint: check that the `request` in the embedder configuration matches the remote server's API"
		if c.source != "rest" {
			hint = ""
		}
		return userError("sent a bad request to embedding server" + hint + quote), false
	case status == 401:
		name, hint := sourceName[c.source], "\n  - Hint: Check the `apiKey` parameter in the embedder configuration"
		if name == "" {
			name = "embedding"
		}
		if c.source == "openAi" {
			hint += ", and the `MEILI_OPENAI_API_KEY` and `OPENAI_API_KEY` environment variables"
		}
		return userError("could not authenticate against " + name + " server" + quote + hint), false
	case status == 404 && c.source == "ollama":
		return userError("model not found. Meilisearch will not automatically download models from the Ollama library, please pull the model manually" + quote), false
	case status == 429:
		return runtimeError("sent too many requests to embedding server" + quote), true
	case status >= 500 && status < 600:
		return runtimeError(fmt.Sprintf("received internal error HTTP %d from embedding server%s", status, quote)), true
	}
	fault = &Error{Fault: UndecidedFault, Text: fmt.Sprintf("received unexpected HTTP %d from embedding server%s", status, quote)}
	return fault, status < 402 || status > 499
}

// read reads the vectors of an answer. The error for an answer that is not JSON has a
// status.
func (c *client) read(answer []byte, count int) ([][]float32, *Error) {
	v, err := jsonvalue.Parse(answer)
	if err != nil {
		return nil, &Error{Fault: RuntimeFault, Text: "error deserializing the response body as JSON:\n  - json: " + err.Error(), status: 200}
	}
	vectors, fault := c.response.extract(&v)
	if fault != nil {
		return nil, fault
	}
	if len(vectors) != count {
		return nil, runtimeError(fmt.Sprintf("expected a response containing %d embeddings, got only %d", count, len(vectors)))
	}
	for _, one := range vectors {
		if c.dimensions > 0 && len(one) != c.dimensions {
			return nil, runtimeError(fmt.Sprintf("was expecting embeddings of dimension `%d`, got embeddings of dimensions `%d`", c.dimensions, len(one)))
		}
	}
	return vectors, nil
}
