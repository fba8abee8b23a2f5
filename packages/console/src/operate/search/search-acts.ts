// What can be done at once from the search: dialogs that open by their address.
import { useOperateTexts } from '../i18n/use-texts.tsx'
import { pageLink } from '../links.ts'
import { type Permission, useMay } from '../ui/permissions.ts'

/** `href`: a place of the console. `detail`: what tells it from others with the same label. */
export type Hit = { kind: string; label: string; detail: string | null; href: string }

type ActName = 'account' | 'group' | 'model' | 'upstream' | 'codes' | 'invitation'

const ACTS: Readonly<Record<ActName, { href: string; permission: Permission }>> = {
  account: { href: pageLink('accounts', { act: 'create' }), permission: 'accounts' },
  group: { href: pageLink('groups', { act: 'create' }), permission: 'configuration' },
  model: { href: pageLink('models', { act: 'create' }), permission: 'configuration' },
  upstream: { href: pageLink('upstreams', { add: 'yes' }), permission: 'configuration' },
  codes: { href: pageLink('codes', { act: 'create' }), permission: 'money' },
  invitation: { href: pageLink('people', { act: 'invite' }), permission: 'people' },
}

const MOST_CREDITS = 2

type Acts = {
  /** Those whose name has all words, or begins with another verb of the same meaning. */
  named(typed: string): Hit[]
  /** Whom credit is added to; undefined: something else was typed. */
  credited(typed: string): string | undefined
  creditTo(hits: readonly Hit[]): Hit[]
}

export function useSearchActs(): Acts {
  const t = useOperateTexts().shell.search
  const may = useMay()
  return {
    named(typed) {
      const words = typed.toLowerCase().split(/\s+/)
      return (Object.keys(ACTS) as ActName[]).flatMap((name) => {
        const label = t.acts[name]
        const said = `${label} ${t.verbs}`.toLowerCase()
        const isMeant = may(ACTS[name].permission) && words.every((word) => said.includes(word))
        return isMeant ? [{ kind: 'act', label, detail: null, href: ACTS[name].href }] : []
      })
    },
    credited: (typed) => (may('money') ? (t.credited.exec(typed)?.[1] ?? undefined) : undefined),
    creditTo: (hits) =>
      (may('money') ? hits : [])
        .filter(({ kind }) => kind === 'account')
        .slice(0, MOST_CREDITS)
        .map(({ label, detail, href }) => ({
          kind: 'act',
          label: t.credit(label),
          detail,
          href: `${href}?act=credit`,
        })),
  }
}
