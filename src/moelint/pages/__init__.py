"""The pages of the documentation that are made from data: rules, keys, symptoms, features, command line, packs.

``python -m moelint.pages FOLDER`` writes them as Markdown beside the guides; `make docs` builds the site of them.
"""
