// Command shoal is the search engine. One binary serves, joins a cluster, runs a local
// cluster for trial, and reports on a running cluster.
package main

import (
	"os"

	"shoal/node/command"
)

func main() { os.Exit(command.Main(os.Args[1:])) }
