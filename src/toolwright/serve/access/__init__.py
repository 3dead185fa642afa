"""Who may talk to a server, and how much of it they may use."""
