"""A page as a mail: composed, then handed to a server."""
