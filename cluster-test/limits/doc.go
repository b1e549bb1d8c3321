// Package limits tries what a stranger can make a node spend: real processes get the
// most expensive requests that their routes take, and their memory and the time until
// an answer are measured. docs/limits.md says what they may be.
package limits
