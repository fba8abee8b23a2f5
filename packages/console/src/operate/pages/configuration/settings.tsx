// All settings as one form, generated from what the API says of them. What is changed is saved as one revision.

import { CHINESE } from 'trivium:settings'
import { type FormEvent, useState } from 'react'
import { readOf } from '../../../api/client.ts'
import { useLanguage } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { Section } from '../../../ui/page.tsx'
import { Banner, EmptyRow, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { readVersion, rehearse, type Version } from '../../api/client.ts'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { useOperateError } from '../../ui/errors.ts'
import { type Draft, type Drafts, patchOf, wrongIn } from './drafts.ts'
import { useRestoring } from './restoring.ts'
import { SettingField } from './setting-field.tsx'
import type { Setting } from './source.tsx'

const sectionOf = ({ id }: Setting): string => id.split('.')[0] ?? id

/** In the order in which they come. */
function sectionsOf(settings: readonly Setting[]): [section: string, settings: Setting[]][] {
  const names = [...new Set(settings.map(sectionOf))]
  return names.map((name) => [name, settings.filter((setting) => sectionOf(setting) === name)])
}

export function Settings() {
  const { settings: t } = useOperateTexts().configuration
  const { language } = useLanguage()
  const restoring = useRestoring()
  const { data, error, refetch } = useAdmin('settings')
  const [{ find }, setUrl] = useUrlState({ find: '' })
  const [drafts, setDrafts] = useState<Drafts>(new Map())
  const [version, setVersion] = useState<Promise<Version | undefined>>()
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({})
  const act = useAct()
  const words = useWords()
  const messageOf = useOperateError()
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  const settings = data?.settings
  const described = (setting: Setting) => (language === 'zh' ? CHINESE[setting.id] : undefined) ?? setting.description
  const wanted = find.trim().toLowerCase()
  const shown = settings?.filter(
    (setting) => setting.id.includes(wanted) || described(setting).toLowerCase().includes(wanted),
  )

  const change = (id: string, draft: Draft | undefined) => {
    // What a colleague saves from now on is shown before it is overwritten.
    if (drafts.size === 0) setVersion(readVersion('settings'))
    const next = new Map(drafts)
    if (draft === undefined) next.delete(id)
    else next.set(id, draft)
    setDrafts(next)
    setWrong({})
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (!settings || drafts.size === 0) return
    const mistakes = wrongIn(settings, drafts, t)
    if (Object.keys(mistakes).length > 0) return setWrong(mistakes)
    const patch = {
      method: 'PATCH',
      path: 'settings',
      body: patchOf(settings, drafts),
      version: await version,
    } as const
    const rehearsed = await rehearse(patch)
    if (!rehearsed.ok) {
      const { param } = rehearsed.error
      const field = settings.find(({ id }) => id === param)
      return setWrong({ [field?.id ?? '']: messageOf(rehearsed.error) })
    }
    const newest = await readOf('admin', 'configuration/revisions', { limit: '1' })
    const before = newest.ok ? (newest.value.data[0]?.id ?? '0') : undefined
    const done = await act({
      ...patch,
      ...(before === undefined ? {} : { undo: restoring(before) }),
      rehearsed: rehearsed.value,
      ...words('settings change', t.several(drafts.size)),
    })
    if (done !== undefined) setDrafts(new Map())
  }

  return (
    <form noValidate onSubmit={save}>
      <div className="mb-4 max-w-[320px]">
        <TextField
          label={t.find}
          hideLabel
          type="search"
          placeholder={t.find}
          value={find}
          onChange={(value) => setUrl({ find: value }, { replace: true })}
        />
      </div>
      {shown && shown.length > 0 && (
        <nav aria-label={t.jump} className="mb-4 flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {sectionsOf(shown).map(([section]) => (
            <a key={section} href={`#${section}`} className="text-link hover:underline">
              {t.sections[section] ?? section}
            </a>
          ))}
        </nav>
      )}
      {!shown && <LoadingSettings />}
      {shown?.length === 0 && <Section flush>{<EmptyRow>{t.none}</EmptyRow>}</Section>}
      {sectionsOf(shown ?? []).map(([section, own]) => (
        <div key={section} id={section} className="scroll-mt-4">
          <Section flush title={t.sections[section] ?? section}>
            <ul className="divide-y">
              {own.map((setting) => (
                <SettingField
                  key={`${setting.id} ${setting.invalid === null}`}
                  setting={setting}
                  description={described(setting)}
                  draft={drafts.get(setting.id)}
                  onChange={(draft) => change(setting.id, draft)}
                  error={wrong[setting.id]}
                />
              ))}
            </ul>
          </Section>
        </div>
      ))}
      {(drafts.size > 0 || wrong['']) && (
        <div className="sticky bottom-0 z-10 -mx-1 mb-6 flex flex-wrap items-center gap-3 rounded-lg border bg-surface px-4 py-3 max-[720px]:bottom-16">
          {wrong[''] && (
            <div className="w-full">
              <Banner tone="bad">{wrong['']}</Banner>
            </div>
          )}
          <span role="status" className="mr-auto font-medium">
            {t.changes(drafts.size)}
          </span>
          <Button
            onClick={() => {
              setDrafts(new Map())
              setWrong({})
            }}
          >
            {t.discard}
          </Button>
          <Button type="submit" variant="primary">
            {t.review}
          </Button>
        </div>
      )}
    </form>
  )
}

function LoadingSettings() {
  return (
    <Section title=" ">
      <div className="flex flex-col gap-6">
        {['one', 'two', 'three', 'four', 'five', 'six'].map((name) => (
          <Skeleton key={name} size="h-14 w-full" />
        ))}
      </div>
    </Section>
  )
}
