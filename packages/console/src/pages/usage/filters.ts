/** What the URL of the page can say, with the defaults. */
export const FILTERS = {
  range: '7d',
  from: '',
  to: '',
  by: 'model',
  measure: 'spend',
  /** The name of the tags to group by. */
  name: '',
  model: '',
  key: '',
  tag: '',
  end_user: '',
  session: '',
  outcome: '',
  view: 'served',
  before: '',
  after: '',
  request: '',
}

/** What the parameter `by` can be. */
export const GROUPINGS = ['model', 'key', 'tag', 'end_user'] as const
export type Grouping = (typeof GROUPINGS)[number]
