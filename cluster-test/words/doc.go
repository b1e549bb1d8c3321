// Package words runs what the documentation tells people to type: the commands of
// docs/five-minutes.md in a shell, the snippets of docs/clients.md in each language
// that this machine has. Those it has not are skipped, saying so.
package words
