"""MCP: tools for programs that reason, over the endpoints for data. The owner of `mcp`."""
