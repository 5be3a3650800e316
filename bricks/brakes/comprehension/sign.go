package comprehension

import (
	"fmt"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Sign signs a statement with the reviewer's key, in the format of
// ssh-keygen -Y sign.
func Sign(s Statement, key ssh.Signer) (Ack, error) {
	if err := s.Check(); err != nil {
		return Ack{}, err
	}
	signature, err := sshsig.Sign(strings.NewReader(s.String()), key, sshsig.HashSHA512, Namespace)
	if err != nil {
		return Ack{}, fmt.Errorf("signing the acknowledgement: %w", err)
	}
	return Ack{Statement: s.String(), Signature: string(sshsig.Armor(signature))}, nil
}

// Terms are what an acknowledgement is verified against.
type Terms struct {
	Repository string
	Signers    Signers
	// Now is the moment of the verification; keys must be valid then.
	Now time.Time
	// MaxAge is how old a statement may be; 0 is no limit, for verifying a
	// journal later with Now as it was then.
	MaxAge time.Duration
}

// skew is how far the clocks of two machines may be apart.
const skew = 5 * time.Minute

// Verify tells whether an acknowledgement was signed by a key of its reviewer,
// for this repository, and lately. The error is a [*RefusedError].
func Verify(a Ack, terms Terms) (Verified, error) {
	statement, err := ParseStatement(a.Statement)
	if err != nil {
		return Verified{}, &RefusedError{Reason: Malformed, Err: err}
	}
	signature, err := sshsig.Unarmor([]byte(a.Signature))
	if err != nil {
		return Verified{}, &RefusedError{Reason: Malformed, Err: err}
	}
	key := signature.PublicKey
	if err := sshsig.Verify(strings.NewReader(a.Statement), signature, key, signature.HashAlgorithm, Namespace); err != nil {
		return Verified{}, &RefusedError{Reason: Forged, Err: err}
	}
	if err := terms.Signers.Allows(key, statement.Reviewer, terms.Now); err != nil {
		return Verified{}, err
	}
	switch age := terms.Now.Sub(statement.At); {
	case statement.Repository != terms.Repository:
		return Verified{}, &RefusedError{Reason: OtherProject, Detail: statement.Repository}
	case age < -skew:
		return Verified{}, &RefusedError{Reason: Future, Detail: statement.At.String()}
	case terms.MaxAge > 0 && age > terms.MaxAge:
		return Verified{}, &RefusedError{Reason: Expired, Detail: fmt.Sprintf("signed %s ago, at most %s count", age, terms.MaxAge)}
	}
	return Verified{a, statement, ssh.FingerprintSHA256(key)}, nil
}
