package interpreter

import "runtime"

// heapSize is what the objects of this process take, in bytes, with those that
// nobody needs any more. The package runtime/metrics would tell without stopping
// the others, but its tables slow every start of the program.
func heapSize() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
