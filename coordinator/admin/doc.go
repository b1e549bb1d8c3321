// Package admin holds the values of the catalogue that clients edit (keys,
// features, network, webhooks, chat workspaces, search rules), the list of
// indexes, and figures; the leader's sender of webhooks is here too.
//
// In: calls of the HTTP front. Out: answers read from the catalogue, updates
// proposed to the log, or tasks for changes of search rules (queue). Everything is
// safe for concurrent use; WebhookSender.Run is one loop that node owns. May
// import queue and what lies below it.
package admin
