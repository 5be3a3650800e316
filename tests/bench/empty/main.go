// Command empty does nothing: the floor of every Go program's start.
package main

func main() {}
