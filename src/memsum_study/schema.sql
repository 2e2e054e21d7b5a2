CREATE TABLE secret (value TEXT NOT NULL) STRICT;  -- for the record: no query reads it
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE systems (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, signature TEXT NOT NULL) STRICT;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL, reference TEXT NOT NULL
) STRICT;
CREATE TABLE extracts (
  document INTEGER NOT NULL REFERENCES documents, system INTEGER NOT NULL REFERENCES systems,
  positions TEXT NOT NULL, PRIMARY KEY (document, system)
) STRICT;
CREATE TABLE annotators (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE assignments (
  id INTEGER PRIMARY KEY, annotator INTEGER NOT NULL REFERENCES annotators, place INTEGER NOT NULL,
  document INTEGER NOT NULL REFERENCES documents,
  left_system INTEGER NOT NULL REFERENCES systems, right_system INTEGER NOT NULL REFERENCES systems,
  number INTEGER,  -- as the annotator counts; NULL where both extract the same, which is a tie and is not shown
  UNIQUE (annotator, place), UNIQUE (annotator, number)
) STRICT;
CREATE TABLE votes (
  assignment INTEGER PRIMARY KEY REFERENCES assignments,
  overall TEXT, coverage TEXT, non_redundancy TEXT,  -- left, right or tie; all NULL if skipped
  comment TEXT NOT NULL, seconds REAL, active_seconds REAL, cast_at REAL NOT NULL, changed_at REAL NOT NULL
) STRICT;
CREATE TABLE history (
  id INTEGER PRIMARY KEY, assignment INTEGER NOT NULL REFERENCES assignments, at REAL NOT NULL,
  overall TEXT, coverage TEXT, non_redundancy TEXT, comment TEXT NOT NULL
) STRICT;
