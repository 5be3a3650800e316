package recipes
import ("testing";"fmt")
func TestSmoke(t *testing.T){
 for _,s:=range []string{
 "name: x\nsteps:\n  - id: a\n    command: {{x}}\n",
 "name: x\nsteps:\n  - id: a\n    command: {{x}} foo\n    output: b\n","name: x\nsteps:\n  - id: a\n    command: echo \"p: {{x}}\"\n    output: b\n",
 "name: x\nsteps:\n\t- id: a\n", "a: b\n---\nc: d\n","a: \x01\n","x: 1\nx: 2\n","","a: &x [*x]\n","a: @foo\n",
 "name: x\nstages: 1\nsteps:\n  - id: a\n    comand: x\n    command: z\n    on_error: skip_remaining\n    timeout: foo\n  - command: x\n",
 "name: x\nsteps:\n  - id: a\n    command: z\n    parse_json: yes\n  - id: a\n    command: q\n",
 }{
  r,err:=Parse("f.yaml",[]byte(s),LoadOptions{})
  fmt.Printf("=== %q\n%v\n", s, err)
  if r!=nil { fmt.Println(Findings(r.Warnings)) }
 }
}
