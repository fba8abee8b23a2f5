// Mistakes in what the console needs: the sections mail and console, and the groups that it offers.
import { expect, test } from 'bun:test'
import { BUILT_IN } from '../server/config.ts'
import { assemble } from './assemble.ts'
import { formatMistakes } from './format-mistakes.ts'

const lines = (source: string) =>
  formatMistakes(assemble({ source, file: '/etc/trivium.yaml', env: {} }, BUILT_IN).mistakes)
    .replaceAll('/etc/trivium.yaml:', '')
    .split('\n')

/** `from` may be followed by other fields. */
const ISSUER = 'issuer: "https://id.example.com"'
const entry = (id: string, more: string) => `{ id: ${id}, client_id: c, client_secret: hunter2, ${more} }`
const provider = (more: string) =>
  `sign_in: { providers: [${entry('a', /issuer|name/.test(more) ? more : `${ISSUER}, ${more}`)}] }`
const twins = `sign_in: { providers: [${entry('a', ISSUER)}, ${entry('b', ISSUER)}] }`
const mail = (url: string, from = 'a@b.c') => `mail: { url: "${url}", from: ${from} }`

test.each<[string, string, string]>([
  ['mail without a sender', 'mail: { url: "smtps://a" }', 'mail: from is missing; such as gateway@example.com'],
  ['mail without a server', 'mail: { from: a@b.c }', 'mail: url is missing; such as smtps://user:password@'],
  [
    'a provider over HTTP',
    provider('issuer: "http://id.example.com"'),
    'sign_in.providers[a].issuer: must be an https:// URL, such as',
  ],
  ['a provider without an issuer', provider('name: x'), 'sign_in.providers[a]: issuer is missing; such as https://'],
  [
    'no domain',
    provider('domains: ["@example.com"]'),
    'sign_in.providers[a].domains[0]: "@example.com" is not a domain; write one such as',
  ],
  ['no role', provider('roles: { ops: boss }, groups_claim: g'), 'sign_in.providers[a].roles.ops: '],
  [
    'roles without a claim',
    provider('roles: { ops: admin }'),
    'sign_in.providers[a].roles: needs groups_claim, the claim that lists',
  ],
  ['passwords off alone', 'sign_in: { password: false }', 'sign_in.password: false, but there are no providers'],
  ['two providers of one issuer', twins, 'sign_in.providers: two providers have the issuer https://id.example.com'],
  ['mail over HTTP', mail('https://a'), 'mail.url: is not an smtp:// or smtps:// URL; write it like smtps://'],
  ['a mail server without a scheme', mail('smtp.example.com'), 'mail.url: is not an smtp:// or smtps:// URL'],
  ['a mail server with a path', mail('smtps://u:a/b@c'), 'mail.url: '],
  ['a mail server with options', mail('smtp://a?pool=true'), 'mail.url: the only option is ?tls=off'],
  ['smtps without TLS', mail('smtps://a?tls=off'), 'mail.url: the only option is ?tls=off of an smtp:// URL'],
  ['a password with a percent sign', mail('smtps://u:50%@a'), 'mail.url: user and password must be percent-encoded'],
  ['a sender that is no address', mail('smtp://a', 'Gateway'), 'mail.from: is not an email address; write gateway@'],
  ['two senders', mail('smtp://a', '"a@b.c, d@e.f"'), 'mail.from: is not an email address'],
  ['no certificates', mail('smtp://a', 'a@b.c, ca: ./gone.pem'), 'mail.ca: cannot read /etc/gone.pem'],
  [
    'a misspelt field of mail',
    mail('smtp://a', 'a@b.c, form: x@y.z'),
    'mail: unknown field "form"; did you mean from?',
  ],
  ['a console without a name', 'console: { name: "" }', 'console.name: is empty; expected text'],
  ['a name of two lines', 'console: { name: "a\\nb" }', 'console.name: must be one line of at most 60 characters'],
  ['a long name', `console: { name: ${'a'.repeat(61)} }`, 'console.name: must be one line of at most 60 characters'],
  [
    'help of another scheme',
    'console: { support_url: "javascript:x" }',
    'console.support_url: is not an http://, https://',
  ],
  [
    'an account that is no address',
    'groups: [{ id: default, models: ["*"], accounts: [ada] }]',
    'groups[default].accounts[0]: "ada" is not an email address such as ada@example.com',
  ],
])('%s', (_, source, expected) => {
  const found = lines(source)
  expect(found).toHaveLength(1)
  expect(found[0]).toStartWith(`1: ${expected}`)
})

test('what is right is read, and a secret does not change the hash', () => {
  const load = (source: string) => assemble({ source, file: '/etc/trivium.yaml', env: {} }, BUILT_IN).config
  const one = load(`${mail('smtps://u:one@a')}\nconsole: { support_url: "mailto:help@example.com?subject=credit" }`)
  expect(one).toMatchObject({
    mail: { url: 'smtps://u:one@a', from: 'a@b.c' },
    console: { name: 'Trivium', supportUrl: 'mailto:help@example.com?subject=credit' },
  })
  const other = load(`${mail('smtps://u:other@a')}\nconsole: { support_url: "mailto:help@example.com?subject=credit" }`)
  expect(other?.hash).toBe(one?.hash ?? '')
  expect(load('')).toMatchObject({ console: { name: 'Trivium', supportUrl: undefined } })
  expect(load('')?.mail).toBeUndefined()
})

test('groups that the console offers', () => {
  const { config } = assemble(
    {
      source:
        'groups: [{ id: a, models: ["*"], console: true }, { id: b, models: ["*"], accounts: [Ada@Example.com] }]',
      file: '/etc/trivium.yaml',
      env: {},
    },
    BUILT_IN,
  )
  expect(config?.groups.get('a')).toMatchObject({ console: true })
  expect(config?.groups.get('b')).toMatchObject({ accounts: ['ada@example.com'] })
})
