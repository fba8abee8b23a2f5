// Several gateways over one database: what a day and a network may have is counted once for all of them.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { freshSchema } from '../../../../../test/support/postgres/schemas.ts'
import { TRIAL } from '../../money/ledger.ts'
import type { SignUp, Storage } from '../storage.ts'
import { openPostgres } from './open-postgres.ts'

let nodes: Storage[] = []
beforeAll(async () => {
  const address = await freshSchema()
  nodes = await Promise.all([1, 2, 3].map(() => openPostgres(address)))
})
afterAll(() => Promise.all(nodes.map((node) => node.close())))

const PERSON: SignUp = {
  email: '',
  password: undefined,
  network: '192.0.2.1',
  trialCredit: 10n,
  budget: 75n,
  mostPerNetwork: 3,
  wideNetwork: '192.0.2.0/24',
  wideTrials: 100,
  source: TRIAL,
  onProof: false,
}
/** Each person in a network of their own. */
const apart = (index: number) => ({ network: `198.51.${index}.7`, wideNetwork: `198.51.${index}.0/24` })

async function outcomes(people: readonly Partial<SignUp>[]): Promise<Record<string, number>> {
  const answers = await Promise.all(
    people.map((person, index) => nodes[index % nodes.length]?.accounts.signUp({ ...PERSON, ...person })),
  )
  const counts: Record<string, number> = {}
  for (const answer of answers) {
    const word = typeof answer === 'object' ? `credit ${answer.trialCredit}` : String(answer)
    counts[word] = (counts[word] ?? 0) + 1
  }
  return counts
}
const sixty = (make: (index: number) => Partial<SignUp>) => Array.from({ length: 60 }, (_, index) => make(index))

test('one network, one person and one budget on three nodes at once', async () => {
  const people = sixty((index) => ({ email: `p${index}@example.com` }))
  expect(await outcomes(people)).toEqual({ 'credit 10': 3, too_many: 57 })
  const spellings = sixty((index) => ({ email: `ada+${index}@example.com`, ...apart(index) }))
  expect(await outcomes(spellings)).toEqual({ 'credit 10': 1, taken: 59 })
  const otherPeople = sixty((index) => ({ email: `q${index}@example.com`, ...apart(100 + index) }))
  expect(await outcomes(otherPeople)).toEqual({ 'credit 10': 3, 'credit 0': 57 })
  expect(await nodes[0]?.ledger.audit()).toMatchObject({ ok: true, accounts: 64, transfers: 7 })
})
