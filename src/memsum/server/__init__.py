"""The HTTP service: an API, the web page that uses it, and what keeps both within their limits.

`memsum.server.app.create_app` makes the application, `memsum.server.running.serve` runs it; both need the extra
`serve`.
"""
