package scope_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/runner/scope"
)

func TestBaseKeepsAgentsFromKnowingThatTheyNest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		in, want []string
	}{
		{"agents", []string{"A=1", "CLAUDECODE=1", "PAGER=less", "CLAUDE_CODE_USE_BEDROCK=1"}, []string{"A=1", "CLAUDE_CODE_USE_BEDROCK=1"}},
		{"a person's own", []string{"RECIPE_VAR_x=1", "X=1"}, []string{"RECIPE_VAR_x=1", "X=1"}},
		{"an outer run's", []string{"BRICKOVEN=1", "RECIPE_VAR_x=1", "X=1", "RECIPE_VAR_path=/p", "PATH=/p", "RECIPE_VAR_y=1", "Y=2"},
			[]string{"PATH=/p", "Y=2"}},
	} {
		want := append(c.want, "GIT_PAGER=cat", "PAGER=cat", "BRICKOVEN=1")
		if diff := cmp.Diff(want, scope.FilterBase(c.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestAliasesNeverTakeAReservedName(t *testing.T) {
	t.Parallel()
	reserved := `PATH HOME PWD OLDPWD USER LOGNAME SHELL TERM TMPDIR TMP TEMP LANG LC_ALL LC_CTYPE MAIL EDITOR VISUAL
		DISPLAY HOSTNAME IFS PS1 PS2 PS3 PS4 ENV BASH_ENV SHELLOPTS BASHOPTS PROMPT_COMMAND CDPATH GLOBIGNORE LD_PRELOAD
		LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES PYTHONPATH PYTHONHOME PYTHONSTARTUP NODE_OPTIONS NODE_PATH PERL5LIB PERL5OPT
		RUBYOPT RUBYLIB GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT
		GIT_CONFIG_GLOBAL GIT_CONFIG_KEY_0 SSH_AUTH_SOCK HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY
		GIT_PAGER PAGER GOFLAGS JAVA_TOOL_OPTIONS MAKEFLAGS BRICKOVEN BRICKOVEN_RUN_ID RECIPE_VAR_X CLAUDECODE UID RANDOM`
	for _, name := range strings.Fields(reserved) {
		if !scope.Reserved(name) || scope.Alias(strings.ToLower(name)) != "" {
			t.Errorf("%s is not reserved", name)
		}
	}
	for _, name := range strings.Fields("loop_evidence repo_path branch task_description git_branch history python_version path_to_x lang_code") {
		if want := strings.ToUpper(name); scope.Alias(name) != want {
			t.Errorf("the alias of %s is %q", name, scope.Alias(name))
		}
	}
	if got := scope.Alias("2nd"); got != "" {
		t.Errorf("an alias that begins with a digit: %q", got)
	}
}
