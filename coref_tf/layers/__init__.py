"""The paper's components, one Keras layer a file."""
