"""The v2 endpoints: GET and POST, with a query string or a JSON body."""
