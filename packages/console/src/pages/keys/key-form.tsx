// The drawer in which a key is created or edited.

import type { ReactNode } from 'react'
import { useRead } from '../../api/queries.ts'
import type { GroupRow, KeyRow, KeyWithSecret } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { type Entry, ownField } from '../../ui/form/fields.ts'
import { PostForm } from '../../ui/form/post-form.tsx'
import { textIn, wordsIn } from '../../ui/form/typed-values.ts'
import { Icon } from '../../ui/icons.tsx'
import { DetailDrawer, type Query } from '../../ui/loaded.tsx'
import { isNetwork } from './entered.ts'
import { ModelChoice } from './model-choice.tsx'
import { useTagsField } from './tags.ts'
import { useTerms } from './terms.tsx'

type KeyDrawerProps = {
  /** undefined: a new key. */
  subject: KeyRow | undefined
  /** What was typed before, of a new key. */
  name?: string
  onClose(): void
  onCreated(created: KeyWithSecret): void
}

/** For an account holder's own keys. */
export function KeyDrawer({ subject, name = '', onClose, onCreated }: KeyDrawerProps) {
  const { keys: t, common } = useTexts()
  const groups = useRead('groups')
  const { data: models } = useRead('models')
  const modelsOf = (group: string) =>
    (models ?? []).filter(({ prices }) => prices.some((each) => each.group === group)).map(({ id }) => id)
  const shared = { isLong: true, onClose, refreshes: ['keys'] }
  return (
    <KeyFields
      subject={subject}
      name={name}
      groups={groups}
      modelsOf={modelsOf}
      ceiling={subject?.ceiling}
      onClose={onClose}
    >
      {(fields, title) =>
        subject ? (
          <PostForm
            {...shared}
            path="keys/{id}"
            params={{ id: subject.id }}
            isChange
            of={subject}
            title={title}
            action={common.save}
            fields={fields}
            said={(_, values) => t.form.saved(textIn(values, 'name').trim())}
          />
        ) : (
          <PostForm {...shared} path="keys" title={title} action={t.form.submit} fields={fields} onDone={onCreated} />
        )
      }
    </KeyFields>
  )
}

type Name =
  | 'name'
  | 'group'
  | 'cap_usd'
  | 'cap_period'
  | 'expires_at'
  | 'models'
  | 'networks'
  | 'tags'
  | 'tags_locked'
  | `limits.${string}`
type KeyFieldsProps = {
  subject: KeyRow | undefined
  name?: string
  groups: Query<readonly GroupRow[]>
  modelsOf(group: string): string[]
  /** What the operator set, which binds the account holder. */
  ceiling?: KeyRow['ceiling'] | undefined
  /** For operators. */
  mayLockTags?: boolean
  onClose(): void
  /** The form of these fields, once the groups are read. */
  children(fields: readonly Entry<Name>[], title: string): ReactNode
}

const MOST_NAMES = 4
const isRestricted = (key: KeyRow) =>
  [key.models, key.networks, ...Object.values(key.limits)].some((term) => term !== null)

export function KeyFields(props: KeyFieldsProps) {
  const { subject, name = '', groups, modelsOf, ceiling, mayLockTags = false, onClose, children } = props
  const t = useTexts().keys.form
  const terms = useTerms()
  const tags = useTagsField({ isLocked: !mayLockTags && subject?.tags_locked === true })
  const title = subject ? t.editTitle(subject.name) : t.createTitle
  if (!groups.data) return <DetailDrawer onClose={onClose} title={title} query={groups} />
  const all = groups.data
  const preset = all.find(({ is_default }) => is_default) ?? all[0]
  const former =
    subject && !all.some(({ id }) => id === subject.group) ? [{ value: subject.group, label: subject.group }] : []
  const hintOf = (group: string): string => {
    const chosen = all.find(({ id }) => id === group)
    if (!chosen) return t.groupGone
    const models = modelsOf(group)
    const named = models.length > 0 && t.groupModels(models.slice(0, MOST_NAMES).join(', '), models.length - MOST_NAMES)
    return [t.groupHint, t.groupPrice(chosen.multiplier), named].filter(Boolean).join(' ')
  }
  const fields: readonly Entry<Name>[] = [
    {
      name: 'name',
      label: t.name,
      hint: t.nameHint,
      usual: name,
      placeholder: t.namePlaceholder,
      maxLength: 100,
      autoFocus: true,
      missing: t.errors.name,
    },
    {
      name: 'group',
      label: t.group,
      usual: preset?.id ?? '',
      as: [...former, ...all.map(({ id, models }) => ({ value: id, label: t.groupOption(id, models) }))],
      hint: hintOf,
    },
    terms.cap({ ceiling }),
    {
      frame: (shown) => <div className="flex flex-col gap-3">{shown}</div>,
      fields: terms.expiry({ ceiling, hint: t.expiryHint, kept: subject?.expires_at ?? null, hasTime: true }),
    },
    tags,
    mayLockTags && {
      name: 'tags_locked',
      label: t.tagsLocked,
      hint: t.tagsLockedHint,
      as: 'switch',
      usual: 'false',
    },
    {
      frame: (shown) => <Restrictions isOpen={subject !== undefined && isRestricted(subject)}>{shown}</Restrictions>,
      fields: [
        ownField('models', {
          first: subject?.models ?? null,
          wrong: (chosen) => chosen?.length === 0 && t.errors.models,
          write: (chosen: readonly string[] | null) => chosen,
          show: ({ value, onChange, values, errors }) => (
            <ModelChoice
              models={modelsOf(textIn(values, 'group'))}
              chosen={value}
              onChange={onChange}
              error={errors.models}
            />
          ),
        }),
        {
          name: 'networks',
          label: t.networks,
          hint: t.networksHint,
          as: 'words',
          rows: 3,
          optional: true,
          wrong: (text) => {
            const mistake = wordsIn(text).find((word) => !isNetwork(word))
            return mistake !== undefined && t.errors.networks(mistake)
          },
        },
        terms.limits({ ceiling }),
      ],
    },
  ]
  return children(fields, title)
}

/** Open from the beginning if there are any. */
function Restrictions({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const t = useTexts().keys.form
  return (
    <details open={isOpen} className="group rounded-md border">
      <summary className="flex h-10 list-none items-center gap-2 rounded-md px-3 font-medium hover:bg-raised [&::-webkit-details-marker]:hidden">
        <span className="text-muted group-open:rotate-90">
          <Icon name="chevron" />
        </span>
        {t.restrictions}
      </summary>
      <div className="flex flex-col gap-5 border-t p-3">{children}</div>
    </details>
  )
}
