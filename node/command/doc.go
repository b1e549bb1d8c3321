// Package command is the command line: options and their sources, the commands that serve,
// start a local cluster or recover one, and the exit status. The commands that talk to a
// running cluster are in node/ctl.
//
// In: arguments, the environment and a TOML file (Main). Out: a config.Config for node.Run,
// or the output of a command. It imports everything of node; only main imports it.
package command
