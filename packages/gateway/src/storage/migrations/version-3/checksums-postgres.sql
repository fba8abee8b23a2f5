-- What the statements of each applied version were: tables that a development build left are not taken for those of a release.
ALTER TABLE schema_version ADD COLUMN checksum text;
