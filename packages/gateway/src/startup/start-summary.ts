// The summary that each start prints: addresses, models and next steps; one line of JSON unless a terminal shows it. The
// first start adds a link to the console and a curl command with its key, as text in both cases.

import type { Catalogue } from '../catalogue/catalogue.ts'
import { PROGRAM } from '../cli/program.ts'
import { SANDBOX_GROUP } from '../config/sandbox.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import { MODALITIES } from '../modalities/index.ts'
import { formatUsd } from '../money/amount.ts'
import { jsonLine } from '../observe/log.ts'
import type { MemoryLimit } from '../process/memory-limit.ts'
import type { FirstStart } from './first-start.ts'
import { describeTakenBack, type TakenBack } from './take-back-sandbox-credit.ts'

export type StartInfo = {
  version: string
  /** The URL that the server listens on. */
  address: string
  environment: Environment
  catalogue: Pick<Catalogue, 'config' | 'offers'>
  /** The SQLite file, or host and name of the PostgreSQL database. */
  database: string
  first: FirstStart | undefined
  takenBack?: TakenBack | undefined
  /** What all processes of this server may use. */
  memory: MemoryLimit
  /** Number of active keys by group. */
  keyGroups: ReadonlyMap<string, number>
}

const WIDEST_LABEL = 'database'.length
const MAX_NAMES = 5

export function startSummary(started: StartInfo, isTerminal: boolean): string {
  const { version, first } = started
  const facts = factsOf(started)
  const once = first && shownOnceOf(started, first)
  const lines = isTerminal
    ? [
        `Trivium ${version}`,
        ...facts.flatMap(([label, lines]) => labelled(label, lines)),
        ...paragraph(once ? [ABOUT_LINK, '', `  ${once.link}`] : []),
        ...paragraph(once?.aboutKey ? [once.aboutKey, '', `  ${once.curl.join(' \\\n    ')}`] : nextSteps(started)),
      ]
    : [
        jsonOf(version, facts, [
          ...(once ? [ABOUT_LINK.replace(/:$/, BELOW)] : []),
          ...(once?.aboutKey ? [once.aboutKey.replace(/:$/, BELOW)] : nextSteps(started)),
        ]),
        ...(once ? [`  ${once.link}`] : []),
        ...(once?.aboutKey ? [`  ${once.curl.join(' ')}`] : []),
      ]
  return `${lines.join('\n')}\n`
}

const paragraph = (lines: readonly string[]): string[] => (lines.length > 0 ? ['', ...lines, ''] : [])

type Fact = readonly [label: string, lines: readonly string[]]

function factsOf({ address, environment, catalogue: { config }, database, memory, takenBack }: StartInfo): Fact[] {
  const { publicUrl } = config.server
  return [
    ['address', [address]],
    ['bound', EVERY_INTERFACE.includes(environment.host) ? [`${environment.host}: every address of this machine`] : []],
    ['public', publicUrl ? [publicUrl] : []],
    ['console', [`${publicUrl ?? address}/console`]],
    ['data', [environment.dataDir]],
    ['database', [database]],
    ['config', [environment.configFile ?? `none; ${environment.watchedFile} is read as soon as it exists`]],
    ['models', modelLines(config)],
    ['memory', [memoryLine(config, memory)]],
    ['sign-up', [registrationLine(config)]],
    ['credit', takenBack ? [describeTakenBack(takenBack)] : []],
  ]
}

/** The address above is then the one for this machine itself, which would hide that others reach the server. */
const EVERY_INTERFACE = ['0.0.0.0', '::']

