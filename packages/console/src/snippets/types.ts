import type { Protocol } from './protocols.ts'

export type { Protocol }

/** `body`: as the endpoint takes it. For `generate-content`, whose path has the model, `model` is left out of the request. */
export type ExampleRequest = { protocol: Protocol; body: { model: string } & Readonly<Record<string, unknown>> }

/** `baseUrl`: of the gateway, without a path. */
export type Access = { baseUrl: string; secret: string }

export type ClientKind = 'sdk' | 'framework' | 'agent' | 'chat'

/** In the languages of the console. */
export type Localized = { en: string; zh: string }

export type CodeLanguage = 'js' | 'python' | 'go' | 'java'
export type FileLanguage = 'json' | 'toml' | 'yml' | 'ini'

/** A part of a snippet: something to run, a file, or values to enter in a form of an application. */
export type SnippetPart =
  | { kind: 'install'; code: string }
  | { kind: 'terminal'; code: string }
  | { kind: 'code'; language: CodeLanguage; code: string }
  | { kind: 'file'; path: string; language: FileLanguage; code: string }
  | { kind: 'form'; where: Localized; fields: readonly { label: Localized; value: string }[] }

/** `baseUrl`: what this client must be given, which depends on the protocol and on what the client adds itself. */
export type Snippet = { baseUrl: string; parts: readonly SnippetPart[] }

/** What `generate-content` asks a model for. */
export type Wanted = 'text' | 'image' | 'vector'

/** `base`: the base URL that the client is given. `prompt`: what the example asks for. */
export type SetUp = Access & { base: string; protocol: Protocol; model: string; prompt: string; wanted: Wanted }

/**
 * How it is known to work: `package` by a test with that package from npm, `agents` by `npm run agents`, `version` by hand with that version.
 * Without any of them it was not run.
 */
export type Tested = { package?: string; agents?: string; version?: string; date?: string }

/** A way to connect a client: one of its packages, or one of its kinds of provider. */
export type Connection = {
  /** In the table of clients, where it is not the name of the client. */
  title?: string
  /** The usual one first. */
  protocols: readonly Protocol[]
  /** What follows the URL of the gateway in the base URL. */
  path: string
  /** What the client calls each value, and where it reads them, as Markdown. Without them it is not in the table of clients. */
  settings?: { baseUrl: string; key: string; model: string; place: string }
  tested?: Tested
  parts(setUp: SetUp): readonly SnippetPart[]
}

/** Where the client calls from, if that is not the computer of its user. */
export type CallsFrom = 'container' | 'vendor'

/** Names are the same in every language. */
export type Client = {
  id: string
  name: string
  kind: ClientKind
  /** Whether it is of use for models of every type, not only for text. */
  anyModel?: boolean
  callsFrom?: CallsFrom
  connections: readonly Connection[]
}
