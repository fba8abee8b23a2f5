import { useState } from 'react'
import { useAbout } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { PLACEHOLDER, type RequestClient, requestSnippet } from '../../snippets/request-snippet.ts'
import { SnippetParts } from '../../snippets/snippet-parts.tsx'
import type { Access, ExampleRequest, Snippet } from '../../snippets/types.ts'
import { Segments } from '../../ui/form/choices.tsx'

export type CodeLanguage = RequestClient

const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'javascript', label: 'JavaScript' },
] as const

/** The request as code in a language that the reader chooses, for a key of their own. */
export function RequestCode({ snippet }: { snippet(language: CodeLanguage, access: Access): Snippet }) {
  const t = useTexts().playground
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const { data: about } = useAbout()
  if (!about) return null
  return (
    <div className="flex min-w-0 flex-col gap-3 rounded-md border p-3">
      <div>
        <Segments<CodeLanguage> label={t.language} value={language} onChange={setLanguage} options={LANGUAGES} />
      </div>
      <SnippetParts snippet={snippet(language, { baseUrl: about.base_url, secret: PLACEHOLDER })} />
      <p className="text-sm text-muted">{t.codeNote}</p>
    </div>
  )
}

export const codeOf = (request: ExampleRequest) => (language: CodeLanguage, access: Access) =>
  requestSnippet(language, shortened(request) as ExampleRequest, access)

const LONGEST = 200

/** Data of images would be megabytes of code. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith('data:') && value.length > LONGEST ? `${value.slice(0, 40)}...` : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]))
}
