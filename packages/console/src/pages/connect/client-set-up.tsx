// A snippet for a client, and a test of the key: the last steps of the first run, and the page that shows them at any time.

import { useState } from 'react'
import { useAbout, useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { ClientSnippet } from '../../snippets/lazy-client-snippet.ts'
import { choicesIn } from '../../ui/form/choices-of.ts'
import { Combobox } from '../../ui/form/combobox.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { preferredModels } from '../models/preferred.ts'

/** Clients of a vendor work best with its own models. */
const FAMILIES: Readonly<Record<string, RegExp>> = {
  'claude-code': /claude/i,
  codex: /gpt|codex/i,
  'gemini-cli': /gemini/i,
}

/** The text models that a key can call, the best first, and the chosen one. `group`: undefined if the key is not known. */
export function useTextModels(group: string | undefined, allowed: readonly string[] | null = null, client = '') {
  const { data: models } = useRead('models', {}, { staleTime: 30_000 })
  const [chosen, setChosen] = useState('')
  const texts = models?.filter(({ type, id }) => type === 'text' && (allowed === null || allowed.includes(id)))
  const ranked = texts && preferredModels(texts, group)
  const family = FAMILIES[client]
  const usual = ranked?.find(({ id, healthy }) => healthy && family?.test(id)) ?? ranked?.[0]
  const model = ranked?.find(({ id }) => id === chosen) ?? usual
  return { models: ranked, model, choose: setChosen, alternative: ranked?.find(({ id }) => id !== model?.id) }
}

type SetUpProps = {
  choice: ReturnType<typeof useTextModels>
  secret?: string
  client: string
  onClient(id: string): void
}

export function ClientSetUp({ choice, secret, client, onClient }: SetUpProps) {
  const t = useTexts().overview.firstRun
  const { data: about } = useAbout()
  const { models, model, choose } = choice
  if (models?.length === 0) return <p>{t.test.noModel}</p>
  if (!about || !model) return <Skeleton size="h-40 w-full" />
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="max-w-[360px]">
        <Combobox
          label={t.client.model}
          value={model.id}
          shown={model.id}
          onChange={choose}
          useChoices={choicesIn((models ?? []).map(({ id }) => id).toSorted())}
        />
      </div>
      <ClientSnippet
        baseUrl={about.base_url}
        model={model.id}
        protocols={model.protocols}
        secret={secret}
        client={client}
        onClient={onClient}
      />
    </div>
  )
}
