"""Every question, asked in this process and compared with its twin."""
