"""The language model that writes tools, behind two wire formats. Which one, and whose, a setting says."""
