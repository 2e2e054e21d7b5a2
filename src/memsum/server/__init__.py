"""The HTTP service: an API, the web page that uses it, and what keeps both within their limits.

`memsum.server.app` makes the application (`create_app`) and runs it (`serve`); both need the extra `serve`.
"""
