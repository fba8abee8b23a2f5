// The whole configuration as the text of a file, and the entries of such a text as one revision.

import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from 'react'
import { Button, ButtonAnchor } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/copy.tsx'
import { PasswordField, TextArea } from '../../../ui/form/field.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { Banner, EmptyRow, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { useMay } from '../../ui/permissions.ts'

export function Exchange() {
  return (
    <>
      <Export />
      <Import />
    </>
  )
}

function Export() {
  const t = useOperateTexts().configuration.exchange
  const mayExport = useMay()('configuration')
  const { data, error, refetch } = useAdmin('configuration/export', {}, { enabled: mayExport })
  const href = useFileUrl(data?.file)
  return (
    <Section
      title={t.export}
      text={t.exportText}
      actions={
        href && (
          <ButtonAnchor icon="download" href={href} download="trivium.yaml">
            {t.download}
          </ButtonAnchor>
        )
      }
    >
      {!mayExport && <EmptyRow>{t.exportAdmin}</EmptyRow>}
      {error && !data && <ErrorState error={error} retry={refetch} />}
      {mayExport && !data && !error && <Skeleton size="h-64 w-full" />}
      {data && (
        <div className="flex flex-col gap-4">
          {data.left_out.length > 0 && <Banner tone="warn">{t.leftOut(data.left_out.join(', '))}</Banner>}
          <div className="max-h-[420px] overflow-y-auto rounded-md">
            <CodeBlock code={data.file} label={t.file} />
          </div>
          {data.variables.length > 0 && (
            <div className="flex flex-col gap-2">
              <h3 className="font-semibold">{t.variables}</h3>
              <Facts
                items={data.variables.map(({ name, of }) => ({
                  label: name,
                  value: <code className="font-mono text-sm wrap-anywhere">{of}</code>,
                }))}
              />
            </div>
          )}
        </div>
      )}
    </Section>
  )
}

/** A download that needs no further request. */
function useFileUrl(text: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (text === undefined) return
    const made = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [text])
  return url
}

const PLACEHOLDER = /(?<!\$)\$\{([A-Za-z_]\w*)\}/g

function Import() {
  const t = useOperateTexts().configuration.exchange
  const words = useWords()
  const act = useAct()
  const [text, setText] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [leftOut, setLeftOut] = useState<readonly string[]>([])
  const picker = useRef<HTMLInputElement>(null)
  const names = [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]

  const pick = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (file) setText(await file.text())
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    const given = names.filter((name) => (values[name] ?? '') !== '').map((name) => [name, values[name] ?? ''])
    const done = await act({
      method: 'POST',
      path: 'configuration/import',
      body: { file: text, ...(given.length > 0 ? { variables: Object.fromEntries(given) } : {}) },
      ...words('config import'),
    })
    if (done === undefined) return
    setLeftOut(done.left_out)
    setText('')
    setValues({})
  }
  return (
    <Section title={t.import} text={t.importText}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        {leftOut.length > 0 && <Banner tone="warn">{t.leftOutFile(leftOut.join(', '))}</Banner>}
        <TextArea label={t.paste} rows={8} spellCheck={false} value={text} onChange={setText} />
        {names.map((name) => (
          <PasswordField
            key={name}
            label={t.value(name)}
            autoComplete="off"
            value={values[name] ?? ''}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <div className="flex flex-wrap gap-2">
          <input
            ref={picker}
            type="file"
            accept=".yaml,.yml,.txt"
            aria-label={t.choose}
            className="sr-only"
            tabIndex={-1}
            onChange={pick}
          />
          <Button onClick={() => picker.current?.click()}>{t.choose}</Button>
          <ActButton permission="configuration" type="submit" variant="primary">
            {t.check}
          </ActButton>
        </div>
      </form>
    </Section>
  )
}
