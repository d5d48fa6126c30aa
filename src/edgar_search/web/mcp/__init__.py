"""MCP: tools for language models, over the endpoints for data. The owner of `mcp`."""
