# A scripted agent that says it is done without having done anything.
echo "Everything passes." && echo "$1" > claims.txt
cat > "$BRICKOVEN_CONTROL_FILE.new" <<'JSON'
{"state": "stopped", "reason": "everything passes", "stop_reason": "goal_met", "schema_version": 1}
JSON
mv "$BRICKOVEN_CONTROL_FILE.new" "$BRICKOVEN_CONTROL_FILE"
