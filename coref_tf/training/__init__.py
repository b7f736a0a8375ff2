"""Training on Keras `fit`: the loop, what happens besides it, and how a run goes on after a stop."""
