// Package powerloss cuts the power of real programs, thousands of times, and checks what
// they find on the disk afterwards.
//
// A Tracer runs a program under ptrace and writes down what it does to the files of one
// folder: a Recording of writes, names, syncs and acknowledgements in their order. A Cut
// is one moment of it at which the power fails. Restore writes what the disk may hold then
// into a new folder: everything that was synced, and of the rest some pages or sectors, in
// any order between pages. The program is opened on that folder and must remember all that
// it had acknowledged before the cut.
//
// In: a command and the folder that it works in. Out: folders after a cut. It needs Linux
// and the right to trace a child; the program under test is not changed. make powerloss
// runs the long form.
package powerloss
