import type { ReactNode } from 'react'
import { useLanguage, useTexts } from '../i18n/language.tsx'
import { CodeBlock, CopyText } from '../ui/copy.tsx'
import { Facts } from '../ui/page.tsx'
import type { Snippet, SnippetPart } from './types.ts'

export function SnippetParts({ snippet }: { snippet: Snippet }) {
  const t = useTexts().snippets
  const hasForm = snippet.parts.some(({ kind }) => kind === 'form')
  return (
    <>
      {!hasForm && (
        <Facts items={[{ label: t.baseUrl, value: <CopyText text={snippet.baseUrl} label={t.baseUrl} /> }]} />
      )}
      {snippet.parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a snippet have an order and no names.
        <Part key={index} part={part} />
      ))}
    </>
  )
}

function Part({ part }: { part: SnippetPart }) {
  const t = useTexts().snippets
  if (part.kind === 'form') return <Form part={part} />
  if (part.kind === 'file') return <Code title={<code>{part.path}</code>} label={part.path} code={part.code} />
  return <Code title={t[part.kind]} label={t[part.kind]} code={part.code} />
}

function Code({ title, label, code }: { title: ReactNode; label: string; code: string }) {
  return (
    <div className="min-w-0">
      <div className="mb-1 text-sm text-muted">{title}</div>
      <CodeBlock code={code} label={label} />
    </div>
  )
}

function Form({ part }: { part: SnippetPart & { kind: 'form' } }) {
  const { language } = useLanguage()
  return (
    <>
      <p>{part.where[language]}</p>
      <Facts
        items={part.fields.map(({ label: { [language]: label }, value }) => ({
          label,
          value: <CopyText text={value} label={label} />,
        }))}
      />
    </>
  )
}
