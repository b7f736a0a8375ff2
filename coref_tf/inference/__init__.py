"""Trained models on documents: one or several, in bounded memory."""
