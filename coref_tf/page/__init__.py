"""Predictions as one self-contained HTML page: clusters, scores, antecedents, and why a link is absent.

Example:
    from coref_tf.page.data import PageSettings
    from coref_tf.page.writer import open_page

    with open_page("story.html", "best, story.txt", PageSettings.from_experiments([experiment])) as write:
        for prediction in predictor.predict_all(documents, details=True):
            write(prediction)
"""
