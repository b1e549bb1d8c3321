// Package pods tests what an operator of Kubernetes relies on, on real processes that
// are started, moved and stopped as the pods of a StatefulSet are, with the command
// line of deploy/kubernetes/shoal.yaml: a restart pod by pod, addresses that change, a
// lost volume, more pods and fewer, while clients search and write through a service.
//
// set.go is the StatefulSet: names, volumes, addresses and the names that lead to them.
// service.go is the service: a round robin over the pods whose readiness probe
// succeeds. load.go are the clients, the test is the story.
//
// It runs as go test and builds the program itself: the rolling restart alone, with -pods
// (make pods) the whole story; -long takes the times of the manifest.
package pods
