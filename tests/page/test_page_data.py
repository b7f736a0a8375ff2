"""The data of a document in the page equals the arrays of its prediction."""

import base64
import json
import re

import numpy as np
import pytest
from fake_predictions import FIRE, FIRE_SPANS, SETTINGS, fire, predicted, random_prediction

from coref_tf.documents import Document
from coref_tf.documents.running_text import words_and_gaps
from coref_tf.documents.text import document_from_text
from coref_tf.models.calibration import Calibration
from coref_tf.page.data import ABSENT, BEST, page_data
from coref_tf.page.writer import embedded, open_page


def unpacked(packed):
    return np.frombuffer(base64.b64decode(packed), "<i2").copy()


def test_best_antecedents_have_the_probabilities_of_the_softmax():
    prediction, settings = random_prediction(200)
    data = page_data(prediction, settings)
    output = prediction.output
    for i, scores in enumerate(output.antecedents.scores.astype(np.float64)):
        probabilities = np.exp(scores) / np.exp(scores).sum()
        order = sorted(range(output.antecedents.lengths[i]), key=lambda place: -scores[1 + place])[:BEST]
        expected = [output.antecedents.indices[i, place] for place in order]
        assert [j for j, _, _ in data["best"][i]] == expected
        for (j, pair, probability), place in zip(data["best"][i], order, strict=True):
            s = data["scores"][i] + data["scores"][j] + pair
            assert s == pytest.approx(scores[1 + place], abs=2e-3)
            assert probability == pytest.approx(probabilities[1 + place], abs=1e-4)
        assert data["none"][i] == pytest.approx(probabilities[0], abs=1e-4)


def test_probabilities_are_the_calibrated_ones():
    prediction, settings = random_prediction(200)
    prediction.calibration, prediction.min_probability = Calibration(1.7, 0.4), 0.25
    data = page_data(prediction, settings)
    assert data["least"] == 0.25
    antecedents = prediction.output.antecedents
    clusters = [{prediction.top_spans.index(span) for span in cluster} for cluster in prediction.clusters]
    shares = prediction.calibration.probabilities(antecedents.scores)
    for i, length in enumerate(antecedents.lengths):
        assert data["none"][i] == pytest.approx(shares[i, 0], abs=1e-5)
        own = next((cluster for cluster in clusters if i in cluster), set())
        inside = [shares[i, 1 + c] for c in range(length) if antecedents.indices[i, c] in own]
        assert data["places"][i] == pytest.approx(
            sum(inside) if data["chosen"][i] >= 0 else shares[i, 0], abs=1e-5
        )
    assert [best[0][2] for best in data["best"][1:]] == pytest.approx(shares[1:, 1:].max(axis=1), abs=1e-5)


def test_every_candidate_has_its_score():
    prediction, settings = random_prediction(60)
    table = unpacked(page_data(prediction, settings)["candidates"]).reshape(60, settings.max_mention_width)
    output = prediction.output
    known = zip(output.candidate_starts, output.candidate_ends, output.candidate_mention_scores, strict=True)
    for start, end, score in known:
        assert table[start, end - start] == pytest.approx(100 * score, abs=0.51)
        table[start, end - start] = ABSENT
    assert np.all(table == ABSENT)


def test_pairs_contain_the_antecedent_scores_among_mentions():
    prediction = fire()
    data = page_data(prediction, SETTINGS)
    mentions = data["pairs"]["mentions"]
    assert mentions == [0, 2, 3, 4, 5, 6, 7]  # all but "a factory", which is in no predicted or gold cluster
    rows = [unpacked(row).tolist() for row in data["pairs"]["rows"]]
    # For "it" (7), mentions 2 to 6 are within K = 6; for "the blaze" (4), all earlier ones are.
    assert rows[-1] == [-800, -800, -800, -100, -800]
    assert rows[3] == [50, -800, -800]
    assert rows[0] == []


