"""The compatibility matrix: features × features, each cell computed by asking the rules about a job that has both.

``features`` reads ``trainers/features.yaml``, ``cells`` asks, ``show`` prints as text, Markdown and JSON, ``html`` as a
page.
"""
