"""Tests of advice about parameters that do not suit the documents."""