def test_data_contains_predicted_and_gold_clusters():
    data = page_data(fire(), SETTINGS)
    assert data["clusters"] == [[0, 4, 5]]
    assert [tuple(data["spans"][number]) for number in data["clusters"][0]] == [(0, 4), (10, 11), (14, 14)]
    assert data["gold"][1] == [[6, 6], [8, 8]]
    assert data["chosen"] == [-1, -1, -1, -1, 0, 4, -1, -1]
    assert data["spans"] == [list(span) for span in FIRE_SPANS]
    assert json.loads(embedded(data)) == data


def test_a_given_mention_can_be_wider_than_any_candidate():
    document = Document("x", [["a"] * 12], clusters=[[(0, 8), (10, 10)]])
    prediction = predicted(document, [(0, 8), (10, 10)], [1.0, 2.0], lambda i, j: 3.0, {})
    data = page_data(prediction, SETTINGS._replace(mentions="oracle"))
    assert data["clusters"] == [[0, 1]] and data["scores"] == [1.0, 2.0]


def test_without_heads_there_is_no_attention():
    assert page_data(fire(), SETTINGS._replace(heads=False))["heads"] is None


def test_a_prediction_without_details_is_refused():
    prediction = fire()
    prediction.output = None
    with pytest.raises(ValueError, match="details=True"):
        page_data(prediction, SETTINGS)


@pytest.mark.parametrize(
    "document", [Document("x", []), Document("x", [["One"]]), Document("x", [[], ["a", "b"]])]
)
def test_documents_without_spans(document):
    data = page_data(predicted(document, [], [], None, {}), SETTINGS)
    assert data["best"] == data["spans"] == data["clusters"] == data["pairs"]["rows"] == []
    assert len(data["gaps"]) == document.num_words + 1


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Ana did n't come , she 's ill .", "Ana didn't come, she's ill."),
        ("`` Go , '' -LRB- he said -RRB- .", "“Go,” (he said)."),
        ('He said " no " and " yes " .', 'He said "no" and "yes".'),
        ("the four - story house - he said", "the four-story house-he said"),
        ("- it cost $ 5 or 10 % -", "- it cost $5 or 10% -"),
        ("the boys ' father", "the boys' father"),
        ("他 说 他 来 了 。", "他说他来了。"),
        ("one / two", "one/two"),
        (", so", ", so"),
    ],
)
def test_words_are_joined_as_prose(sentence, shown):
    words, gaps = words_and_gaps(Document("x", [sentence.split()]))
    assert "".join(gap + word for gap, word in zip(gaps, words, strict=False)) == shown


def test_text_keeps_its_whitespace():
    text = "  Ana\tleft.\n\n\nShe 😀  was  late. \n"
    words, gaps = words_and_gaps(document_from_text(text, "x"))
    assert "".join(gap + word for gap, word in zip(gaps, [*words, ""], strict=True)) == text


def test_no_text_can_end_the_script_element():
    nasty = "</script><!--<script>\u2028&amp;\"'\\"
    text = embedded([nasty])
    assert "<" not in text and "\u2028" not in text
    assert json.loads(text) == [nasty]


def test_the_page_is_one_file_and_written_atomically(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("what was there")
    with pytest.raises(RuntimeError), open_page(path, "title", SETTINGS) as write:
        write(fire())
        raise RuntimeError
    assert path.read_text() == "what was there"
    with open_page(path, "a {{style}} <b> & title", SETTINGS) as write:
        write(fire())
        write(fire())
    page = path.read_text(encoding="utf-8")
    assert page.count('class="document"') == 2
    assert "<title>a {{style}} &lt;b&gt; &amp; title</title>" in page
    assert not re.search(r"(src|href)=\"(?!#|data:,)", page) and "url(" not in page
    assert [child.name for child in tmp_path.iterdir()] == ["page.html"]
    assert f'data-key="{FIRE.key}" data-words="{FIRE.num_words}" data-clusters="1"' in page


def test_a_long_document_makes_a_small_page(tmp_path):
    prediction, settings = random_prediction(5000)
    with open_page(tmp_path / "long.html", "long", settings) as write:
        write(prediction)
    # Nearly every span is in a cluster, which is the worst case.
    assert (tmp_path / "long.html").stat().st_size < 2_000_000
