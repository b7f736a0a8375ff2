"""Entity numbers are stable across the predictions of a moving window."""

from coref_tf.api.entity_numbers import EntityNumbers, MentionKey


def key(message: int, start: int = 0) -> MentionKey:
    return MentionKey(message, start, start)


def chain(*keys: MentionKey) -> dict:
    """Returns links from each mention to the one before it."""
    return dict(zip(keys, [None, *keys], strict=False))


def test_entities_are_numbered_as_they_appear_and_keep_their_numbers():
    numbers = EntityNumbers()
    assert numbers.update(chain(key(0), key(1)), 1).started == (1,)
    changes = numbers.update(chain(key(0), key(1), key(2)) | chain(key(0, 5), key(2, 5)), 2)
    assert (changes.started, changes.merged, changes.ended) == ((2,), {}, ())
    assert numbers.numbers == {key(0): 1, key(0, 5): 2, key(1): 1, key(2): 1, key(2, 5): 2}
    assert changes.moved == {key(0, 5): (None, 2)}


def test_merged_entities_have_the_older_number():
    numbers = EntityNumbers()
    numbers.update(chain(key(0), key(0, 1)) | chain(key(1), key(1, 1), key(1, 2), key(1, 3)), 1)
    changes = numbers.update(chain(key(0), key(0, 1), key(1), key(1, 1), key(1, 2), key(1, 3), key(2)), 2)
    assert changes.merged == {2: 1} and changes.started == changes.ended == () and changes.moved == {}
    assert set(numbers.numbers.values()) == {1}


def test_the_larger_part_of_a_split_entity_keeps_the_number():
    numbers = EntityNumbers()
    numbers.update(chain(*(key(0, place) for place in range(5))), 0)
    changes = numbers.update(chain(key(0), key(0, 1)) | chain(key(0, 2), key(0, 3), key(0, 4)), 1)
    assert changes.started == (2,) and not changes.merged
    assert changes.moved == {key(0): (1, 2), key(0, 1): (1, 2)}


def test_a_mention_stays_with_its_entity_when_its_antecedent_leaves():
    numbers = EntityNumbers()
    numbers.update(chain(key(0), key(1)) | chain(key(0, 5), key(1, 5)), 1)
    assert numbers.forget(0) == {key(0): 1, key(0, 5): 2}
    changes = numbers.update(chain(key(1), key(2)), 2)
    assert numbers.numbers == {key(1): 1, key(1, 5): 2, key(2): 1}
    assert changes == ((), {}, (), {})
    # A prediction for only the rest of the text doesn't merge two entities that were separate before.
    changes = numbers.update(chain(key(1), key(1, 5), key(2)), 3)
    assert numbers.numbers == {key(1): 1, key(1, 5): 2, key(2): 2} and changes.moved == {key(2): (1, 2)}
    numbers.forget(1)
    numbers.update({}, 4)
    assert numbers.numbers == {key(2): 2}
    numbers.forget(2)
    assert numbers.update(chain(key(3), key(5)), 5).started == (3,)


def test_a_new_entity_merges_with_one_whose_first_mentions_are_forgotten():
    numbers = EntityNumbers()
    numbers.update(chain(key(0), key(1)), 1)
    numbers.update(chain(key(0), key(1)) | chain(key(2), key(2, 1)), 2)
    numbers.forget(0)
    changes = numbers.update(chain(key(1), key(2), key(2, 1)), 3)
    assert changes.merged == {2: 1} and set(numbers.numbers.values()) == {1}


def test_an_entity_that_has_ended_may_come_back():
    numbers = EntityNumbers()
    numbers.update(chain(key(0), key(1)), 1)
    changes = numbers.update({}, 2)
    assert changes.ended == (1,) and changes.moved == {key(0): (1, None), key(1): (1, None)}
    changes = numbers.update(chain(key(0), key(1), key(3)), 3)
    assert changes.started == () and changes.moved == {key(0): (None, 1), key(1): (None, 1)}
    assert set(numbers.numbers.values()) == {1}
