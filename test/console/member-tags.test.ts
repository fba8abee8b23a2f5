// Tags of members: set by the owner of the account or an operator, and carried by requests with the keys that the member made.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'

type Made = { key: { id: string }; secret: string }
const [OWNER, MEMBER] = ['owner@example.com', 'member@example.com']

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let owner: ConsoleClient
  let member: ConsoleClient
  let account = ''

  beforeAll(async () => {
    gateway = await startGateway({ engine })
    const signIn = async (email: string) => {
      const { id } = await operate<{ id: string }>(gateway, 'account create', {
        email,
        password: PASSWORD,
        credit: '9',
      })
      const client = consoleClient(gateway.url)
      expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
      return { id, client }
    }
    ;({ id: account, client: owner } = await signIn(OWNER))
    ;({ client: member } = await signIn(MEMBER))
    await operate(gateway, 'account member', { account, email: MEMBER, role: 'member' })
    await member.post('session/account', { account })
  })
  afterAll(() => gateway.stop())

  const newKey = async (client: ConsoleClient, tags: string[] = []) =>
    (await client.post<Made>('keys', { name: 'k', tags })).body
  /** The tags on the receipt of a request. */
  async function sent(secret: string, tags = ''): Promise<unknown> {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        ...(tags === '' ? {} : { 'x-trivium-tags': tags }),
      },
      body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()
    if (response.status !== 200) return response.status
    const receipt = await fetch(`${gateway.url}/v1/usage/${response.headers.get('x-request-id')}`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    return ((await receipt.json()) as { tags: unknown }).tags
  }
  const setTags = (tags: unknown) => owner.post<{ email: string; tags: string[] }[]>('members', { email: MEMBER, tags })

  test('requests carry them, unless the key or the request says otherwise', async () => {
    const { body } = await setTags([' team=search ', 'env=dev', 'env=dev'])
    expect(body.find(({ email }) => email === MEMBER)?.tags).toEqual(['env=dev', 'team=search'])
    const [plain, tagged, foreign] = [await newKey(member), await newKey(member, ['team=ads']), await newKey(owner)]
    await eventually(async () => Array.isArray(await sent(plain.secret)))
    expect(await sent(plain.secret)).toEqual(['env=dev', 'team=search'])
    expect(await sent(plain.secret, 'env=prod,x')).toEqual(['env=prod', 'team=search', 'x'])
    expect(await sent(tagged.secret)).toEqual(['env=dev', 'team=ads'])
    expect(await sent(foreign.secret)).not.toContain('team=search')
    // Those of the key are locked, those of the member are not.
    await operate(gateway, 'key limit', { key: tagged.key.id, 'tags-locked': 'true' })
    await eventually(async () => (await sent(tagged.secret, 'team=x')) === 400)
    expect(await sent(tagged.secret, 'env=prod')).toEqual(['env=prod', 'team=ads'])
    // The budgets of these tags apply to the member, who sees them.
    const budget = { kind: 'tag', value: 'team=search', amount_usd: '1' }
    const { id } = (await owner.post<{ id: string }>('budgets', budget)).body
    expect((await member.get<{ items: { id: string }[] }>('budgets')).body.items.map((each) => each.id)).toEqual([id])
  })

  test('an operator sets them, too, and takes them away', async () => {
    const { secret } = await newKey(member)
    await operate(gateway, 'account member', { account, email: MEMBER, tags: 'team=night' })
    await eventually(async () => String(await sent(secret)) === 'team=night')
    const { people } = await operate<{ people: { email: string; role: string; tags: string[] }[] }>(
      gateway,
      'account members',
      { account },
    )
    expect(people.find(({ email }) => email === MEMBER)).toMatchObject({ role: 'member', tags: ['team=night'] })
    await operate(gateway, 'account member', { account, email: MEMBER, tags: 'none' })
    await eventually(async () => (await sent(secret)) === null || String(await sent(secret)) === '')
  })

  test('a member does not, and what is no tag is rejected', async () => {
    expect(outcomeOf(await member.post('members', { email: MEMBER, tags: ['a'] }))).toBe('403 owners_only')
    for (const tags of [
      ['a,b'],
      ['=x'],
      ['x'.repeat(65)],
      Array.from({ length: 17 }, (_, index) => `t${index}`),
      'a',
    ]) {
      const answer = await setTags(tags)
      expect([tags, outcomeOf(answer), answer.body.error?.param?.slice(0, 4)]).toEqual([
        tags,
        '400 bad_request',
        'tags',
      ])
    }
    expect(outcomeOf(await owner.post('members', { email: 'nobody@example.com', tags: ['a'] }))).toBe('404 not_found')
  })
})
