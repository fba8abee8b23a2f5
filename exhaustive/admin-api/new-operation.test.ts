// Adds an operation to a copy of the sources, in the files that docs/contribute/adding.md lists and in no others, and calls it: by the
// admin API, by its command, and in the types of the console.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenApiDocument } from '../../packages/gateway/src/openapi/document.ts'
import { type AdminClient, adminClient, adminOutcome } from '../../test/support/admin/admin-client.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { environmentOf } from '../../test/support/gateway/home.ts'
import { checkTypes, copyWith, type Edits, expectListed, makeApiTypes } from '../support/how-to.ts'

/** What each file gets. */
const EDITS: Edits = {
  'packages/gateway/src/operate/keys.ts': (source) => `${source}
export const renameKey = operation({
  name: 'key rename',
  permission: 'keys',
  route: { at: 'POST keys/{key}/rename', summary: 'Renames a key', output: OPERATORS_KEY, example: { body: { new_name: 'desk' } } },
  input: fields({ key: KEY, new_name: NEW_KEY.properties.name, count: optional(integer({ min: 1, max: 9 })) }),
  async run(context, { key: id, new_name, count = 1 }) {
    const key = await usableKey(context, id)
    const name = new_name.repeat(count)
    const entry = { object: \`key/\${key.id}\`, before: { name: key.name }, after: { name } }
    await audited(context, 'key rename', entry).keys.setTerms(key.id, { name }, key.revision)
    return await rowOf(await findKey(context, id), context)
  },
})
`,
  'packages/gateway/src/operate/words/accounts.ts': (source) =>
    source.replace(
      '} as const satisfies Words',
      `  'key rename': {
    act: { en: 'Rename', zh: '重命名' },
    ask: { en: 'Rename the key {x}?', zh: '重命名密钥 {x}？' },
    done: { en: 'Renamed.', zh: '已重命名。' },
    did: { en: 'renamed the key {x}', zh: '重命名了密钥 {x}' },
  },
$&`,
    ),
  'packages/gateway/src/cli/commands/accounts/key-commands.ts': (source) =>
    source.replace(
      /\]\)\n$/,
      `  {
    name: 'key rename',
    positionals: [ID],
    options: { 'new-name TEXT!': 'its new name', 'count N': 'how often it is written' },
    summary: 'rename a key',
    example: 'key rename 7 --new-name desk',
    json: flatKey,
  },
$&`,
    ),
  'packages/console/src/operate/pages/keys/key-list.tsx': (source) => `${source}
export function RenameButton({ id, name }: { id: string; name: string }) {
  const act = useAct()
  const words = useWords()
  const asked = words('key rename', name)
  const rename = async () => {
    const renamed = await act({ method: 'POST', path: 'keys/{key}/rename', params: { key: id }, body: { new_name: name }, ...asked })
    return renamed?.last_four
  }
  return (
    <ActButton permission="keys" onClick={() => void rename()}>
      {asked.action}
    </ActButton>
  )
}
`,
}

let copy: string
let gateway: Gateway
let admin: AdminClient
let key: string

const command = async (...args: string[]) => {
  const child = Bun.spawn([process.execPath, join(copy, 'packages/gateway/src/main.ts'), ...args], {
    env: environmentOf(gateway.home),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out, error }
}

beforeAll(async () => {
  copy = copyWith(EDITS)
  gateway = await startGateway({ main: join(copy, 'packages/gateway/src/main.ts') })
  const account = await gateway.command<{ key_id: string }>('account', 'create', '--name', 'acme', '--key', 'laptop')
  key = account.key_id
  const { secret } = await gateway.command<{ secret: string }>('admin-key', 'create', '--name', 'o', '--role', 'owner')
  admin = adminClient(gateway.url, secret)
})
afterAll(async () => {
  await gateway?.stop()
  rmSync(copy, { recursive: true, force: true })
})

test('the page lists the files, at most four', () => expectListed('Add an operation', EDITS, 4))

test('the admin API serves, checks, describes and rehearses it', async () => {
  expect(adminOutcome(await admin('POST', `keys/${key}/rename`, { body: {} }))).toBe('400 bad_request')
  const planned = await admin('POST', `keys/${key}/rename?dry_run=true`, { body: { new_name: 'desk' } })
  expect(planned.body).toMatchObject({ action: 'key rename', before: { name: 'laptop' }, after: { name: 'desk' } })
  const { status, body } = await admin('POST', `keys/${key}/rename`, { body: { new_name: 'desk', reason: 'moved' } })
  expect({ status, object: body.object, name: body.name }).toEqual({ status: 200, object: 'key', name: 'desk' })
  const description = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApiDocument
  expect(description.paths['/admin/v1/keys/{key}/rename']?.post?.summary).toBe('Renames a key')
})

test('its command has its options, and the audit log both calls', async () => {
  const { code, out } = await command('key', 'rename', key, '--new-name', 'ab', '--count', '2', '--json')
  expect({ code, name: JSON.parse(out).name }).toEqual({ code: 0, name: 'abab' })
  const wrong = await command('key', 'rename', key, '--new-name', 'ab', '--count', 'many')
  expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('--count') })
  expect((await command('help', 'key', 'rename')).out).toContain('--new-name TEXT')
  const { body } = await admin<{ data: { reason: string }[] }>('GET', 'audit-log?action=key%20rename')
  expect(body.data.map(({ reason }) => reason)).toEqual(['', 'moved'])
})

test('gateway and console have its types', async () => {
  const whole = { lib: ['ESNext'], types: ['bun'] }
  const include = ['packages/gateway/src/cli/commands/store-commands.ts', 'packages/gateway/src/**/*.d.ts']
  const program = { extends: './tsconfig.base.json', compilerOptions: whole, include }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(program))
  await Promise.all([checkTypes(copy, '.'), makeApiTypes(copy).then(() => checkTypes(copy, 'packages/console'))])
})
