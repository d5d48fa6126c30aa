"""MCP: tools for language models, over the data endpoints. The only package that imports `mcp`."""
