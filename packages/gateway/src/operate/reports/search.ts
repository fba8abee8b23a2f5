// Finds what an operator pasted or typed: an email address, an account, the end of a key or of a code, a request, a model, an upstream, a
// group. Looks up what an index has, and reads a bounded list of accounts for parts of names.
import { formatUsd } from '../../money/amount.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { fields, isId, text } from '../../request/schema/schema.ts'
import type { Account, Storage } from '../../storage/storage.ts'
import { type OperationContext, operation } from '../operation.ts'
import { FOUND, type FOUND_KINDS } from '../resources/overview.ts'

const MOST = 10
/** Shorter ones are part of nearly every name. */
const SHORTEST_PART = 2

/** `id`: of its page; of a code its batch. `detail`: what tells it from others of its kind. */
type Found = {
  kind: (typeof FOUND_KINDS)[number]
  id: string
  label: string
  detail: string | null
  account: string | null
}

export const searchAll = operation({
  name: 'search',
  permission: 'see',
  route: {
    at: 'GET search',
    summary: 'Searches by email address, name, id or the end of a secret; returns at most 10 matches',
    output: FOUND,
    list: true,
    example: { query: 'q=sandbox' },
  },
  input: fields({ q: text({ max: 320 }) }),
  /** What fits exactly first. */
  async run(context, { q }) {
    const sought = q.trim()
    if (sought === '') return { items: [], next: null }
    const { storage } = context
    const exact = (
      await Promise.all([
        requestNamed(storage, sought),
        requestsOfOthers(storage, sought),
        accountsNamed(storage, sought),
        personNamed(storage, sought),
        keysEnding(storage, sought),
        codesEnding(storage, sought),
      ])
    ).flat()
    const configured = configuredLike(context, sought)
    const all = [...exact, ...configured]
    if (all.length < MOST && sought.length >= SHORTEST_PART) all.push(...(await accountsLike(storage, sought)))
    const once = new Map(all.map((found) => [`${found.kind} ${found.id} ${found.label}`, found] as const))
    return { items: [...once.values()].slice(0, MOST), next: null }
  },
})

const found = (kind: Found['kind'], id: string, label: string, more: Partial<Found> = {}): Found => ({
  kind,
  id,
  label,
  detail: null,
  account: null,
  ...more,
})

async function requestNamed({ ledger }: Storage, sought: string): Promise<Found[]> {
  const id = parseRequestId(sought)
  const request = id === undefined ? undefined : await ledger.requestOfAny(id)
  if (!request) return []
  const { account, row } = request
  return [found('request', sought, sought, { detail: row.model, account: String(account) })]
}

/** By what their caller or the vendor calls them. */
async function requestsOfOthers({ lists }: Storage, sought: string): Promise<Found[]> {
  if (!/^[\x21-\x7e]+$/.test(sought)) return []
  const pages = await Promise.all([
    lists.requests({ clientId: sought }, {}, MOST),
    lists.requests({ upstreamId: sought }, {}, MOST),
  ])
  return pages.flatMap(({ rows }) =>
    rows.map(({ account, row }) => {
      const id = formatRequestId(row.request)
      return found('request', id, id, { detail: row.model, account: String(account) })
    }),
  )
}

const accountFound = ({ id, name }: Account, email?: string): Found =>
  found('account', String(id), name, { detail: email === name ? null : (email ?? null), account: String(id) })

async function accountsNamed({ accounts, people, members }: Storage, sought: string): Promise<Found[]> {
  if (isId(sought)) {
    const account = await accounts.find(BigInt(sought))
    return account ? [accountFound(account)] : []
  }
  if (!sought.includes('@')) return (await accounts.findNamed(sought)).slice(0, MOST).map((each) => accountFound(each))
  const person = await people.find(sought)
  const own = person ? await members.accountsOf(person.id) : []
  return own.slice(0, MOST).map(({ account }) => accountFound(account, person?.email))
}

async function personNamed({ people }: Storage, sought: string): Promise<Found[]> {
  const person = sought.includes('@') ? await people.find(sought) : undefined
  return person ? [found('person', String(person.id), person.email, { detail: person.role ?? null })] : []
}

/** Only the end of a secret is used, even if all of it was given. */
const endOf = (sought: string): string => sought.slice(-4)

async function keysEnding({ keys, accounts }: Storage, sought: string): Promise<Found[]> {
  if (!/^(?:sk-[\w-]+|[\w-]{4})$/.test(sought)) return []
  const rows = await keys.withLastFour(endOf(sought), MOST)
  const names = await accounts.names(rows.map(({ account }) => account))
  return rows.map(({ id, account, name, lastFour }) =>
    found('key', String(id), `${name} (…${lastFour})`, {
      detail: names.get(account) ?? null,
      account: String(account),
    }),
  )
}

async function codesEnding({ codes }: Storage, sought: string): Promise<Found[]> {
  if (!/^[\w-]{4,100}$/.test(sought) || sought.startsWith('sk-')) return []
  const rows = await codes.withLastFour(endOf(sought.toUpperCase()), MOST)
  return rows.map(({ label, lastFour, amount }) =>
    found('code', label, `…${lastFour}`, { detail: [label, `${formatUsd(amount)} USD`].filter(Boolean).join(', ') }),
  )
}

/** Those that begin with it first. */
function configuredLike({ config: { models, upstreams, groups } }: OperationContext, sought: string): Found[] {
  const part = sought.toLowerCase()
  const likeIn = (kind: Found['kind'], ids: Iterable<string>): Found[] =>
    [...ids].filter((id) => id.toLowerCase().includes(part)).map((id) => found(kind, id, id))
  const all = [
    ...likeIn('model', models.keys()),
    ...likeIn('upstream', upstreams.keys()),
    ...likeIn('group', groups.keys()),
  ]
  const rank = ({ id }: Found) => (id.toLowerCase().startsWith(part) ? 0 : 1)
  return all.toSorted((one, other) => rank(one) - rank(other)).slice(0, MOST)
}

async function accountsLike({ lists }: Storage, sought: string): Promise<Found[]> {
  const { rows } = await lists.accounts({ search: sought }, {}, MOST)
  return rows.map(({ account, members }) => accountFound(account, members[0]?.email))
}
