# A scripted agent that talks and does nothing.
echo "I am still looking into it."
