// Command bulk sends one very large import in one request to one node and to
// three, and fails when the memory of any node exceeds a limit (make bulk).
package main
