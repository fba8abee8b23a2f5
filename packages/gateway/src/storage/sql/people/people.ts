// People on both engines.
import type { People } from '../../people/people.ts'
import { checkText, normaliseEmail } from '../guard.ts'
import { toPerson } from '../rows.ts'
import { type Connection, PERSON, required, statement } from '../statements.ts'
import { newPerson } from './new-account.ts'
import { preferencesOver } from './preferences.ts'
import { takenAddress } from './registration.ts'
import { endSessions } from './sessions.ts'

export function peopleOver(connection: Connection): People {
  const { db, runner, clock } = connection
  const changed = (person: bigint, columns: { role: string | null } | { disabled: number }) =>
    required(db.updateTable('person').set(columns).where('id', '=', person).returning('id'))
  return {
    ...preferencesOver(connection),
    async create(email, password) {
      const hash = password === undefined ? undefined : checkText('password', password)
      const person = { email: normaliseEmail(email), password: hash, isProved: true }
      const now = clock()
      const [, created] = (await runner.write([takenAddress(db, email, now), ...newPerson(db, person, now)])) ?? []
      return created?.[0] && toPerson(created[0])
    },
    async find(email) {
      const query = db.selectFrom('person').select(PERSON).where('email', '=', normaliseEmail(email))
      const [row] = await runner.read(statement(query))
      return row && toPerson(row)
    },
    async list() {
      const [rows = []] = await runner.readSlowly([statement(db.selectFrom('person').select(PERSON).orderBy('id'))])
      return rows.map(toPerson)
    },
    async setRole(person, role) {
      await runner.write([changed(person, { role: role ?? null })])
    },
    async setDisabled(person, disabled) {
      await runner.write([
        changed(person, { disabled: disabled ? 1 : 0 }),
        ...(disabled ? [endSessions(db, person)] : []),
      ])
    },
  }
}
