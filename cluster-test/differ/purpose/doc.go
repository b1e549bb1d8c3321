// Package purpose knows in what a server of ours answers otherwise than the reference on purpose: a
// table of rows, each tied to a line of docs/divergence.md. A row takes what it tells of out of both
// answers, and looks at the servers for what proves it. Imports jsonvalue and life.
package purpose
