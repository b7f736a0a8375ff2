"""How much a share owes to the choice of cases: Wilson's score interval (1927)."""

from coref_tf.scoring.bootstrap import Interval

_Z = 1.959964  # standard deviations on either side that hold 95 % of a normal distribution


def wilson_interval(successes: int, cases: int) -> Interval:
    """The 95 % interval of a share; unlike the bootstrap's, it has a width where all cases or none succeed.

    Example:
        wilson_interval(9, 10)      # Interval(low=0.596, high=0.982)
    """
    if not 0 <= successes <= cases or not cases:
        raise ValueError(
            f"successes must be between 0 and cases, at least 1. Received: {successes} of {cases}"
        )
    share, scale = successes / cases, 1 + _Z**2 / cases
    middle = (share + _Z**2 / (2 * cases)) / scale
    reach = _Z / scale * (share * (1 - share) / cases + _Z**2 / (4 * cases**2)) ** 0.5
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach))
