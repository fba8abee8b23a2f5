// Accounts that are older than registration: whoever has one cannot sign up for a trial under another spelling.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { ask, freshSchema } from '../postgres/test-database.ts'
import { addressForm } from '../sql/address-form.ts'
import { ledgerPostgres } from './0001-ledger.postgres.ts'
import { ledgerSqlite } from './0001-ledger.sqlite.ts'
import { registrationPostgres, registrationSqlite } from './0007-registration.ts'

const EMAILS = [
  'ada@example.com',
  'bob+x@example.com',
  'bob+y@example.com',
  'c.a.r+x@gmail.com',
  'd.e@googlemail.com',
  'f.g@example.com',
  '+h@example.com',
  '...@gmail.com',
]
const FORMS = [...new Set(EMAILS.map(addressForm))].sort()
const INSERT = `INSERT INTO account (email, created_at) VALUES ${EMAILS.map((email) => `('${email}', 1)`).join(', ')}`
const SELECT = 'SELECT form FROM taken_address'

const formsOf = (rows: readonly unknown[]) => rows.map((row) => (row as { form: string }).form).sort()

test('on SQLite their addresses are taken', () => {
  const db = new Database(':memory:')
  for (const sql of [...ledgerSqlite, INSERT, ...registrationSqlite]) db.run(sql)
  expect(formsOf(db.query(SELECT).all())).toEqual(FORMS)
  db.close()
})

test('on PostgreSQL their addresses are taken', async () => {
  const address = await freshSchema()
  for (const sql of [...ledgerPostgres, INSERT, ...registrationPostgres]) await ask(address, sql)
  expect(formsOf(await ask(address, SELECT))).toEqual(FORMS)
})
