package scope

// PreludeFor is open to the tests, which try it on values of every size.
var PreludeFor = preludeFor