const labelled = (label: string, lines: readonly string[]): string[] =>
  lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(WIDEST_LABEL)}  ${line}`)

/** A line like those of the log, so that a log that contains standard output has one format. */
function jsonOf(version: string, facts: readonly Fact[], steps: readonly string[]): string {
  const shown = facts.filter(([, lines]) => lines.length > 0).map(([label, lines]) => [label, lines.join('; ')])
  const next = steps.map((line) => line.trim()).filter(Boolean)
  const named = Object.fromEntries(shown) as Record<string, string>
  const message = `Trivium ${version} started: address ${named.address} and console ${named.console}`
  return jsonLine(Date.now(), 'info', message, {
    version,
    ...named,
    ...(next.length > 0 ? { next: next.join('\n') } : {}),
  }).trimEnd()
}

/** People and programs find the first key by its prefix `sk-`, so nothing else in the summary may begin with it. */
const printable = (name: string): string => (name.startsWith('sk-') ? '(hidden)' : name)

function modelLines({ upstreams, models }: FileConfig): string[] {
  const lines = [...upstreams.keys()].map((upstream) => {
    const names = [...models.values()].filter(({ routes }) => routes.some((route) => route.upstream === upstream))
    return `${printable(upstream)}: ${shortened(names.map(({ id }) => printable(id)))}`
  })
  return lines.length === 0 ? ['none: no upstream is configured'] : lines
}

function shortened(names: readonly string[]): string {
  if (names.length === 0) return 'no models'
  const more = names.length - MAX_NAMES
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return `${names.length} (${shown}${more > 0 ? ` and ${more} more` : ''})`
}

const MIB = 1024 ** 2

/** An operator who limits a container sees whether the limit was found, and what follows from it. */
function memoryLine({ server: { limits } }: FileConfig, { bytes, of }: MemoryLimit): string {
  const mib = (size: number) => `${Math.floor(size / MIB)} MiB`
  const used = `${mib(limits.memoryBytes)} for requests, ${mib(limits.memoryBytes / 2)} for unread responses`
  return `${used} (of ${mib(bytes)}, ${of === 'container' ? 'the limit of the container' : 'all of the machine'})`
}

function registrationLine({ registration: { open, trialCredit } }: FileConfig): string {
  return open
    ? `registration is open: each new account gets ${formatUsd(trialCredit)} USD of trial credit`
    : 'registration is closed; registration: { open: true } in the configuration file opens it'
}

const ABOUT_LINK = 'Open the console as the owner of this gateway (this link works once, within 24 hours):'

/** The link and the command are secrets, which no line of a log contains: they are printed as lines of their own. */
const BELOW = ': printed below this line'

/** `aboutKey`: undefined if there is no key. `curl`: the words of a command, in lines that a terminal shows. */
type ShownOnce = { link: string; aboutKey: string | undefined; curl: readonly string[] }

function shownOnceOf(
  { address, catalogue: { config } }: StartInfo,
  { email, secret, setupToken }: FirstStart,
): ShownOnce {
  const { publicUrl } = config.server
  // With TLS, the certificate is valid for the public name; without, the public URL may need a proxy that is not running yet.
  const url = publicUrl && address.startsWith('https:') ? publicUrl : address
  const credit = formatUsd(config.registration.trialCredit)
  return {
    // Browsers keep what follows the # to themselves.
    link: `${publicUrl ?? address}/console/setup#${setupToken}`,
    curl: [
      `curl ${url}/v1/chat/completions`,
      `-H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json'`,
      `-d '{"model":"${MODALITIES.text.sandbox.id}","messages":[{"role":"user","content":"Hello"}]}'`,
    ],
    aboutKey: secret && `Try it (this key is shown once; it belongs to the account ${email}, which has ${credit} USD):`,
  }
}

/** Empty as soon as some key can use some model. */
function nextSteps({ catalogue, keyGroups, environment }: StartInfo): string[] {
  const { offers, config } = catalogue
  const canUse = (group: string) => (offers.get(group)?.size ?? 0) > 0
  if ([...keyGroups.keys()].some(canUse)) return []
  const file = environment.configFile ?? 'trivium.yaml'
  const group = ['default', ...config.groups.keys()].find(canUse)
  if (group === undefined) {
    return [
      'No model is available yet. Either',
      `  - write sandbox: true in ${file} for the sandbox models, or`,
      '  - set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or ARK_API_KEY and restart.',
    ]
  }
  const hasSandboxKeys = keyGroups.has(SANDBOX_GROUP) && !config.sandbox.on
  return [
    keyGroups.size === 0
      ? 'There is no API key yet. Create an account and a key:'
      : 'No existing key can use any of these models. Create an account and a key:',
    '',
    `  ${PROGRAM} account create --email you@example.com --credit 25`,
    `  ${PROGRAM} key create --account you@example.com --name laptop${group === 'default' ? '' : ` --group ${group}`}`,
    ...(hasSandboxKeys
      ? ['', `The existing keys are for the sandbox models; sandbox: true in ${file} keeps those models too.`]
      : []),
  ]
}
