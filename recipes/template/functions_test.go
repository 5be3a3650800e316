package template_test

import (
	"strings"
	"testing"

	"github.com/Masterminds/sprig/v3"
	"github.com/brickoven/brickoven/recipes/template"
)

// builtins are the functions that text/template defines itself.
const builtins = " and html index slice js len not or print printf println urlquery eq ge gt le lt ne "

func TestEveryAllowedFunctionIsKnownElsewhere(t *testing.T) {
	t.Parallel()
	known := sprig.GenericFuncMap()
	for _, name := range template.Functions() {
		// clip is ours: what a prompt needs to show a long text by its ends.
		if _, ok := known[name]; !ok && name != "clip" && !strings.Contains(builtins, " "+name+" ") {
			t.Errorf("%s is neither in sprig nor in text/template", name)
		}
	}
}

func TestNothingThatReadsTheWorldIsAllowed(t *testing.T) {
	t.Parallel()
	refused := strings.Fields(`env expandenv now ago date dateInZone date_in_zone dateModify date_modify must_date_modify
		mustDateModify htmlDate htmlDateInZone toDate mustToDate unixEpoch duration durationRound getHostByName
		randAlphaNum randAlpha randAscii randNumeric randBytes randInt shuffle uuidv4 bcrypt htpasswd derivePassword
		genPrivateKey buildCustomCert genCA genCAWithKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert
		genSignedCertWithKey encryptAES decryptAES fail hello call osBase osDir osClean osExt osIsAbs set unset merge
		mergeOverwrite mustMerge mustMergeOverwrite typeOf typeIs typeIsLike kindOf kindIs`)
	allowed := " " + strings.Join(template.Functions(), " ") + " "
	for _, name := range refused {
		if strings.Contains(allowed, " "+name+" ") {
			t.Errorf("%s is allowed", name)
		}
		if _, err := template.Parse("{{ "+name+" x }}", template.Options{}); err == nil {
			t.Errorf("%s parses", name)
		}
	}
}

// TestFunctionsAreStable calls every function on the same arguments many times.
func TestFunctionsAreStable(t *testing.T) {
	t.Parallel()
	for _, name := range template.Functions() {
		for _, arguments := range []string{"m", "numbers", "x", "n", "n x", "x numbers", "m x", "x m", "x x", "numbers n", "n numbers", "n n n", "x x x", "n n x"} {
			tpl, err := template.Parse("{{ "+name+" "+arguments+" }}", template.Options{})
			if err != nil {
				continue
			}
			want, _, wantErr := tpl.Render(vars(t))
			for range 20 {
				got, _, err := tpl.Render(vars(t))
				if got != want || (err == nil) != (wantErr == nil) {
					t.Fatalf("%s %s gives %q, then %q", name, arguments, want, got)
				}
			}
		}
	}
}

func TestFunctionsChangeNoVariable(t *testing.T) {
	t.Parallel()
	lookup := vars(t)
	show, err := template.Parse("{{ m }}{{ numbers }}{{ items }}", template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := show.Render(lookup)
	for _, name := range template.Functions() {
		for _, arguments := range []string{"m", "numbers", "numbers n", "n numbers", "m \"z\"", "items items"} {
			tpl, err := template.Parse("{{ "+name+" "+arguments+" }}", template.Options{})
			if err != nil {
				continue
			}
			_, _, _ = tpl.Render(lookup)
			if after, _, _ := show.Render(lookup); after != before {
				t.Fatalf("%s %s changes its arguments: %s", name, arguments, after)
			}
		}
	}
}
