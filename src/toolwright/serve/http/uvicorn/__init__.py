"""Uvicorn, bounded and drained."""
