// Package embed turns texts and fragments into vectors by asking the servers that embedders
// name (spec write-api 13.5). All sources that call a server (rest, openAi, ollama, and
// composite, a pair of them) are configurations of one client. userProvided and huggingFace
// refuse, each with a text that says what to do instead.
//
// Builders enter at Pool.Documents, searches at Pool.Query, changes of settings at
// Pool.Probe. The caller injects the function that sends requests (Post), so that its rules
// for addresses hold here too.
//
// # Vocabulary
//
//   - input: a text, or with fragments any JSON value, that becomes one vector.
//   - injection: a JSON template with one placeholder (injection.go).
//   - fault: the party that an error blames (error.go).
//   - batch: the inputs of one call, bounded by number and bytes (batch.go).
//
// # Goroutines
//
// Documents starts up to parallelism goroutines per call that end before it does. Retries
// wait on the context of the caller (embed/retry), and the calls of one Documents give up
// together (patience.go). A server that is slow or gone delays only the calls that need it:
// embedders share nothing.
package embed
