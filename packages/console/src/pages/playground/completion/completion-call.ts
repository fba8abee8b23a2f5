import { field, parsed, textField } from '../call-gateway.ts'
import { type CallEntry, callOnce } from '../call-once.ts'
import type { Entry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import type { Outcome } from '../history/outcome.ts'

/** `suffix`: the text that follows what the model writes; empty: none. */
export type CompletionSettings = { model: string; prompt: string; suffix: string; maxTokens: number }
/** The answer is the text between the two. */
export type CompletionEntry = CallEntry<CompletionSettings, string>

export const completionBody = ({ model, prompt, suffix, maxTokens }: CompletionSettings) => ({
  model,
  prompt,
  ...(suffix === '' ? {} : { suffix }),
  max_tokens: maxTokens,
})

export const complete = (
  history: Pick<History<CompletionEntry>, 'put'>,
  asked: Entry & { settings: CompletionSettings },
): Promise<Outcome> =>
  callOnce(history, asked, { path: 'v1/completions', body: completionBody(asked.settings) }, async (response) =>
    textField(field(field(parsed(await response.text()), 'choices'), 0), 'text'),
  )
