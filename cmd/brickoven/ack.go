package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
	"github.com/brickoven/brickoven/runner/exit"
)

// unreadState is the understanding debt of the repository one stands in.
type unreadState struct {
	Repository string // the project's id
	Debt       comprehension.Debt
	Signers    comprehension.Signers
}

// debtSource keeps the understanding debt of the folder's repository.
type debtSource interface {
	Unread(ctx context.Context) (unreadState, error)
	// Acknowledge reads the debt again under its lock, lowers it by what was
	// acknowledged, stores it, and writes the acknowledgement into the journal.
	Acknowledge(ctx context.Context, v comprehension.Verified) (read, left int, err error)
}

// longestAck is how old an acknowledgement may be that was signed elsewhere.
const longestAck = 24 * time.Hour

// acknowledging is one call of ack.
type acknowledging struct {
	app    *app
	source debtSource

	through, reviewer    string
	key                  string
	statement, signature string
	print, list          bool
	format               string
}

// newAckCommand returns the ack command; a nil source has no debt.
func newAckCommand(a *app, source debtSource) *cobra.Command {
	k := &acknowledging{app: a, source: source}
	cmd := &cobra.Command{
		Use:   "ack --through SHA --reviewer ID | --list",
		Short: "Sign that you have read the accepted changes up to a commit",
		Long: `Sign, with your SSH key, that you have read the changes that loops made in this
repository, up to and including SHA. The signature is verified against
.brickoven/allowed_signers, stands in the journal, and lowers the count of
unread changes.

--list tells what there is to read, with a command that shows each change.

It proves that the holder of your key signed. It does not prove that anybody
understood what was signed.

To sign on another machine: --print the statement into a file there, sign it
with "ssh-keygen -Y sign -f KEY -n brickoven-ack FILE", and give both files back
within 24 hours with --statement and --signature.`,
		Args: cobra.NoArgs,
		RunE: k.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&k.through, "through", "", "the last commit that was read")
	flags.StringVar(&k.reviewer, "reviewer", "", "who read it, as in allowed_signers")
	flags.StringVar(&k.key, "key", "", "file of the SSH key; of a public or locked key the SSH agent signs")
	flags.BoolVar(&k.list, "list", false, "list the unread changes, and sign nothing")
	flags.BoolVar(&k.print, "print", false, "print the statement to sign, and do nothing")
	flags.StringVar(&k.statement, "statement", "", "file of a statement that was signed elsewhere")
	flags.StringVar(&k.signature, "signature", "", "file of its signature")
	flags.StringVar(&k.format, "output-format", "text", "text or json")
	cmd.MarkFlagsRequiredTogether("through", "reviewer")
	cmd.MarkFlagsRequiredTogether("statement", "signature")
	cmd.MarkFlagsMutuallyExclusive("through", "statement", "list")
	cmd.MarkFlagsOneRequired("through", "statement", "list")
	placeFlags(source, flags)
	return cmd
}

func (k *acknowledging) run(cmd *cobra.Command, _ []string) error {
	if err := checkFormat(k.format); err != nil {
		return err
	}
	if k.source == nil {
		return &failure{exit.NotFound, errors.New("no loop has made a change here")}
	}
	state, err := k.source.Unread(cmd.Context())
	if err != nil {
		return debtFailure(err)
	}
	if k.list {
		return k.backlog(state)
	}
	now := time.Now()
	ack, err := k.acknowledgement(state, now)
	if err != nil || k.print {
		return err
	}
	verified, err := comprehension.Verify(ack, comprehension.Terms{
		Repository: state.Repository, Signers: state.Signers, Now: now, MaxAge: longestAck,
	})
	if err != nil {
		return &failure{exit.Failed, err}
	}
	read, left, err := k.source.Acknowledge(cmd.Context(), verified)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	return k.report(verified, read, left)
}

func (k *acknowledging) report(v comprehension.Verified, read, left int) error {
	if k.format == "json" {
		k.app.printJSON(map[string]any{
			"through": v.Statement.Through, "reviewer": v.Statement.Reviewer, "key": v.Fingerprint, "read": read, "unread": left,
		})
		return nil
	}
	_, err := fmt.Fprintf(k.app.out, "%d changes read through %s by %s (%s); %d unread\n",
		read, v.Statement.Through, v.Statement.Reviewer, v.Fingerprint, left)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	return nil
}

