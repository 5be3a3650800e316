# A scripted agent: each time it is called it repairs the first failing check.
case $(sh ./checks.sh --list | head -n 1) in
  *hello) printf 'hello' > greeting.txt && echo "it says hello now" ;;
  *whom) printf ' world' >> greeting.txt && echo "it says to whom now" ;;
  *stop) printf '.\n' >> greeting.txt && echo "it ends with a full stop now" ;;
  *) echo "nothing left to do" ;;
esac
