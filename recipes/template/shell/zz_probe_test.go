package shell_test
import ("testing";"os";"strings";"github.com/brickoven/brickoven/recipes/template/shell")
func TestProbe(t *testing.T) {
 d,_ := os.ReadFile("/tmp/gen/more.txt")
 src := strings.ReplaceAll(string(d), "\n\n", "\n")
 for _, l := range strings.Split(src, "\n") {
  if l=="" {continue}
  c, err := shell.Compile(l, shell.Bash, false)
  if err != nil { t.Log(l, " ==> ERR ", err); continue }
  b, err := c.Bind(variables("a[$(touch PWN)]"))
  if err != nil { t.Log(l, " ==> BINDERR ", err); continue }
  t.Log(l, " ==> ", b.Script, c.Notes())
 }
}
