// What operators note of an account, for each other. Its holder never sees it.
import { fields, idOf, textLike } from '../../request/schema/schema.ts'
import type { Account, Note } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { auditEntry, audited, type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { NOTES_SHOWN } from '../resources/accounts.ts'

const MOST_NOTES = 200
const LONGEST_NOTE = 2_000
const NOTE_TEXT = textLike((value) => {
  const { length } = value.trim()
  return length > 0 && length <= LONGEST_NOTE && !value.includes('\0')
}, `have 1 to ${LONGEST_NOTE} characters`)

export const listNotes = operation({
  name: 'account notes',
  permission: 'see',
  route: {
    at: 'GET accounts/{account}/notes',
    summary: 'Lists the notes that operators made on an account, newest first',
    output: NOTES_SHOWN,
  },
  input: fields({ account: ACCOUNT }),
  run: async (context, { account }) => shownNotes(context, await findAccount(context, account)),
})

export const addNote = operation({
  name: 'account note add',
  permission: 'accounts',
  route: {
    at: 'POST accounts/{account}/notes',
    summary: 'Adds a note to an account, which its holder does not see',
    output: NOTES_SHOWN,
    status: 201,
    example: { body: { text: 'Pays by invoice, at the end of the month.' } },
  },
  input: fields({ account: ACCOUNT, text: NOTE_TEXT }),
  async run(context, { account: named, text: written }) {
    const account = await findAccount(context, named)
    if (account.deletedAt !== undefined) throw rejected('account_deleted', { account: account.name })
    const text = written.trim()
    const change = { object: `account/${account.id}`, after: { text } }
    const { actor } = auditEntry(context, 'account note add', change)
    if ('email' in actor) throw new Error('a note has no author')
    const { notes } = audited(context, 'account note add', change)
    if (!(await notes.add({ account: account.id, author: actor, text }, MOST_NOTES)))
      throw rejected('too_many_notes', { most: MOST_NOTES })
    return await shownNotes(context, account)
  },
})

export const deleteNote = operation({
  name: 'account note delete',
  permission: 'accounts',
  route: { at: 'DELETE accounts/{account}/notes/{note}', summary: 'Deletes a note of an account', output: NOTES_SHOWN },
  input: fields({ account: ACCOUNT, note: idOf('a note') }),
  async run(context, { account: named, note }) {
    const account = await findAccount(context, named)
    const known = (await context.storage.notes.list(account.id)).find(({ id }) => String(id) === note)
    if (!known) throw rejected('unknown_note', { note })
    const change = { object: `account/${account.id}`, before: { text: known.text } }
    await audited(context, 'account note delete', change).notes.delete(account.id, known.id)
    return await shownNotes(context, account)
  },
})

/** Newest first. */
async function shownNotes({ storage }: OperationContext, { id, name }: Account) {
  const notes = await storage.notes.list(id)
  const emails = await emailsOf(notes, storage)
  return {
    id: String(id),
    name,
    notes: notes.map((note) => ({
      id: String(note.id),
      at: isoTime(note.at),
      author: authorOf(note),
      author_email: emails.get(note.author.type === 'person' ? note.author.id : '') ?? null,
      text: note.text,
    })),
  }
}

const authorOf = ({ author: { type, id } }: Note): string => (id === '' ? type : `${type}/${id}`)

/** The email addresses of the people among the authors, of whom there are few. */
async function emailsOf(notes: readonly Note[], { people }: OperationContext['storage']) {
  const ids = new Set(notes.filter(({ author }) => author.type === 'person').map(({ author }) => author.id))
  const found = await Promise.all([...ids].map(async (id) => [id, await people.findById(BigInt(id))] as const))
  return new Map(found.flatMap(([id, person]) => (person ? [[id, person.email] as const] : [])))
}
