# Three checks of greeting.txt. Prints and counts those that fail; with --list it
# only prints them.
fails=0
check() {
  if ! grep -q "$2" greeting.txt; then
    echo "$1"
    fails=1
  fi
}
check "it does not say hello" hello
check "it does not say to whom" world
check "it does not end with a full stop" '\.$'
test "$1" = --list || exit $fails
