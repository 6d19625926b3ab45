"""Objects in stores such as S3, which are read as files are: their names, their status, lists of them, their bytes."""
