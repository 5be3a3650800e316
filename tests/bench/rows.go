//go:build unix

package main

// rows is the table of bounds. Those of one component alone come from the
// component's own benchmarks; everything else is a whole process.
var rows = []row{
	{name: "500 steps of true", run: fiveHundred},
	{name: "steps that store 1 KiB", long: true, run: storing},
	{name: "start", run: start},
	{name: "a step printing 1 GB", run: gigabyte},
	{name: "200 MB through extract-json", long: true, run: extraction},
	{name: "loading and validating", run: loading},
	{name: "list over 1,000 files", long: true, run: listing},
	{name: "evidence, 5,000 files", run: func(b *bench) ([]figure, error) { return evidence(b, 5_000) }},
	{name: "evidence, 50,000 files", long: true, run: func(b *bench) ([]figure, error) { return evidence(b, 50_000) }},
	{name: "1,000 calls, depth 5", long: true, run: calls},
	{name: "50 parallel steps of sleep 0.1", long: true, run: parallel},
	{name: "condition", long: true, run: component("./recipes/expression", "^BenchmarkTest$", 1e-6, 0)},
	{name: "loading 10,000 conditions", long: true, run: component("./recipes/expression", "^BenchmarkLoad$", 0.5, 0)},
	{name: "rendering a prompt", long: true, run: component("./recipes/template", "^BenchmarkRender$", 0.010, 0)},
	{name: "replay of 100,000 events", long: true, run: component("./runner/journal", "^BenchmarkReplay100k$", 1, 150)},
	{name: "ledger of 10,000, one more", long: true, run: component("./bricks/ledger/store", "^BenchmarkIterateOverTenThousand$", 0.050, 0)},
}
