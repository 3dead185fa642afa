"""What can be registered: tools, resources and prompts."""
