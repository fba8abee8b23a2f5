// A snippet for the client and the protocol that the reader chooses. A chunk of its own: lazy-client-snippet.ts loads it.

import { useState } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { Segments } from '../ui/form/choices.tsx'
import { SelectField } from '../ui/form/field.tsx'
import { Banner } from '../ui/states.tsx'
import { CLIENTS, protocolsOf, snippetFor } from './clients/index.ts'
import { isProtocol } from './protocols.ts'
import { PLACEHOLDER } from './request-snippet.ts'
import { SnippetParts } from './snippet-parts.tsx'

export type ClientSnippetProps = {
  baseUrl: string
  model: string
  /** What the model supports. */
  protocols: readonly string[]
  /** While it is on screen; otherwise a placeholder is shown. */
  secret?: string | undefined
  /** The id of the chosen client, where the page keeps it. */
  client?: string
  onClient?(id: string): void
}

export default function ClientSnippet(props: ClientSnippetProps) {
  const { baseUrl, model, protocols, secret = PLACEHOLDER } = props
  const t = useTexts().snippets
  const [ownClient, setOwnClient] = useState('curl')
  const { client: chosenClient = ownClient, onClient: setClient = setOwnClient } = props
  const [chosenProtocol, setProtocol] = useState('')
  const spoken = protocols.filter(isProtocol)
  // Most clients talk to text models only, though their protocol may also be that of others.
  const isText = spoken.includes('chat')
  const clients = CLIENTS.filter(
    (each) => (isText || each.anyModel) && protocolsOf(each).some((protocol) => spoken.includes(protocol)),
  )
  const client = clients.find(({ id }) => id === chosenClient) ?? clients[0]
  const offered = client ? protocolsOf(client).filter((protocol) => spoken.includes(protocol)) : []
  const protocol = offered.find((each) => each === chosenProtocol) ?? offered[0]
  if (!client || !protocol) return null
  const wanted = spoken.includes('images') ? 'image' : spoken.includes('embeddings') ? 'vector' : 'text'
  const prompt = isText ? t.prompts.text : t.prompts.media
  const snippet = snippetFor({ client, protocol, model, baseUrl, secret, prompt, wanted })
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <div className="w-full max-w-[360px]">
          <SelectField
            label={t.client}
            value={client.id}
            onChange={setClient}
            options={clients.map(({ id, name, kind }) => ({ value: id, label: name, group: t.kinds[kind] }))}
          />
        </div>
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
      {client.callsFrom && isLoopback(snippet.baseUrl) && (
        <Banner tone="warn">{t.notes[client.callsFrom](client.name)}</Banner>
      )}
    </div>
  )
}

/** Whether only this computer can reach the URL, which matters for clients that call from elsewhere. */
const isLoopback = (baseUrl: string): boolean => /^https?:\/\/(localhost|127\.|\[::1\])/i.test(baseUrl)
