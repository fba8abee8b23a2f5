// All clients with how each is set up: the console's snippets, the pages of docs/use/ and the table of docs/reference/clients.md come from here.
/// <reference path="./text.d.ts" />
import type { Access, Client, Connection, Protocol, Snippet, Wanted } from '../types.ts'
import agents from './agent.txt' with { type: 'text' }
import chats from './chat.txt' with { type: 'text' }
import frameworks from './framework.txt' with { type: 'text' }
import { readClients } from './read-clients.ts'
import sdks from './sdk.txt' with { type: 'text' }
import { CURL, JAVASCRIPT, PYTHON } from './sdks.ts'

/** In the order in which they are offered, kind by kind. */
export const CLIENTS: readonly Client[] = [
  CURL,
  PYTHON,
  JAVASCRIPT,
  ...readClients('sdk', sdks),
  ...readClients('framework', frameworks),
  ...readClients('agent', agents),
  ...readClients('chat', chats),
]

export const protocolsOf = ({ connections }: Client): Protocol[] => connections.flatMap(({ protocols }) => protocols)

const connectionOf = ({ connections }: Client, protocol: Protocol): Connection | undefined =>
  connections.find(({ protocols }) => protocols.includes(protocol))

/** `prompt`: what the example asks for. */
export type SnippetOptions = Access & {
  client: Client
  protocol: Protocol
  model: string
  prompt: string
  wanted?: Wanted
}

export function snippetFor({ client, wanted = 'text', ...options }: SnippetOptions): Snippet {
  const connection = connectionOf(client, options.protocol)
  if (!connection) throw new Error(`${client.name} does not speak ${options.protocol}`)
  const base = options.baseUrl + connection.path
  return { baseUrl: base, parts: connection.parts({ ...options, base, wanted }) }
}
