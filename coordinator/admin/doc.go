// Package admin holds the values of the catalogue that clients edit (keys, features, network,
// webhooks, chat workspaces, search rules), the list of indexes, and statistics. It also has
// the leader's sender of webhooks.
//
// The HTTP front calls it. It answers from the catalogue, proposes updates to the log, or
// enqueues tasks for changes of search rules (queue). Everything is safe for concurrent use.
// WebhookSender.Run is one loop that node owns. This package may import queue and the packages
// below it.
package admin
