"""An audit from options to page, as the command line asks for it."""
