"""The whole flow, from files to the answer, through the stages and against its twin."""
