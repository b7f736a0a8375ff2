"""Prediction with one or more trained models, in bounded memory."""
