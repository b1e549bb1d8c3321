// Package commandline reads command lines: commands below commands, options and arguments,
// declared as structs with tags. New takes a pointer to the struct of a program. Parse
// fills it from the words of a command line. A Source (the environment and files, which the
// caller reads) supplies the values that the command line omits. Help prints what a program
// or one command understands.
//
// It is written here because the libraries for it look up methods by computed names, or
// fill templates that do. That makes the linker keep every exported method of every type, a
// seventh of the program (docs/adr/0026). It imports nothing of ours.
//
// Tags of a field:
//
//	cmd:""           a struct is a command (default:"withargs": the one that is meant
//	                 when none is named)
//	arg:""           the field is an argument, not an option (optional:"": may be missing)
//	name, help       as they say; without a name the field's, in lower case with dashes
//	default          text that is read when nothing else is given
//	placeholder      what stands for the value in help
//	group            title under which help lists the option
//	enum             the values that are allowed, separated by commas
//	names            the kind of names that a value is one of, for completion
//	env              variables of the environment, separated by commas
//	xor              options of one group exclude each other
//	required:"", hidden:"", negatable:""   (--no-NAME)
//
// Embedded structs count as if their fields stood where they are embedded. Values are
// texts, numbers, switches, durations, lists of texts (separated by commas, \, for a
// comma) and all that reads itself (encoding.TextUnmarshaler).
package commandline
