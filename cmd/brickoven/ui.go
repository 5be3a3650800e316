package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/report/web"
)

func newUICommand(a *app) *cobra.Command {
	o, port := &runsOptions{format: "text"}, 0
	cmd := &cobra.Command{
		Use: "ui", Short: "Serve the pages of this project's runs to this machine's browser",
		Long: `Serve the pages of "brickoven report" for all runs of this project, renewed while
they run, until it is interrupted. It prints the address to open.

The server listens on 127.0.0.1 alone and changes nothing. The address holds a
random token that is made anew at each start; who does not have it gets nothing,
and so does a page of another site.
` + exitStatus(),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runs, err := a.runsFolder(o.stateDir, o.workDir)
			if err != nil {
				return &failure{exit.Usage, err}
			}
			return a.serveUI(cmd.Context(), runs, port)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.workDir, "working-dir", "C", ".", "the folder whose runs are looked at")
	flags.StringVar(&o.stateDir, "state-dir", "", "the state folder")
	flags.IntVar(&port, "port", 0, "listen on this port (0: a free one)")
	return cmd
}

// tokenBytes is the length of the token in the address, in random bytes.
const tokenBytes = 24

// serveUI serves until the context ends or a signal comes.
func (a *app) serveUI(ctx context.Context, runs string, port int) error {
	if port < 0 || port > 65535 {
		return &failure{exit.Usage, fmt.Errorf("--port %d is no port", port)}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return &failure{exit.Failed, err}
	}
	random := make([]byte, tokenBytes)
	if _, err := rand.Read(random); err != nil {
		return &failure{exit.Failed, errors.Join(err, listener.Close())}
	}
	v := &viewer{app: a, runs: runs, host: listener.Addr().String(), token: base64.RawURLEncoding.EncodeToString(random)}
	server := web.Server{Answer: v.serve, Header: guardHeaders()}
	fmt.Fprintf(a.out, "http://%s/%s/\n", v.host, v.token)
	if err := server.Serve(ctx, listener); err != nil {
		return &failure{exit.Failed, err}
	}
	return nil
}
