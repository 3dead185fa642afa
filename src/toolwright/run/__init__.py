"""One call: arguments in, a result out, whatever the caller sends and the function does."""
