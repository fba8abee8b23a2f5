// Keys of any account, in the form that account holders have, and terms that several keys get at once.

import type { KeyRow, KeyWithSecret } from '../../../api/types.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { useRotation } from '../../../pages/keys/key-dialogs.tsx'
import { KeyFields } from '../../../pages/keys/key-form.tsx'
import { useTerms } from '../../../pages/keys/terms.tsx'
import { textIn } from '../../../ui/form/typed-values.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'

const ALL = { limit: '1000' }

type Created = { onCreated(created: KeyWithSecret): void }
type KeyFormProps = Created & {
  /** The one that gets a new key. */
  account: string
  subject: KeyRow | undefined
  onClose(): void
}

export function AdminKeyDrawer({ account, subject, onClose, onCreated }: KeyFormProps) {
  const { keys: t, common } = useTexts()
  const words = useWords()
  const groups = useAdmin('groups', ALL)
  const { data: models } = useAdmin('models', ALL)
  const modelsOf = (group: string): string[] => {
    const listed = groups.data?.data.find(({ id }) => id === group)?.models
    const names = Array.isArray(listed) ? listed.map(String) : ['*']
    const all = (models?.data ?? []).map(({ id }) => id)
    return names.includes('*') ? all : all.filter((id) => names.includes(id))
  }
  const rows = groups.data?.data.map(({ id, models_offered, multiplier }) => ({
    id,
    models: models_offered,
    multiplier: String(multiplier ?? '1'),
    is_default: id === 'default',
  }))
  return (
    <KeyFields subject={subject} groups={{ ...groups, data: rows }} modelsOf={modelsOf} mayLockTags onClose={onClose}>
      {(fields, title) =>
        subject ? (
          <ActForm
            isLong
            method="PATCH"
            path="keys/{key}"
            params={{ key: subject.id }}
            of={subject}
            title={title}
            action={common.save}
            fields={fields}
            question={words('key limit', subject.name)}
            onClose={onClose}
          />
        ) : (
          <ActForm
            isLong
            method="POST"
            path="keys"
            body={{ account }}
            title={title}
            action={t.form.submit}
            fields={fields}
            question={(_, values) => words('key create', textIn(values, 'name').trim())}
            onClose={onClose}
            onDone={(made) => onCreated({ key: made, secret: made.secret } as KeyWithSecret)}
          />
        )
      }
    </KeyFields>
  )
}

export function AdminRotateDialog({ subject, onClose, onCreated }: Created & { subject: KeyRow; onClose(): void }) {
  const form = useRotation(subject)
  const words = useWords()
  const { rotate } = useTexts().keys
  return (
    <ActForm
      {...form}
      method="POST"
      path="keys/{key}/rotate"
      params={{ key: subject.id }}
      question={{
        title: form.title,
        text: rotate.text(subject.last_four),
        action: form.action,
        done: words('key limit').done,
        hideChanges: true,
      }}
      onClose={onClose}
      onDone={(made) => onCreated({ key: made, secret: made.secret } as KeyWithSecret)}
    />
  )
}

type BulkKeysProps = { ids: string[]; onClose(): void; onDone(result: Schemas['BulkResult']): void }

/** What is left empty stays as it is for each of them. */
export function BulkKeysDialog({ ids, onClose, onDone }: BulkKeysProps) {
  const { form } = useTexts().keys
  const t = useOperateTexts().keys.bulk
  const terms = useTerms('terms.')
  const groups = useAdmin('groups', ALL).data?.data ?? []
  const title = t.editTitle(ids.length)
  return (
    <ActForm
      method="POST"
      path="keys/bulk"
      body={{ keys: ids, act: 'edit' }}
      title={title}
      action={t.check}
      nothing={t.nothing}
      fields={[
        <p key="text" className="text-muted">
          {t.editText}
        </p>,
        {
          name: 'terms.group',
          label: form.group,
          as: [{ value: '', label: t.unchanged }, ...groups.map(({ id }) => ({ value: id, label: id }))],
        },
        terms.cap({ hint: t.emptyHint }),
        ...terms.expiry({ unchanged: t.unchanged }),
        terms.limits({ hint: t.emptyHint }),
      ]}
      question={{ title, action: t.edit, done: t.done }}
      onClose={onClose}
      onDone={onDone}
    />
  )
}
