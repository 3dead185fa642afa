"""Running a tool: arguments in, a result out."""
