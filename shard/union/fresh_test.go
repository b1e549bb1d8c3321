package union_test

import "shoal/shard/version"

func init() { version.FreshLeast = 1 } // as on large shards
