// Where the choices of operators' filters come from: the server, which knows all of them.
import type { UseChoices } from '../../ui/form/combobox.tsx'
import { useAdmin } from './queries.ts'

type Kind = 'account' | 'model' | 'upstream'

/** What the search of all things finds of one kind. Nothing typed: nothing found. */
const choicesOf =
  (kind: Kind): UseChoices =>
  (typed, isOpen) => {
    const q = typed.trim()
    const { data } = useAdmin('search', { q }, { enabled: isOpen && q !== '', keepPrevious: true, staleTime: 15_000 })
    if (q === '') return { options: [], total: 0 }
    const options = data?.data.filter((found) => found.kind === kind).map(({ id, label }) => ({ value: id, label }))
    return options && { options, total: options.length }
  }

export const useAccountChoices = choicesOf('account')
export const useModelChoices = choicesOf('model')

export const useUpstreamChoices: UseChoices = (typed, isOpen) => {
  const { data } = useAdmin('upstreams', {}, { enabled: isOpen, staleTime: 15_000 })
  const options = data?.data
    .filter(({ id }) => id.toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ id }) => ({ value: id, label: id }))
  return options && { options, total: options.length }
}
