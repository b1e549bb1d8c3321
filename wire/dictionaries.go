package wire

import "shoal/text/dictionary"

// DictionariesSince is the Version that brought Node.Dictionaries.
const DictionariesSince = 6

// CommonDictionaries are the dictionaries that all nodes have: those that count
// for what is indexed from now on.
func CommonDictionaries(nodes []*Node) dictionary.Set {
	common := dictionary.All
	for _, n := range nodes {
		common &= n.Dictionaries
	}
	if len(nodes) == 0 {
		return 0
	}
	return common
}

// NeededDictionaries are those that indexes are cut by: a node without one of them can
// neither hold nor search them.
func NeededDictionaries(indexes []*Index) (needed dictionary.Set) {
	for _, x := range indexes {
		needed |= x.Generations.Dictionaries()
	}
	return needed
}
