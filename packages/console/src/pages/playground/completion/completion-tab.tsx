import { useState } from 'react'
import { field, parsed, textField } from '../../../api/body.ts'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { TextArea, TextField } from '../../../ui/form/field.tsx'
import { useKeptText } from '../../../ui/kept-text.ts'
import { type CallEntry, callOnce } from '../call-once.ts'
import { CallTab } from '../call-tab.tsx'
import { EntryCard } from '../entry-card.tsx'
import type { Entry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import type { Outcome } from '../history/outcome.ts'
import { MoreSettings } from '../layout.tsx'
import { codeOf } from '../request-code.tsx'

/** Spaces at the ends of both texts are kept: the model goes on exactly there. */
export function CompletionTab() {
  const t = useTexts().playground
  const { id: account } = useSession().account
  const [prompt, setPrompt] = useKeptText(`completion-${account}`)
  const [suffix, setSuffix] = useKeptText(`completion-suffix-${account}`)
  const [maxTokens, setMaxTokens] = useState('100')
  const isWrong = !/^[1-9]\d{0,6}$/.test(maxTokens)
  const settings = prompt.trim() === '' || isWrong ? undefined : { prompt, suffix, maxTokens: Number(maxTokens) }
  return (
    <CallTab<CompletionSettings, CompletionEntry>
      kind="completion"
      action={t.completeAction}
      empty={t.emptyCompletion}
      settings={settings}
      run={complete}
      fields={
        <>
          <TextArea
            label={t.textBefore}
            rows={5}
            spellCheck={false}
            value={prompt}
            onChange={setPrompt}
            placeholder="def add(a, b):"
          />
          <TextArea
            label={t.textAfter}
            hint={t.textAfterHint}
            optional
            rows={3}
            spellCheck={false}
            value={suffix}
            onChange={setSuffix}
            placeholder="print(add(1, 2))"
          />
          <MoreSettings>
            <TextField
              label={t.settings.maxTokens}
              inputMode="numeric"
              value={maxTokens}
              onChange={setMaxTokens}
              error={isWrong ? t.wrong.maxTokens : undefined}
            />
          </MoreSettings>
        </>
      }
      show={(entry, actions) => (
        <EntryCard
          entry={entry}
          title={entry.settings.prompt}
          snippet={codeOf({ protocol: 'completions', body: completionBody(entry.settings) })}
          {...actions}
        >
          {entry.answer !== undefined && (
            <pre className="max-w-full font-mono text-sm break-words whitespace-pre-wrap">
              {entry.answer}
              <span className="text-muted">{entry.settings.suffix}</span>
            </pre>
          )}
        </EntryCard>
      )}
    />
  )
}

/** `suffix`: the text that follows what the model writes; empty: none. */
type CompletionSettings = { model: string; prompt: string; suffix: string; maxTokens: number }
/** The answer is the text between the two. */
type CompletionEntry = CallEntry<CompletionSettings, string>

const completionBody = ({ model, prompt, suffix, maxTokens }: CompletionSettings) => ({
  model,
  prompt,
  ...(suffix === '' ? {} : { suffix }),
  max_tokens: maxTokens,
})

const complete = (
  history: Pick<History<CompletionEntry>, 'put'>,
  asked: Entry & { settings: CompletionSettings },
): Promise<Outcome> =>
  callOnce(history, asked, { path: 'v1/completions', body: completionBody(asked.settings) }, async (response) =>
    textField(field(field(parsed(await response.text()), 'choices'), 0), 'text'),
  )
