// A snippet for the client and the protocol that the reader chooses.

import { useState } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { CodeBlock, CopyText } from '../ui/copy.tsx'
import { Segments } from '../ui/form/choices.tsx'
import { Facts } from '../ui/page.tsx'
import { Banner } from '../ui/states.tsx'
import { CLIENTS, isLoopback, PLACEHOLDER, snippetFor } from './clients.ts'
import { isProtocol, PROTOCOLS } from './endpoints.ts'
import type { ClientId, Snippet, SnippetPart } from './types.ts'

type ClientSnippetProps = {
  baseUrl: string
  model: string
  /** What the model supports. */
  protocols: readonly string[]
  /** While it is on screen; otherwise a placeholder is shown. */
  secret?: string | undefined
}

export function ClientSnippet({ baseUrl, model, protocols, secret = PLACEHOLDER }: ClientSnippetProps) {
  const t = useTexts().snippets
  const [chosenClient, setClient] = useState<ClientId>('curl')
  const [chosenProtocol, setProtocol] = useState('')
  const spoken = protocols.filter(isProtocol)
  // Agents talk to text models only, though their protocol may also be that of others.
  const isText = spoken.includes('chat')
  const clients = CLIENTS.filter(
    (each) => each.protocols.some((protocol) => spoken.includes(protocol)) && (isText || each.protocols === PROTOCOLS),
  )
  const client = clients.find(({ id }) => id === chosenClient) ?? clients[0]
  const offered = spoken.filter((protocol) => client?.protocols.includes(protocol))
  const protocol = offered.find((each) => each === chosenProtocol) ?? offered[0]
  if (!client || !protocol) return null
  const wanted = spoken.includes('images') ? 'image' : spoken.includes('embeddings') ? 'vector' : 'text'
  const prompt = isText ? t.prompts.text : t.prompts.media
  const snippet = snippetFor({ client: client.id, protocol, model, baseUrl, secret, prompt, wanted })
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        <Segments<ClientId>
          label={t.client}
          value={client.id}
          onChange={setClient}
          options={clients.map(({ id, name }) => ({ value: id, label: name }))}
        />
        {offered.length > 1 && (
          <Segments
            label={t.protocol}
            value={protocol}
            onChange={setProtocol}
            options={offered.map((each) => ({ value: each, label: t.protocols[each] }))}
          />
        )}
      </div>
      <SnippetParts snippet={snippet} />
    </div>
  )
}

export function SnippetParts({ snippet }: { snippet: Snippet }) {
  const t = useTexts().snippets
  const hasSettings = snippet.parts.some(({ kind }) => kind === 'settings')
  return (
    <>
      {!hasSettings && (
        <Facts items={[{ label: t.baseUrl, value: <CopyText text={snippet.baseUrl} label={t.baseUrl} /> }]} />
      )}
      {snippet.parts.map((part) => (
        <Part key={part.kind} part={part} />
      ))}
    </>
  )
}

function Part({ part }: { part: SnippetPart }) {
  const t = useTexts().snippets
  if (part.kind === 'settings') return <Settings part={part} />
  const label = part.kind === 'file' ? part.path : t[part.kind]
  return (
    <div className="min-w-0">
      <div className="mb-1 text-sm text-muted">{part.kind === 'file' ? <code>{label}</code> : label}</div>
      <CodeBlock code={part.code} label={label} />
    </div>
  )
}

function Settings({ part }: { part: SnippetPart & { kind: 'settings' } }) {
  const t = useTexts().snippets
  const labels = t.fields[part.of]
  const value = (name: 'secret' | 'baseUrl' | 'model') => ({
    label: labels[name],
    value: <CopyText text={part[name]} label={labels[name]} />,
  })
  return (
    <>
      <p>{t.steps[part.of]}</p>
      <Facts items={[value('secret'), value('baseUrl'), value('model')]} />
      {isLoopback(part.baseUrl) && <Banner tone="warn">{t.notes[part.of]}</Banner>}
    </>
  )
}
