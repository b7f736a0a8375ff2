"""`python -m recipes.english gender`: word vectors that give the gender of words and names."""

import numpy as np
from command import call

from coref_tf.features.embeddings import VectorSet
from coref_tf.support.resources import resources_folder
from recipes.english.__main__ import main
from recipes.english.gender_vectors import SIZE, gender_vectors

MASCULINE, FEMININE, UNKNOWN = (1, 0), (0, 1), (0, 0)


def vectors_of(path, words):
    return [tuple(vector) for vector in VectorSet.open(path, SIZE, fallback_lowercase=True).lookup(words)]


def test_words_and_names_have_their_gender(tmp_path, capsys):
    path = tmp_path / "gender.h5"
    assert call("gender", path, main=main) in (None, 0)
    assert "words and names" in capsys.readouterr().out
    words = ["He", "his", "Mr.", "brother", "Tom", "Omar", "She", "hers", "Ms.", "Aunt", "Mary", "Ngozi"]
    assert vectors_of(path, words) == [MASCULINE] * 6 + [FEMININE] * 6


def test_occupations_and_names_of_both_genders_have_none(tmp_path):
    path = tmp_path / "gender.h5"
    call("gender", path, main=main)
    words = ["nurse", "surgeon", "secretary", "actor", "hero", "Alex", "Kim", "mary", "they", "Copenhagen"]
    assert vectors_of(path, words) == [UNKNOWN] * len(words)


def test_the_bundled_file_is_what_the_recipe_writes():
    entries = dict(gender_vectors())
    bundled = VectorSet.open(resources_folder() / "data/vectors/gender_2d.h5", SIZE)
    assert len(bundled) == len(entries)
    np.testing.assert_array_equal(bundled.lookup(list(entries)), list(entries.values()))
