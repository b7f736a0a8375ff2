"""Training with Keras `fit`: the loop, its callbacks, and resuming a run after it was stopped."""