// acknowledgement reads one that was signed elsewhere, or signs one now. With
// --print it prints what there is to sign.
func (k *acknowledging) acknowledgement(state unreadState, now time.Time) (comprehension.Ack, error) {
	if k.statement != "" {
		return readAck(k.statement, k.signature)
	}
	change, err := state.Debt.Find(k.through)
	if err != nil {
		return comprehension.Ack{}, &failure{exit.Usage, fmt.Errorf("--through: %w", err)}
	}
	statement := comprehension.Statement{
		Repository: state.Repository, Previous: state.Debt.Through, Through: change.Commit,
		Reviewer: k.reviewer, At: now.UTC().Truncate(time.Second),
	}
	if err := statement.Check(); err != nil {
		return comprehension.Ack{}, &failure{exit.Usage, err}
	}
	if k.print {
		if k.format == "json" {
			k.app.printJSON(map[string]any{"statement": statement.String()})
			return comprehension.Ack{}, nil
		}
		if _, err := fmt.Fprint(k.app.out, statement); err != nil {
			return comprehension.Ack{}, &failure{exit.Failed, err}
		}
		return comprehension.Ack{}, nil
	}
	signer, closeAgent, err := k.signer()
	if err != nil {
		return comprehension.Ack{}, &failure{exit.Failed, err}
	}
	ack, err := comprehension.Sign(statement, signer)
	if err := errors.Join(err, closeAgent()); err != nil {
		return comprehension.Ack{}, &failure{exit.Failed, err}
	}
	return ack, nil
}

func readAck(statement, signature string) (comprehension.Ack, error) {
	text, err := os.ReadFile(statement)
	if err != nil {
		return comprehension.Ack{}, &failure{exit.Usage, fmt.Errorf("--statement: %w", err)}
	}
	armoured, err := os.ReadFile(signature)
	if err != nil {
		return comprehension.Ack{}, &failure{exit.Usage, fmt.Errorf("--signature: %w", err)}
	}
	return comprehension.Ack{Statement: string(text), Signature: string(armoured)}, nil
}

// signer reads the key file. A file that holds only the public key, and a
// private key under a passphrase, name a key of the SSH agent.
func (k *acknowledging) signer() (signer ssh.Signer, closeAgent func() error, err error) {
	nothing := func() error { return nil }
	if k.key == "" {
		return nil, nothing, errors.New("--key must name your SSH key")
	}
	data, err := os.ReadFile(k.key)
	if err != nil {
		return nil, nothing, fmt.Errorf("--key: %w", err)
	}
	signer, err = ssh.ParsePrivateKey(data)
	if err == nil {
		return signer, nothing, nil
	}
	public, _, _, _, publicErr := ssh.ParseAuthorizedKey(data)
	if locked := (*ssh.PassphraseMissingError)(nil); errors.As(err, &locked) && locked.PublicKey != nil {
		public, publicErr = locked.PublicKey, nil
	}
	if publicErr != nil {
		return nil, nothing, fmt.Errorf("--key %s: %w", k.key, err)
	}
	return k.agentSigner(public)
}

func (k *acknowledging) agentSigner(public ssh.PublicKey) (signer ssh.Signer, closeAgent func() error, err error) {
	nothing := func() error { return nil }
	socket := k.app.getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil, nothing, fmt.Errorf("--key %s: only an SSH agent can sign with it, and none is running", k.key)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, nothing, fmt.Errorf("SSH agent: %w", err)
	}
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return nil, nothing, errors.Join(fmt.Errorf("SSH agent: %w", err), conn.Close())
	}
	for _, candidate := range signers {
		if bytes.Equal(candidate.PublicKey().Marshal(), public.Marshal()) {
			return candidate, conn.Close, nil
		}
	}
	return nil, nothing, errors.Join(fmt.Errorf("--key %s: the SSH agent does not hold it", k.key), conn.Close())
}
