// Package session holds the rules of a loop's session: what its files mean, when
// the loop stops and why, and which workflow runs next. It is values in, values
// out; package folder beside it reads and writes the files and decides nothing.
//
// Success means that an iteration ran to its end. goal_check.json is evidence.
// control.json is the only thing that a workflow stops the loop with. The three
// are kept apart on purpose (seed 001).
//
// A loop goes through these calls; F is a [folder.Session], C a [Coordinator]:
//
//	open     F = Store.Create, C = Start         a new session
//	         F = Store.Open, F.State, C = Restore,
//	         F.Observe, C.Resume                 one that was closed or died
//	         F.Write(C.State, C.TakeEvents)
//	begin    C.Next, C.Begin
//	         F.Write(…, Prompt)                  makes the iteration's folder
//	         the round's steps run with F.Environment
//	finish   F.Observe                           what the iteration left behind
//	         the judge runs, unless the control file says stop; Judged
//	         the check runs, if the reading is goal_met
//	         C.Finish
//	         F.Write(…, Result, Control, Rejected, Invalid)
//	close    F.Close
//
// C is pure and lives with the decisions; F is called by the executor. What goes
// from F to C is an [Observation], what goes back is a State, events, and flags
// of the [Decision].
//
// [folder.Session]: https://pkg.go.dev/github.com/brickoven/brickoven/bricks/session/folder#Session
package session
