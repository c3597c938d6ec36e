-- The session index (behaviour 2.14). A key is the session's number in the upper half and the entry's position in its log in the
-- lower one, so that a session is one range of keys in every table.
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,
  log TEXT NOT NULL,
  header_hash BLOB NOT NULL,
  indexed_bytes INTEGER NOT NULL,
  tail_hash BLOB NOT NULL,
  entries INTEGER NOT NULL,
  chain INTEGER NOT NULL,
  text_bytes INTEGER NOT NULL,
  indexed_at_ms INTEGER NOT NULL,
  rebuilds INTEGER NOT NULL,
  last_reason TEXT NOT NULL
) STRICT;

CREATE TABLE entries (
  key INTEGER PRIMARY KEY,
  entry_id TEXT NOT NULL,
  parent_id TEXT,
  kind TEXT NOT NULL,
  role TEXT NOT NULL,
  timestamp_ms INTEGER,
  line INTEGER NOT NULL,
  words INTEGER NOT NULL
) STRICT;

-- Words of an entry, each once (marks belong to their letters, in every script): whole words, the parts of identifiers, pairs of characters of scripts without spaces. No text is stored.
CREATE VIRTUAL TABLE entry_words USING fts5 (
  words,
  content = '',
  contentless_delete = 1,
  detail = 'none',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

CREATE VIRTUAL TABLE entry_vocabulary USING fts5vocab (entry_words, 'row');

-- Runs of three characters, for exact strings: found rows are compared with the text itself.
CREATE VIRTUAL TABLE entry_trigrams USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  detail = 'none',
  tokenize = 'trigram'
);
