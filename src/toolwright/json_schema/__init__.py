"""JSON Schemas as values: the only room that reads them."""
