"""The data that passes between the stages: flat arrays with offsets, never one object for each document."""
