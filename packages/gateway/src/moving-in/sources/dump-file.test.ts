import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSource } from './open-source.ts'
import { type SourceDatabase, SourceError, type SourceRow } from './source-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'dump-'))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (text: string | Uint8Array): string => {
  const file = join(folder, `${crypto.randomUUID()}.sql`)
  writeFileSync(file, text)
  return file
}
const openText = (text: string | Uint8Array): Promise<SourceDatabase> =>
  openSource(write(text), mkdtempSync(join(folder, 'rows-')))

async function all(source: SourceDatabase, table: string, order: string): Promise<SourceRow[]> {
  const found: SourceRow[] = []
  for await (const row of source.rows(table, [order])) found.push({ ...row })
  await source.close()
  return found
}

const POSTGRES = `--
-- PostgreSQL database dump
--
SET client_encoding = 'UTF8';
CREATE FUNCTION public.f() RETURNS trigger
    LANGUAGE plpgsql
    AS $body$
BEGIN
INSERT INTO "Key" ("a") VALUES ('x');
END;
$body$;
CREATE TABLE public."Key" (
    id integer NOT NULL,
    "the name" text DEFAULT ''::text NOT NULL,
    spend double precision,
    CONSTRAINT "Key_pkey" PRIMARY KEY (id)
);
`

describe('pg_dump', () => {
  test('COPY with its escapes', async () => {
    const source = await openText(
      `${POSTGRES}COPY public."Key" (id, "the name", spend) FROM stdin;
10\ta\\tb\\nc\\\\d\\bé\t5.999999999999999e-05
9\t\\N\t\\N
11\t\\\\N\t
\\.
CREATE TABLE public.empty (
    id bigint
);
`,
    )
    expect([source.engine, ...source.tables.keys()]).toEqual(['postgres', 'Key', 'empty'])
    expect(await all(source, 'Key', 'id')).toEqual([
      { id: 9, 'the name': null, spend: null },
      { id: 10, 'the name': 'a\tb\nc\\d\bé', spend: '5.999999999999999e-05' },
      { id: 11, 'the name': '\\N', spend: '' },
    ])
  })

  test('INSERT, with and without columns, over several lines', async () => {
    const table = POSTGRES.slice(POSTGRES.indexOf('CREATE TABLE'))
    const source = await openText(
      `-- PostgreSQL database dump\n${table}INSERT INTO public."Key" VALUES (1, 'it''s; a
(text) with \\n, ', 0.5);
INSERT INTO public."Key" ("the name", id) VALUES ('', 2), (NULL, 3);
`,
    )
    expect(await all(source, 'Key', 'id')).toEqual([
      { id: 1, 'the name': "it's; a\n(text) with \\n, ", spend: '0.5' },
      { id: 2, 'the name': '', spend: null },
      { id: 3, 'the name': null, spend: null },
    ])
  })
})

test('mysqldump', async () => {
  const source = await openText(`-- MySQL dump 10.13
CREATE TABLE \`a\`\`b\` (
  \`id\` bigint(20) NOT NULL AUTO_INCREMENT,
  \`key\` char(48) DEFAULT NULL,
  \`data\` blob,
  PRIMARY KEY (\`id\`),
  KEY \`idx\` (\`key\`)
) ENGINE=InnoDB;
INSERT INTO \`a\`\`b\` VALUES
(10,'it\\'s \\"a\\" \\\\ b\\n,(''c'')',0x00FF),
(9,NULL,_binary 'é;
x'),(-8,'',NULL);
`)
  expect(source.engine).toBe('mysql')
  expect(await all(source, 'a`b', 'id')).toEqual([
    { id: -8, key: '', data: null },
    { id: 9, key: null, data: new TextEncoder().encode('é;\nx') },
    { id: 10, key: "it's \"a\" \\ b\n,('c')", data: new Uint8Array([0, 255]) },
  ])
})

const COPY = `${POSTGRES}COPY public."Key" (id, "the name", spend) FROM stdin;\n`
test.each<[string, string | Uint8Array, string]>([
  ['cut off', `${COPY}1\ta\t`, 'not complete'],
  ['cut off in a text', `${POSTGRES}INSERT INTO public."Key" VALUES (1, 'a\n`, 'not complete'],
  ['a row too short', `${COPY}1\ta\n`, 'A row of table Key has 2 values for 3 columns.'],
  [
    'a function for a value',
    `${POSTGRES}INSERT INTO public."Key" VALUES (1, lower('a'), 2);\n`,
    'INSERT of another form',
  ],
  ['rows before the table', '-- MySQL dump\nINSERT INTO `t` VALUES (1);\n', 'before its columns'],
  ['another encoding', "-- PostgreSQL database dump\nSET client_encoding = 'LATIN1';\n", 'not in UTF-8'],
  ['bytes that are no UTF-8', new Uint8Array([45, 45, 255, 254, 10, 255]), '--hex-blob'],
  ['another text', 'Dear all,\n', 'not a dump in plain text'],
  ['nothing', '', 'not a dump in plain text'],
  ['a dump in the custom format', 'PGDMP\x01', 'pg_restore -f plain.sql'],
  ['a compressed dump', new Uint8Array([0x1f, 0x8b, 8]), 'Decompress it first'],
])('%s is an error, and leaves nothing behind', async (_, text, message) => {
  const rows = mkdtempSync(join(folder, 'rows-'))
  const error = await openSource(write(text), rows).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(SourceError)
  expect(error.message).toContain(message)
  expect(readdirSync(rows)).toEqual([])
})

test.each([
  ['sqlserver://u:s3cr3t@h/d', 'A source is postgres://'],
  ['postgres://u:s3cr3t@h', 'A source is postgres://'],
  ['postgres://u:s3/cr3t@h:x/d', 'The URL of the source is invalid'],
  ['u:s3cr3t@tcp(127.0.0.1:1)/new-api?parseTime=true', 'The database at 127.0.0.1:1 cannot be read'],
  ['/nowhere/x.sql', 'The file cannot be opened (ENOENT).'],
  ['/tmp', 'The source is not a file.'],
])('%s', async (from, message) => {
  const error = await openSource(from, folder).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(SourceError)
  expect(error.message).toContain(message)
  expect(error.message).not.toContain('cr3t')
})
