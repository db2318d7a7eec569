"""The site: every page of the checkout, generated pages, and the ledger, the atlas and reports, built by MkDocs."""


class SiteError(Exception):
    """Why there is no site; the message has a line for each problem, with the file."""
