//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// contender is a process that is measured beside others.
type contender struct {
	name string
	make func() *exec.Cmd
}

// times are what one contender took, a value a round.
type times struct {
	name string
	wall []time.Duration
	peak []float64 // resident memory in MB
	work []float64 // processor time in seconds, with that of all descendants
}

// race runs the contenders in turns, first once each to warm the caches.
func (b *bench) race(contenders ...contender) ([]times, error) {
	return b.raceRounds(b.rounds, contenders...)
}

func (b *bench) raceRounds(rounds int, contenders ...contender) ([]times, error) {
	results := make([]times, len(contenders))
	for round := -1; round < rounds; round++ {
		for i, c := range contenders {
			wall, usage, err := b.once(c.make())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			results[i].name = c.name
			if round >= 0 {
				results[i].wall = append(results[i].wall, wall)
				results[i].peak = append(results[i].peak, resident(usage))
				results[i].work = append(results[i].work, processorTime(usage))
			}
		}
	}
	return results, nil
}

// patience is how long the long form waits for one process, so that something
// quadratic costs a row and not the night.
const patience = 5 * time.Minute

// once runs a process and tells how long it took and what it used.
func (b *bench) once(cmd *exec.Cmd) (time.Duration, *syscall.Rusage, error) {
	var stderr bytes.Buffer
	if cmd.Stderr == nil {
		cmd.Stderr = &stderr
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	if !b.short {
		giveUp := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer giveUp.Stop()
	}
	err := cmd.Wait()
	wall := time.Since(start)
	if wall >= patience && err != nil {
		return 0, nil, fmt.Errorf("gave up after %v", patience)
	}
	if err != nil {
		text := stderr.Bytes()
		return 0, nil, fmt.Errorf("%w: %s", err, text[max(0, len(text)-300):])
	}
	return wall, cmd.ProcessState.SysUsage().(*syscall.Rusage), nil
}

// resident is the largest size in MB.
func resident(usage *syscall.Rusage) float64 {
	kilobytes := float64(usage.Maxrss)
	if runtime.GOOS == "darwin" {
		kilobytes /= 1024 // there it is in bytes
	}
	return kilobytes / 1024
}

func processorTime(usage *syscall.Rusage) float64 {
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func (t times) median() time.Duration { return median(t.wall) }

func median[T int64 | float64 | time.Duration](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// ratio compares two contenders. The short form compares their best rounds,
// because it has to hold on a machine that does other work as well.
func (b *bench) ratio(ours, theirs times) float64 {
	if b.short {
		return float64(slices.Min(ours.wall)) / float64(slices.Min(theirs.wall))
	}
	return ratio(ours, theirs)
}

// ratio is the median of the rounds' ratios.
func ratio(ours, theirs times) float64 {
	var ratios []float64
	for i := range ours.wall {
		ratios = append(ratios, float64(ours.wall[i])/float64(theirs.wall[i]))
	}
	return median(ratios)
}

// workRatio is the ratio of the least processor times.
func workRatio(ours, theirs times) float64 { return slices.Min(ours.work) / slices.Min(theirs.work) }

func (b *bench) against(ours, theirs times, target float64) figure {
	return figure{
		what: ours.name + " / " + theirs.name, value: b.ratio(ours, theirs), unit: "×", target: target,
		detail: fmt.Sprintf("%s, %s; processor %.3g ×", short(ours.median()), short(theirs.median()), workRatio(ours, theirs)),
		work:   workRatio(ours, theirs),
	}
}

func seconds(t times, target float64) figure {
	return figure{
		what: t.name, value: t.median().Seconds(), unit: "s", target: target,
		detail: fmt.Sprintf("processor %.3g s", slices.Min(t.work)),
	}
}

func short(d time.Duration) string { return fmt.Sprintf("%.4g ms", float64(d)/1e6) }
