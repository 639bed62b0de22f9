"""One module for each page: what it shows, and what its forms do."""
