package step

// TreeOp says what is asked of the work trees of a loop with brakes.
type TreeOp string

// What a loop asks of its work trees. The result of each is said with it.
const (
	// TreeCapture makes a commit of each work tree as it is, on a private ref: a
	// map with trees, a list of them, and changed, the paths that differ from the
	// trees in the load.
	TreeCapture TreeOp = "capture"
	// TreeAccept makes captured trees the accepted ones; no value.
	TreeAccept TreeOp = "accept"
	// TreeRestore puts the work trees back to captured ones: a map with restored,
	// what was done in each.
	TreeRestore TreeOp = "restore"
	// TreeCheckOut puts a commit into a work tree of its own: a map with dir, the
	// folder in it that stands for the loop's, and commit.
	TreeCheckOut TreeOp = "check_out"
	// TreeRemove takes that work tree away; no value.
	TreeRemove TreeOp = "remove"
	// TreeUnread reads the understanding debt: a map with unread, the commits, and
	// acks, the signed acknowledgements so far.
	TreeUnread TreeOp = "unread"
)

// TreeCall is one thing that a loop asks of the work trees in the action's Dirs.
type TreeCall struct {
	Op TreeOp
	// Loop is the session of the loop, by which its private refs are named.
	Loop string
	// Load is what it is asked with; its type is for the two sides to know.
	Load any
}
