package interpreter

import "runtime/metrics"

// heapSize is what the objects of this process take, in bytes, with those that
// nobody needs any more.
func heapSize() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
